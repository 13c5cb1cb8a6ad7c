package correction

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/casework/crossing"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// everyDay is how long the case of a correction sleeps at most. Whatever happens to it wakes it.
const everyDay = 24 * time.Hour

// mostAsked bounds how often people are asked.
const mostAsked = 20

// The statuses of a case of a correction.
const (
	statusAsked    = "asked"
	statusAccepted = "accepted"
	statusRefused  = "not_accepted"
)

// Advance does what comes next in the case of a correction. Every step may have been done before and is done once.
func (c *Clerk) Advance(ctx context.Context, in casefile.Input, at time.Time) (crossing.Standing, error) {
	var file casefile.Case
	var x store.Correction
	var asked []review.Question // the newest first
	err := c.store.In(ctx, in.Org, func(tx pgx.Tx) (err error) {
		if file, err = casefile.Lock(ctx, tx, in.Case); err != nil {
			return err
		}
		if x, err = store.CorrectionOfCase(ctx, tx, in.Case); err != nil {
			return err
		}
		asked, err = review.Questions(ctx, tx, in.Org, in.Case, store.Name)
		return err
	})
	wait := crossing.Standing{Wake: at.Add(everyDay)}
	switch {
	case err != nil:
		return crossing.Standing{}, fmt.Errorf("read the correction of %s: %w", in.Case, err)
	case file.State == casefile.Closed:
		return crossing.Standing{Ended: true}, c.takeBack(ctx, in, asked)
	case x.State != store.CorrectionFiled || file.Status == casefile.StatusClosing:
		return c.end(ctx, in, at, x, asked)
	case len(asked) > 0 && asked[0].Under():
		return wait, nil
	case len(asked) > 0 && answered(asked[0]) || len(asked) >= mostAsked:
		return c.end(ctx, in, at, x, asked)
	}
	return wait, c.ask(ctx, in, at, x, len(asked)+1)
}

// Heed is asked about agents, and no agent works on a correction.
func (c *Clerk) Heed(context.Context, casefile.Input, crossing.Said) error { return nil }

// answered reports whether people said no, or let it lapse.
func answered(q review.Question) bool {
	return q.Proposal.State == review.Rejected || q.Proposal.State == review.Expired
}

// ask puts the correction before an officer, on behalf of who filed it: they decide it in no role.
func (c *Clerk) ask(ctx context.Context, in casefile.Input, at time.Time, x store.Correction, n int) error {
	args, err := json.Marshal(decideArgs{Outcome: accept, Attempt: attempt(n)})
	if err != nil {
		return err
	}
	filer := identity.Actor{Kind: identity.Person, ID: x.FiledBy, Name: x.FiledBy, Org: in.Org, Roles: []identity.Role{x.FiledRole}}
	if _, err := c.calls.Take(ctx, filer, agent.Call{App: store.Name, Tool: toolDecide, Args: args, Case: string(in.Case),
		Via: store.Name}); err != nil {
		return fmt.Errorf("ask about correction %s: %w", x.ID, err)
	}
	return c.note(ctx, in, at, fmt.Sprintf("asked:%d", n), "netra_asked", "An officer decides whether the correction is accepted.",
		casefile.Change{State: casefile.Waiting, Status: statusAsked, WaitingFor: "an officer"})
}

// end closes the case. A correction that nobody accepted stays refused.
func (c *Clerk) end(ctx context.Context, in casefile.Input, at time.Time, x store.Correction, asked []review.Question) (crossing.Standing,
	error) {
	if err := c.takeBack(ctx, in, asked); err != nil {
		return crossing.Standing{}, err
	}
	if x.State == store.CorrectionFiled {
		x.State, x.DecidedAt = store.CorrectionRefused, &at
		if err := c.store.In(ctx, in.Org, func(tx pgx.Tx) error { return store.DecideCorrection(ctx, tx, x) }); err != nil {
			return crossing.Standing{}, err
		}
	}
	status, text := statusRefused, "The correction was not accepted. The signal counts as before."
	if x.State == store.CorrectionAccepted {
		status, text = statusAccepted, fmt.Sprintf("The correction was accepted. %d scores were computed again.", len(x.Recomputed))
	}
	return crossing.Standing{Ended: true}, c.note(ctx, in, at, "ended", "netra_ended", text,
		casefile.Change{State: casefile.Closed, Status: status})
}

// takeBack withdraws what is still open.
func (c *Clerk) takeBack(ctx context.Context, in casefile.Input, asked []review.Question) error {
	for _, q := range asked {
		if q.Proposal.State != review.Open {
			continue
		}
		if _, err := c.reviews.Withdraw(ctx, identity.Gavel(in.Org), q.Proposal.ID, review.Superseded); err != nil {
			return fmt.Errorf("take %s back: %w", q.Proposal.ID, err)
		}
	}
	return nil
}

// note adds an entry to the case, once by its key, and says how it stands after it.
func (c *Clerk) note(ctx context.Context, in casefile.Input, at time.Time, key, kind, text string, ch casefile.Change) error {
	return c.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		if _, err := casefile.Lock(ctx, tx, in.Case); err != nil {
			return err
		}
		g := identity.Gavel(in.Org)
		ch.Key, ch.Entry = key, casefile.Entry{Kind: kind, At: at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name, Text: text}
		_, _, err := casefile.Apply(ctx, tx, in.Case, ch)
		return err
	})
}
