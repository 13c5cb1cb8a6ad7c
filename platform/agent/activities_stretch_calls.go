package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// beside is how much longer a stretch goes on of which a part waits for somebody.
const beside = 10 * time.Second

// seeThrough carries the calls of the newest turn to their end, side by side, and reports
// whether all are. Where a person is asked about one, all are the workflow's.
func (w *stretch) seeThrough(ctx context.Context, l *leg) (bool, error) {
	if len(l.out.Orders) > 0 || slices.ContainsFunc(l.out.Calls, func(c open) bool { return c.Do == doAsk }) {
		return false, nil
	}
	l.look = true
	ends := make([]ending, len(l.out.Calls))
	var wg sync.WaitGroup
	for i := range l.out.Calls {
		wg.Go(func() { ends[i] = w.see(ctx, l, &l.out.Calls[i]) })
	}
	wg.Wait()
	done := true
	var all []late
	for i, e := range ends {
		if e.err != nil {
			return false, e.err
		}
		l.in.Taint = l.in.Taint || e.taint
		l.out.Acts += e.acts
		l.out.Spent = l.out.Spent.and(e.spent)
		if end := l.out.Calls[i].End; end != nil {
			all = append(all, *end)
		} else {
			done = false
		}
	}
	if done {
		l.in.Late, l.out.Calls = all, nil
	}
	return done, nil
}

// An ending is what seeing a call through meant for its run.
type ending struct {
	taint bool
	acts  int
	spent Spent
	err   error
}

// see carries one call to its end, if it can. Whatever stands in the way is the
// workflow's.
func (w *stretch) see(ctx context.Context, l *leg, c *open) (e ending) {
	if w.over() {
		return e
	}
	if c.Do == doAgent {
		return w.delegate(ctx, l, c)
	}
	out, err := w.act(ctx, actInput{Org: w.org, Run: l.in.Run, Call: c.Call, Args: c.Args}, w.clock.Now())
	switch {
	case err != nil:
		w.log.WarnContext(ctx, "an act is left to the workflow", "act", actKey(l.in.Run, c.Call), "error", err)
	case out.State == string(Stopped), out.State == string(Held):
	case out.State == notAuthorised:
		c.End = &late{Call: c.Call, From: fromNothing}
	default:
		c.End = &late{Call: c.Call, From: fromAct}
		e.taint, e.acts = out.Taint, 1
	}
	return e
}

// delegate sets another agent to work, on a part of this run's budget.
func (w *stretch) delegate(ctx context.Context, l *leg, c *open) (e ending) {
	if l.depth+1 >= maxDepth || c.Budget == nil {
		c.End = &late{Call: c.Call, From: fromNothing}
		return e
	}
	f, err := w.books.facts(ctx, w.org, l.in.Run)
	if err != nil {
		w.log.WarnContext(ctx, "an agent is left to the workflow", "run", l.in.Run, "call", c.Call, "error", err)
		return e
	}
	start := f.below(c.planned, l.in.Head)
	sub := &leg{in: turnInput{Org: w.org, Run: runID(f.Case, w.first, start.Name), Taint: l.in.Taint, Start: start},
		depth: l.depth + 1, try: w.try, repeat: w.again}
	w.mu.Lock()
	sub.purse = l.purse.slice(*c.Budget)
	w.mu.Unlock()
	sub.try.attempt, sub.try.since = 1, w.clock.Now()
	sub.heed = slices.Concat([]heed{{Run: sub.in.Run}}, l.heed)
	err = w.walk(ctx, sub)
	if errors.Is(err, errOvertaken) {
		return ending{err: err}
	}
	came := sub.come("")
	e.acts, e.spent = came.Acts, came.Spent
	switch {
	case came.State.Ended():
		c.End = &late{Call: c.Call, From: fromRun, ID: sub.in.Run}
		return e
	case err != nil:
		w.log.WarnContext(ctx, "an agent is left to the workflow", "run", sub.in.Run, "error", err)
		came.Doubt = true
	}
	came.Acts = 0 // counted above
	c.Below = &came
	soon, end := context.WithTimeout(ctx, beside)
	context.AfterFunc(soon, func() { end(); w.enough() })
	return e
}

// below is the start of a run that this one sets to work.
func (f facts) below(c planned, head string) *start {
	return &start{Case: f.Case, App: f.App, Agent: c.Agent, Name: f.Name + "/" + c.Call, Root: f.Root, Parent: f.ID, Call: c.Call,
		Head: head, Kind: f.For.Kind, For: f.For.ID, Roles: f.For.Roles}
}
