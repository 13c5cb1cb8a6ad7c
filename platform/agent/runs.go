package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Run is one execution of an agent as pages show it: ids, counts and fixed
// words, none of what was said.
type Run struct {
	ID, Case, CaseRef string
	App, Agent, Name  string
	Root, Parent      string // Parent is empty at the top of a tree
	ParentCall        string
	For               string // actor id of whom it acts for; may be empty
	State             State
	Reason            string // why it ended as it did
	Seq               int    // the newest turn
	Tainted           bool
	Spent             Spending // its own
	Tree              Spending // with everything it set to work; only Get and Family fill it
	Budget            Budget   // of the tree; only Get fills it
	Spec              string   // digest of its job description, in hex
	StartedAt         time.Time
	MovedAt           time.Time
	EndedAt           *time.Time
	Version           int64
	Workflow          string
	LastOrder         string   // the newest order a person gave; empty for none
	Now               []string // tools of the newest turn that are seen through after it
	Waiting           []Waiting
}

// Spending is what turns have cost. Cost is in millionths of Currency, and nil
// where a price is not known.
type Spending struct {
	Calls, In, Out int64
	Cost           *int64
	Currency       string
}

// Waiting is a proposal that somebody has to decide.
type Waiting struct {
	Proposal  string // "P-3"
	Run       string
	Call      string
	Tool      string
	Gate      string          // approve or confirm
	Deciders  []identity.Role // whose decision it is, for approve
	Whom      string          // actor id of who confirms
	Since     time.Time
	ExpiresAt *time.Time // nil for never
}

// runForm is how a run's id looks.
var runForm = regexp.MustCompile(`^run_[0-9A-HJKMNP-TV-Z]{26}$`)

// CheckRunID refuses what cannot be a run's id.
func CheckRunID(id string) error {
	if !runForm.MatchString(id) {
		return fault.New(fault.NotFound, "there is no run %.60q", id)
	}
	return nil
}

// States lists every state of a run, in the order people read them.
func States() []State {
	return []State{Running, WaitingPerson, WaitingReply, Held, Stopped, Failed, OutOfBudget, Done}
}

// A Query asks for a page of runs, newest first.
type Query struct {
	States []State // any of these; a tree counts when one of its runs does. Empty for all
	App    string
	Case   string
	Kept   bool   // without those that a person gave up: nobody has to look at them
	All    bool   // also those that other runs set to work; a list shows the tops of trees only
	After  string // the run after which the page begins
	Limit  int    // 1 to 200; 0 for 50
}

// mostRuns is the most one page of a list has.
const mostRuns = 200

func (q *Query) check() error {
	if q.Limit == 0 {
		q.Limit = 50
	}
	if q.Limit < 0 || q.Limit > mostRuns {
		return fault.New(fault.Invalid, "a page has 1 to %d runs, not %d", mostRuns, q.Limit)
	}
	for _, s := range q.States {
		if !s.known() {
			return fault.New(fault.Invalid, "no run is ever %.40q", s)
		}
	}
	if q.After != "" && !runForm.MatchString(q.After) {
		return fault.New(fault.Invalid, "the list has no page that begins after %.60q", q.After)
	}
	return nil
}

func (s State) known() bool {
	for _, one := range States() {
		if s == one {
			return true
		}
	}
	return false
}

// givenUp is whether a person ended a run r for good.
const givenUp = `exists (select from gavel.run_order o where o.run_id = r.id and o.do_what = '` + orderCancel + `')`

const runColumns = `r.id, r.case_id, c.ref, r.app, r.agent, r.name, r.root, coalesce(r.parent, ''), coalesce(r.parent_call, ''), r.for_id,
	r.state, r.reason, r.seq, r.tainted, r.calls, r.tokens_in, r.tokens_out, r.cost, r.currency, encode(r.spec, 'hex'),
	r.started_at, r.moved_at, r.ended_at, r.version, r.workflow_id,
	coalesce((select o.do_what from gavel.run_order o where o.run_id = r.id and o.do_what <> 'say' order by o.n desc limit 1), ''),
	coalesce((select s.calls from gavel.step s where s.run_id = r.id and s.seq = r.seq), 'null')`

func scanRun(row pgx.CollectableRow) (r Run, err error) {
	var calls []byte
	s := &r.Spent
	err = row.Scan(&r.ID, &r.Case, &r.CaseRef, &r.App, &r.Agent, &r.Name, &r.Root, &r.Parent, &r.ParentCall, &r.For,
		&r.State, &r.Reason, &r.Seq, &r.Tainted, &s.Calls, &s.In, &s.Out, &s.Cost, &s.Currency, &r.Spec,
		&r.StartedAt, &r.MovedAt, &r.EndedAt, &r.Version, &r.Workflow, &r.LastOrder, &calls)
	if err != nil {
		return r, err
	}
	var rulings []ruling
	if err := json.Unmarshal(calls, &rulings); err != nil {
		return r, fmt.Errorf("calls of %s: %w", r.ID, err)
	}
	for _, c := range rulings {
		if !r.State.Ended() && c.Verdict != reads && c.Verdict != refused {
			r.Now = append(r.Now, c.Tool)
		}
	}
	return r, nil
}

// List is a page of an organisation's runs, newest first, and where the next
// page begins; empty on the last.
func (s *Store) List(ctx context.Context, org identity.Org, q Query) (runs []Run, next string, err error) {
	if err := q.check(); err != nil {
		return nil, "", err
	}
	states := make([]string, len(q.States))
	for i, st := range q.States {
		states[i] = string(st)
	}
	const page = `select ` + runColumns + ` from gavel.run r join gavel.case c on c.id = r.case_id
		where ($1 or r.parent is null) and ($2 = '' or r.app = $2) and ($3 = '' or r.case_id = $3)
			and (cardinality($4::text[]) = 0 or r.state = any ($4)
				or r.parent is null and r.ended_at is null and exists (select from gavel.run d where d.root = r.id and d.state = any ($4)
				and d.ended_at is null))
			and not ($7 and ` + givenUp + `)
			and ($5 = '' or (r.started_at, r.id) < (select a.started_at, a.id from gavel.run a where a.id = $5))
		order by r.started_at desc, r.id desc limit $6`
	err = s.books.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, q.All, q.App, q.Case, states, q.After, q.Limit+1, q.Kept) // CollectRows reports Query's error too
		if runs, err = pgx.CollectRows(rows, scanRun); err != nil {
			return err
		}
		if len(runs) > q.Limit {
			runs, next = runs[:q.Limit], runs[q.Limit-1].ID
		}
		return addWaiting(ctx, tx, runs, !q.All)
	})
	if err != nil {
		return nil, "", fmt.Errorf("list runs: %w", err)
	}
	return runs, next, nil
}

// Get is one run, with what its tree has cost and may cost.
func (s *Store) Get(ctx context.Context, org identity.Org, id string) (r Run, err error) {
	if err := CheckRunID(id); err != nil {
		return r, err
	}
	err = s.books.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if r, err = getRun(ctx, tx, id); err != nil {
			return err
		}
		if r.Tree, err = spentBelow(ctx, tx, r); err != nil {
			return err
		}
		one := []Run{r}
		err = addWaiting(ctx, tx, one, true)
		r = one[0]
		return err
	})
	if err != nil {
		return r, err
	}
	r.Budget, err = s.budget(ctx, org, r)
	return r, err
}

func getRun(ctx context.Context, tx pgx.Tx, id string) (Run, error) {
	const one = `select ` + runColumns + ` from gavel.run r join gavel.case c on c.id = r.case_id where r.id = $1`
	rows, _ := tx.Query(ctx, one, id)
	r, err := pgx.CollectOneRow(rows, scanRun)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fault.New(fault.NotFound, "there is no run %s", id)
	}
	if err != nil {
		return r, fmt.Errorf("read run %s: %w", id, err)
	}
	return r, nil
}

// below is a run and everything it set to work, as a common table expression.
const below = `with recursive below as (
		select id from gavel.run where id = $1
		union all
		select d.id from below join gavel.run d on d.parent = below.id where d.root = $2
	) `

func spentBelow(ctx context.Context, tx pgx.Tx, r Run) (s Spending, err error) {
	const sum = below + `select sum(calls)::bigint, sum(tokens_in)::bigint, sum(tokens_out)::bigint, sum(cost)::bigint, max(currency)
		from gavel.run where id in (select id from below)`
	err = tx.QueryRow(ctx, sum, r.ID, r.Root).Scan(&s.Calls, &s.In, &s.Out, &s.Cost, &s.Currency)
	return s, err
}

// mostChildren bounds how many runs that one set to work are shown.
const mostChildren = 200

// Family is the runs below one, oldest first, at most 200 of them.
func (s *Store) Family(ctx context.Context, org identity.Org, r Run) (runs []Run, err error) {
	const all = below + `select ` + runColumns + ` from gavel.run r join gavel.case c on c.id = r.case_id
		where r.id in (select id from below) and r.id <> $1 order by r.started_at, r.id limit $3`
	err = s.books.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, r.ID, r.Root, mostChildren)
		if runs, err = pgx.CollectRows(rows, scanRun); err != nil {
			return err
		}
		return addWaiting(ctx, tx, runs, false)
	})
	if err != nil {
		return nil, fmt.Errorf("runs below %s: %w", r.ID, err)
	}
	return runs, nil
}

// addWaiting adds the open proposals of runs; with trees also those of the runs
// below them. A test is among them like any other: its absence would tell it.
func addWaiting(ctx context.Context, tx pgx.Tx, runs []Run, trees bool) error {
	ids, at := make([]string, len(runs)), map[string]int{}
	for i, r := range runs {
		ids[i], at[r.ID] = r.ID, i
	}
	const open = `select case when $2 then r.root else r.id end, p.id, p.run, p.call, p.tool, p.gate, p.deciders, p.on_behalf_of,
		p.created_at,
			nullif(p.expires_at, 'infinity')
		from gavel.proposal p join gavel.run r on r.id = p.run
		where p.state = 'open' and (r.id = any ($1) or $2 and r.root = any ($1)) order by p.n`
	rows, _ := tx.Query(ctx, open, ids, trees)
	_, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Waiting, err error) {
		var top string
		if err := row.Scan(&top, &w.Proposal, &w.Run, &w.Call, &w.Tool, &w.Gate, &w.Deciders, &w.Whom, &w.Since, &w.ExpiresAt); err != nil {
			return w, err
		}
		for _, id := range []string{top, w.Run} {
			if i, ok := at[id]; ok {
				runs[i].Waiting = append(runs[i].Waiting, w)
				break
			}
		}
		return w, nil
	})
	return err
}

// budget is what a run may spend: as its first turn was told, or as the turn
// that set it to work said; its job description's where neither is on record.
func (s *Store) budget(ctx context.Context, org identity.Org, r Run) (b Budget, err error) {
	run, seq := r.ID, 0
	if r.Parent != "" {
		run = r.Parent
		if _, err := fmt.Sscanf(r.ParentCall, "%d.", &seq); err != nil {
			return b, fault.New(fault.Internal, "run %s was set to work by call %q, which is none", r.ID, r.ParentCall)
		}
	}
	out, ok, err := s.books.outcome(ctx, org, run, seq)
	if err != nil {
		return b, err
	}
	if ok && r.Parent == "" && out.Budget != nil {
		return *out.Budget, nil
	}
	for _, c := range out.Calls {
		if c.Call == r.ParentCall && c.Budget != nil {
			return *c.Budget, nil
		}
	}
	f, err := s.books.facts(ctx, org, r.ID)
	if err != nil {
		return b, err
	}
	spec, err := s.books.spec(ctx, org, f.Spec)
	return spec.Budget, err
}

// outcome is what a turn that was taken came to, if it was.
func (b *books) outcome(ctx context.Context, org identity.Org, run string, seq int) (out turnOutcome, ok bool, err error) {
	var raw []byte
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select outcome from gavel.step where run_id = $1 and seq = $2`, run, seq).Scan(&raw)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return out, false, nil
	}
	if err != nil {
		return out, false, fmt.Errorf("read turn %d of %s: %w", seq, run, err)
	}
	return out, true, json.Unmarshal(raw, &out)
}
