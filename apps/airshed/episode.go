package airshed

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/analysis"
	"github.com/gavelhq/gavel/apps/airshed/surge"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Episode is a surge at one station, as it was found and as it was last seen.
type Episode struct {
	Key       surge.Key
	Site      string
	Station   string
	StartAt   time.Time
	LastAt    time.Time // end of its last hour
	Over      bool
	Peak      int // of the index
	Verdict   string
	First     string // the state of the largest share
	Data      string // digest of what was analysed
	Analysis  string // digest of the analysis
	FirstScan string
	LastScan  string
	FoundAt   time.Time
	SeenAt    time.Time
}

const episodeColumns = `key, site_id, station, start_at, last_at, over, peak_index, verdict, first_state, data, analysis, first_scan, last_scan, found_at, seen_at`

// recordEpisode is the kind of the records of episodes in the log.
const recordEpisode log.Kind = "airshed_episode"

// Episode reads one episode.
func (s *Store) Episode(ctx context.Context, actor identity.Actor, key surge.Key) (e Episode, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return e, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		e, err = episodeIn(ctx, tx, key)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return e, fault.New(fault.NotFound, "no episode is called %.80q", key).WithNext("see the surge board")
	}
	return e, err
}

// Episodes lists episodes, those that began last first: those that began before a
// moment, which may be zero.
func (s *Store) Episodes(ctx context.Context, actor identity.Actor, before time.Time, limit int) (all []Episode, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const page = `select ` + episodeColumns + ` from airshed.episode where $1::timestamptz is null or start_at < $1 order by start_at desc, key limit $2`
	var from *time.Time
	if !before.IsZero() {
		from = &before
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, from, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Episode])
		return err
	})
	return all, err
}

func episodeIn(ctx context.Context, tx pgx.Tx, key surge.Key) (Episode, error) {
	rows, _ := tx.Query(ctx, `select `+episodeColumns+` from airshed.episode where key = $1`, string(key))
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Episode])
}

// known is which of some episodes were found before.
func (s *Store) known(ctx context.Context, org identity.Org, keys []surge.Key) (known map[surge.Key]bool, err error) {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = string(k)
	}
	known = map[surge.Key]bool{}
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select key from airshed.episode where key = any($1)`, names)
		there, err := pgx.CollectRows(rows, pgx.RowTo[surge.Key])
		for _, k := range there {
			known[k] = true
		}
		return err
	})
	return known, err
}

// found writes an episode down that was analysed, unless somebody was faster, and
// reports whether it did.
func (s *Store) found(ctx context.Context, tx pgx.Tx, org identity.Org, scan Scan, a analysis.Analysis, digest blob.Digest) (bool, error) {
	now := s.clock.Now()
	const insert = `insert into airshed.episode (org, ` + episodeColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $14)
		on conflict (org, key) do nothing`
	e := a.Episode
	done, err := tx.Exec(ctx, insert, org, string(a.Key), string(e.Site), a.Station.Name, e.Start.Start(), e.Last.End(), !e.Open(), e.PeakIndex,
		string(a.Attribution.Verdict), a.Attribution.First, scan.Data, digest.String(), scan.ID, now)
	if err != nil || done.RowsAffected() == 0 {
		return false, err
	}
	_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordEpisode, App: Name, Actor: identity.Gavel(org), Subject: string(a.Key),
		Body: map[string]any{"did": "found", "scan": scan.ID, "data": scan.Data, "analysis": digest.String(), "verdict": string(a.Attribution.Verdict), "first": a.Attribution.First}})
	return true, err
}

// seen notes that an episode goes on, or has ended. What an earlier object says
// counts for nothing.
func (s *Store) seen(ctx context.Context, tx pgx.Tx, scan Scan, l analysis.Listed) error {
	const note = `update airshed.episode set last_at = $2, over = $3, peak_index = greatest(peak_index, $4), last_scan = $5, seen_at = $6
		where key = $1 and (last_at, over) <> ($2, $3) and last_at <= $2`
	e := l.Episode
	_, err := tx.Exec(ctx, note, string(e.Key), e.Last.End(), !e.Open(), e.PeakIndex, scan.ID, s.clock.Now())
	return err
}
