package casework

import (
	"context"
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Moved is the score of a district beside the one a window earlier: no signal is in both.
type Moved struct {
	Scored

	Before   score.Result
	Coverage score.Coverage
}

// Now is the score of the window that was asked for.
func (m Moved) Now() score.Result { return m.Results[0] }

// Change is how far the score moved; it is not known where either is not.
func (m Moved) Change() score.Number {
	now, before := m.Now().Score, m.Before.Score
	if !now.Known || !before.Known {
		return score.Number{}
	}
	return score.Number{Value: now.Value - before.Value, Known: true}
}

// Board scores all districts as of now, with how far each has moved and how much is heard of it.
func (d *Desk) Board(ctx context.Context, actor identity.Actor, hours int, p score.Profile) ([]Moved, error) {
	return d.moved(ctx, actor, Ask{Windows: []time.Duration{time.Duration(hours) * time.Hour}, Profile: p})
}

// moved answers an ask for one window.
func (d *Desk) moved(ctx context.Context, actor identity.Actor, a Ask) ([]Moved, error) {
	if a.AsOf.IsZero() {
		a.AsOf = d.store.Now()
	}
	now, err := d.Score(ctx, actor, a)
	if err != nil {
		return nil, err
	}
	earlier := a
	earlier.AsOf, earlier.Named, earlier.LGD = a.AsOf.Add(-a.Windows[0]), false, nil
	before := map[int]score.Result{}
	for _, s := range now {
		earlier.LGD = append(earlier.LGD, s.LGD)
	}
	results, err := d.series(ctx, actor, earlier, []time.Time{earlier.AsOf})
	if err != nil {
		return nil, err
	}
	for lgd, r := range results {
		before[lgd] = r[0]
	}
	usual, err := d.store.Volume(ctx, actor, a.LGD, a.AsOf.AddDate(0, 0, -1), score.CoverageDays)
	if err != nil {
		return nil, err
	}
	out := make([]Moved, len(now))
	for i, s := range now {
		out[i] = Moved{Scored: s, Before: before[s.LGD], Coverage: score.CoverageOf(s.LastDay, usual[s.LGD])}
	}
	return out, nil
}

// series is the scores of districts at several moments, which may lie ahead: then as if nothing new were heard. The windows are those
// of one ask; nobody is named, and there is no trend.
func (d *Desk) series(ctx context.Context, actor identity.Actor, a Ask, moments []time.Time) (map[int][]score.Result, error) {
	q := store.Question{LGD: a.LGD}
	for _, at := range moments {
		w := bucket.Window{AsOf: at, Span: a.Windows[0]}
		q.Windows = append(q.Windows, store.Ask{Window: w, Floor: a.Profile.RecencyFloor, Silent: true})
	}
	limits, _, err := d.store.RulesOf(ctx, actor.Org)
	if err != nil {
		return nil, err
	}
	sums, err := d.store.Totals(ctx, actor, q)
	if err != nil {
		return nil, err
	}
	out, by := make(map[int][]score.Result, len(sums)), score.By(a.Profile, limits.Thresholds)
	for lgd, s := range sums {
		for i, w := range q.Windows {
			in := score.Input{Window: w.Window, Layers: s.Layers(i), All: s[i][0]}
			out[lgd] = append(out[lgd], by.Score(in))
		}
	}
	return out, nil
}

// A Dossier is all that a page says of one district.
type Dossier struct {
	Moved

	Without []score.Result // the score without each of the signals that Now names, in their order
	Ahead   []score.Result // the scores to come if nothing new is heard, every few hours
	Past    []score.Result // the scores of the days before by today's method, the oldest first
}

// How far a dossier looks ahead and back.
const (
	AheadStep  = 6 * time.Hour
	aheadSteps = 12
	PastDays   = 28
)

// Dossier tells all of a district for a window.
func (d *Desk) Dossier(ctx context.Context, actor identity.Actor, lgd, hours int, p score.Profile) (out Dossier, err error) {
	a := Ask{LGD: []int{lgd}, Windows: []time.Duration{time.Duration(hours) * time.Hour}, AsOf: d.store.Now(), Profile: p, Named: true}
	moved, err := d.moved(ctx, actor, a)
	if err != nil {
		return out, err
	}
	out.Moved = moved[0]
	if out.Without, err = d.without(ctx, actor, a, out.Now()); err != nil {
		return out, err
	}
	full := a.AsOf.Truncate(time.Hour).Add(-1) // whole hours, whose sums are kept
	var moments []time.Time
	for back := PastDays; back > 0; back-- {
		moments = append(moments, full.AddDate(0, 0, -back))
	}
	for step := range aheadSteps {
		moments = append(moments, full.Add(time.Hour).Add(time.Duration(step+1)*AheadStep))
	}
	all, err := d.series(ctx, actor, a, moments)
	if err != nil {
		return out, err
	}
	out.Past, out.Ahead = all[lgd][:PastDays], all[lgd][PastDays:]
	return out, nil
}

// without is the score without each of the signals that a result names. Sums have a short name for a signal, by which it is found again.
func (d *Desk) without(ctx context.Context, actor identity.Actor, a Ask, r score.Result) (out []score.Result, err error) {
	limits, _, err := d.store.RulesOf(ctx, actor.Org)
	if err != nil {
		return nil, err
	}
	q := question(a)
	sums, err := d.store.Totals(ctx, actor, q)
	if err != nil {
		return nil, err
	}
	in := inputs(a, q, sums[a.LGD[0]])[0]
	for _, c := range r.Top {
		out = append(out, score.Without(a.Profile, limits.Thresholds, in, store.ShortName(c.ID)))
	}
	return out, nil
}

// Calmer is when a score falls into a lower band if nothing new is heard, and into which; the zero time where it does not within what
// was looked at.
func (d Dossier) Calmer() (time.Time, score.Band) {
	for _, r := range d.Ahead {
		if r.Band < d.Now().Band {
			return r.AsOf, r.Band
		}
	}
	return time.Time{}, 0
}

// Value is a score as a number, not a number where there is none.
func Value(r score.Result) float64 {
	if !r.Score.Known {
		return math.NaN()
	}
	return r.Score.Value
}
