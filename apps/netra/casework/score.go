package casework

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Ask is for scores.
type Ask struct {
	LGD     []int // of which districts; empty: of all
	Windows []time.Duration
	AsOf    time.Time // zero: now
	Profile score.Profile
	Named   bool // whether the heaviest signals are wanted, too
}

// A Scored is a district with its scores, one for each window.
type Scored struct {
	gazette.Entry

	Results []score.Result
	Limits  score.Thresholds         // by which its bands were told: the organisation's, as they are set
	LastDay int64                    // how many signals the last 24 hours had, of all kinds
	Told    map[string]signal.Signal // those that the results name
}

// Windows are those of the product.
func Windows() []time.Duration {
	return []time.Duration{24 * time.Hour, 72 * time.Hour, 7 * 24 * time.Hour}
}

// mostWindow is the longest window there is.
const mostWindow = 31 * 24 * time.Hour

// Book is the districts the organisation knows.
func (d *Desk) Book(ctx context.Context, actor identity.Actor) (gazette.Book, error) {
	return d.store.Book(ctx, actor)
}

// Score scores districts as of a moment.
func (d *Desk) Score(ctx context.Context, actor identity.Actor, a Ask) ([]Scored, error) {
	if err := d.moment(&a); err != nil {
		return nil, err
	}
	book, err := d.store.Book(ctx, actor)
	if err != nil {
		return nil, err
	}
	if len(a.LGD) == 0 {
		a.LGD = book.Codes(a.AsOf)
	}
	limits, _, err := d.store.RulesOf(ctx, actor.Org)
	if err != nil {
		return nil, err
	}
	sums, err := d.store.Totals(ctx, actor, question(a))
	if err != nil {
		return nil, err
	}
	out := make([]Scored, 0, len(a.LGD))
	for _, lgd := range a.LGD {
		e, ok := book.Find(lgd, a.AsOf)
		if !ok {
			return nil, fault.New(fault.NotFound, "there is no district %d on %s", lgd, a.AsOf.In(signal.India()).Format(time.DateOnly)).
				WithNext("see the list of districts")
		}
		out = append(out, Scored{Entry: e, Results: results(a, limits.Thresholds, sums[lgd]), Limits: limits.Thresholds,
			LastDay: sums[lgd][len(a.Windows)][0].Signals(), Told: map[string]signal.Signal{}})
	}
	if !a.Named {
		return out, nil
	}
	return out, d.name(ctx, actor, out, sums)
}

// moment makes sure that a moment can be answered for.
func (d *Desk) moment(a *Ask) error {
	now := d.store.Now()
	if a.AsOf.IsZero() {
		a.AsOf = now
	}
	a.AsOf = a.AsOf.UTC().Truncate(time.Microsecond)
	longest := 3 * 24 * time.Hour // the trend's
	for _, w := range a.Windows {
		if w < time.Hour || w > mostWindow || w%time.Hour != 0 {
			return fault.New(fault.Invalid, "a window has 1 to %d whole hours", int(mostWindow.Hours()))
		}
		longest = max(longest, w)
	}
	switch {
	case len(a.Windows) == 0:
		return fault.New(fault.Invalid, "no window is asked for")
	case a.AsOf.After(now):
		return fault.New(fault.Invalid, "nobody knows the score of a moment that lies ahead")
	case a.AsOf.Add(-longest).Before(now.Add(-store.SignalsKept)):
		return fault.New(fault.Invalid, "signals are kept for %d days, and that moment lies before", int(store.SignalsKept.Hours()/24)).
			WithNext("see the scores that were frozen then")
	}
	return nil
}

// question is what the tables are asked: the windows, and then those of the trend.
func question(a Ask) store.Question {
	q := store.Question{LGD: a.LGD, Named: a.Named}
	for _, w := range a.Windows {
		q.Windows = append(q.Windows, store.Ask{Window: bucket.Window{AsOf: a.AsOf, Span: w}, Floor: a.Profile.RecencyFloor})
	}
	recent, older := score.TrendWindows(a.AsOf)
	q.Windows = append(q.Windows, store.Ask{Window: recent, Silent: true}, store.Ask{Window: older, Silent: true})
	return q
}

func results(a Ask, t score.Thresholds, s store.Sums) (out []score.Result) {
	n := len(a.Windows)
	for i, w := range a.Windows {
		out = append(out, score.Score(a.Profile, t, score.Input{Window: bucket.Window{AsOf: a.AsOf, Span: w},
			Layers: s.Layers(i),
			All:    s[i][0], Recent: s[n][0], Older: s[n+1][0]}))
	}
	return out
}

// Freeze scores all districts and writes that down, before anybody can know what comes of it.
func (d *Desk) Freeze(ctx context.Context, actor identity.Actor, p score.Profile) (asOf time.Time, n int, err error) {
	if err := d.store.May(actor, store.ActFreeze); err != nil {
		return asOf, 0, err
	}
	asOf = d.store.Now()
	all, err := d.Score(ctx, actor, Ask{Windows: Windows(), AsOf: asOf, Profile: p, Named: true})
	if err != nil {
		return asOf, 0, err
	}
	by := map[int][]score.Result{}
	for _, s := range all {
		by[s.LGD] = s.Results
	}
	n, err = d.store.Freeze(ctx, actor, by)
	return asOf, n, err
}
