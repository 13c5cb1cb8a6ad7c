package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/activity"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/telemetry"
	"github.com/gavelhq/gavel/platform/tool"
)

// A Config says what agents work with.
type Config struct {
	DB      *postgres.DB
	Clock   durable.Clock
	Vault   *seal.Vault
	Acts    *act.Store
	Reviews *review.Store
	Tools   *tool.Registry
	Roster  *Roster
	Routes  model.Routes
	Rules   *policy.Rules // the tools' policies, and who may ask a model again; nil refuses everything
	Spans   telemetry.GenAI
	Logger  *slog.Logger

	// Stream, if set, takes the words of an answer as they come, for a page that
	// shows them. The answer that counts is the one in the transcript.
	Stream func(org identity.Org, run, whom string, seq int) func(text string)

	// Masks, if set, says of which applications' agents personal data is masked in what a model is told (package pii).
	Masks func(app string) bool

	ModelTimeout time.Duration // of one request; 0 for four minutes
	SendTimeout  time.Duration // of one effect or look-up; 0 for half a minute
}

// Steps are what agents do in the world: the loop's activities.
type Steps struct {
	books        *books
	clock        durable.Clock
	acts         *act.Store
	reviews      *review.Store
	registry     *tool.Registry
	roster       *Roster
	routes       model.Routes
	rules        *policy.Rules
	spans        telemetry.GenAI
	log          *slog.Logger
	stream       func(org identity.Org, run, whom string, seq int) func(text string)
	masks        func(app string) bool
	modelTimeout time.Duration
	sendTimeout  time.Duration
}

// NewSteps makes the activities that a worker registers beside the workflows
// that open a Desk.
func NewSteps(c Config) *Steps {
	if c.ModelTimeout == 0 {
		c.ModelTimeout = 4 * time.Minute
	}
	if c.SendTimeout == 0 {
		c.SendTimeout = 30 * time.Second
	}
	return &Steps{books: newBooks(c.DB, c.Vault), clock: c.Clock, acts: c.Acts, reviews: c.Reviews, registry: c.Tools, roster: c.Roster,
		routes: c.Routes, rules: c.Rules, spans: c.Spans, log: c.Logger, stream: c.Stream, masks: c.Masks,
		modelTimeout: c.ModelTimeout, sendTimeout: c.SendTimeout}
}

// policies are those of an application; nil refuses everything.
func (s *Steps) policies(app string) *policy.Set { return s.rules.App(app) }

// Turn takes one turn of a run. A turn that was written down is never taken
// again: a repeat gets the answer that is on record.
//
// It is for workflows that began before agents worked in stretches.
func (s *Steps) Turn(ctx context.Context, in turnInput) (turnOutcome, error) { //nolint:revive // only the engine calls it
	info := activity.GetInfo(ctx)
	if info.Attempt > 1 {
		if out, ok, err := s.recorded(ctx, in); err != nil || ok {
			return out, err
		}
	}
	t := s.tryOf(info).turn(s, in)
	err := t.take(ctx)
	if lost(err) {
		out, ok, readErr := s.recorded(ctx, in) // another try of this turn was quicker
		if readErr != nil || ok {
			return out, readErr
		}
	}
	return t.out, err
}

// lost reports whether another worker has written this turn down.
func lost(err error) bool {
	return postgres.Violates(err, "step_pkey") || postgres.Violates(err, "run_pkey")
}

// A try is one of a turn's, or of an act's.
type try struct {
	attempt  int32
	since    time.Time // of the first
	workflow [2]string // id and run
	wake     review.Wake
}

func (s *Steps) tryOf(info activity.Info) try {
	y := try{attempt: info.Attempt, since: s.clock.At(info.ScheduledTime),
		workflow: [2]string{info.WorkflowExecution.ID, info.WorkflowExecution.RunID}}
	if info.WorkflowType != nil && info.WorkflowType.Name == ConverseName { // not the case's own workflow, which is woken by default
		y.wake.WorkflowID = info.WorkflowExecution.ID
	}
	return y
}

func (y try) turn(s *Steps, in turnInput) *turn {
	return &turn{Steps: s, try: y, in: in, taint: in.Taint, began: s.clock.Now()}
}

// maxAttempts is how often a turn is tried whose model answered and which then
// could not be written down, for a reason that is not a part being away: each
// try asks the model anew.
const maxAttempts = 4

// take is the turn, in order.
func (t *turn) take(ctx context.Context) (err error) {
	if err := t.begin(ctx); err != nil {
		return err
	}
	ctx, end := t.spans.StartAgent(ctx, t.facts.span())
	defer func() { end(err) }()
	if err := t.ask(ctx); err != nil {
		return t.unasked(ctx, err)
	}
	if err = t.finish(ctx); err == nil || t.attempt < maxAttempts || away(err) || fault.Is(err, fault.Conflict) || lost(err) {
		return err
	}
	t.log.ErrorContext(ctx, "a turn cannot be written down", "run", t.facts.ID, "seq", t.in.Seq, "error", err)
	return t.fail(ctx, "A turn could not be written down.")
}

// finish rules on what the model wants and writes the turn down.
func (t *turn) finish(ctx context.Context) error {
	if !t.compacts {
		if err := t.rule(ctx); err != nil {
			return err
		}
	}
	t.conclude()
	return t.commit(ctx)
}

// away reports whether an error only says that a part does not answer.
func away(err error) bool { return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.TooMany) }

// fail ends the run with a turn that holds nothing but the reason.
func (t *turn) fail(ctx context.Context, reason string) error {
	t.out = turnOutcome{State: Failed, Reason: cut(reason, 500), Taint: t.taint, Budget: t.budget, Spent: Spent{Calls: 1}}
	t.answer, t.rulings, t.compacts = model.Response{Message: model.Message{Role: model.Assistant}, Usage: t.answer.Usage,
		Identity: t.answer.Identity}, nil, false
	return t.commit(ctx)
}

// modelPatience is how long a run waits for a model that does not answer, in
// real time: a vendor's bad day must not end a case.
const modelPatience = 24 * time.Hour

// unasked ends a run whose model gives no answer, for a reason that trying again
// does not mend, or has not for a day. Before that it is left to the engine.
func (t *turn) unasked(ctx context.Context, cause error) error {
	waited := t.clock.Real(t.clock.Now().Sub(t.since))
	if fault.KindOf(cause).Retryable() && waited < modelPatience {
		return cause
	}
	words, _ := fault.Words(cause)
	t.log.WarnContext(ctx, "a model gave no answer", "run", t.facts.ID, "error", cause)
	return t.fail(ctx, "The model gave no answer that can be used: "+words)
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// call is the one request to a model, with its span, once the route has a slot for it.
// Where the application asks for it, personal data is masked: the transcript keeps what
// was said, sealed, and the model reads it without.
func (t *turn) call(ctx context.Context, route model.Route, req model.Request) (model.Response, error) {
	if t.masks != nil && t.masks(t.facts.App) {
		req = req.Masked(pii.Mask)
	}
	leave, err := route.Slots.Take(ctx, t.facts.Org)
	if err != nil {
		return model.Response{}, err
	}
	defer leave()
	ctx, end := t.spans.StartModelCall(ctx, telemetry.ModelCall{Agent: t.facts.span(), Provider: route.Provider, Model: route.Model})
	res, err := route.Ask.Generate(ctx, req)
	end(telemetry.ModelAnswer{Model: res.Identity.Model, Input: res.Usage.Input, Cached: res.Usage.Cached, Output: res.Usage.Output}, err)
	return res, err
}

// recorded is the outcome of a turn that was taken before, if it was.
func (s *Steps) recorded(ctx context.Context, in turnInput) (out turnOutcome, ok bool, err error) {
	var raw []byte
	err = s.books.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select outcome from gavel.step where run_id = $1 and seq = $2`, in.Run, in.Seq).Scan(&raw)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return out, false, nil
	}
	if err != nil {
		return out, false, fmt.Errorf("read turn %d of %s: %w", in.Seq, in.Run, err)
	}
	return out, true, json.Unmarshal(raw, &out)
}

// Expire ends a proposal that nobody decided by at, the workflow's own time, and
// says how it really ended: a decision that came first counts.
func (s *Steps) Expire(ctx context.Context, org identity.Org, key string, at time.Time) (review.Decided, error) {
	return s.reviews.ExpireKey(ctx, org, key, at)
}

// Mark notes how a run stands between turns.
func (s *Steps) Mark(ctx context.Context, org identity.Org, run string, state State) error {
	const update = `update gavel.run set state = $2, moved_at = $3, version = version + 1
		where id = $1 and state not in ('done', 'failed', 'out_of_budget')`
	return s.books.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, update, run, state, s.clock.Now())
		return err
	})
}
