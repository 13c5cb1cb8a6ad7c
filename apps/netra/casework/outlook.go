package casework

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Outlook is the 24 hours of a district a day earlier, when it leaves its band by itself, and what it would be without each signal that
// is named.
type Outlook struct {
	Before  score.Result
	FallsAt *time.Time // nil: not within a week, if nothing new is heard
	FallsTo score.Band
	Without []score.Number // in the order in which the result names signals
}

// outlookSteps is how many steps an outlook looks ahead: a week.
const outlookSteps = int(7 * 24 * time.Hour / AheadStep)

// Outlook says what a result of 24 hours followed, and what follows it if nothing new is heard. It is computed from the same sums; nothing
// is guessed.
func (d *Desk) Outlook(ctx context.Context, actor identity.Actor, lgd int, r score.Result, p score.Profile) (out Outlook, err error) {
	const day = 24 * time.Hour
	a := Ask{LGD: []int{lgd}, Windows: []time.Duration{day}, AsOf: r.AsOf, Profile: p, Named: true}
	moments := []time.Time{r.AsOf.Add(-day)}
	for step := range outlookSteps {
		moments = append(moments, r.AsOf.Add(time.Duration(step+1)*AheadStep))
	}
	all, err := d.series(ctx, actor, a, moments)
	if err != nil {
		return out, err
	}
	out.Before = all[lgd][0]
	for _, then := range all[lgd][1:] {
		if then.Band < r.Band {
			out.FallsAt, out.FallsTo = &then.AsOf, then.Band
			break
		}
	}
	without, err := d.without(ctx, actor, a, r)
	for _, x := range without {
		out.Without = append(out.Without, x.Score)
	}
	return out, err
}
