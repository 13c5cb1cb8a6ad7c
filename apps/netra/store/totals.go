package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/identity"
)

// rowsOfLayers is how many rows of sums a district has for a day: each signal once, and one for each layer.
const rowsOfLayers = 4

// A Question is for what the signals of districts come to.
type Question struct {
	LGD     []int // whose
	Windows []Ask
	Named   bool // whether the heaviest signals are wanted, too
}

// An Ask is one window of a question.
type Ask struct {
	bucket.Window

	Floor  bucket.Floor
	Silent bool // nobody of it is to be named
	Once   bool // only each signal once is wanted, nothing by layer
}

// Sums are what the signals of a district come to, by window of the question and layer: at 0 each signal once, then by the
// order of signal.Layers.
type Sums [][rowsOfLayers]bucket.Totals

// Layers are the totals of a window by layer.
func (s Sums) Layers(window int) map[signal.Layer]bucket.Totals {
	out := map[signal.Layer]bucket.Totals{}
	for _, l := range signal.Layers() {
		out[l] = s[window][layerOf(l)]
	}
	return out
}

// Totals answers a question from one state of the tables: from sums, and from rows in the minutes that windows cut. What it
// costs does not depend on how many signals there are. The heaviest signals go by short names; Named tells who they are.
func (s *Store) Totals(ctx context.Context, actor identity.Actor, q Question) (out map[int]Sums, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set transaction isolation level repeatable read, read only`); err != nil {
			return err
		}
		r := newReading(q)
		if err := r.read(ctx, tx); err != nil {
			return err
		}
		out = r.out
		return nil
	})
	return out, err
}

// TotalsIn is Totals within a transaction, which sees what that has changed.
func TotalsIn(ctx context.Context, tx pgx.Tx, q Question) (map[int]Sums, error) {
	r := newReading(q)
	err := r.read(ctx, tx)
	return r.out, err
}
