package agent

import (
	"context"
	"errors"
	"sync"

	"go.temporal.io/sdk/activity"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Stretch lets a run work on, turn after turn, with what needs nobody's leave and the
// agents it sets to work, until somebody else has to come: a person, an order, or the
// workflow, which waits and ends runs. Each turn and each act is written down as it would
// be alone, so that a repeat finds what there is and goes on from there.
//
// It returns an error only where nothing has been done that was not on record before, and
// at once where another worker takes the same turns.
func (s *Steps) Stretch(ctx context.Context, in stretchInput) (stretchOutcome, error) { //nolint:revive // only the engine calls it
	info := activity.GetInfo(ctx)
	ctx, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	limit, enough := context.WithTimeout(ctx, durable.StretchTime)
	defer enough()
	w := &stretch{Steps: s, try: s.tryOf(info), org: in.Org, first: in.First, turns: in.Turns, halt: halt, limit: limit.Done(),
		enough: enough, told: activity.GetWorkerStopChannel(ctx), again: info.Attempt > 1}
	l := &leg{in: in.turnInput, purse: purseOf(in.Purse), depth: in.Depth, heed: in.Heed, try: w.try, repeat: w.again || in.Doubt}
	if in.Act != nil {
		if out, err := w.begin(ctx, l, *in.Act); err != nil || out != "" {
			return l.come(out), err
		}
	}
	err := w.walk(ctx, l)
	return l.come(""), err
}

// errOvertaken says that another worker takes the turns of this stretch.
var errOvertaken = errors.New("another worker has taken this turn")

// A stretch is what its run and the runs below it share.
type stretch struct {
	*Steps
	try
	org    identity.Org
	first  string
	told   <-chan struct{} // closed when the worker is to stop
	limit  <-chan struct{} // closed when it has lasted long enough
	enough func()          // closes limit
	again  bool            // a try before this one may have written turns down
	halt   context.CancelCauseFunc

	mu    sync.Mutex // guards what follows, and the purses
	turns int        // that may still be taken
}

// A leg is one run's part in a stretch.
type leg struct {
	in     turnInput // of its next turn
	purse  *purse
	depth  int
	heed   []heed
	try    try
	moved  bool // something is on record that the workflow does not know of
	repeat bool // its next turn may be on record
	look   bool // time has passed since anybody looked for orders
	out    stretchOutcome
}

// come is how far it came.
func (l *leg) come(act string) stretchOutcome {
	l.out.Seq, l.out.Head, l.out.Late, l.out.Taint, l.out.Repairs = l.in.Seq, l.in.Head, l.in.Late, l.in.Taint, l.in.Repairs
	l.out.Act = act
	return l.out
}

// begin carries out what a person has let the run do. It says why not, where that is for
// the workflow to wait for.
func (w *stretch) begin(ctx context.Context, l *leg, in actInput) (why string, err error) {
	out, err := w.act(ctx, in, w.since)
	if err != nil || out.State == notAuthorised || out.State == string(Stopped) || out.State == string(Held) {
		return out.State, err
	}
	l.in.Late, l.in.Taint = []late{{Call: in.Call, From: fromAct}}, l.in.Taint || out.Taint
	l.out.Acts++
	w.movedOn(l)
	return "", nil
}

// movedOn notes that the run is further than the workflow knows: from here on an error
// ends the stretch and no more, and the tries of a turn are counted anew.
func (w *stretch) movedOn(l *leg) {
	l.moved, l.look = true, true
	l.try.attempt, l.try.since = 1, w.clock.Now()
}

// walk takes a run's turns. What is left to do is in the leg.
func (w *stretch) walk(ctx context.Context, l *leg) error {
	for {
		if on, err := w.goesOn(ctx, l); err != nil || !on {
			return w.unlessMoved(ctx, l, err)
		}
		out, err := w.turn(ctx, l)
		if err != nil {
			return w.unlessMoved(ctx, l, err)
		}
		switch {
		case out.State != "":
			l.out.State, l.out.Reason = out.State, out.Reason
			return nil
		case len(out.Calls) > 0:
			for _, c := range out.Calls {
				l.out.Calls = append(l.out.Calls, open{planned: c})
			}
			if done, err := w.seeThrough(ctx, l); err != nil || !done {
				return err
			}
		}
	}
}

// unlessMoved is the error, or the end of the stretch where it has come further: then the
// next one meets what stands in the way, with tries of its own.
func (w *stretch) unlessMoved(ctx context.Context, l *leg, err error) error {
	if err == nil || errors.Is(err, errOvertaken) || !l.moved {
		return err
	}
	w.log.WarnContext(ctx, "a stretch ends early", "run", l.in.Run, "seq", l.in.Seq, "error", err)
	l.out.Doubt = true
	return nil
}

// over reports whether the stretch is to begin nothing more.
func (w *stretch) over() bool {
	select {
	case <-w.told:
		return true
	case <-w.limit:
		return true
	default:
		return false
	}
}

// goesOn reports whether the run takes its next turn now: nobody else has to come, and it
// can be paid for.
func (w *stretch) goesOn(ctx context.Context, l *leg) (bool, error) {
	if len(l.out.Orders) > 0 || w.over() {
		return false, nil
	}
	if l.look {
		newer, err := w.books.newer(ctx, w.org, l.heed)
		if err != nil || len(newer) > 0 {
			l.out.Orders = newer
			return false, err
		}
		l.look = false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.turns == 0 {
		return false, nil
	}
	if _, ok := l.purse.reserve(); !ok {
		return false, nil // the workflow says so, and ends it
	}
	w.turns--
	return true, nil
}

// turn takes the next turn, or finds it on record.
func (w *stretch) turn(ctx context.Context, l *leg) (out turnOutcome, err error) {
	w.mu.Lock()
	l.in.Tokens = l.purse.tokens()
	w.mu.Unlock()
	known := false
	if l.repeat {
		out, known, err = w.recorded(ctx, l.in)
		l.repeat = known
	}
	if err == nil && !known {
		t := l.try.turn(w.Steps, l.in)
		t.heed = l.heed
		err = t.take(ctx)
		out, l.out.Orders = t.out, t.orders
	}
	if lost(err) {
		err = fault.From(fault.Unavailable, errOvertaken, "turn %d of %s was taken by another worker", l.in.Seq, l.in.Run)
		w.halt(err)
	}
	w.settle(l, out, err)
	if err != nil {
		return out, err
	}
	w.movedOn(l)
	l.look = known // what is taken now has looked
	l.in = turnInput{Org: l.in.Org, Run: l.in.Run, Seq: l.in.Seq + 1, Head: out.Head, Taint: out.Taint, Repairs: out.Repairs}
	return out, nil
}

// settle pays for a turn. One that could not be taken costs nothing here: its last try is
// the workflow's to count.
func (w *stretch) settle(l *leg, out turnOutcome, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		l.purse.settle(Spent{})
		return
	}
	if out.Budget != nil { // the first turn says what the agent may spend
		l.purse.Limit, l.out.Budget = *out.Budget, out.Budget
	}
	l.purse.settle(out.Spent)
	l.out.Spent = l.out.Spent.and(out.Spent)
}
