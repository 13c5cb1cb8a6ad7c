package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

var (
	oscar = identity.Actor{Kind: identity.Person, ID: "oscar", Name: "Oscar", Org: north, Roles: []identity.Role{identity.Operator}}
	aruna = identity.Actor{Kind: identity.Person, ID: "aruna", Name: "Aruna", Org: north, Roles: []identity.Role{identity.Auditor}}
)

// orders is where people's words about the rig's runs go.
func (r *rig) orders() *agent.Orders {
	return agent.NewOrders(agent.OrdersConfig{DB: r.db.App, Rules: policy.Standard(), Cases: r.Cases, Reviews: r.Reviews})
}

// top is the run at the top of a case's tree.
func (r *rig) top(id casefile.CaseID) agent.Run {
	r.t.Helper()
	var runs []agent.Run
	wait.Until(r.t, fmt.Sprintf("case %s has a run", id), func() bool {
		var err error
		if runs, _, err = r.Store.List(r.t.Context(), north, agent.Query{Case: string(id)}); err != nil {
			r.t.Fatal(err)
		}
		return len(runs) > 0
	})
	if len(runs) > 1 {
		r.t.Fatalf("case %s has %d runs at the top", id, len(runs))
	}
	return runs[0]
}

// stands waits until a run is in a state.
func (r *rig) stands(run string, want agent.State) agent.Run {
	r.t.Helper()
	var got agent.Run
	wait.Try(r.t, func() (err error) {
		if got, err = r.Store.Get(r.t.Context(), north, run); err != nil {
			r.t.Fatal(err)
		}
		if got.State != want {
			return fmt.Errorf("run %s is %s (%s), want %s", run, got.State, got.Reason, want)
		}
		return nil
	})
	return got
}

func TestAListOfRunsSaysWhoIsWaitedFor(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) { c.Budget = agent.Budget{Calls: 40, Tokens: 1e6} })
	r.run()
	c := r.open("foreman", "clerk(letter a)")
	r.asked(c.ID, 1)
	top := r.top(c.ID)
	if len(top.Waiting) != 1 {
		t.Fatalf("%d are waited for, want 1: %+v", len(top.Waiting), top)
	}
	w := top.Waiting[0]
	if w.Tool != "letter" || w.Run == top.ID || w.Proposal != "P-1" || len(w.Deciders) != 1 || w.Deciders[0] != identity.Officer ||
		w.ExpiresAt == nil {
		t.Errorf("waits for %+v, want the clerk's letter, P-1, an officer", w)
	}
	if len(top.Now) != 1 || top.Now[0] != "clerk" || top.CaseRef != c.Ref {
		t.Errorf("now %v of %s, want [clerk] of %s", top.Now, top.CaseRef, c.Ref)
	}
	for _, tt := range []struct {
		q    agent.Query
		want int
	}{
		{agent.Query{States: []agent.State{agent.WaitingPerson}}, 1}, // the clerk waits, so the tree does
		{agent.Query{States: []agent.State{agent.Done}}, 0},
		{agent.Query{App: r.app}, 1},
		{agent.Query{App: "another"}, 0},
		{agent.Query{All: true}, 2},
	} {
		got, _, err := r.Store.List(t.Context(), north, tt.q)
		if err != nil || len(got) != tt.want {
			t.Errorf("%+v: %d runs, %v, want %d", tt.q, len(got), err, tt.want)
		}
	}
	if got, _, err := r.Store.List(t.Context(), postgrestest.South, agent.Query{}); err != nil || len(got) != 0 {
		t.Errorf("the other organisation sees %d runs, %v", len(got), err)
	}
	whole, err := r.Store.Get(t.Context(), north, top.ID)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Budget.Calls != 40 || whole.Tree.Calls != 2 || whole.Spent.Calls != 1 {
		t.Errorf("budget %+v, tree %+v, own %+v", whole.Budget, whole.Tree, whole.Spent)
	}
	family, err := r.Store.Family(t.Context(), north, whole)
	if err != nil || len(family) != 1 || family[0].Parent != top.ID || len(family[0].Waiting) != 1 {
		t.Fatalf("below: %+v, %v", family, err)
	}
	sub, err := r.Store.Get(t.Context(), north, family[0].ID)
	if err != nil || sub.Budget.Calls != 40 {
		t.Errorf("the clerk's budget: %+v, %v", sub.Budget, err)
	}
}

func TestTheListOfRunsHasPages(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	for range 5 {
		r.closed(r.open("clerk", "look a").ID)
	}
	seen := map[string]bool{}
	after := ""
	for range 3 {
		page, next, err := r.Store.List(t.Context(), north, agent.Query{After: after, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range page {
			seen[run.ID] = true
		}
		after = next
	}
	if len(seen) != 5 || after != "" {
		t.Errorf("three pages of two have %d runs and end at %q, want all 5 and the end", len(seen), after)
	}
	for _, q := range []agent.Query{{Limit: 201}, {Limit: -1}, {States: []agent.State{"asleep"}}, {After: "x"}} {
		if _, _, err := r.Store.List(t.Context(), north, q); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v, want it refused", q, err)
		}
	}
}

func TestAStoryHasEverythingASentenceNeeds(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("foreman", "mail x; look forbidden | letter b | clerk(look c)")
	r.asked(c.ID, 1)
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	run := r.top(c.ID)
	steps, err := r.Store.Steps(t.Context(), north, run.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 4 || steps[0].Seq != 3 || steps[0].State != agent.Done {
		t.Fatalf("steps %+v, want 4, newest first", steps)
	}
	first, letter, set := steps[3], steps[2].Calls[0], steps[1].Calls[0]
	if first.Calls[0].Verdict != "read" || first.Calls[1].Why != "policy" || !first.Taint || first.Model.Model == "" ||
		first.Usage.Total() == 0 {
		t.Errorf("the first step: %+v", first)
	}
	if p := letter.Proposal; p == nil || p.State != review.Approved || p.DecidedBy != olga.ID || letter.Act == nil ||
		letter.Act.State != "done" || !letter.Taint {
		t.Errorf("the letter: %+v %+v %+v", letter, letter.Proposal, letter.Act)
	}
	if set.Child == nil || set.Child.Agent != "clerk" || set.Child.State != agent.Done || set.Child.EndedAt == nil {
		t.Errorf("the clerk: %+v", set)
	}
	older, err := r.Store.Steps(t.Context(), north, run.ID, 2, 1)
	if err != nil || len(older) != 1 || older[0].Seq != 1 {
		t.Errorf("before step 2: %+v, %v", older, err)
	}
	if _, err := r.Store.Steps(t.Context(), north, run.ID, 0, 201); !fault.Is(err, fault.Invalid) {
		t.Errorf("201 steps at once: %v", err)
	}
}

func TestWordsAreForThoseWhoReadCases(t *testing.T) {
	about := seal.Subject{Type: "rider", ID: "R-7"}
	r := newRig(t, func(c *agenttest.Config) { c.Subjects = []seal.Subject{about} })
	r.run()
	c := r.open("clerk", "look a")
	r.closed(c.ID)
	run := r.top(c.ID)
	got, err := r.Store.Payload(t.Context(), aruna, run.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Before) != 1 || got.Before[0].Text != "look a" || len(got.Wanted) != 1 || got.Wanted[0].Tool != "look" ||
		len(got.Results) != 1 || !strings.Contains(got.Results[0].Text, "seen a") || len(got.Head) != 64 {
		t.Errorf("the first step said %+v", got)
	}
	if _, err := r.Store.Payload(t.Context(), oscar, run.ID, 0); !fault.Is(err, fault.Refused) {
		t.Errorf("an operator: %v, want refused", err)
	}
	south := aruna
	south.Org = postgrestest.South
	for _, tt := range []struct {
		who identity.Actor
		run string
		seq int
	}{{south, run.ID, 0}, {aruna, run.ID, 9}, {aruna, "run_x", 0}} {
		if _, err := r.Store.Payload(t.Context(), tt.who, tt.run, tt.seq); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s step %d in %s: %v, want not found", tt.run, tt.seq, tt.who.Org, err)
		}
	}
	admin := identity.Actor{Kind: identity.Person, ID: "adm", Name: "Adm", Org: north, Roles: []identity.Role{identity.OrgAdmin}}
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: about, Ground: seal.OnRequest, Reference: "E-1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Store.Payload(t.Context(), aruna, run.ID, 0); !errors.Is(err, seal.ErrErased) {
		t.Errorf("after the erasure: %v, want that it was erased", err)
	}
}

func TestAPersonStopsARunAndLetsItGoOn(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("clerk", "letter a | look b")
	r.asked(c.ID, 1)
	run, o := r.top(c.ID), r.orders()
	if _, err := o.Give(t.Context(), oscar, run.ID, agent.Stop); err != nil {
		t.Fatal(err)
	}
	r.decide(c.ID, olga, review.Approve, "")
	r.stands(run.ID, agent.Stopped) // before the letter, which is approved
	if log := r.other.Log(); len(log) != 0 {
		t.Fatalf("a stopped run sent %v", log)
	}
	for _, do := range []agent.Do{agent.Stop, agent.Retry} {
		if _, err := o.Give(t.Context(), oscar, run.ID, do); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s of a stopped run: %v, want a conflict", do, err)
		}
	}
	if _, err := o.Give(t.Context(), oscar, run.ID, agent.Resume); err != nil {
		t.Fatal(err)
	}
	if got := r.closed(c.ID); got.Status != "done" {
		t.Errorf("the case ended %q", got.Status)
	}
	entries := query[string](t, r.db, `select string_agg(kind, ' ' order by seq) from gavel.case_entry where case_id = $1
		and kind like 'run%'`, c.ID)
	records := query[int](t, r.db, `select count(*) from gavel.record where kind = 'run_order' and subject = $1`, run.ID)
	if entries != "run_stop run_resume" || records != 2 {
		t.Errorf("the history has %q and the log %d records, want both orders in both", entries, records)
	}
	for _, do := range []agent.Do{agent.Stop, agent.Resume, agent.Retry, agent.Cancel} {
		if _, err := o.Give(t.Context(), oscar, run.ID, do); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s of a run that is done: %v, want a conflict", do, err)
		}
	}
}

func TestARunThatIsGivenUpDoesNothingMore(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("foreman", "clerk(letter a)")
	r.asked(c.ID, 1)
	run := r.top(c.ID)
	if _, err := r.orders().Give(t.Context(), olga, run.ID, agent.Cancel); err != nil {
		t.Fatal(err)
	}
	got := r.stands(run.ID, agent.Failed)
	if !strings.Contains(got.Reason, "gave this run up") || len(got.Waiting) != 0 {
		t.Errorf("ended %q with %d waited for", got.Reason, len(got.Waiting))
	}
	if log := r.other.Log(); len(log) != 0 {
		t.Errorf("a run that was given up sent %v", log)
	}
}

func TestOrdersAreForPeopleWhoMayGiveThem(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("clerk", "letter a")
	r.asked(c.ID, 1)
	run, o := r.top(c.ID), r.orders()
	machine := oscar
	machine.Kind = identity.Machine
	south := oscar
	south.Org = postgrestest.South
	for _, tt := range []struct {
		name string
		who  identity.Actor
		do   agent.Do
		want fault.Kind
	}{
		{"an auditor", aruna, agent.Stop, fault.Refused},
		{"an analyst", asha, agent.Cancel, fault.Refused},
		{"a machine", machine, agent.Stop, fault.Refused},
		{"nobody", identity.Actor{}, agent.Stop, fault.SignIn},
		{"another organisation", south, agent.Stop, fault.NotFound},
		{"an order there is none of", oscar, "dance", fault.Invalid},
		{"say, which has words", oscar, "say", fault.Invalid},
	} {
		if _, err := o.Give(t.Context(), tt.who, run.ID, tt.do); !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want.Code())
		}
	}
	if n := query[int](t, r.db, `select count(*) from gavel.run_order`); n != 0 {
		t.Errorf("%d orders were written down", n)
	}
}

func TestWhatIsSaidTwiceIsSaidOnce(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("host", "look a")
	run, o := r.top(c.ID), r.orders()
	r.stands(run.ID, agent.WaitingReply)
	for range 2 {
		if _, err := o.Say(t.Context(), asha, run.ID, "m1", " Go on. "); err != nil {
			t.Fatal(err)
		}
	}
	if got := query[string](t, r.db, `select string_agg(body, '|') from gavel.run_message`); got != "Go on." {
		t.Errorf("said %q", got)
	}
	for _, words := range []string{"", strings.Repeat("x", 20_001), "a\x00b"} {
		if _, err := o.Say(t.Context(), asha, run.ID, "", words); err == nil {
			t.Errorf("%.10q was said", words)
		}
	}
	if _, err := o.Say(t.Context(), oscar, run.ID, "", "hello"); !fault.Is(err, fault.Refused) {
		t.Errorf("an operator speaks: %v", err)
	}
	wait.Try(t, func() error {
		if got, err := r.Store.Get(t.Context(), north, run.ID); err != nil || got.Seq < 2 || got.State != agent.WaitingReply {
			return fmt.Errorf("the run has not heard it: %+v, %w", got, err)
		}
		return nil
	})
}

func TestOpenPagesAreToldOfRunsThatMoved(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("clerk", "look a")
	r.closed(c.ID)
	run := r.top(c.ID)
	conn, err := pgx.Connect(t.Context(), r.db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "listen gavel_live"); err != nil {
		t.Fatal(err)
	}
	records := query[[]string](t, r.db, `select array_agg(id) from gavel.record where kind = 'model_call'`)
	err = r.db.System.InTx(t.Context(), func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		orgs := make([]string, len(records))
		for i := range orgs {
			orgs[i] = string(north)
		}
		agent.Announce(b, orgs, records)
		return tx.SendBatch(t.Context(), b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	n, err := conn.WaitForNotification(t.Context())
	if err != nil || !strings.Contains(n.Payload, run.ID) {
		t.Errorf("told %v, %v, want %s", n, err, run.ID)
	}
}

func TestOnlyConversationsAreStreamed(t *testing.T) {
	var mu sync.Mutex
	heard := map[string]string{}
	r := newRig(t, func(c *agenttest.Config) {
		c.Stream = func(_ identity.Org, run, _ string, _ int) func(string) {
			return func(text string) {
				mu.Lock()
				defer mu.Unlock()
				heard[run] += text
			}
		}
	})
	r.run()
	r.closed(r.open("clerk", "look a").ID)
	chat := r.top(r.open("host", "look a").ID)
	r.stands(chat.ID, agent.WaitingReply)
	mu.Lock()
	defer mu.Unlock()
	if len(heard) != 1 || !strings.Contains(heard[chat.ID], "All of it is done.") {
		t.Errorf("streamed %v, want the host's words only", heard)
	}
}
