package agent

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
)

// CarryOutName is the registered name of CarryOut; it never changes.
const CarryOutName = "agent.CarryOut"

// A Carry is one call from outside any run that people decide.
type Carry struct {
	Input casefile.Input `json:"input"`
	Call  string         `json:"call"`
}

// CarryOut is the workflow of a Carry: it waits for people's decision, reminds
// them, lets the proposal go on to others and expire when it is time, and carries
// out what was approved by the same step as a run's own calls. It knows nothing
// and decides nothing: the proposal's row says what people want, and the act's
// row is the leave to do it.
func CarryOut(ctx workflow.Context, c Carry) error {
	d := Open(ctx, c.Input)
	r := &run{id: c.Call, orders: []string{c.Call}}
	got, err := d.attend(ctx, actKey(r.id, carriedCall))
	if err != nil || got.State != review.Approved && got.State != review.Edited {
		return err
	}
	_, _, authorised, err := d.act(ctx, r, planned{Call: carriedCall, Do: doAsk}, leave{args: got.ArgsSHA256, notBefore: got.NotBefore})
	if err == nil && !authorised {
		return temporal.NewNonRetryableApplicationError("the record has an approval and no act", fault.Internal.Code(), nil)
	}
	return err
}

// attend sees a proposal through to its end, and returns that. A signal only
// wakes: how the proposal stands is looked up in the record each time, also at
// first, since the decision may have been there before the workflow was.
func (d *Desk) attend(ctx workflow.Context, key string) (review.Decided, error) {
	for {
		delete(d.decided, key)
		var steps *Steps
		var now review.Attended
		err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.Attend, d.in.Org, key, d.in.Clock.In(ctx)).Get(ctx, &now)
		if err != nil || now.Decided.State != review.Open {
			return now.Decided, err
		}
		decided := func() bool { _, ok := d.decided[key]; return ok }
		if now.Next.IsZero() { // nothing is due, ever
			err = workflow.Await(ctx, decided)
		} else {
			patience := d.in.Clock.Real(now.Next.Sub(d.in.Clock.In(ctx)))
			_, err = workflow.AwaitWithTimeout(ctx, max(patience, time.Second), decided)
		}
		if err != nil {
			return review.Decided{}, err
		}
	}
}
