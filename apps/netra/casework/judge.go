package casework

import (
	"context"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/validate"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// How scores are judged: what is learnt anew after a week, and how many outcomes must be known before any is judged.
const (
	learnEvery = 7 * 24 * time.Hour
	leastKnown = 100
	historyGet = 5000 // scores that are read at once
)

// Judge compares the scores of a window that were written down with violent events, and keeps what came of it. The source says where the
// events come from; they had no part in the scores.
func (d *Desk) Judge(ctx context.Context, actor identity.Actor, window int, source string, events []validate.Event) (v store.Validation,
	err error) {
	if err := d.store.May(actor, store.ActFreeze); err != nil {
		return v, err
	}
	book, err := d.store.Book(ctx, actor)
	if err != nil {
		return v, err
	}
	var frozen []validate.Frozen
	q := store.HistoryQuery{WindowHours: window, Limit: historyGet}
	for {
		some, err := d.store.History(ctx, actor, q)
		if err != nil {
			return v, err
		}
		for _, f := range some {
			if f.Score == nil { // a district of which nothing was heard says nothing
				continue
			}
			e, _ := book.Find(f.LGD, f.AsOf)
			frozen = append(frozen, validate.Frozen{District: strconv.Itoa(f.LGD), State: e.State, At: f.AsOf, FrozenAt: f.FrozenAt,
				Score: *f.Score})
		}
		if len(some) < historyGet {
			break
		}
		q.After = some[len(some)-1].Listed()
	}
	limits, _, err := d.store.RulesOf(ctx, actor.Org)
	if err != nil {
		return v, err
	}
	settled, late := validate.Settle(frozen, events, validate.Usual())
	v = store.Validation{WindowHours: window, Events: len(events), Late: late, Scores: len(frozen), Source: source,
		Reports: validate.Measure(validate.Roll(settled, learnEvery, leastKnown), limits.Thresholds[:])}
	return d.store.KeepValidation(ctx, actor, v)
}
