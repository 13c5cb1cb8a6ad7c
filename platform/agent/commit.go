package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// conclude says what the turn came to, before it is written down.
func (t *turn) conclude() {
	t.out.Taint, t.out.Repairs, t.out.Budget = t.taint, t.in.Repairs, t.budget
	switch {
	case t.stopped:
		t.out.State, t.out.Repairs = WaitingReply, 0
	case t.compacts && (t.answer.Stop != model.Done || strings.TrimSpace(t.answer.Message.Text()) == ""):
		t.out.State, t.out.Reason = Failed, "The conversation has grown too long, and the model could not sum it up."
	case t.compacts:
		return
	case t.answer.Stop == model.Refused:
		t.out.State, t.out.Reason = Failed, "The model refused to answer."
	case len(t.rulings) > 0:
		t.out.Calls = t.planned()
	default:
		t.concludeAnswer()
	}
}

// concludeAnswer checks a final answer. One of the wrong form is sent back with
// what is wrong, a bounded number of times, and then the run fails.
func (t *turn) concludeAnswer() {
	wrong := checkAnswer(t.spec, t.answer.Message)
	if wrong == "" && t.answer.Stop == model.TooLong {
		wrong = "Your answer was cut off because it is too long."
	}
	switch {
	case wrong == "" && t.spec.Chat:
		t.out.State, t.out.Repairs = WaitingReply, 0
	case wrong == "":
		t.out.State, t.out.Repairs = Done, 0
	case t.in.Repairs >= maxRepairs:
		t.out.State, t.out.Reason = Failed, "The model's answer did not have the form asked for, also after it was sent back."
	default:
		t.out.Repairs = t.in.Repairs + 1
	}
}

// planned lists what the workflow has to see through.
func (t *turn) planned() []planned {
	var all []planned
	for _, r := range t.rulings {
		p := planned{Call: r.Call, Args: r.Args}
		switch r.Verdict {
		case runs:
			p.Do = doAct
		case asks:
			p.Do, p.Expires, p.Attend = doAsk, t.expires(r.tool), t.remind(r.tool)
		case delegates:
			b := r.budget
			p.Do, p.Agent, p.Budget, p.Args = doAgent, r.Tool, &b, ""
		default:
			continue
		}
		all = append(all, p)
	}
	return all
}

// expires is when people can decide a call no more.
func (t *turn) expires(tl tool.Tool) time.Time {
	return t.began.Add(tl.Expiry(cmp.Or(t.spec.Expiry, DefaultExpiry))).UTC().Truncate(time.Second)
}

// remind is when people are reminded of what waits for them.
func (t *turn) remind(tl tool.Tool) time.Time {
	after, _ := tl.Attention(t.expires(tl).Sub(t.began))
	return t.began.Add(after).UTC().Truncate(time.Microsecond)
}

// escalate is when it goes on to others, where its tool names them.
func (t *turn) escalate(tl tool.Tool) time.Time {
	if len(tl.EscalateTo) == 0 {
		return time.Time{}
	}
	_, after := tl.Attention(t.expires(tl).Sub(t.began))
	return t.began.Add(after).UTC().Truncate(time.Microsecond)
}

// maxResults bounds the results that one turn puts into a transcript, in bytes.
const maxResults = 8 << 20

// node is the turn's piece of the transcript.
func (t *turn) node() node {
	n := node{Parent: t.in.Head, Late: t.late, Before: t.before, Answer: t.answer.Message, Offers: t.offered, Compacts: t.compacts,
		Stopped: t.stopped}
	size := 0
	for _, r := range t.rulings {
		if size += len(r.says); size > maxResults {
			r.failed, r.says = true, "The results of this turn are too long together. Ask for less at once."
		}
		if r.says != "" {
			n.Results = append(n.Results, result{Call: r.Call, Message: toolSays("", r.failed, r.says)})
		}
	}
	return n
}

// commit writes the turn down, all of it or nothing, in one round trip: the
// transcript, the step, the run, the log's record, what people are asked, and
// what may run.
func (t *turn) commit(ctx context.Context) error {
	n := t.node()
	err := t.books.db.InOrg(ctx, t.facts.Org, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		if t.in.Start != nil {
			t.queueSpec(batch)
		}
		head, err := t.books.write(ctx, tx, batch, t.facts, t.about, n)
		if err != nil {
			return err
		}
		t.out.Head = head
		record, err := audit.AppendLater(batch, t.record())
		if err != nil {
			return err
		}
		if err := t.queueRunAndStep(batch, string(record)); err != nil {
			return err
		}
		if err := t.queuePolicies(batch); err != nil {
			return err
		}
		if err := t.queueCalls(ctx, tx, batch, string(record)); err != nil {
			return err
		}
		t.queueHeed(batch)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("turn %d of %s: %w", t.in.Seq, t.facts.ID, err)
	}
	t.remember(n)
	return nil
}

// queueRunAndStep writes the run and its step. The step comes first where the run is there
// already: of two workers at the same turn the slower meets the step's key, also where the
// run has ended meanwhile.
func (t *turn) queueRunAndStep(b *pgx.Batch, record string) error {
	if t.in.Start == nil {
		return errors.Join(t.queueStep(b, record), t.queueRun(b))
	}
	return errors.Join(t.queueRun(b), t.queueStep(b, record))
}

// remember keeps what the next turn will ask for.
func (t *turn) remember(n node) {
	t.rememberKept()
	org := string(t.facts.Org) + "/"
	t.books.keepChain(org+t.out.Head, t.chain.then(n), len(t.about) > 0)
	if t.in.Head != "" {
		t.books.chains.forget(org + t.in.Head)
	}
	t.books.runs.put(org+t.facts.ID, t.facts, 1)
}

// queueSpec keeps the job description that the run starts with. A process does
// so once for each.
func (t *turn) queueSpec(b *pgx.Batch) {
	if _, kept := t.books.kept.get(short(t.facts.Spec)); kept {
		return
	}
	const insert = `insert into gavel_sys.agent_spec (sha256, app, name, body, first_at) values ($1, $2, $3, $4, $5) on conflict do nothing`
	b.Queue(insert, t.facts.Spec[:], t.facts.App, t.facts.Agent, t.body, t.began)
}

// state is how the run stands after this turn.
func (t *turn) state() State {
	if t.out.State != "" {
		return t.out.State
	}
	for _, c := range t.out.Calls {
		if c.Do == doAsk {
			return WaitingPerson
		}
	}
	return Running
}

func (t *turn) queueRun(b *pgx.Batch) error {
	head, err := long(t.out.Head)
	if err != nil {
		return err
	}
	var ended *time.Time
	if t.out.State.Ended() {
		ended = &t.began
	}
	u, cost, currency := t.answer.Usage, t.cost(), t.currency()
	if t.in.Start == nil {
		const update = `update gavel.run set state = $2, reason = $3, seq = $4, head = $5, tainted = $6, calls = calls + 1,
			tokens_in = tokens_in + $7, tokens_out = tokens_out + $8, cost = cost + $9, currency = $10, moved_at = $11, ended_at = $12,
			subjects = array(select distinct unnest(subjects || $13::text[]) order by 1), version = version + 1 where id = $1`
		b.Queue(update, t.facts.ID, t.state(), t.out.Reason, t.in.Seq, head[:], t.taint, u.Input, u.Output, cost, currency, t.began, ended,
			writeSubjects(t.about))
		return nil
	}
	const insert = `insert into gavel.run (org, id, case_id, app, agent, name, spec, root, parent, parent_call, for_kind, for_id, roles,
		subjects,
			state, reason, seq, head, tainted, calls, tokens_in, tokens_out, cost, currency, workflow_id, workflow_run, started_at,
			moved_at, ended_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), nullif($10, ''), $11, $12, $13, $14,
			$15, $16, $17, $18, $19, 1, $20, $21, $22, $23, $24, $25, $26, $26, $27)`
	f := t.facts
	b.Queue(insert, f.Org, f.ID, f.Case, f.App, f.Agent, f.Name, f.Spec[:], f.Root, f.Parent, f.Call, f.For.Kind, f.For.ID, roles(f),
		writeSubjects(t.about), t.state(), t.out.Reason, t.in.Seq, head[:], t.taint, u.Input, u.Output, cost, currency,
		t.workflow[0], t.workflow[1], t.began, ended)
	return nil
}

func roles(f facts) []string {
	all := make([]string, len(f.For.Roles))
	for i, r := range f.For.Roles {
		all[i] = string(r)
	}
	return all
}

// cost is in millionths of the route's currency; nil where no price is known.
func (t *turn) cost() *int64 {
	if r, err := t.routes.Find(t.spec.Route); err == nil && r.Price != nil {
		return &t.out.Spent.Money
	}
	return nil
}

func (t *turn) currency() string {
	if r, err := t.routes.Find(t.spec.Route); err == nil && r.Price != nil {
		return r.Price.Currency
	}
	return ""
}

func (t *turn) queueStep(b *pgx.Batch, record string) error {
	head, err := long(t.out.Head)
	if err != nil {
		return err
	}
	kind := "turn"
	if t.compacts {
		kind = "compaction"
	}
	outcome, err := json.Marshal(t.out)
	if err != nil {
		return err
	}
	calls, err := json.Marshal(t.rulings)
	if err != nil {
		return err
	}
	who, err := json.Marshal(t.who())
	if err != nil {
		return err
	}
	const insert = `insert into gavel.step (org, run_id, seq, kind, at, took_ms, model, head, calls, outcome, record)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	b.Queue(insert, t.facts.Org, t.facts.ID, t.in.Seq, kind, t.began, t.clock.Real(t.clock.Now().Sub(t.began)).Milliseconds(), who, head[:],
		calls, outcome, record)
	return nil
}

// answered is who answered a turn, with what settings, at what cost.
type answered struct {
	model.Identity
	Usage       model.Usage `json:"usage"`
	Temperature string      `json:"temperature,omitempty"` // as text: the log holds whole numbers only
	Seed        *int64      `json:"seed,omitempty"`
	MaxTokens   int         `json:"max_tokens,omitempty"`
	Route       string      `json:"route"`
}

func (t *turn) who() answered {
	a := answered{Identity: t.answer.Identity, Usage: t.answer.Usage, Route: t.spec.Route}
	if r, err := t.routes.Find(t.spec.Route); err == nil {
		a.Seed, a.MaxTokens = r.Params.Seed, r.Params.MaxTokens
		if r.Params.Temperature != nil {
			a.Temperature = strconv.FormatFloat(*r.Params.Temperature, 'g', -1, 64)
		}
	}
	return a
}

// record is the turn's entry in the log: what was sent is told by the spec and
// the head before, what came back by the new head.
func (t *turn) record() audit.Record {
	return audit.Record{At: t.began, Kind: audit.ModelCall, App: t.facts.App, Actor: t.facts.actor(), Subject: t.facts.ID, Body: struct {
		Case   string   `json:"case"`
		Seq    int      `json:"seq"`
		Spec   string   `json:"spec"`
		Before string   `json:"before,omitempty"`
		Head   string   `json:"head"`
		Model  answered `json:"model"`
		Calls  []ruling `json:"calls,omitempty"`
		State  State    `json:"state"`
	}{t.facts.Case, t.in.Seq, short(t.facts.Spec), t.in.Head, t.out.Head, t.who(), t.rulings, t.state()}}
}

// queueCalls makes the rows without which nothing happens: an act that policy
// lets run, a proposal where a person decides.
func (t *turn) queueCalls(ctx context.Context, tx pgx.Tx, b *pgx.Batch, record string) error {
	for _, r := range t.rulings {
		var err error
		switch r.Verdict {
		case runs:
			err = act.PlanLater(b, t.facts.Org, act.Plan{Key: actKey(t.facts.ID, r.Call), Case: t.facts.Case, Run: t.facts.ID, Call: r.Call,
				App: t.facts.App, Tool: r.Tool, Effect: string(r.tool.Effect), Agent: t.facts.actor().ID, Args: r.args, ArgsSHA256: r.Args,
				PolicyRecord: record, At: t.began, By: t.facts.actor()})
		case asks:
			err = t.queueProposal(ctx, tx, b, r, record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shown is what a person decides on, to the letter.
type shown struct {
	Tool   string          `json:"tool"`
	Line   string          `json:"line"`
	Effect string          `json:"effect"`
	Args   json.RawMessage `json:"args"`
	Agent  string          `json:"agent"`
	Role   string          `json:"role"`
	Said   string          `json:"said,omitempty"`  // what the model wrote beside the call
	Taint  bool            `json:"taint,omitempty"` // text from outside has had a part in the arguments
	Case   string          `json:"case"`

	Finding finding.Finding `json:"finding"` // what they read first
}

// maxSaid bounds how much of a model's own words stand on a proposal.
const maxSaid = 4000

// queueProposal asks people about a call, and sometimes tests whether they look.
func (t *turn) queueProposal(ctx context.Context, tx pgx.Tx, b *pgx.Batch, r ruling, record string) error {
	said := []rune(t.answer.Message.Text())
	doc, err := canonical(shown{Tool: r.Tool, Line: r.tool.Line, Effect: string(r.tool.Effect), Args: r.args, Agent: t.facts.Agent,
		Role: t.spec.Role, Said: string(said[:min(len(said), maxSaid)]), Taint: r.Taint, Case: t.facts.Case, Finding: r.found})
	if err != nil {
		return err
	}
	p := review.Proposal{Org: t.facts.Org, Case: t.facts.Case, Kind: kindCall, App: t.facts.App, Tool: r.Tool,
		Effect: string(r.tool.Effect), Key: actKey(t.facts.ID, r.Call), Run: t.facts.ID, Call: r.Call, Gate: review.Gate(r.Gate),
		Args: r.args, ArgsSHA256: r.Args, Shown: doc, ShownSHA256: act.Digest(doc), RequestedBy: t.facts.actor().ID,
		OnBehalfOf: t.facts.For.ID, Deciders: r.tool.Deciders, Required: max(r.tool.Approvals, 1), PolicyRecord: record,
		ExpiresAt: t.expires(r.tool), RemindAt: t.remind(r.tool), EscalateAt: t.escalate(r.tool), EscalateTo: r.tool.EscalateTo,
		Undo: r.tool.Undo, CreatedAt: t.began, Wake: t.wake}
	if p.Makers, err = t.reviews.MakersOf(ctx, tx, p); err != nil {
		return err
	}
	if err := t.reviews.CheckGate(ctx, tx, p); err != nil {
		return err
	}
	return t.reviews.AskLater(ctx, tx, b, &p)
}
