package filing

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// Steps are the activities of a case.
type Steps struct{ clerk *Clerk }

// A CaseStanding is what the workflow of a case does next.
type CaseStanding struct {
	Ended bool      `json:"ended,omitempty"`
	Ask   string    `json:"ask,omitempty"`  // a task for the agent
	Wake  time.Time `json:"wake,omitzero"`  // when to look again, whatever happens
	Soon  bool      `json:"soon,omitempty"` // only in histories from before an act told its case how it ended
}

// everyDay is how long a case sleeps at most. It looks, then, whether nothing was missed:
// whatever happens to it wakes it.
const everyDay = 24 * time.Hour

// mostSteps bounds what one look at a case does: after a draft people are asked, and
// that is all. More is a fault, and is better seen than repeated.
const mostSteps = 6

// Advance does what comes next in a case, as package docket says, until something has
// to be waited for. Every step may have been done before and is done once.
func (s *Steps) Advance(ctx context.Context, in casefile.Input, at time.Time) (CaseStanding, error) {
	var m *matter
	for range mostSteps {
		var err error
		if m, err = s.clerk.gather(ctx, in, at.UTC().Truncate(time.Second)); err != nil {
			return CaseStanding{}, err
		}
		if m.file.State == casefile.Closed {
			return CaseStanding{Ended: true}, m.takeBack(ctx, func(request) bool { return true })
		}
		standing, done, err := m.step(ctx)
		if err != nil && hopeless(ctx, err) {
			return m.stuck(ctx, err)
		}
		if err != nil || done {
			return standing, err
		}
	}
	return m.stuck(ctx, fault.New(fault.Conflict, "the case comes to no rest"))
}

// hopeful is how often a step is tried whose fault may be ours and pass by itself.
const hopeful = 30

// hopeless reports whether trying again will not help, or has not for long enough. A
// part that is away is waited for as long as it takes.
func hopeless(ctx context.Context, err error) bool {
	kind := fault.KindOf(err)
	tired := kind == fault.Internal && durable.Attempt(ctx) >= hopeful
	return ctx.Err() == nil && (!kind.Retryable() || tired)
}

// step does the next step of a case; done says that the rest is waiting.
func (m *matter) step(ctx context.Context) (now CaseStanding, done bool, err error) {
	standing := m.standing()
	standing.Model = m.clerk.thinks()
	next, ending := docket.Next(standing)
	// What is asked of another draft, or was asked before somebody wanted it anew.
	if err := m.takeBack(ctx, func(r request) bool { return next == docket.TakeBack || next == docket.End || !m.current(r) }); err != nil {
		return now, false, err
	}
	switch next {
	case docket.TakeBack:
		return now, false, nil
	case docket.Draft:
		return now, false, m.draftAnew(ctx)
	case docket.Word:
		return CaseStanding{Ask: m.wordTask(), Wake: m.draft.MadeAt.Add(docket.PatienceBy(m.in.Clock.Speed))}, true, nil
	case docket.Hand:
		return CaseStanding{Ask: m.fileTask(), Wake: m.draft.MadeAt.Add(docket.PatienceBy(m.in.Clock.Speed))}, true, nil
	case docket.Ask:
		return now, false, m.askToFile(ctx)
	case docket.AskNotice:
		return now, false, m.askNotices(ctx)
	case docket.End:
		return CaseStanding{Ended: true}, true, m.end(ctx, ending)
	case docket.WaitOne:
		return CaseStanding{Wake: m.at.Add(everyDay)}, true, m.waitForOne(ctx)
	}
	return CaseStanding{Wake: m.at.Add(everyDay)}, true, nil
}

// takeBack withdraws open requests.
func (m *matter) takeBack(ctx context.Context, which func(request) bool) error {
	for i, r := range m.requests {
		if r.state != review.Open || !which(r) {
			continue
		}
		left, err := m.clerk.reviews.Withdraw(ctx, identity.Gavel(m.in.Org), r.id, review.Superseded)
		if err != nil {
			return fmt.Errorf("take %s back: %w", r.id, err)
		}
		m.requests[i].state = left.State // somebody may just have decided it
	}
	return nil
}

// note adds an entry to the case, once by its key, and says how it stands after it.
func (m *matter) note(ctx context.Context, key, kind, text string, ch casefile.Change) error {
	return m.clerk.store.In(ctx, m.in.Org, func(tx pgx.Tx) error { return m.noteIn(ctx, tx, key, kind, text, ch) })
}

func (m *matter) noteIn(ctx context.Context, tx pgx.Tx, key, kind, text string, ch casefile.Change) error {
	if _, err := casefile.Lock(ctx, tx, m.in.Case); err != nil {
		return err
	}
	g := identity.Gavel(m.in.Org)
	ch.Key, ch.Entry = key, casefile.Entry{Kind: kind, At: m.at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name,
		Text: store.Cut(text, 4000)}
	_, _, err := casefile.Apply(ctx, tx, m.in.Case, ch)
	return err
}

// end closes the case.
func (m *matter) end(ctx context.Context, as docket.Ending) error {
	text := map[docket.Ending]string{
		docket.Filed:    "The report was filed.",
		docket.NotFiled: "People decided not to file the report.",
		docket.Lapsed:   "Nobody decided in time; the report was not filed.",
		docket.Closed:   "The case was closed by hand.",
	}[as]
	return m.note(ctx, "ended", "air_ended", text, casefile.Change{State: casefile.Closed, Status: string(as)})
}

// waitForOne says, once for each attempt, that somebody has to say how it goes on.
func (m *matter) waitForOne(ctx context.Context) error {
	text, status := m.waitsFor()
	return m.note(ctx, fmt.Sprintf("stands:%d", m.attempt), "air_waits", text, casefile.Change{State: casefile.Waiting, Status: status,
		WaitingFor: "an analyst"})
}

// waitsFor is why the case does not go on by itself, and how it stands meanwhile.
func (m *matter) waitsFor() (text, status string) {
	text, status = "The report was sent back or undone. Put it before people again, drafted anew or as it is, or close the case.",
		"sent_back"
	switch f := m.filing; {
	case m.filed():
		text, status = "The report was filed. A notice to a state was sent back or could not be sent: put it before people again, or "+
			"close the case.", "filed"
	case m.draft != nil && m.maybe == m.draft.N:
		text = "The commission may have the report, and gave no receipt. Ask there, and put it before people again as it is: the " +
			"commission knows it by its key, and takes it once. Or close the case."
	case f != nil && m.asked() == docket.Done:
		text = "The report is kept here and was not submitted: " + f.Why +
			". Put it before people again, or hand it over and close the case."
	case m.withdrawn():
		text, status = "Nobody decided: what asked for it was stopped, and its question was withdrawn. Put it before people again, "+
			"drafted anew or as it is, or close the case.", "withdrawn"
	}
	return text, status
}

// stuck says, once a day, that the case cannot go on by itself. It does not die of it: a
// person sees it in the log and on the page, and newer data may mend it.
func (m *matter) stuck(ctx context.Context, why error) (CaseStanding, error) {
	m.clerk.log.ErrorContext(ctx, "a case cannot go on", slog.String("case", string(m.in.Case)), slog.Any("error", why))
	words, _ := fault.Words(why)
	err := m.note(ctx, "stuck:"+m.at.Format("2006-01-02"), "air_stuck", "The case cannot go on by itself: "+words,
		casefile.Change{State: casefile.Waiting, WaitingFor: "an operator"})
	return CaseStanding{Wake: m.at.Add(time.Hour)}, err
}

// Thoughts are what came of asking the agent.
type Thoughts struct {
	Task string `json:"task"`
	Run  string `json:"run"`
	Done bool   `json:"done"`
}

// Heed takes in what the agent said, as far as it may count, and notes that it was
// asked. An agent that came to nothing is one that was not asked.
func (s *Steps) Heed(ctx context.Context, in casefile.Input, t Thoughts, at time.Time) error {
	m, err := s.clerk.gather(ctx, in, at.UTC().Truncate(time.Second))
	if err != nil || m.file.State == casefile.Closed || slices.Contains(m.thoughts, t.Task) {
		return err
	}
	more := []string{t.Task}
	if t.Done && m.draft != nil && t.Task == m.wordTask() && m.asked() == docket.NotAsked && m.maybe == 0 {
		worded, err := m.reword(ctx, t.Run)
		switch {
		case err != nil && hopeless(ctx, err): // the report's own words stand
			s.clerk.log.ErrorContext(ctx, "what an agent said could not be taken in", slog.String("case", string(in.Case)),
				slog.Any("error", err))
		case err != nil:
			return err
		}
		if worded {
			more = append(more, wordTask(m.draft.N+1))
		}
	}
	return m.clerk.store.AddThoughts(ctx, in.Org, in.Case, more)
}
