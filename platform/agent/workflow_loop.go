package agent

import (
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// work is the loop: budget, a stretch of turns, and what it left to do. It begins with
// how far the run came already, where somebody says so.
func (d *Desk) work(ctx workflow.Context, r *run, came *stretchOutcome) (Result, error) {
	for {
		if came == nil {
			if over, err := d.goOn(ctx, r); err != nil {
				return d.result(r, Failed, ""), err
			} else if over {
				return d.end(ctx, r, Failed, "A person gave this run up.")
			}
			if what, ok := r.purse.reserve(); !ok {
				return d.end(ctx, r, OutOfBudget, "The budget of "+what+" is used up.")
			}
			next, err := d.further(ctx, r)
			if err != nil {
				return d.turnFailed(ctx, r, err)
			}
			came = &next
		}
		if came.State.Ended() {
			return d.result(r, came.State, came.Reason), nil
		}
		further, err := d.between(ctx, r, *came)
		if err != nil {
			return d.result(r, came.State, ""), err
		}
		came = further
		if came == nil && d.due(ctx, r) {
			return d.result(r, Running, ""), errRenew
		}
	}
}

// between sees to what was left to do before the next turn. Where the last of it and the
// turns after it were one step, it returns how far that came.
func (d *Desk) between(ctx workflow.Context, r *run, came stretchOutcome) (*stretchOutcome, error) {
	switch {
	case came.State == WaitingReply:
		return nil, d.awaitWords(ctx, r)
	case len(came.Calls) > 0:
		return d.seeThrough(ctx, r, came.Calls)
	default:
		return nil, d.awaitSaid(ctx, came.Orders)
	}
}

// further is the next turn, or as many as come before somebody else does.
func (d *Desk) further(ctx workflow.Context, r *run) (stretchOutcome, error) {
	if d.stretches {
		return d.stretch(ctx, r, nil)
	}
	return d.turn(ctx, r)
}

// next is what the next turn begins with. What people have said is read by it.
func (d *Desk) next(r *run) turnInput {
	in := turnInput{Org: d.in.Org, Run: r.id, Seq: r.Seq, Head: r.Head, Late: r.Late, Said: d.said[r.id],
		Taint: r.Taint, Repairs: r.Repairs}
	if r.Seq == 0 {
		in.Start = r.start
	}
	delete(d.said, r.id)
	return in
}

// turn is one turn: an activity, which may be repeated and answers the same.
func (d *Desk) turn(ctx workflow.Context, r *run) (stretchOutcome, error) {
	in := d.next(r)
	in.Tokens = r.purse.tokens()
	var steps *Steps
	var out turnOutcome
	err := workflow.ExecuteActivity(durable.Turn(ctx), steps.Turn, in).Get(ctx, &out)
	if err != nil {
		r.purse.settle(Spent{Calls: 1})
		return stretchOutcome{}, err
	}
	came := stretchOutcome{Seq: r.Seq + 1, Head: out.Head, State: out.State, Reason: out.Reason, Taint: out.Taint, Repairs: out.Repairs,
		Spent: out.Spent, Budget: out.Budget}
	for _, c := range out.Calls {
		came.Calls = append(came.Calls, open{planned: c})
	}
	d.settle(r, came)
	return came, nil
}

// turnFailed ends a run whose turn cannot be done at all: the engine has tried
// for as long as trying could help.
func (d *Desk) turnFailed(ctx workflow.Context, r *run, cause error) (Result, error) {
	if ctx.Err() != nil {
		return d.result(r, Failed, ""), cause
	}
	return d.end(ctx, r, Failed, "A turn could not be done ("+durable.FaultOf(cause).Code()+").")
}

// end records that a run is over for a reason no turn could give, and takes back
// what it has left open.
func (d *Desk) end(ctx workflow.Context, r *run, s State, reason string) (Result, error) {
	var steps *Steps
	in := endInput{Org: d.in.Org, Run: r.id, State: s, Reason: reason}
	if r.Seq == 0 {
		in.Start = r.start // nobody has written the run down yet
	}
	err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.End, in).Get(ctx, nil)
	return d.result(r, s, reason), err
}

func (d *Desk) result(r *run, s State, reason string) Result {
	return Result{Run: r.id, State: s, Reason: reason, Tainted: r.Taint, Spent: r.Used}
}
