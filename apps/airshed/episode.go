package airshed

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Episode is a surge at one station, as it was last seen and last answered.
type Episode struct {
	Key       surge.Key
	Site      string
	Station   string
	StartAt   time.Time
	LastAt    time.Time // end of its last hour
	Over      bool
	AsOf      time.Time // moment of the newest data that counted
	Answers   int       // how often it was answered, each time otherwise
	Peak      int       // of the index, in the newest answer
	Verdict   string
	First     string // the state of the largest share
	Data      string // digest of what was analysed
	Analysis  string // digest of the analysis
	FirstScan string
	LastScan  string
	FoundAt   time.Time
	SeenAt    time.Time
}

const episodes = `select e.key, e.site_id, e.station, e.start_at, e.last_at, e.over, e.as_of, e.answers, a.peak_index, a.verdict, a.first_state, a.data, a.analysis,
	e.first_scan, e.last_scan, e.found_at, e.seen_at
	from airshed.episode e join airshed.answer a on a.org = e.org and a.key = e.key and a.n = e.answers`

// Episode reads one episode.
func (s *Store) Episode(ctx context.Context, actor identity.Actor, key surge.Key) (e Episode, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return e, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, episodes+` where e.key = $1`, string(key))
		e, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Episode])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return e, fault.New(fault.NotFound, "no episode is called %.80q", key).WithNext("see the surge board")
	}
	return e, err
}

// Episodes lists episodes, those that began last first, from a place on, which may
// be zero.
func (s *Store) Episodes(ctx context.Context, actor identity.Actor, after place, limit int) (all []Episode, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const page = episodes + ` where $1::timestamptz is null or (e.start_at, e.key) < ($1, $2) order by e.start_at desc, e.key desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.moment(), after.id, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Episode])
		return err
	})
	return all, err
}

// Analysis reads the newest analysis of an episode, byte for byte as it was kept.
func (s *Store) Analysis(ctx context.Context, actor identity.Actor, key surge.Key) ([]byte, error) {
	e, err := s.Episode(ctx, actor, key)
	if err != nil {
		return nil, err
	}
	if err := s.keeps(); err != nil {
		return nil, err
	}
	d, err := blob.Parse(e.Analysis)
	if err != nil {
		return nil, err
	}
	return s.bytesOf(ctx, actor.Org, d, maxAnalysis)
}
