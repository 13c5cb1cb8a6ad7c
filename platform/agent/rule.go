package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/telemetry"
	"github.com/gavelhq/gavel/platform/tool"
)

// What becomes of a call. The zero value refuses.
type verdict string

const (
	refused   verdict = "refused"
	reads     verdict = "read"
	runs      verdict = "act"
	asks      verdict = "ask"
	delegates verdict = "agent"
)

// A ruling is what was decided about one call, and why. It is part of the step
// and of the log.
type ruling struct {
	Call    string          `json:"call"`
	Tool    string          `json:"tool"`
	Args    string          `json:"args_sha256,omitempty"`
	Verdict verdict         `json:"verdict"`
	Gate    string          `json:"gate,omitempty"`
	Taint   bool            `json:"taint,omitempty"`  // an argument came from outside text
	Why     string          `json:"why,omitempty"`    // of a refusal: fixed words
	Policy  *policy.Answer  `json:"policy,omitempty"` // what policy said
	tool    tool.Tool       // where it is one
	args    json.RawMessage // canonical
	found   finding.Finding // what people read first who are asked about it
	says    string          // what the model is told, where it is told at once
	failed  bool
	budget  Budget // of an agent that is set to work
	outside bool   // its result holds text from outside
}

// rule decides what becomes of each call. It is the only place that does: a call
// that is not in here with a verdict does not happen.
func (t *turn) rule(ctx context.Context) error {
	for i, c := range t.answer.Message.Calls {
		r, err := t.ruleOne(ctx, i, c)
		if err != nil {
			return err
		}
		t.rulings = append(t.rulings, r)
	}
	if err := t.refuseSettled(ctx); err != nil {
		return err
	}
	t.readAll(ctx)
	for _, r := range t.rulings {
		t.taint = t.taint || r.outside
	}
	return nil
}

// ruleOne rules on one call; an error is that nobody could tell yet.
func (t *turn) ruleOne(ctx context.Context, i int, c model.Call) (ruling, error) {
	r := ruling{Call: callID(t.in.Seq, i), Tool: c.Name, Verdict: refused}
	if slices.Contains(t.spec.Agents, c.Name) {
		return t.ruleAgent(r, c), nil
	}
	tl, ok := t.registry.Find(t.facts.App, c.Name)
	if !ok || !slices.Contains(t.lent, c.Name) {
		r.Tool = "unknown" // what a model made up stays in the transcript
		return r.refuse("no_such_tool", fmt.Sprintf("There is no tool %.60q here. Use the tools you were given.", c.Name)), nil
	}
	r.tool = tl
	wrote, err := tl.Check([]byte(c.Args))
	if err != nil {
		words, _ := fault.Words(err)
		return r.refuse("arguments", "The arguments are not right: "+words), nil
	}
	r.args, r.Args = wrote, act.Digest(wrote)
	if r = t.weigh(r, wrote); r.Verdict == refused {
		return r, nil
	}
	if tl.Bound() {
		bound, err := bindArgs(ctx, t.books.db, tl, t.env(r.Call), wrote)
		if err != nil {
			return r.notBorneOut(err)
		}
		r.args, r.Args = bound, act.Digest(bound)
		r = t.weigh(r, wrote) // what policy lets run is what runs
	}
	if r.Verdict != asks {
		return r, nil
	}
	if r.found, err = findOf(ctx, t.books.db, tl, t.env(r.Call), r.args); err != nil {
		return r.notBorneOut(err)
	}
	return r, nil
}

// notBorneOut refuses a call of which the record knows nothing, for good or for now.
func (r ruling) notBorneOut(err error) (ruling, error) {
	words, _ := fault.Words(err)
	return r.refuse(againstRecord, "The record does not bear this out: "+words), maybeLater(err)
}

// weigh asks by roles and policy what becomes of a call with its arguments. What the
// model wrote is what may be tainted: the rest is the record's.
func (t *turn) weigh(r ruling, wrote json.RawMessage) ruling {
	if r.tool.Gate == tool.Confirm && t.facts.For.Kind != identity.Person {
		return r.refuse("nobody", "Nobody is there who could confirm this. Do not try it again.")
	}
	if !t.holds(r.tool) {
		return r.refuse("roles", "Whoever you work for may not do this. Do not try it again.")
	}
	answer := t.policies(t.facts.App).Ask(t.question(r.tool, r.args))
	r.Policy = &answer
	if !answer.Call {
		return r.refuse("policy", "Policy does not let you do this. Do not try it again.")
	}
	r.Taint = t.taint && tainted(r.tool.Name, wrote, t.chain.offers(node{Offers: t.offered}))
	return r.gate(answer)
}

// holds reports whether the one this run acts for holds a role that the tool
// asks for. A run that acts for nobody is left to policy.
func (t *turn) holds(tl tool.Tool) bool {
	return !t.facts.For.Known() || slices.ContainsFunc(tl.Roles, t.facts.For.Has)
}

// gate is the question whether a person is asked first. Only where policy says
// that nobody need be, the tool's own gate is off and nothing from outside steers
// an effect outside, is nobody asked. A tool that is grounded holds what it sends
// against the person's own words.
func (r ruling) gate(answer policy.Answer) ruling {
	steered := r.Taint && r.tool.Effect == tool.Outside && !r.tool.Grounded
	free := answer.Unattended && r.tool.Gate == tool.Off && !steered
	switch {
	case free && r.tool.Effect == tool.Read:
		r.Verdict = reads
	case free:
		r.Verdict = runs
	default:
		r.Verdict = asks
		r.Gate = "approve"
		if r.tool.Gate == tool.Confirm {
			r.Gate = "confirm"
		}
	}
	return r
}

func (r ruling) refuse(why, says string) ruling {
	r.Verdict, r.Why, r.says, r.failed = refused, why, says, true
	return r
}

// ruleAgent rules on setting another agent to work.
func (t *turn) ruleAgent(r ruling, c model.Call) ruling {
	k, err := t.roster.find(t.facts.App, c.Name)
	if err != nil {
		return r.refuse("no_such_agent", "There is no such agent any more.")
	}
	task, err := parseTask(c.Args)
	if err != nil {
		words, _ := fault.Words(err)
		return r.refuse("arguments", words)
	}
	r.Args, r.Verdict, r.budget = act.Digest([]byte(task)), delegates, k.Budget
	return r
}

// question is what policy is asked about a call.
func (t *turn) question(tl tool.Tool, args json.RawMessage) policy.Question {
	return policy.Question{Actor: t.facts.actor(), For: t.facts.For, App: t.facts.App, Tool: tl.Name, Effect: string(tl.Effect),
		Case: t.facts.Case, Args: args, Taint: t.taint}
}

// refuseSettled turns away what a person has already said no to, word for word,
// and what may have happened already: asking again until somebody gives in is
// not a way around a decision, and neither is asking through another agent of
// the same tree.
func (t *turn) refuseSettled(ctx context.Context) error {
	var digests []string
	for _, r := range t.rulings {
		if r.Verdict == asks || r.Verdict == runs {
			digests = append(digests, r.Args)
		}
	}
	if len(digests) == 0 || t.in.Seq == 0 && t.facts.Parent == "" {
		return nil
	}
	settled, err := t.books.settled(ctx, t.facts, digests)
	if err != nil {
		return err
	}
	for i, r := range t.rulings {
		how, ok := settled[r.Tool+" "+r.Args]
		if ok && (r.Verdict == asks || r.Verdict == runs && how == string(act.Unknown)) {
			t.rulings[i] = r.refuse("settled", "Exactly this was asked for before and is settled ("+how+"). That is final.")
		}
	}
	return nil
}

// settled says how earlier calls of a tree of runs ended for good, by tool and
// digest of the arguments: rejected, edited, expired, or nobody knows.
func (b *books) settled(ctx context.Context, f facts, digests []string) (map[string]string, error) {
	const all = `
		with tree as (select id from gavel.run where org = $1 and case_id = $5 and root = $2)
		select p.tool || ' ' || p.args_sha256, p.state from gavel.proposal p
		where p.org = $1 and p.run in (select id from tree) and p.args_sha256 = any ($3) and p.kind = $4 and p.truth is null
		and p.state in ('rejected', 'edited', 'expired')
		union all
		select a.tool || ' ' || a.args_sha256, a.state from gavel.act a
		where a.org = $1 and a.case_id = $5 and a.run in (select id from tree) and a.args_sha256 = any ($3) and a.state = 'unknown'`
	settled := map[string]string{}
	var look pgx.Batch
	look.Queue(all, f.Org, f.Root, digests, kindCall, f.Case).Query(func(rows pgx.Rows) error {
		var what, how string
		_, err := pgx.ForEachRow(rows, []any{&what, &how}, func() error {
			settled[what] = how
			return nil
		})
		return err
	})
	if err := b.db.Look(ctx, f.Org, &look); err != nil {
		return nil, fmt.Errorf("what is settled in %s: %w", f.Root, err)
	}
	return settled, nil
}

// readAll runs what only reads, side by side.
func (t *turn) readAll(ctx context.Context) {
	var wg sync.WaitGroup
	for i := range t.rulings {
		if t.rulings[i].Verdict == reads {
			wg.Go(func() { t.rulings[i] = t.read(ctx, t.rulings[i]) })
		}
	}
	wg.Wait()
}

// readTries is how often a look-up is tried before the model is told that it
// failed.
const readTries = 2

func (t *turn) read(ctx context.Context, r ruling) ruling {
	var err error
	for range readTries {
		var out json.RawMessage
		if out, err = t.readOnce(ctx, r); err == nil {
			r.says, r.outside = string(out), r.tool.OutsideText
			return r
		}
		if !fault.KindOf(err).Retryable() {
			break
		}
	}
	t.log.WarnContext(ctx, "a look-up failed", "tool", r.Tool, "run", t.facts.ID, "call", r.Call, "error", err)
	words, _ := fault.Words(err)
	r.says, r.failed, r.Why, r.outside = strings.TrimSpace("This failed: "+words), true, "failed", r.tool.OutsideText
	return r
}

func (t *turn) readOnce(ctx context.Context, r ruling) (out json.RawMessage, err error) {
	ctx, stop := context.WithTimeout(ctx, t.sendTimeout)
	defer stop()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v", r.Tool, p)
		}
	}()
	ctx, end := t.spans.StartTool(ctx, telemetry.ToolCall{Agent: t.facts.span(), Tool: r.Tool, Call: r.Call})
	defer func() { end(err) }()
	return r.tool.Read(ctx, t.env(r.Call), r.args)
}
