package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/review"
)

// A Step is one turn of a run with everything a sentence about it needs: who
// answered, what was wanted, and what became of it. What was said is a Payload.
type Step struct {
	Seq     int
	Compact bool // it summed the conversation up instead of going on
	At      time.Time
	Took    time.Duration
	Model   model.Identity
	Route   string
	Usage   model.Usage
	Money   int64 // millionths of the run's currency; 0 where no price is known
	Calls   []StepCall
	State   State  // where the run ended with this step; empty where it went on
	Reason  string // why
	Repair  bool   // the answer was sent back, being of the wrong form
	Taint   bool   // text from outside has been read by now
	Head    string // digest of the transcript, in hex
	Record  string // the log's entry
}

// A StepCall is one thing a model wanted, and what became of it.
type StepCall struct {
	ID      string // "3.1": turn and position
	Tool    string
	Verdict string // refused, read, act, ask or agent
	Gate    string // approve or confirm, where a person is asked
	Why     string // of a refusal or failure: a fixed word
	Taint   bool   // an argument came from outside text
	Args    string // their SHA-256, in hex
	Because []string

	Proposal *CallProposal
	Act      *CallAct
	Child    *CallChild
}

// A CallProposal is how the proposal stands that a call became.
type CallProposal struct {
	ID        string
	Also      []string // others that wait for the same call
	State     review.State
	Deciders  []identity.Role
	Whom      string // who confirms
	DecidedBy string // actor id; empty where nobody decided
	Since     time.Time
	EndedAt   *time.Time
}

// A CallAct is how far the act has come that a call became.
type CallAct struct {
	State     act.State
	PlannedAt time.Time
	NotBefore *time.Time
	EndedAt   *time.Time
}

// A CallChild is the run that a call set to work.
type CallChild struct {
	Run       string
	Agent     string
	State     State
	StartedAt time.Time
	EndedAt   *time.Time
}

// mostSteps is the most one page of a story has.
const mostSteps = 200

// Steps is a page of a run's steps, newest first: those before a step, or the
// newest where before is 0.
func (s *Store) Steps(ctx context.Context, org identity.Org, run string, before, limit int) (steps []Step, err error) {
	if limit < 1 || limit > mostSteps || before < 0 {
		return nil, fault.New(fault.Invalid, "a page has 1 to %d steps, not %d", mostSteps, limit)
	}
	const page = `select seq, kind = 'compaction', at, took_ms, model, encode(head, 'hex'), calls, outcome, record
		from gavel.step where run_id = $1 and ($2 = 0 or seq < $2) order by seq desc limit $3`
	err = s.books.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, run, before, limit)
		if steps, err = pgx.CollectRows(rows, scanStep); err != nil {
			return err
		}
		return follow(ctx, tx, run, steps)
	})
	if err != nil {
		return nil, fmt.Errorf("steps of %s: %w", run, err)
	}
	return steps, nil
}

func scanStep(row pgx.CollectableRow) (st Step, err error) {
	var took int64
	var who, calls, outcome []byte
	if err := row.Scan(&st.Seq, &st.Compact, &st.At, &took, &who, &st.Head, &calls, &outcome, &st.Record); err != nil {
		return st, err
	}
	st.Took = time.Duration(took) * time.Millisecond
	var a answered
	var rulings []ruling
	var out turnOutcome
	for _, part := range []struct {
		raw  []byte
		into any
	}{{who, &a}, {calls, &rulings}, {outcome, &out}} {
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return st, fmt.Errorf("step %d: %w", st.Seq, err)
		}
	}
	st.Model, st.Route, st.Usage, st.Money = a.Identity, a.Route, a.Usage, out.Spent.Money
	st.State, st.Reason, st.Taint = out.State, out.Reason, out.Taint
	st.Repair = out.State == "" && len(rulings) == 0 && out.Repairs > 0 && !st.Compact
	for _, r := range rulings {
		c := StepCall{ID: r.Call, Tool: r.Tool, Verdict: string(r.Verdict), Gate: r.Gate, Why: r.Why, Taint: r.Taint, Args: r.Args}
		if r.Policy != nil {
			c.Because = r.Policy.Because
		}
		st.Calls = append(st.Calls, c)
	}
	return st, nil
}

// follow reads what became of the calls of some steps, in one round trip.
func follow(ctx context.Context, tx pgx.Tx, run string, steps []Step) error {
	calls := map[string]*StepCall{}
	var keys, ids []string
	for i := range steps {
		for j := range steps[i].Calls {
			c := &steps[i].Calls[j]
			if c.Verdict == string(reads) || c.Verdict == string(refused) {
				continue
			}
			calls[c.ID] = c
			keys, ids = append(keys, actKey(run, c.ID)), append(ids, c.ID)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	// Whatever waits for the same call is told together, in the order of the numbers.
	const proposals = `select p.call, p.id, p.state, p.deciders, case when p.gate = 'confirm' then p.on_behalf_of else '' end,
			coalesce((select d.actor_id from gavel.decision d where d.id = p.ended_by), ''), p.created_at, p.ended_at, p.key = any ($1)
		from gavel.proposal p where p.key = any ($1) or p.run = $2 and p.call = any ($3) and p.kind = $4 and p.state = 'open' order by p.n`
	b.Queue(proposals, keys, run, ids, kindCall).Query(each(func(row pgx.CollectableRow) error {
		p, call, own := CallProposal{}, "", false
		err := row.Scan(&call, &p.ID, &p.State, &p.Deciders, &p.Whom, &p.DecidedBy, &p.Since, &p.EndedAt, &own)
		calls[call].note(func(c *StepCall) { c.Proposal = c.Proposal.with(p, own) })
		return err
	}))
	const acts = `select call, state, planned_at, not_before, ended_at from gavel.act where key = any ($1)`
	b.Queue(acts, keys).Query(each(func(row pgx.CollectableRow) error {
		a, call := CallAct{}, ""
		err := row.Scan(&call, &a.State, &a.PlannedAt, &a.NotBefore, &a.EndedAt)
		calls[call].note(func(c *StepCall) { c.Act = &a })
		return err
	}))
	const children = `select d.parent_call, d.id, d.agent, d.state, d.started_at, d.ended_at from gavel.run r
		join gavel.run d on d.root = r.root
		where r.id = $1 and d.parent = $1 and d.parent_call = any ($2)`
	b.Queue(children, run, ids).Query(each(func(row pgx.CollectableRow) error {
		d, call := CallChild{}, ""
		err := row.Scan(&call, &d.Run, &d.Agent, &d.State, &d.StartedAt, &d.EndedAt)
		calls[call].note(func(c *StepCall) { c.Child = &d })
		return err
	}))
	return tx.SendBatch(ctx, b).Close()
}

// with is what a call became, with one more proposal of it. The call's own goes
// before others once it has ended; while it waits, they wait alike.
func (p *CallProposal) with(o CallProposal, own bool) *CallProposal {
	switch {
	case p == nil, own && o.State != review.Open:
		return &o
	case p.State == review.Open && o.State == review.Open:
		p.Also = append(p.Also, o.ID)
	}
	return p
}

// note changes a call that is on the page; one that is not is nil.
func (c *StepCall) note(change func(*StepCall)) {
	if c != nil {
		change(c)
	}
}

// each makes a function on rows of one on a row.
func each(one func(pgx.CollectableRow) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			if err := one(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}
