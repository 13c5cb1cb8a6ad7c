package casework

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// Correct does what a correction asks for, and says what the scores of the districts it touches were before and are after it: of all
// windows, a day after the signal, or now where that is earlier. Scores that were given out stay as they are.
func (d *Desk) Correct(ctx context.Context, tx pgx.Tx, org identity.Org, c store.Correction, geo float64) ([]store.Recomputed, error) {
	if err := store.HoldSums(ctx, tx, org); err != nil {
		return nil, err
	}
	lgds := []int{c.LGD}
	if c.ToLGD != 0 {
		lgds = append(lgds, c.ToLGD)
	}
	at := c.At.Add(24 * time.Hour)
	if now := d.store.Now(); at.After(now) {
		at = now
	}
	a := Ask{LGD: lgds, Windows: Windows(), AsOf: at.UTC().Truncate(time.Microsecond), Profile: score.V2()}
	before, err := d.resultsIn(ctx, tx, org, a)
	if err != nil {
		return nil, err
	}
	if err := store.Place(ctx, tx, c, geo); err != nil {
		return nil, err
	}
	after, err := d.resultsIn(ctx, tx, org, a)
	if err != nil {
		return nil, err
	}
	var out []store.Recomputed
	for _, lgd := range lgds {
		for i, was := range before[lgd] {
			is := after[lgd][i]
			out = append(out, store.Recomputed{LGD: lgd, Hours: int(was.WindowHours), AsOf: a.AsOf, Before: was.Score, Was: was.Band,
				After: is.Score, Is: is.Band})
		}
	}
	return out, nil
}

// resultsIn scores districts within a transaction, which sees what that has changed.
func (d *Desk) resultsIn(ctx context.Context, tx pgx.Tx, org identity.Org, a Ask) (map[int][]score.Result, error) {
	limits, _, err := store.LimitsIn(ctx, tx, org)
	if err != nil {
		return nil, err
	}
	q := question(a)
	sums, err := store.TotalsIn(ctx, tx, q)
	if err != nil {
		return nil, err
	}
	out, by := map[int][]score.Result{}, score.By(a.Profile, limits.Rules().Thresholds)
	for _, lgd := range a.LGD {
		out[lgd] = results(a, by, q, sums[lgd])
	}
	return out, nil
}
