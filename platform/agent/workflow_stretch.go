package agent

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
)

// stretchTurns is how many turns a stretch takes at most, those of the runs below
// included: what it says about each call has to fit into a history.
const stretchTurns = 50

// stretch lets a run work on until somebody else has to come. With first, it begins with
// an act that a person has let it do.
//
// A run that others work beside, out of the same purse, takes one turn at a time: so none
// spends what another was promised, and each knows what is left.
func (d *Desk) stretch(ctx workflow.Context, r *run, first *actInput) (stretchOutcome, error) {
	in := stretchInput{turnInput: d.next(r), First: d.first, Act: first, Purse: r.purse.pockets(), Depth: r.depth, Turns: stretchTurns,
		Doubt: r.doubt}
	if !r.purse.alone() {
		in.Turns = 1
	}
	for _, id := range r.orders {
		in.Heed = append(in.Heed, heed{Run: id, N: d.newest[id]})
	}
	var steps *Steps
	var came stretchOutcome
	err := workflow.ExecuteActivity(durable.Stretch(ctx), steps.Stretch, in).Get(ctx, &came)
	if err != nil && first != nil { // the act could not be carried out, and no model was asked
		d.said[r.id] = append(in.Said, d.said[r.id]...)
		r.purse.settle(Spent{})
		return came, err
	}
	if err != nil {
		r.purse.settle(Spent{Calls: 1})
		return came, err
	}
	if came.Seq == in.Seq { // nobody has read it
		d.said[r.id] = append(in.Said, d.said[r.id]...)
	}
	d.settle(r, came)
	return came, nil
}

// settle notes how far a run came, and pays for it.
func (d *Desk) settle(r *run, came stretchOutcome) {
	if came.Budget != nil { // the first turn says what the agent may spend
		r.purse.Limit = *came.Budget
	}
	r.purse.settle(came.Spent)
	d.reach(r, came)
}

// reach notes how far a run came.
func (d *Desk) reach(r *run, came stretchOutcome) {
	r.Used, r.doubt = r.purse.Used, came.Doubt
	r.Seq, r.Head, r.Late, r.Taint, r.Repairs = came.Seq, came.Head, came.Late, came.Taint, came.Repairs
	d.acts += came.Acts
	for _, o := range came.Orders {
		if o.Do != orderSay { // what was said is known by its id, and the signal has that
			d.note(o)
		}
	}
}

// soon is how long word is waited for of which the record knows already.
const soon = 10 * time.Second

// awaitSaid waits until what somebody has said is here, which the record knows of and a
// signal brings, so that the next turn reads it; but not for ever.
func (d *Desk) awaitSaid(ctx workflow.Context, orders []order) error {
	for _, o := range orders {
		if o.Do != orderSay {
			continue
		}
		if _, err := workflow.AwaitWithTimeout(ctx, soon, func() bool { return d.newest[o.Run] >= o.N }); err != nil {
			return err
		}
		d.newest[o.Run] = max(d.newest[o.Run], o.N)
	}
	return nil
}
