package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/setting"
)

// ThresholdKind is the thresholds an organisation sets. People decide each change: a scan
// goes by them, and every answer names the version.
func (s *Store) ThresholdKind() setting.Kind {
	return setting.Of(setting.Kind{App: Name, Name: "thresholds", Title: "thresholds of surges and of the circle", Read: ActRead,
		Change: ActThreshold, Record: "airshed_thresholds", Gated: true}, setting.Functions[analysis.Thresholds]{
		Default: usual, Preview: s.previewThresholds,
		Said: func(t analysis.Thresholds) map[string]any {
			return map[string]any{"surge_index": t.SurgeIndex, "surge_pm25": t.SurgePM25, "surge_hours": t.SurgeHours,
				"surge_rise_percent": t.SurgeRise}
		},
	})
}

func usual(context.Context, pgx.Tx, identity.Org) (analysis.Thresholds, error) {
	return analysis.Usual(), nil
}

// thresholdsAt is those that were in force at a moment.
func (s *Store) thresholdsAt(ctx context.Context, tx pgx.Tx, org identity.Org, at time.Time) (analysis.Set, error) {
	t, mark, err := setting.ReadAt[analysis.Thresholds](ctx, tx, s.ThresholdKind(), org, "", at)
	return analysis.Set{Thresholds: t, Version: mark.Version}, err
}

// What thresholds are previewed with: objects of the lake hold fifteen days, so that three
// of them, this far apart, hold a month and more.
const (
	mostPreviewed = 3
	previewApart  = 11 * 24 * time.Hour
	previewBack   = 31 * 24 * time.Hour
)

// previewThresholds says how many episodes, at how many stations, the data of the last month
// have by the thresholds there are and by those that would be. It reads what was scanned.
func (s *Store) previewThresholds(ctx context.Context, tx pgx.Tx, org identity.Org, was, now analysis.Thresholds) ([]setting.Effect,
	error,
) {
	objects, err := s.lastMonth(ctx, tx)
	if err != nil || len(objects) == 0 || s.kept == nil {
		return nil, err
	}
	f, err := s.FootingAt(ctx, org, s.clock.Now())
	if err != nil {
		return nil, err
	}
	brought, err := s.Brought(ctx, org, f)
	if err != nil {
		return nil, err
	}
	var before, after tallied
	for _, data := range objects {
		body, err := s.BytesOf(ctx, org, data, lake.MaxBytes)
		if err != nil {
			return nil, err
		}
		object, err := lake.Read(body)
		if err != nil {
			return nil, err
		}
		for _, one := range []struct {
			by  analysis.Thresholds
			all *tallied
		}{{was, &before}, {now, &after}} {
			brought.Set = analysis.Set{Thresholds: one.by, Version: 1}
			if err := one.all.add(object, brought); err != nil {
				return nil, err
			}
		}
	}
	effect := func(name string, was, now int) setting.Effect {
		return setting.Effect{Name: name, Was: strconv.Itoa(was), Now: strconv.Itoa(now)}
	}
	return []setting.Effect{effect("episodes", before.episodes, after.episodes),
		effect("stations", len(before.sites), len(after.sites))}, nil
}

// A tallied is how many episodes there are, and at which stations. One that two objects hold
// counts once: they overlap.
type tallied struct {
	episodes int
	sites    []string
	seen     []span
}

type span struct {
	site     string
	from, to time.Time
}

func (f *tallied) add(o *lake.Object, b analysis.Brought) error {
	rules, err := b.Rules()
	if err != nil {
		return err
	}
	all, err := analysis.Episodes(o, rules)
	if err != nil {
		return err
	}
	for _, e := range all {
		one := span{string(e.Site), e.Start.Start(), e.Last.End()}
		if slices.ContainsFunc(f.seen, func(s span) bool { return s.site == one.site && s.from.Before(one.to) && one.from.Before(s.to) }) {
			continue
		}
		f.seen = append(f.seen, one)
		f.episodes++
		if !slices.Contains(f.sites, one.site) {
			f.sites = append(f.sites, one.site)
		}
	}
	return nil
}

// lastMonth is the bytes of scans of the last month that are done: the newest, and the
// newest that began so much before each.
func (s *Store) lastMonth(ctx context.Context, tx pgx.Tx) (out []blob.Digest, err error) {
	const newest = `select data, began_at from airshed.scan where state = 'done' and data is not null and began_at > $1 and began_at <= $2
		order by began_at desc limit 1`
	to, from := s.clock.Now(), s.clock.Now().Add(-previewBack)
	for range mostPreviewed {
		rows, _ := tx.Query(ctx, newest, from, to)
		type scanned struct {
			Data  string
			Began time.Time
		}
		got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[scanned])
		if err != nil || len(got) == 0 {
			return out, err
		}
		d, err := blob.Parse(got[0].Data)
		if err != nil {
			return out, err
		}
		out, to = append(out, d), got[0].Began.Add(-previewApart)
	}
	return out, nil
}
