package evidence

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Standing is how a source stands with one organisation, and what rests on it.
type Standing struct {
	Freshness
	LastID  SnapshotID // of the last good fetch; empty if there never was one
	Changes int64      // how often, in thirty days, what came looked unlike what came before
	Facts   int64      // versions of facts that were read from it; no more than MostFacts are counted
}

// A Standard is how a source stands, in a word.
type Standard string

// The words.
const (
	Fresh       Standard = "fresh"
	Late        Standard = "late"        // it should have spoken by now
	Never       Standard = "never"       // it should have spoken, and nothing has come yet
	Unscheduled Standard = "unscheduled" // nobody said how often it should speak
)

// Standards lists the words, those that need a person first.
func Standards() []Standard { return []Standard{Late, Never, Fresh, Unscheduled} }

// Is says how the source stands.
func (s Standing) Is() Standard {
	switch {
	case s.Source.ExpectedEvery == 0:
		return Unscheduled
	case s.Last.IsZero():
		return Never
	case s.Silent():
		return Late
	}
	return Fresh
}

// MostFacts is as far as facts are counted.
const MostFacts = 10_000

// mostFetches is how many fetches of a source are looked at for changes.
const mostFetches = 2_000

// Standings tells of every source how it stands.
func (s *Store) Standings(ctx context.Context, org identity.Org) (out []Standing, err error) {
	fresh, err := s.Freshness(ctx, org)
	if err != nil {
		return nil, err
	}
	const more = `
		select coalesce((select f.id from gavel.fetch f where f.source = s.name order by f.fetched_at desc, f.id desc limit 1), ''),
			(select count(*) from (
				select b.shape, lag(b.shape) over (order by n.fetched_at, n.id) as before
				from (select * from gavel.fetch f where f.source = s.name and f.fetched_at > $2 order by f.fetched_at desc limit $3) n
				join gavel.snapshot b on b.org = n.org and b.sha256 = n.sha256 where b.shape <> '') seen
			where before <> shape),
			(select count(*) from (
				select from (select distinct f.org, f.sha256 from gavel.fetch f where f.source = s.name) x
				join gavel.fact a on a.org = x.org and a.snapshot = x.sha256 limit $4) used)
		from unnest($1::text[]) with ordinality s(name, place) order by s.place`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, more, s.order, s.clock.Now().Add(-30*24*time.Hour), mostFetches, MostFacts)
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (st Standing, err error) {
			err = row.Scan(&st.LastID, &st.Changes, &st.Facts)
			return st, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("how sources stand: %w", err)
	}
	for i := range out {
		out[i].Freshness = fresh[i]
	}
	return out, nil
}

// Rows shows records of a CSV snapshot that the organisation has received, from
// the one asked for on, and whether more follow.
func (s *Store) Rows(ctx context.Context, org identity.Org, d blob.Digest, from int) (*selector.Excerpt, bool, error) {
	if from < 1 || from > maxRow {
		return nil, false, fault.New(fault.Invalid, "records are counted from 1, and shown up to %d", maxRow)
	}
	body, err := s.Open(ctx, org, d)
	if err != nil {
		return nil, false, err
	}
	defer body.Close()
	return selector.CSVPage(body, from)
}

// maxRow bounds how far a document is read to show a part of it.
const maxRow = 10_000_000
