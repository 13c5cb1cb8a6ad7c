package crossing

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// Steps are the activities of a case.
type Steps struct{ clerk *Clerk }

// A Standing is what the workflow of a case does next.
type Standing struct {
	Ended bool      `json:"ended,omitempty"`
	Ask   string    `json:"ask,omitempty"` // a task for the agent
	Wake  time.Time `json:"wake,omitzero"` // when to look again, whatever happens
}

// everyDay is how long a case sleeps at most. Whatever happens to it wakes it.
const everyDay = 24 * time.Hour

// The statuses of a case.
const (
	statusAsked    = "asked"      // before an officer
	statusReviewed = "reviewed"   // decided, and not calm yet
	statusLapsed   = "unreviewed" // nobody decided, or somebody said no
	statusCalm     = "calm"       // ended: long enough below
	statusHigher   = "higher"     // ended: the district went higher, and has another case
	statusByHand   = "by_hand"    // ended: closed by hand
)

// Advance does what comes next in a case, until something has to be waited for. Every step may have been done before and is done once.
func (s *Steps) Advance(ctx context.Context, in casefile.Input, at time.Time) (Standing, error) {
	m := &matter{clerk: s.clerk, in: in, at: at.UTC().Truncate(time.Second)}
	o, err := s.clerk.other(ctx, in)
	if err != nil {
		return Standing{}, err
	}
	var next Standing
	if o != nil {
		next, err = o.Advance(ctx, in, m.at)
	} else {
		if err := m.read(ctx); err != nil {
			return Standing{}, err
		}
		next, err = m.step(ctx)
	}
	kind := fault.KindOf(err)
	if err == nil || ctx.Err() != nil || kind.Retryable() || kind == fault.Internal && durable.Attempt(ctx) < hopeful {
		return next, err
	}
	return m.stuck(ctx, err)
}

// A Said is an agent whose run has ended.
type Said struct {
	Task string `json:"task"`
	Run  string `json:"run"`
}

// HeedAgent sees to a task whose agent has ended, however it did.
func (s *Steps) HeedAgent(ctx context.Context, in casefile.Input, said Said) error {
	o, err := s.clerk.other(ctx, in)
	if err != nil || o == nil {
		return err
	}
	return o.Heed(ctx, in, said)
}

// hopeful is how often a step is tried whose fault may be ours and pass by itself.
const hopeful = 30

// A matter is a case as one look finds it.
type matter struct {
	clerk *Clerk
	in    casefile.Input
	at    time.Time

	file    casefile.Case
	alert   store.Alert
	reviews []store.Review
	asked   []review.Question // the newest first
}

func (m *matter) read(ctx context.Context) error {
	err := m.clerk.store.In(ctx, m.in.Org, func(tx pgx.Tx) (err error) {
		if m.file, err = casefile.Lock(ctx, tx, m.in.Case); err != nil {
			return err
		}
		if m.alert, err = store.AlertOf(ctx, tx, m.in.Case); err != nil {
			return err
		}
		if m.reviews, err = store.ReviewsOf(ctx, tx, m.in.Case); err != nil {
			return err
		}
		m.asked, err = review.Questions(ctx, tx, m.in.Org, m.in.Case, store.Name)
		return err
	})
	if err != nil {
		return fmt.Errorf("read case %s: %w", m.in.Case, err)
	}
	return nil
}

// step is what comes next.
func (m *matter) step(ctx context.Context) (Standing, error) {
	wait := Standing{Wake: m.at.Add(everyDay)}
	switch {
	case m.file.State == casefile.Closed:
		return Standing{Ended: true}, m.takeBack(ctx)
	case m.file.Status == casefile.StatusClosing:
		return m.end(ctx, statusByHand, "The case was closed by hand.")
	case m.alert.Ended == statusHigher:
		return m.end(ctx, statusHigher, "The district went higher, and another case is about that.")
	case m.under():
		return wait, nil
	case len(m.reviews) == 0 && m.asksAgain():
		return wait, m.ask(ctx)
	case m.alert.Ended != "":
		return m.end(ctx, statusCalm, fmt.Sprintf("The score was below the limit for %.0f hours.", m.alert.Found.CalmHours))
	case len(m.reviews) > 0:
		r := m.reviews[len(m.reviews)-1]
		return wait, m.note(ctx, "reviewed:"+r.Act, "netra_reviewed", outcomeWords[outcome(r.Outcome)],
			casefile.Change{State: casefile.Waiting, Status: statusReviewed, WaitingFor: "calm"})
	}
	return wait, m.note(ctx, "lapsed", "netra_lapsed", "Nobody decided what follows.",
		casefile.Change{State: casefile.Waiting, Status: statusLapsed, WaitingFor: "calm"})
}

// outcomeWords are what an officer decided, as the history says it.
var outcomeWords = map[outcome]string{watchOn: "Decided: keep watching.", noAction: "Decided: nothing follows.",
	doubt: "Decided: the data are doubted.", actOn: "Decided: measures are taken."}

// under reports whether people are being asked, or what they decided is on its way.
func (m *matter) under() bool { return len(m.asked) > 0 && m.asked[0].Under() }

// mostAsked bounds how often people are asked.
const mostAsked = 20

// asksAgain reports whether people are asked: at first, and after a question that was sent back or could not be carried out. Who said
// no, or let it lapse, has answered.
func (m *matter) asksAgain() bool {
	if len(m.asked) == 0 {
		return true
	}
	state := m.asked[0].Proposal.State
	return state != review.Rejected && state != review.Expired && len(m.asked) < mostAsked
}

// ask puts the crossing before an officer, once what was found is on the case.
func (m *matter) ask(ctx context.Context) error {
	if err := m.ground(ctx); err != nil {
		return err
	}
	args, err := json.Marshal(reviewArgs{Outcome: watchOn, Attempt: attempt(len(m.asked) + 1)})
	if err != nil {
		return err
	}
	if _, err := m.clerk.calls.Take(ctx, identity.Gavel(m.in.Org), agent.Call{App: store.Name, Tool: toolReview, Args: args,
		Case: string(m.in.Case), Via: store.Name, Within: time.Duration(m.alert.Found.DueHours) * time.Hour}); err != nil {
		return fmt.Errorf("ask about case %s: %w", m.file.Ref, err)
	}
	return m.note(ctx, fmt.Sprintf("asked:%d", len(m.asked)+1), "netra_asked", "An officer decides what follows.",
		casefile.Change{State: casefile.Waiting, Status: statusAsked, WaitingFor: "an officer"})
}

// takeBack withdraws what is still open.
func (m *matter) takeBack(ctx context.Context) error {
	for _, q := range m.asked {
		if q.Proposal.State != review.Open {
			continue
		}
		if _, err := m.clerk.reviews.Withdraw(ctx, identity.Gavel(m.in.Org), q.Proposal.ID, review.Superseded); err != nil {
			return fmt.Errorf("take %s back: %w", q.Proposal.ID, err)
		}
	}
	return nil
}

// end closes the case.
func (m *matter) end(ctx context.Context, status, text string) (Standing, error) {
	if err := m.takeBack(ctx); err != nil {
		return Standing{}, err
	}
	return Standing{Ended: true}, m.note(ctx, "ended", "netra_ended", text, casefile.Change{State: casefile.Closed, Status: status})
}

// note adds an entry to the case, once by its key, and says how it stands after it.
func (m *matter) note(ctx context.Context, key, kind, text string, ch casefile.Change) error {
	return m.clerk.store.In(ctx, m.in.Org, func(tx pgx.Tx) error {
		if _, err := casefile.Lock(ctx, tx, m.in.Case); err != nil {
			return err
		}
		g := identity.Gavel(m.in.Org)
		ch.Key, ch.Entry = key, casefile.Entry{Kind: kind, At: m.at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name, Text: text}
		_, _, err := casefile.Apply(ctx, tx, m.in.Case, ch)
		return err
	})
}

// stuck says, once a day, that the case cannot go on by itself.
func (m *matter) stuck(ctx context.Context, why error) (Standing, error) {
	m.clerk.log.ErrorContext(ctx, "a case cannot go on", slog.String("case", string(m.in.Case)), slog.Any("error", why))
	words, _ := fault.Words(why)
	return Standing{Wake: m.at.Add(time.Hour)}, m.note(ctx, "stuck:"+m.at.Format(time.DateOnly), "netra_stuck",
		"The case cannot go on by itself: "+words, casefile.Change{State: casefile.Waiting, WaitingFor: "an operator"})
}
