package agent_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

var moments = flag.Int("moments", 8, "random moments at which people interrupt a stretch")

// A gated mind answers when it is let.
type gated struct {
	http.Handler
	asked atomic.Int64
	mu    sync.Mutex
	gates map[int64]gate // by the number of the request, from 1
}

// A gate is closed until somebody has come and it is opened.
type gate struct{ come, open chan struct{} }

func (g *gated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := g.asked.Add(1)
	g.mu.Lock()
	stop, ok := g.gates[n]
	g.mu.Unlock()
	if ok {
		close(stop.come)
		<-stop.open
	}
	g.Handler.ServeHTTP(w, r)
}

// at closes a gate before the n-th request.
func (g *gated) at(n int64) gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	stop := gate{make(chan struct{}), make(chan struct{})}
	g.gates[n] = stop
	return stop
}

// stretch runs the activity for a case of a clerk's as one worker would, beside others.
// A later try looks first what is on record.
func (r *rig) stretch(c casefile.Case, run string, later bool) chan error {
	ended := make(chan error, 1)
	go func() {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(mute{})
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(r.Steps)
		_, err := env.ExecuteActivity("Stretch", map[string]any{"o": north, "r": run, "n": 0, "f": "first", "k": 50, "q": later,
			"u": []any{map[string]any{"l": map[string]any{"calls": 1000}, "u": map[string]any{}}},
			"y": []any{map[string]any{"r": run}},
			"s": map[string]any{"case": c.ID, "app": r.app, "agent": "clerk", "name": "work", "kind": "person", "for": "asha",
				"roles": []string{"analyst"}}})
		ended <- err
	}()
	return ended
}

// TestOfTwoWorkersInOneStretchTheSlowerReturnsAtOnce promises that a worker which was
// stalled in the middle of a stretch, and comes back when another has taken it over,
// writes nothing, asks no model any more and does nothing: neither where the other is
// done, nor where both are at the same turn and the stalled one is first.
func TestOfTwoWorkersInOneStretchTheSlowerReturnsAtOnce(t *testing.T) {
	for _, stalledWins := range []bool{false, true} {
		t.Run(fmt.Sprintf("the stalled one is first: %t", stalledWins), func(t *testing.T) {
			r := newRig(t, nil)
			mind := &gated{Handler: r.model, gates: map[int64]gate{}}
			r.mind = mind
			c := r.open("clerk", "post a | look b | post c | look d")
			const run = "run_0AAAAAAAAAAAAAAAAAAAAAAAAA"
			stalls := mind.at(3)
			stalled := r.stretch(c, run, false)
			<-stalls.come // it has taken two turns and asked for the third
			var second chan error
			first, late := stalled, stalls
			if stalledWins {
				late = mind.at(4)
				second = r.stretch(c, run, true)
				<-late.come
				close(stalls.open)
			} else {
				first = r.stretch(c, run, true)
				second = stalled
			}
			if err := <-first; err != nil {
				t.Fatalf("who was first: %v", err)
			}
			asked := mind.asked.Load()
			close(late.open)
			if err := <-second; err == nil || !strings.Contains(err.Error(), "another worker") {
				t.Errorf("who was second returns %v, want that another took the turn", err)
			}
			if n := mind.asked.Load(); n != asked || asked != 6 {
				t.Errorf("the model was asked %d times, and then %d more; want the five turns and one of them twice", asked, n-asked)
			}
			if n := query[int](t, r.db, `select count(*)::int from gavel.step`); n != 5 {
				t.Errorf("%d turns are on record, want 5", n)
			}
			if got := r.words(c.ID); got != "post a, post c" {
				t.Errorf("effects %q, want each once", got)
			}
		})
	}
}

// slowly is a model that takes a moment, so that a stretch lasts.
func (r *rig) slowly(moment time.Duration) {
	r.mind = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		time.Sleep(moment)
		r.model.ServeHTTP(w, req)
	})
}

// TestWhatPeopleOrderInMidStretchHoldsFromTheNextActOn promises of a stop, a cancel, a
// pause and a permission that is taken back, at random moments of a stretch, that no act
// begins after it but one that had, and that the run takes at most one turn more. A
// permission is taken back as it is in an installation: the worker is told to stop, and the
// one that goes on has other policies.
func TestWhatPeopleOrderInMidStretchHoldsFromTheNextActOn(t *testing.T) {
	r := newRig(t, nil)
	r.slowly(5 * time.Millisecond)
	strict := rigOn(t, r.db, func(c *agenttest.Config) {
		c.App = r.app
		c.Policies = strings.ReplaceAll(agenttest.Policies+`@id("yard-no-post") forbid (principal, action, resource)
			when { context.tool == "yard.post" };`, "yard", r.app)
	})
	halt := r.runUntil()
	defer func() { halt() }()
	const refused = `select count(*)::int from gavel.step where run_id = $1 and calls -> 0 ->> 'verdict' = 'refused'`
	rng := rand.New(rand.NewPCG(uint64(*moments), 3))
	for i := range *moments {
		r := r.in(t)
		c := r.open("clerk", fmt.Sprintf("40*post w%d", i))
		run := r.top(c.ID)
		moment := rng.IntN(12)
		wait.Until(t, "the run is under way", func() bool {
			got, err := r.Store.Get(t.Context(), north, run.ID)
			return err == nil && got.Seq >= moment
		})
		what := [...]string{"stop", "cancel", "pause", "revoke"}[i%4]
		var paused act.Pause
		stopped := func() {}
		switch what {
		case "pause":
			paused = r.pause(act.EveryOutside)
		case "revoke":
			halt() // the word is heard some time within it, and all that had begun is over when it returns
			stopped = strict.runUntil()
		default:
			if _, err := r.orders().Give(t.Context(), oscar, run.ID, agent.Do(what)); err != nil {
				t.Fatal(err)
			}
		}
		given := time.Now()
		switch what {
		case "stop":
			r.stands(run.ID, agent.Stopped)
		case "cancel":
			r.stands(run.ID, agent.Failed)
		case "pause":
			r.stands(run.ID, agent.Held)
		case "revoke":
			r.stands(run.ID, agent.Done)
			if n := query[int](t, r.db, refused, run.ID); n == 0 {
				t.Errorf("%s at turn %d: no call was refused; the stretch went on to its end", what, moment)
			}
			stopped()
			halt = r.runUntil()
		}
		begun := 0
		for _, e := range append(r.other.Log(), strict.other.Log()...) {
			if e.Word == fmt.Sprintf("w%d", i) && e.At.After(given) {
				begun++
			}
		}
		if begun > 1 {
			t.Errorf("%s at turn %d: %d effects after it, want none but one under way", what, moment, begun)
		}
		// A turn in which the call is refused is the permission's being gone.
		const after = `select count(*)::int from gavel.step where run_id = $1 and at > $2
			and ($3 <> 'revoke' or calls -> 0 ->> 'verdict' = 'act')`
		if n := query[int](t, r.db, after, run.ID, given, what); n > 1 {
			t.Errorf("%s at turn %d: %d turns were begun after it, want at most one", what, moment, n)
		}
		switch what {
		case "stop":
			if _, err := r.orders().Give(t.Context(), oscar, run.ID, agent.Cancel); err != nil {
				t.Fatal(err)
			}
		case "pause":
			r.lift(paused)
			r.closed(c.ID)
			if n := query[int](t, r.db, `select count(*)::int from gavel.act where case_id = $1 and state = 'done'`, c.ID); n != 40 {
				t.Errorf("after the pause %d of 40 acts were done", n)
			}
		}
	}
}

var deployed = flag.Int("deployed", 10, "stretches under way when their worker is told to stop")

// TestAWorkerThatIsToldToStopHandsItsRunsOn promises that a deploy loses no turn and asks
// for none twice: each run goes on elsewhere with what it had.
func TestAWorkerThatIsToldToStopHandsItsRunsOn(t *testing.T) {
	r := newRig(t, nil)
	r.slowly(20 * time.Millisecond)
	halt := r.runUntil()
	const long = 30
	many := *deployed
	var cases []casefile.Case
	for range many {
		cases = append(cases, r.open("foreman", fmt.Sprintf("clerk(%d*look a) | post b", long)))
	}
	wait.Until(t, "they are in mid-stretch", func() bool {
		return query[int](t, r.db, `select count(*)::int from gavel.run where agent = 'clerk' and seq > 1`) > many*2/3
	})
	halt()
	if n := query[int](t, r.db, `select count(*)::int from gavel.run where parent is null and state = 'done'`); n == many {
		t.Fatal("all runs were over before the worker stopped")
	}
	r.run()
	for _, c := range cases {
		if got := r.closed(c.ID); got.Status != "done" {
			t.Errorf("case %s ended %q", c.ID, got.Status)
		}
	}
	want := many * (long + 1 + 3)
	if n := query[int](t, r.db, `select count(*)::int from gavel.step`); n != want || r.model.Requests() != want {
		t.Errorf("%d turns on record and %d questions to the model, want %d", n, r.model.Requests(), want)
	}
	if n := len(r.other.Log()); n != many {
		t.Errorf("%d effects, want %d", n, many)
	}
}

var (
	trees      = flag.Int("trees", 40, "random trees of agents through the loop whose budgets are held against what they spent")
	engineTree = flag.Int("engine-trees", 4, "random trees of agents on the real engine")
)

// TestABudgetHoldsOverRandomTrees promises that agents in stretches, side by side, with
// people asked in between, together make no more calls than their budget, and that tokens
// are exceeded by no more than the last turn of each.
func TestABudgetHoldsOverRandomTrees(t *testing.T) {
	db := postgrestest.New(t, sets()...)
	ended := map[string]int{}
	for i := range *trees {
		r, c, b, script := treeRig(t, db, i)
		target := r.app + "/north/" + c.Key
		err := r.loop(c, &interceptor.WorkerInterceptorBase{}, 60, func(signal func(string, any)) {
			r.decide(c.ID, olga, review.Approve, "")
			if err := r.deliver(target, func() int { return 1 }, signal); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Fatalf("tree %d: %v\nscript: %s", i, err, script)
		}
		now, err := r.Cases.Get(t.Context(), north, c.ID)
		if err != nil || now.State != casefile.Closed {
			t.Fatalf("tree %d: the case is %s, %v\nscript: %s", i, now.State, err, script)
		}
		ended[now.Status]++
		r.within(c, b, script)
	}
	if *trees >= 20 && (ended["done"] == 0 || ended["out_of_budget"] == 0) {
		t.Errorf("trees ended %v, want some within their budget and some not", ended)
	}
	t.Logf("%d trees ended %v", *trees, ended)
}

// TestABudgetHoldsOverRandomTreesOnTheEngine is TestABudgetHoldsOverRandomTrees on the real
// engine.
func TestABudgetHoldsOverRandomTreesOnTheEngine(t *testing.T) {
	db := postgrestest.New(t, sets()...)
	for i := range *engineTree {
		r, c, b, script := treeRig(t, db, i)
		halt := r.runUntil()
		wait.Until(t, "the case is closed", func() bool {
			r.decide(c.ID, olga, review.Approve, "")
			now, err := r.Cases.Get(t.Context(), north, c.ID)
			return err == nil && now.State == casefile.Closed
		})
		halt()
		r.within(c, b, script)
	}
}

// treeRig is a case for a random tree of agents with a random budget, always the same.
func treeRig(t *testing.T, db *postgrestest.Database, n int) (*rig, casefile.Case, agent.Budget, string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 11))
	budget := agent.Budget{Calls: 1 + rng.IntN(25)}
	if n%2 == 0 {
		budget = agent.Budget{Calls: 100, Tokens: int64(200 + rng.IntN(6000))}
	}
	script := treeOf(rng)
	for len(script) > maxTitle {
		script = treeOf(rng)
	}
	r := rigOn(t, db, func(c *agenttest.Config) { c.Budget = budget })
	return r, r.open("foreman", script), budget, script
}

// within holds what the runs of a case spent against the budget of the one above all.
func (r *rig) within(c casefile.Case, budget agent.Budget, script string) {
	r.t.Helper()
	calls := query[int](r.t, r.db, `select sum(calls)::int from gavel.run where case_id = $1`, c.ID)
	if calls > budget.Calls || r.model.Requests() > budget.Calls {
		r.t.Errorf("%d calls on record and %d made on a budget of %d\nscript: %s", calls, r.model.Requests(), budget.Calls, script)
	}
	before := query[int64](r.t, r.db, `select coalesce(sum((s.outcome -> 'u' ->> 't')::bigint), 0)::bigint from gavel.step s
		join gavel.run u on u.id = s.run_id and u.case_id = $1
		where s.seq < (select max(seq) from gavel.step l where l.run_id = s.run_id)`, c.ID)
	if budget.Tokens > 0 && before > budget.Tokens {
		r.t.Errorf("%d tokens before the last turns on a budget of %d\nscript: %s", before, budget.Tokens, script)
	}
}

// treeOf is a foreman's script with clerks side by side, some of whom ask people.
func treeOf(rng *rand.Rand) string {
	word := 0
	call := func(tools ...string) string {
		word++
		return fmt.Sprintf("%s w%d", tools[rng.IntN(len(tools))], word)
	}
	var turns []string
	for range 1 + rng.IntN(3) {
		var calls []string
		for range 1 + rng.IntN(3) {
			var below []string
			for range 1 + rng.IntN(4) {
				below = append(below, call("look", "post", "enrol", "letter"))
			}
			calls = append(calls, "clerk("+strings.Join(below, " | ")+")")
		}
		if rng.IntN(2) == 0 {
			calls = append(calls, call("post", "letter"))
		}
		turns = append(turns, strings.Join(calls, "; "))
	}
	return strings.Join(turns, " | ")
}
