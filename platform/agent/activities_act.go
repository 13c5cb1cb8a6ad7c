package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/activity"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/telemetry"
	"github.com/gavelhq/gavel/platform/tool"
)

// Act carries out one call. Whether it may, and whether it has been, is for
// package act to say: this only does what the claim allows.
func (s *Steps) Act(ctx context.Context, in actInput) (actOutcome, error) { //nolint:revive // only the engine calls it
	return s.act(ctx, in, s.clock.At(activity.GetInfo(ctx).ScheduledTime))
}

// act is Act, tried since then.
func (s *Steps) act(ctx context.Context, in actInput, since time.Time) (actOutcome, error) {
	f, err := s.books.facts(ctx, in.Org, in.Run)
	if err != nil {
		return actOutcome{}, err
	}
	unless, err := s.unlessStopped(ctx, f)
	if err != nil {
		return actOutcome{}, err
	}
	// Whatever is done under the claim is done before its lease is over.
	lease := 2 * s.sendTimeout
	ctx, release := context.WithTimeout(context.WithoutCancel(ctx), lease*9/10)
	defer release()
	key := actKey(in.Run, in.Call)
	claim, err := s.acts.Begin(ctx, in.Org, key, in.Args, lease, unless)
	switch {
	case errors.Is(err, errStopped):
		return actOutcome{State: string(Stopped)}, nil
	case fault.Is(err, fault.Refused):
		s.log.WarnContext(ctx, "an act that nobody has given leave for was asked for", "act", key)
		return actOutcome{State: notAuthorised}, nil
	case fault.Is(err, fault.Conflict): // our clock is a moment behind the engine's
		return actOutcome{}, fault.From(fault.Unavailable, err, "act %s is not due yet", key)
	case err != nil:
		return actOutcome{}, err
	case claim.Standing == act.Ended:
		return s.outcome(claim.Act), nil
	case claim.Standing == act.Held:
		return actOutcome{State: string(Held)}, nil
	}
	e := s.effect(f, in.Call, claim)
	e.late = s.clock.Real(s.clock.Now().Sub(since)) > actPatience
	if e.tool.Name == "" && claim.Standing == act.Unsure {
		return e.unknown(ctx)
	}
	if e.tool.Name == "" {
		return e.finish(ctx, act.End{State: act.Failed, Reason: "This build has no such tool any more."}, nil)
	}
	ctx, end := s.spans.StartTool(ctx, telemetry.ToolCall{Agent: f.span(), Tool: e.tool.Name, Call: in.Call})
	out, err := e.carryOut(ctx)
	end(err)
	return out, err
}

// errStopped says that a person has ordered the run to stop.
var errStopped = errors.New("a person has stopped the run")

// unlessStopped fails a claim if people's newest order to the run, or to one
// above it, is to stop. The workflow knows as soon as the order's signal is
// there; an act is not begun in between.
func (s *Steps) unlessStopped(ctx context.Context, f facts) (func(*pgx.Batch), error) {
	const newest = `select coalesce(bool_or(do_what in ('stop', 'cancel')), false) from (
		select distinct on (run_id) do_what from gavel.run_order where run_id = any ($1) and do_what <> 'say' order by run_id, n desc) o`
	ids := []string{f.ID}
	for above := f; above.Parent != "" && len(ids) < maxDepth; ids = append(ids, above.ID) {
		var err error
		if above, err = s.books.facts(ctx, f.Org, above.Parent); err != nil {
			return nil, err
		}
	}
	return func(b *pgx.Batch) {
		b.Queue(newest, ids).QueryRow(func(row pgx.Row) error {
			var stopped bool
			if err := row.Scan(&stopped); err != nil || !stopped {
				return err
			}
			return errStopped
		})
	}, nil
}

// actPatience is how long an act is tried that cannot be done, or cannot be
// asked about, in real time. After it, what was certainly not done has failed,
// and what may have been is a question for a person.
const actPatience = 24 * time.Hour

// effect is a claimed act with its tool, if this build has it.
func (s *Steps) effect(f facts, call string, claim act.Claim) *effect {
	e := &effect{Steps: s, claim: claim, env: tool.Env{Org: f.Org, App: f.App, Case: f.Case, Run: f.ID, Task: f.Name, Call: call,
		Key:      claim.Act.Key,
		Proposal: claim.Act.Proposal, Actor: f.actor(), For: f.For, At: s.clock.Now()}}
	e.tool, _ = s.registry.Find(claim.Act.App, claim.Act.Tool)
	return e
}

func (s *Steps) outcome(a act.Act) actOutcome {
	tl, ok := s.registry.Find(a.App, a.Tool)
	return actOutcome{State: string(a.State), Taint: a.State == act.Done && (!ok || tl.OutsideText)}
}

// An effect is an act in somebody's hands.
type effect struct {
	*Steps
	claim act.Claim
	tool  tool.Tool // without a name where this build has none
	env   tool.Env
	late  bool // it has been tried for as long as we try
}

// carryOut does it. A write happens inside the transaction that records it, so
// it needs no looking back. An effect outside that an earlier holder may have had
// is asked about first, and where nobody can tell it becomes a question for a
// person.
func (e *effect) carryOut(ctx context.Context) (actOutcome, error) {
	args := e.claim.Act.Args
	switch e.tool.Effect {
	case tool.Write:
		return e.finish(ctx, act.End{State: act.Done}, func(tx pgx.Tx) (json.RawMessage, error) {
			return e.guarded(func() (json.RawMessage, error) { return e.tool.Write(ctx, tx, e.env, args) })
		})
	case tool.Read:
		out, err := e.guarded(func() (json.RawMessage, error) {
			if err := e.holds(ctx); err != nil {
				return nil, err
			}
			return e.tool.Read(ctx, e.env, args)
		})
		return e.ended(ctx, out, err)
	}
	if e.claim.Standing == act.Unsure {
		if out, settled, err := e.look(ctx); err != nil || settled {
			return out, err
		}
	}
	return e.send(ctx)
}

// send makes the effect outside. An error that says for certain that nothing was
// done ends the act as failed, or lets it be tried again at once. Any other
// leaves the question open: the claim is kept until its lease is over, so that
// whatever is still under way on the other side has ended, and the next holder
// asks there before it does anything.
func (e *effect) send(ctx context.Context) (actOutcome, error) {
	if err := e.holds(ctx); err != nil {
		return e.notDone(ctx, err)
	}
	limited, stop := context.WithTimeout(ctx, e.sendTimeout)
	defer stop()
	if limited.Err() != nil {
		return e.notDone(ctx, fault.New(fault.Unavailable, "act %s: its time is over", e.claim.Act.Key))
	}
	out, err := e.guarded(func() (json.RawMessage, error) { return e.tool.Send(limited, e.env, e.claim.Act.Args) })
	switch {
	case err == nil:
		return e.finish(ctx, act.End{State: act.Done, Result: out}, nil)
	case tool.IsNotSent(err) || !fault.KindOf(err).Retryable():
		return e.notDone(ctx, err)
	}
	e.log.WarnContext(ctx, "an effect may or may not have happened", "act", e.claim.Act.Key, "error", err)
	return actOutcome{}, fault.From(fault.Unavailable, err, "act %s may or may not have happened", e.claim.Act.Key)
}

// notDone is for an error after which certainly nothing was done: another try may
// begin at once, unless trying again cannot help or has gone on for long enough.
func (e *effect) notDone(ctx context.Context, cause error) (actOutcome, error) {
	if !fault.KindOf(cause).Retryable() || e.late {
		words, _ := fault.Words(cause)
		return e.finish(ctx, act.End{State: act.Failed, Reason: words}, nil)
	}
	if err := e.acts.GiveBack(context.WithoutCancel(ctx), e.env.Org, e.claim.Act.Key, e.claim.Fence); err != nil {
		return actOutcome{}, err
	}
	return actOutcome{}, cause
}

// guarded runs the tool; a panic is an error after which nothing is certain.
func (e *effect) guarded(run func() (json.RawMessage, error)) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v", e.tool.Name, p)
		}
	}()
	return run()
}

// lookTimeout bounds asking the other side.
const lookTimeout = 10 * time.Second

// look asks the other side whether the effect has happened. Not settled means
// that it certainly has not: of one that may have happened under another key the
// other side cannot say so.
func (e *effect) look(ctx context.Context) (out actOutcome, settled bool, err error) {
	limited, stop := context.WithTimeout(ctx, lookTimeout)
	defer stop()
	found, result, err := e.tool.Ask(limited, e.env, e.claim.Act.Args)
	switch {
	case err != nil && fault.KindOf(err).Retryable() && !e.late: // the other side is away, and will be asked again
		err = fmt.Errorf("ask about act %s: %w", e.claim.Act.Key, err)
		return actOutcome{}, false, errors.Join(err, e.acts.Release(context.WithoutCancel(ctx), e.env.Org, e.claim.Act.Key, e.claim.Fence))
	case err == nil && found == tool.Yes:
		out, err = e.finish(ctx, act.End{State: act.Done, Result: result}, nil)
		return out, true, err
	case err == nil && found == tool.No && !e.claim.Doubted:
		return actOutcome{}, false, nil
	}
	out, err = e.unknown(ctx)
	return out, true, err
}

// unknown ends an act of which nobody can say whether it happened, and asks a
// person.
func (e *effect) unknown(ctx context.Context) (actOutcome, error) {
	return e.finish(ctx, act.End{State: act.Unknown,
		Reason: e.claim.Why("The connection broke while it was being done, and the other side cannot say whether it was."),
		Then:   func(tx pgx.Tx, a act.Act) error { return e.question(ctx, tx, a) }}, nil)
}

// kindUnknown is the kind of the question whether an act happened. Nothing
// follows from the answer by itself, except that it is on record.
const kindUnknown = "act_unknown"

// question asks a person whether an act happened: approving says that it did,
// rejecting that it did not.
func (e *effect) question(ctx context.Context, tx pgx.Tx, a act.Act) error {
	doc, err := canonical(struct {
		Tool     string          `json:"tool"`
		Line     string          `json:"line"`
		Args     json.RawMessage `json:"args"`
		Act      string          `json:"act"`
		Question string          `json:"question"`
		Case     string          `json:"case"`
		Finding  finding.Finding `json:"finding"`
	}{a.Tool, e.tool.Line, a.Args, a.Key, "Was this done? Approve if it was, reject if it was not. Nothing is repeated either way.", a.Case,
		act.Unsettled(a)})
	if err != nil {
		return err
	}
	p := &review.Proposal{Org: a.Org, Case: a.Case, Kind: kindUnknown, App: a.App, Key: a.Key + "/unknown",
		Run: a.Run, Call: a.Call, Gate: review.ByAnother, Args: a.Args, ArgsSHA256: a.ArgsSHA256, Shown: doc, ShownSHA256: act.Digest(doc),
		RequestedBy: e.env.Actor.ID, Deciders: e.tool.Deciders, Allowed: []review.Verdict{review.Approve, review.Reject},
		CreatedAt: e.env.At}
	switch {
	case len(p.Deciders) > 0:
	case e.env.For.Kind == identity.Person: // a tool that only its own person confirms
		p.Gate, p.OnBehalfOf = review.ByOneself, e.env.For.ID
	default: // whoever decides here
		p.Deciders = []identity.Role{identity.Officer, identity.ProgrammeManager, identity.HR, identity.PassAdmin}
	}
	b := &pgx.Batch{}
	if err := review.ProposeLater(b, p); err != nil {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// ended ends an act that changes nothing anywhere.
func (e *effect) ended(ctx context.Context, out json.RawMessage, err error) (actOutcome, error) {
	if err == nil {
		return e.finish(ctx, act.End{State: act.Done, Result: out}, nil)
	}
	return e.notDone(ctx, err)
}

// finish writes down how it ended, and tells the case. A write that says for good that
// it cannot be done is a failed act, not a failed step.
func (e *effect) finish(ctx context.Context, end act.End, in func(pgx.Tx) (json.RawMessage, error)) (actOutcome, error) {
	ctx = context.WithoutCancel(ctx)
	then := end.Then
	end.Then = func(tx pgx.Tx, a act.Act) error {
		if then != nil {
			if err := then(tx, a); err != nil {
				return err
			}
		}
		return e.reviews.ActEnded(ctx, tx, a)
	}
	a, err := e.acts.Finish(ctx, e.env.Org, e.claim.Act.Key, e.claim.Fence, end, in)
	if err == nil {
		return e.outcome(a), nil
	}
	if in == nil {
		return actOutcome{}, err
	}
	return e.notDone(ctx, err)
}
