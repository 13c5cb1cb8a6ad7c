package agent

import (
	"errors"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/casefile"
)

// ConverseName is the registered name of Converse; it never changes.
const ConverseName = "agent.Converse"

// A Conversation is one agent that works for as long as it takes, on its own:
// a chat, or a run that no application's workflow owns.
type Conversation struct {
	Input casefile.Input `json:"input"`
	Task  Task           `json:"task"`
	// Named says that its run's id follows from the case and the task's name alone, so that who begins it knows it.
	Named bool `json:"named,omitempty"`
	// RenewEvery begins the history anew after so many turns; 0 leaves it to the
	// engine, which suggests it when a history has grown long.
	RenewEvery int    `json:"renew_every,omitempty"`
	Carry      *carry `json:"carry,omitempty"`
}

// A carry is what goes over into a new history.
type carry struct {
	Run    run      `json:"run"`
	Limit  Budget   `json:"limit"`
	Unread []string `json:"unread,omitempty"`
	Heard  []string `json:"heard,omitempty"` // the newest, to tell a repeated signal
	Order  *order   `json:"order,omitempty"`
	Newest int      `json:"newest,omitempty"` // the number of the newest order that is known, of any kind
}

// keptHeard is how many ids of messages are remembered across histories.
const keptHeard = 200

// errRenew says that the history is to be begun anew.
var errRenew = errors.New("the history is begun anew")

// Converse is the workflow of a Conversation.
func Converse(ctx workflow.Context, c Conversation) error {
	d := Open(ctx, c.Input)
	d.renewEvery, d.renews = c.RenewEvery, true
	r := d.newRun(c.Task, d.starts(c.Task))
	if c.Named {
		r.id = c.Run()
		r.orders = []string{r.id}
	}
	r.purse = &purse{Limit: unbounded}
	if c.Carry != nil {
		d.takeOver(r, *c.Carry)
	}
	d.begunAt = r.Seq
	_, err := d.work(ctx, r, nil)
	if !errors.Is(err, errRenew) {
		return err
	}
	// The desk reads what has arrived meanwhile, which takes it a moment of its
	// own; what comes later finds the new history.
	if err := workflow.Sleep(ctx, time.Millisecond); err != nil {
		return err
	}
	c.Carry, c.Input.Procedure = d.handOver(r), casefile.Procedure
	return workflow.NewContinueAsNewError(ctx, ConverseName, c)
}

func (d *Desk) handOver(r *run) *carry {
	c := &carry{Run: *r, Limit: r.purse.Limit, Unread: d.said[r.id], Heard: d.heardLast[max(0, len(d.heardLast)-keptHeard):],
		Newest: d.newest[r.id]}
	if o, ok := d.orders[r.id]; ok {
		c.Order = &o
	}
	return c
}

func (d *Desk) takeOver(r *run, c carry) {
	r.Seq, r.Head, r.Late, r.Taint, r.Repairs, r.Used = c.Run.Seq, c.Run.Head, c.Run.Late, c.Run.Taint, c.Run.Repairs, c.Run.Used
	r.purse = &purse{Limit: c.Limit, Used: c.Run.Used}
	d.said[r.id] = append(d.said[r.id], c.Unread...)
	for _, id := range c.Heard {
		d.heard[id] = true
	}
	d.heardLast = c.Heard
	d.newest[r.id] = c.Newest
	if c.Order != nil {
		d.note(*c.Order)
	}
}

// due reports whether a run that may be carried over should be now: between
// turns, with nothing of it waiting for anybody.
func (d *Desk) due(ctx workflow.Context, r *run) bool {
	if !d.renews || r.depth > 0 || r.Seq == 0 {
		return false
	}
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() || d.renewEvery > 0 && r.Seq-d.begunAt >= d.renewEvery
}
