package casework

import (
	"context"
	"slices"
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
	q := question(a)
	sums, err := d.store.Totals(ctx, actor, q)
	if err != nil {
		return nil, err
	}
	out, by := make([]Scored, 0, len(a.LGD)), score.By(a.Profile, limits.Thresholds)
	for _, lgd := range a.LGD {
		e, ok := book.Find(lgd, a.AsOf)
		if !ok {
			return nil, fault.New(fault.NotFound, "there is no district %d on %s", lgd, a.AsOf.In(signal.India()).Format(time.DateOnly)).
				WithNext("see the list of districts")
		}
		out = append(out, Scored{Entry: e, Results: results(a, by, q, sums[lgd]), Limits: limits.Thresholds,
			LastDay: once(q, trendSpans[0], sums[lgd]).Signals(), Told: map[string]signal.Signal{}})
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

// trendSpans are what a trend is made of: the last day, and the two before it, which are what three days have more than one.
var trendSpans = []time.Duration{24 * time.Hour, 72 * time.Hour}

// question is what the tables are asked: the windows, and those of the trend that are not among them.
func question(a Ask) store.Question {
	q := store.Question{LGD: a.LGD, Named: a.Named}
	for _, w := range a.Windows {
		q.Windows = append(q.Windows, store.Ask{Window: bucket.Window{AsOf: a.AsOf, Span: w}, Floor: a.Profile.RecencyFloor})
	}
	for _, w := range trendSpans {
		if !slices.Contains(a.Windows, w) {
			q.Windows = append(q.Windows, store.Ask{Window: bucket.Window{AsOf: a.AsOf, Span: w}, Once: true})
		}
	}
	return q
}

// once is each signal of a window of the question once.
func once(q store.Question, span time.Duration, s store.Sums) bucket.Totals {
	return s[slices.IndexFunc(q.Windows, func(w store.Ask) bool { return w.Span == span })][0]
}

// inputs are what the sums of a district say, one for each window that is asked for.
func inputs(a Ask, q store.Question, s store.Sums) (out []score.Input) {
	recent := once(q, trendSpans[0], s)
	older := once(q, trendSpans[1], s).Beyond(recent)
	for i, w := range a.Windows {
		out = append(out, score.Input{Window: bucket.Window{AsOf: a.AsOf, Span: w}, Layers: s.Layers(i), All: s[i][0],
			Recent: recent, Older: older})
	}
	return out
}

func results(a Ask, by score.Scorer, q store.Question, s store.Sums) (out []score.Result) {
	for _, in := range inputs(a, q, s) {
		out = append(out, by.Score(in))
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
