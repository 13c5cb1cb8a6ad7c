package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Frozen is a score as it was given out.
type Frozen struct {
	LGD         int
	WindowHours int
	AsOf        time.Time
	Profile     string
	ProfileHash string
	Status      score.Status
	Score       *float64
	Band        string
	FrozenAt    time.Time
	FrozenBy    string
}

const frozenColumns = `lgd, window_hours, as_of, profile, profile_hash, status, score, band, frozen_at, frozen_by`

// Freeze writes scores down, by district. What was written before stays; a score that is frozen again is another line.
func (s *Store) Freeze(ctx context.Context, actor identity.Actor, all map[int][]score.Result) (n int, err error) {
	if err := s.rules.May(actor, ActFreeze); err != nil {
		return 0, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		n, err = s.freeze(ctx, tx, actor, all)
		return err
	})
	return n, err
}

// FreezeOnce writes down what Gavel itself scored as of a moment, unless it has before.
func (s *Store) FreezeOnce(ctx context.Context, org identity.Org, asOf time.Time, all map[int][]score.Result) (n int, err error) {
	gavel := identity.Gavel(org)
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if err := HoldStandings(ctx, tx, org); err != nil {
			return err
		}
		var before bool
		const known = `select exists (select from netra.score where as_of = $1 and frozen_by = $2)`
		if err := tx.QueryRow(ctx, known, asOf, gavel.ID).Scan(&before); err != nil || before {
			return err
		}
		n, err = s.freeze(ctx, tx, gavel, all)
		return err
	})
	return n, err
}

func (s *Store) freeze(ctx context.Context, tx pgx.Tx, actor identity.Actor, all map[int][]score.Result) (n int, err error) {
	now := s.Now()
	var batch pgx.Batch
	for lgd, results := range all {
		for _, r := range results {
			text, err := json.Marshal(r)
			if err != nil {
				return 0, err
			}
			var number *float64
			if r.Score.Known {
				number = &r.Score.Value
			}
			batch.Queue(`insert into netra.score (org, lgd, window_hours, as_of, profile, profile_hash, status, score, band, result,
				frozen_at, frozen_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`,
				actor.Org, lgd, int(r.WindowHours), r.AsOf, r.Profile, r.ProfileHash, string(r.Status), number, r.Band.String(), text, now,
				actor.ID)
		}
	}
	return batch.Len(), tx.SendBatch(ctx, &batch).Close()
}

// A HistoryQuery narrows the scores that were frozen.
type HistoryQuery struct {
	LGD         int // 0: of all districts
	WindowHours int // 0: of all windows
	After       HistoryCursor
	Limit       int
}

// A HistoryCursor is the line of the history after which a list goes on; the zero value begins it.
type HistoryCursor struct {
	FrozenAt    time.Time `json:"f"`
	AsOf        time.Time `json:"a"`
	LGD         int       `json:"l"`
	WindowHours int       `json:"w"`
}

// Listed is where a line stands in the history.
func (f Frozen) Listed() HistoryCursor {
	return HistoryCursor{f.FrozenAt, f.AsOf, f.LGD, f.WindowHours}
}

// History lists frozen scores, the newest first.
func (s *Store) History(ctx context.Context, actor identity.Actor, q HistoryQuery) (all []Frozen, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const read = `select ` + frozenColumns + ` from netra.score where ($1 = 0 or lgd = $1) and ($2 = 0 or window_hours = $2)
		and ($3::timestamptz is null or (frozen_at, as_of, lgd, window_hours) < ($3, $4, $5, $6))
		order by frozen_at desc, as_of desc, lgd desc, window_hours desc limit $7`
	var from *time.Time
	if !q.After.FrozenAt.IsZero() {
		from = &q.After.FrozenAt
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, read, q.LGD, q.WindowHours, from, q.After.AsOf, q.After.LGD, q.After.WindowHours, q.Limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Frozen])
		return err
	})
	return all, err
}
