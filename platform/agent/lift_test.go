package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

var ajay = identity.Actor{Kind: identity.Person, ID: "ajay", Name: "Ajay", Org: north, Roles: []identity.Role{identity.OrgAdmin}}

// pauses is where the rig's acts are held, as program makes it.
func (r *rig) pauses() *act.Pauses {
	return act.NewPauses(act.PausesConfig{DB: r.db.App, Rules: r.Rules, Wake: agent.WakeHeld(r.Cases)})
}

func (r *rig) pause(scope act.Scope) act.Pause {
	r.t.Helper()
	p, _, err := r.pauses().Set(r.t.Context(), ajay, scope, "The letters are wrong.")
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

func (r *rig) lift(p act.Pause) {
	r.t.Helper()
	if _, err := r.pauses().Lift(r.t.Context(), ajay, p.ID, "They are right now."); err != nil {
		r.t.Fatal(err)
	}
}

// until waits for something that the database says.
func (r *rig) until(what, sql string, want int) {
	r.t.Helper()
	wait.Try(r.t, func() error {
		if got := query[int](r.t, r.db, sql); got != want {
			return fmt.Errorf("%s: got %d, want %d", what, got, want)
		}
		return nil
	})
}

const (
	heldActs = `select count(*)::int from gavel.act where state = 'held'`
	heldRuns = `select count(*)::int from gavel.run where state = 'held'`
)

// longestWord is how soon after a pause ends its acts must have gone on: under the
// minute after which they would look for themselves.
const longestWord = 55 * time.Second

// TestAPausedActIsCarriedOutOnceAfterThePauseIsLifted promises that what waits for
// a pause goes on by itself when it ends, on the real engine: an act that policy
// lets run, one that a person approved meanwhile, and a call from outside any run.
func TestAPausedActIsCarriedOutOnceAfterThePauseIsLifted(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	p := r.pause(act.EveryOutside)
	posted := r.open("clerk", "post a; post b")
	letter := r.open("clerk", "letter c")
	r.asked(letter.ID, 1)
	r.decide(letter.ID, olga, review.Approve, "") // a pause stops no decision
	call := r.proposes(asha, "letter", "d", r.idle().Ref)
	if err := r.verdict(olga, call, review.Approve, ""); err != nil {
		t.Fatal(err)
	}
	r.until("acts that wait", heldActs, 4)
	r.until("runs that say so", heldRuns, 2)
	if log := r.other.Log(); len(log) != 0 {
		t.Fatalf("the other side had %v during the pause", log)
	}
	began := time.Now()
	r.lift(p)
	r.closed(posted.ID)
	r.closed(letter.ID)
	r.became(asha, call.Proposal)
	wait.Within(t, "what waited for the pause to end", time.Since(began), longestWord)
	var words []string
	for _, e := range r.other.Log() {
		words = append(words, e.Word)
	}
	slices.Sort(words)
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(words, want) {
		t.Errorf("the other side had %q, want each once: %q", words, want)
	}
}

// TestAPauseOfOneAgentHoldsThatAgentOnly promises that others go on meanwhile,
// and that a second pause keeps holding what the first one held.
func TestAPauseOfOneAgentHoldsThatAgentOnly(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	one := r.pause(act.Scope("agent:" + r.app + "/clerk"))
	clerk, foreman := r.open("clerk", "post a"), r.open("foreman", "post b")
	r.closed(foreman.ID)
	r.until("acts that wait", heldActs, 1)
	two := r.pause(act.OneApp(r.app))
	r.lift(one)
	if n := query[int](t, r.db, `select count(*)::int from gavel.outbox where payload::text like '%pause_lifted%'`); n != 0 {
		t.Errorf("%d words were left for what another pause holds", n)
	}
	r.until("acts that wait", heldActs, 1)
	r.lift(two)
	r.closed(clerk.ID)
	if log := r.other.Log(); len(log) != 2 || log[0].Word != "b" || log[1].Word != "a" {
		t.Errorf("the other side had %v, want b, then a", log)
	}
}

// TestWordOfAPausesEndIsLeftOnceForAWorkflow promises what the outbox holds after a
// pause ended: one word for each workflow that waits, however many of its acts do,
// with the way to begin it anew.
func TestWordOfAPausesEndIsLeftOnceForAWorkflow(t *testing.T) {
	r := newRig(t, nil)
	halt := r.runUntil()
	p := r.pause(act.Everything)
	c := r.open("clerk", "post a; post b; post c")
	call := r.proposes(asha, "letter", "d", r.idle().Ref)
	if err := r.verdict(olga, call, review.Approve, ""); err != nil {
		t.Fatal(err)
	}
	r.until("acts that wait", heldActs, 4)
	halt() // nobody takes the words away
	r.lift(p)
	var words []outboxWord
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		rows, _ := tx.Query(t.Context(), `select target, payload from gavel.outbox where kind = 'signal'
			and payload::text like '%pause_lifted%' order by target`)
		var err error
		words, err = pgx.CollectRows(rows, pgx.RowToStructByPos[outboxWord])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{r.app + "/north/" + c.Key, r.app + "/north/proposal/"}
	if len(words) != 2 || words[0].Target != want[0] || words[1].Target[:len(want[1])] != want[1] {
		t.Fatalf("words were left for %v, want one for each of %q", words, want)
	}
	for _, w := range words {
		var s struct {
			Name  string
			Start struct{ Workflow string }
		}
		if err := json.Unmarshal(w.Payload, &s); err != nil || s.Name != agent.LiftedSignal || s.Start.Workflow == "" {
			t.Errorf("%s is told %s (%v), want %s and how to begin it anew", w.Target, w.Payload, err, agent.LiftedSignal)
		}
	}
	if n := query[int](t, r.db, `select count(*)::int from gavel.outbox where org <> $1`, postgrestest.North); n != 0 {
		t.Errorf("%d words for another organisation", n)
	}
}

type outboxWord struct {
	Target  string
	Payload []byte
}
