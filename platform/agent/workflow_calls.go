package agent

import (
	"slices"
	"strconv"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/review"
)

// seeThrough carries every call of a turn to its end, side by side, and notes in
// call order where the next turn finds what became of each. Where the only one was
// carried out with the turns after it, it returns how far they came.
func (d *Desk) seeThrough(ctx workflow.Context, r *run, calls []open) (*stretchOutcome, error) {
	if len(calls) == 1 {
		l, came, err := d.seeOne(ctx, r, calls[0], true)
		if err == nil && came == nil {
			r.Late = []late{l}
		}
		return came, err
	}
	for _, c := range calls {
		if c.Do == doAgent && c.End == nil {
			r.purse.below++
		}
	}
	ends := make([]late, len(calls))
	wrong := make([]error, len(calls))
	wg := workflow.NewWaitGroup(ctx)
	for i, c := range calls {
		wg.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer wg.Done()
			ends[i], _, wrong[i] = d.seeOne(ctx, r, c, false)
			if c.Do == doAgent && c.End == nil {
				r.purse.below--
			}
		})
	}
	wg.Wait(ctx)
	for _, err := range wrong {
		if err != nil {
			return nil, err
		}
	}
	r.Late = ends
	return nil, nil
}

func (d *Desk) seeOne(ctx workflow.Context, r *run, c open, only bool) (late, *stretchOutcome, error) {
	switch {
	case c.End != nil:
		return *c.End, nil, nil
	case c.Do == doAgent:
		l, err := d.delegate(ctx, r, c)
		return l, nil, err
	case c.Do == doAsk:
		return d.ask(ctx, r, c.planned, only && d.stretches)
	default:
		l, came, _, err := d.act(ctx, r, c.planned, leave{args: c.Args})
		return l, came, err
	}
}

// A leave is what lets a call be carried out, as far as the workflow knows.
type leave struct {
	args      string // the digest of its arguments
	notBefore time.Time
	onwards   bool // the next turns may follow in the same step: no other call is waited for
}

// ask waits for a person's decision on a call, and carries it out if that is
// what they decided. A signal only wakes: where the record does not bear it out,
// the wait goes on.
func (d *Desk) ask(ctx workflow.Context, r *run, c planned, onwards bool) (late, *stretchOutcome, error) {
	for {
		got, err := d.await(ctx, r, actKey(r.id, c.Call), c)
		switch {
		case err != nil:
			return late{}, nil, err
		case d.ordered(r, orderCancel):
			return late{Call: c.Call, From: fromNothing}, nil, nil // the run ends, and takes the proposal back
		case got.State == review.Open:
			continue
		case got.State != review.Approved && got.State != review.Edited:
			return late{Call: c.Call, From: fromProposal}, nil, nil
		}
		l, came, authorised, err := d.act(ctx, r, c, leave{args: got.ArgsSHA256, notBefore: got.NotBefore, onwards: onwards})
		if err != nil || authorised {
			return l, came, err
		}
	}
}

// await waits for word of a decision on a call's proposal, and no longer than the
// proposal stays open; meanwhile it has people reminded. Anything but an approval,
// which the act's own row bears out or not, is looked up in the record.
func (d *Desk) await(ctx workflow.Context, r *run, key string, c planned) (review.Decided, error) {
	decided := func() bool { _, ok := d.decided[key]; return ok || d.ordered(r, orderCancel) }
	for due := c.Attend; ; {
		if due.IsZero() {
			due = c.Expires
		}
		patience := d.in.Clock.Real(due.Sub(d.in.Clock.In(ctx)))
		if _, err := workflow.AwaitWithTimeout(ctx, max(patience, time.Second), decided); err != nil {
			return review.Decided{}, err
		}
		got := d.decided[key]
		delete(d.decided, key)
		if got.State == review.Approved || got.State == review.Edited || d.ordered(r, orderCancel) {
			return got, nil
		}
		if c.Attend.IsZero() { // of a turn before people were reminded
			return d.expire(ctx, key)
		}
		var steps *Steps
		var now review.Attended
		err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.Attend, d.in.Org, key, d.in.Clock.In(ctx)).Get(ctx, &now)
		if err != nil || now.Decided.State != review.Open {
			return now.Decided, err
		}
		due = now.Next
	}
}

// expire ends a proposal whose time is over, or says how it ended before.
func (d *Desk) expire(ctx workflow.Context, key string) (review.Decided, error) {
	var steps *Steps
	var real review.Decided
	err := workflow.ExecuteLocalActivity(durable.Step(ctx), steps.Expire, d.in.Org, key, d.in.Clock.In(ctx)).Get(ctx, &real)
	return real, err
}

// act carries out what may be carried out. It waits for the end of an undo
// window, for a stopped run, and for a pause. Not authorised means that the
// record knows of no leave to do it, and nothing was done. Where the next turns
// followed in the same step, it says how far they came.
func (d *Desk) act(ctx workflow.Context, r *run, c planned, by leave) (end late, came *stretchOutcome, authorised bool, err error) {
	if err := d.letUndo(ctx, r, c, by.notBefore); err != nil {
		return late{}, nil, true, err
	}
	end = late{Call: c.Call, From: fromAct}
	in := actInput{Org: d.in.Org, Run: r.id, Call: c.Call, Args: by.args}
	var steps *Steps
	for wait := time.Minute; ; wait = min(2*wait, longestHold) {
		over, err := d.goOn(ctx, r)
		if err != nil || over {
			return late{Call: c.Call, From: fromNothing}, nil, true, err // the run's end calls it off
		}
		lifted := d.lifted // word may come while the step that meets the pause is still under way
		out, came, err := d.carryOut(ctx, r, in, by.onwards)
		switch {
		case err != nil && ctx.Err() != nil:
			return late{}, nil, true, err
		case err != nil:
			err = workflow.ExecuteLocalActivity(durable.Step(ctx), steps.GiveUp, in).Get(ctx, nil)
			d.acts++
			return end, nil, true, err
		case out.State == notAuthorised:
			return late{Call: c.Call, From: fromNothing}, nil, false, nil
		case out.State == string(Stopped): // the order is on its way
			_, err = workflow.AwaitWithTimeout(ctx, wait, func() bool { return d.ordered(r, orderStop) || d.ordered(r, orderCancel) })
		case out.State == string(Held):
			err = d.hold(ctx, r, lifted, wait)
		case came != nil:
			return end, came, true, nil
		default:
			r.Taint = r.Taint || out.Taint
			d.acts++
			return end, nil, true, nil
		}
		if err != nil {
			return late{}, nil, true, err
		}
	}
}

// carryOut is the act alone, or with the turns after it where they may follow and can be
// paid for.
func (d *Desk) carryOut(ctx workflow.Context, r *run, in actInput, onwards bool) (out actOutcome, came *stretchOutcome, err error) {
	if onwards {
		if _, onwards = r.purse.reserve(); onwards {
			got, err := d.stretch(ctx, r, &in)
			return actOutcome{State: got.Act}, &got, err
		}
	}
	var steps *Steps
	err = workflow.ExecuteActivity(durable.Outside(ctx), steps.Act, in).Get(ctx, &out)
	return out, nil, err
}

// letUndo waits until an act can no longer be undone, is undone, or its run is
// given up.
func (d *Desk) letUndo(ctx workflow.Context, r *run, c planned, notBefore time.Time) error {
	left := notBefore.Sub(d.in.Clock.In(ctx))
	if notBefore.IsZero() || left <= 0 {
		return nil
	}
	key := actKey(r.id, c.Call)
	_, err := workflow.AwaitWithTimeout(ctx, d.in.Clock.Real(left), func() bool {
		return d.decided[key].State == review.Undone || d.ordered(r, orderCancel)
	})
	return err
}

// hold waits until a pause is lifted once more than it had been when the act was
// tried, and looks from time to time.
func (d *Desk) hold(ctx workflow.Context, r *run, lifted int, wait time.Duration) error {
	if err := d.mark(ctx, r, Held); err != nil {
		return err
	}
	if _, err := workflow.AwaitWithTimeout(ctx, wait, func() bool { return d.lifted != lifted || d.ordered(r, orderCancel) }); err != nil {
		return err
	}
	return d.mark(ctx, r, Running)
}

// delegate sets another agent to work, as a coroutine of this workflow, on a
// part of this run's budget; or lets it go on that a stretch has set to work.
func (d *Desk) delegate(ctx workflow.Context, r *run, c open) (late, error) {
	nothing := late{Call: c.Call, From: fromNothing}
	if r.depth+1 >= maxDepth || c.Budget == nil {
		return nothing, nil
	}
	t := Task{App: r.task.App, Agent: c.Agent, Name: r.task.Name + "/" + c.Call, For: r.task.For}
	sub := d.newRun(t, r.start.facts(d.in.Org, r.id).below(c.planned, r.Head))
	sub.depth, sub.purse, sub.Taint = r.depth+1, r.purse.slice(*c.Budget), r.Taint
	sub.orders = slices.Concat(r.orders, []string{sub.id})
	if c.Below != nil {
		sub.purse.Used = c.Below.Spent // paid for already
		d.reach(sub, *c.Below)
	}
	res, err := d.work(ctx, sub, c.Below)
	if err != nil {
		return nothing, err
	}
	return late{Call: c.Call, From: fromRun, ID: res.Run}, nil
}

// again names a further try of a task.
func again(name string, try int) string { return name + "#" + strconv.Itoa(try) }
