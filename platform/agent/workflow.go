package agent

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// maxDepth bounds how far agents set agents to work.
const maxDepth = 4

// A Task is a piece of work for one agent.
type Task struct {
	App, Agent string
	Name       string         // unique in its workflow, "audit-1"
	For        identity.Actor // on whose behalf; the zero Actor for nobody's. The name is not kept
	Budget     *Budget        // narrower than the agent's own; nil for its own
}

// A Result is what a run came to. The answer itself lies in the transcript:
// Store.Answer.
type Result struct {
	Run     string
	State   State
	Reason  string // in plain words, where it is not Done
	Tainted bool   // text from outside has had a part in the answer
	Spent   Spent
}

// A Desk is where a case's workflow sets agents to work: it receives people's
// decisions and orders and hands them to the runs that wait for them. A workflow
// opens one, at its beginning.
type Desk struct {
	in        casefile.Input
	first     string                    // the workflow's first run, which names its agents' runs
	decided   map[string]review.Decided // by the key of the act
	decisions int                       // how many came
	orders    map[string]order          // by run: the newest
	said      map[string][]string       // by run: messages not read yet
	heard     map[string]bool           // ids of messages, since a signal may come twice
	heardLast []string                  // the same, in the order they came
	lifted    int                       // how often a pause was lifted
	acts      int                       // how many came to an end

	stretches bool           // the agents work in stretches
	newest    map[string]int // by run: the newest order that is known, of any kind

	renews     bool // a long history is begun anew
	renewEvery int
	begunAt    int // the turn that this history began with
}

// The signals a desk receives. Names never change.
const (
	DecisionSignal = review.SignalName
	OrderSignal    = "agent_order"
	LiftedSignal   = "pause_lifted"
)

// Open sets up a desk.
func Open(ctx workflow.Context, in casefile.Input) *Desk {
	d := &Desk{in: in, first: workflow.GetInfo(ctx).FirstRunID, decided: map[string]review.Decided{}, orders: map[string]order{},
		said: map[string][]string{}, heard: map[string]bool{}, newest: map[string]int{}, stretches: in.Procedure >= 1}
	workflow.GoNamed(ctx, "desk", d.receive)
	return d
}

// Decisions is how many decisions on the case have come so far, for a workflow that
// looks at the record whenever there is another.
func (d *Desk) Decisions() int { return d.decisions }

// receive notes what people sent. Each signal only wakes: what counts is read
// from the record by the step that follows. A signal that cannot be opened is a
// stranger's and dropped; Receive would wait here for another of its name, and hear
// nothing else meanwhile.
func (d *Desk) receive(ctx workflow.Context) {
	s := workflow.NewSelector(ctx)
	s.AddReceive(workflow.GetSignalChannel(ctx, DecisionSignal), func(ch workflow.ReceiveChannel, _ bool) {
		var got review.Decided
		if ch.ReceiveAsync(&got) {
			d.decided[got.Key] = got
			d.decisions++
		}
	})
	s.AddReceive(workflow.GetSignalChannel(ctx, OrderSignal), func(ch workflow.ReceiveChannel, _ bool) {
		var got order
		if ch.ReceiveAsync(&got) {
			d.note(got)
		}
	})
	s.AddReceive(workflow.GetSignalChannel(ctx, LiftedSignal), func(ch workflow.ReceiveChannel, _ bool) {
		ch.Receive(ctx, nil)
		d.lifted++
	})
	for ctx.Err() == nil {
		s.Select(ctx)
	}
}

// note keeps an order. Signals come in any order and more than once; what people
// ordered is numbered, and the highest number is what they want.
func (d *Desk) note(o order) {
	d.newest[o.Run] = max(d.newest[o.Run], o.N)
	if o.Do != orderSay {
		if o.N >= d.orders[o.Run].N {
			d.orders[o.Run] = o
		}
		return
	}
	if id := o.Run + "/" + o.Message; !d.heard[id] {
		d.heard[id] = true
		d.heardLast = append(d.heardLast, id)
		d.said[o.Run] = append(d.said[o.Run], o.Message)
	}
}

// ordered reports whether the newest order to a run, or to one above it, is this.
func (d *Desk) ordered(r *run, do string) bool {
	for _, id := range r.orders {
		if d.orders[id].Do == do {
			return true
		}
	}
	return false
}

// A run is one agent at work, in workflow code. Its exported part is what a
// long conversation carries over when its history is begun anew.
type run struct {
	task   Task
	id     string
	start  *start
	purse  *purse
	depth  int
	doubt  bool     // its next turn may be on record
	orders []string // this run and those above it: an order to one of them counts

	Seq     int    `json:"seq"`
	Head    string `json:"head"`
	Late    []late `json:"late,omitempty"`
	Taint   bool   `json:"taint,omitempty"`
	Repairs int    `json:"repairs,omitempty"`
	Used    Spent  `json:"used,omitzero"`
}

// Run sets an agent to work and waits for its answer, or for a plain reason why
// there is none. It fails only when the workflow itself is to end.
func (d *Desk) Run(ctx workflow.Context, t Task) (Result, error) {
	r := d.newRun(t, d.starts(t))
	r.purse = &purse{Limit: unbounded}
	return d.work(ctx, r, nil)
}

func (d *Desk) starts(t Task) *start {
	return &start{Case: string(d.in.Case), App: t.App, Agent: t.Agent, Name: t.Name,
		Kind: t.For.Kind, For: t.For.ID, Roles: t.For.Roles, Budget: t.Budget}
}

// unbounded stands until the first turn says what the agent's own budget is.
var unbounded = Budget{Calls: 1}

func (d *Desk) newRun(t Task, s *start) *run {
	id := runID(s.Case, d.first, t.Name)
	return &run{task: t, id: id, start: s, orders: []string{id}}
}

// Insist is Run, except that a run which fails waits for a person, who may order
// it to be tried again, as a new run, or given up.
func (d *Desk) Insist(ctx workflow.Context, t Task) (Result, error) {
	name := t.Name
	for try := 2; ; try++ {
		res, err := d.Run(ctx, t)
		if err != nil || res.State == Done {
			return res, err
		}
		ordered := func() bool { return d.orders[res.Run].Do == orderRetry || d.orders[res.Run].Do == orderCancel }
		if err := workflow.Await(ctx, ordered); err != nil {
			return res, err
		}
		if d.orders[res.Run].Do == orderCancel {
			return res, nil
		}
		t.Name = again(name, try)
	}
}

// goOn waits while a person has stopped the run or one above it, and reports
// whether it is to be given up.
func (d *Desk) goOn(ctx workflow.Context, r *run) (over bool, err error) {
	if d.ordered(r, orderStop) {
		if err := d.mark(ctx, r, Stopped); err != nil {
			return false, err
		}
		if err := workflow.Await(ctx, func() bool { return !d.ordered(r, orderStop) }); err != nil {
			return false, err
		}
		if !d.ordered(r, orderCancel) {
			return false, d.mark(ctx, r, Running)
		}
	}
	return d.ordered(r, orderCancel), nil
}

// mark notes how a run stands, for the pages.
func (d *Desk) mark(ctx workflow.Context, r *run, s State) error {
	var steps *Steps
	return workflow.ExecuteLocalActivity(durable.Step(ctx), steps.Mark, d.in.Org, r.id, s).Get(ctx, nil)
}

// awaitWords waits until a person has written to a conversation.
func (d *Desk) awaitWords(ctx workflow.Context, r *run) error {
	return workflow.Await(ctx, func() bool { return len(d.said[r.id]) > 0 || d.ordered(r, orderCancel) })
}

// longestHold is how seldom a held act looks whether the pause is over, should
// the word that it is be lost.
const longestHold = time.Hour
