package recovery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/recovery"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

const north, south = postgrestest.North, postgrestest.South

var officer = identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test Officer", Org: north,
	Roles: []identity.Role{identity.Officer, identity.OrgAdmin}}

// A rig is a restored database with some cases.
type rig struct {
	recovery.Config
	db     *postgrestest.Database
	acts   *act.Store
	pauses *act.Pauses
	n      int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations(),
		seal.Migrations(),
		agent.Migrations(), notify.Migrations(), recovery.Migrations())
	cases := casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard()})
	r := &rig{db: db, acts: act.NewStore(db.App, durable.Clock{}), Config: recovery.Config{System: db.System, Cases: cases,
		Wake: agent.WakeHeld(cases)}}
	r.pauses = act.NewPauses(act.PausesConfig{DB: db.App, Rules: policy.Standard()})
	return r
}

func (r *rig) open(t *testing.T) casefile.Case {
	t.Helper()
	r.n++
	c, _, err := r.Cases.Open(t.Context(), officer, casefile.Opening{App: "general", Key: fmt.Sprintf("van-%d", r.n), Title: "A van"})
	must(t, err)
	return c
}

// plan puts an act beyond our walls on record, as policy lets it run.
func (r *rig) plan(t *testing.T, c casefile.Case) act.Plan {
	t.Helper()
	r.n++
	args := fmt.Sprintf(`{"n":%d}`, r.n)
	by := identity.Actor{Kind: identity.Agent, ID: "agent:general/clerk", Org: north}
	p := act.Plan{Key: fmt.Sprintf("run_1/c%d", r.n), Case: string(c.ID), Run: "run_1", Call: fmt.Sprintf("c%d", r.n), App: "general",
		Tool:   "send_letter",
		Effect: act.Outside, Agent: by.ID, Args: json.RawMessage(args), ArgsSHA256: act.Digest([]byte(args)), At: time.Now(), By: by}
	must(t, r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		var b pgx.Batch
		rec, err := audit.AppendLater(&b, audit.Record{At: p.At, Kind: audit.Policy, App: p.App, Actor: by, Subject: p.Run,
			Body: map[string]any{"calls": []map[string]string{{"call": p.Call, "tool": p.Tool, "args_sha256": p.ArgsSHA256,
				"verdict": "act"}}}})
		if err != nil {
			return err
		}
		p.PolicyRecord = string(rec)
		if err := act.PlanLater(&b, north, p); err != nil {
			return err
		}
		return tx.SendBatch(t.Context(), &b).Close()
	}))
	return p
}

func (r *rig) claim(t *testing.T, p act.Plan) act.Claim {
	t.Helper()
	c, err := r.acts.Begin(t.Context(), north, p.Key, p.ArgsSHA256, time.Minute)
	must(t, err)
	return c
}

func (r *rig) begin(t *testing.T, engine recovery.Engine) recovery.Recovery {
	t.Helper()
	got, fresh, err := recovery.Begin(t.Context(), r.Config, engine, word("a lost disk"))
	must(t, err)
	if !fresh {
		t.Error("it was on already")
	}
	return got
}

// end ends a recovery once everything has reached the engine, which there is none of.
func (r *rig) end(t *testing.T) recovery.Recovery {
	t.Helper()
	_, err := r.db.System.Exec(t.Context(), `delete from gavel.outbox`)
	must(t, err)
	got, err := recovery.End(t.Context(), r.Config, 0, word("all was looked at"))
	must(t, err)
	return got
}

func word(reason string) recovery.Word {
	return recovery.Word{By: "ops@host", Reason: reason, At: time.Now()}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) count(t *testing.T, sql string, args ...any) (n int64) {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), sql, args...)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int64])
	must(t, err)
	return n
}

// TestWhatWasOpenIsAskedAboutAfterARestore is the promise: an act that the restored
// database has as planned, held or begun may have been done, and whoever takes it up
// asks first. Nothing begins before the end.
func TestWhatWasOpenIsAskedAboutAfterARestore(t *testing.T) {
	r := newRig(t)
	c := r.open(t)
	planned, begun, ended := r.plan(t, c), r.plan(t, c), r.plan(t, c)
	before := r.claim(t, begun)
	over := r.claim(t, ended)
	_, err := r.acts.Finish(t.Context(), north, ended.Key, over.Fence, act.End{State: act.Done}, nil)
	must(t, err)

	got := r.begin(t, recovery.Same)
	if got.Acts != 2 || got.Anew != 0 {
		t.Errorf("got %+v, want two acts in doubt and nothing begun anew", got)
	}
	for _, p := range []act.Plan{planned, begun} {
		if claim := r.claim(t, p); claim.Standing != act.Held {
			t.Errorf("%s is %s while the recovery is on, want held", p.Key, claim.Standing)
		}
	}
	if _, err := r.acts.Finish(t.Context(), north, begun.Key, before.Fence, act.End{State: act.Done}, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("who began before the restore could finish: %v", err)
	}
	r.end(t)
	for _, p := range []act.Plan{planned, begun} {
		claim := r.claim(t, p)
		if claim.Standing != act.Unsure || claim.Doubted || claim.Why("") != act.LostTime {
			t.Errorf("%s: got %s, doubted %t, %q; want unsure under its own key", p.Key, claim.Standing, claim.Doubted, claim.Why(""))
		}
	}
	if claim := r.claim(t, ended); claim.Standing != act.Ended {
		t.Errorf("what had ended is %s", claim.Standing)
	}
}

// TestACaseInTheMiddleOfSomethingIsDoubtedUntilSomebodyFreesIt promises that what
// such a case plans after a restore is not simply done: it may have been, under
// another key. A case that rests is as ever.
func TestACaseInTheMiddleOfSomethingIsDoubtedUntilSomebodyFreesIt(t *testing.T) {
	r := newRig(t)
	busy, quiet := r.open(t), r.open(t)
	r.plan(t, busy)
	r.begin(t, recovery.Same)
	if got := r.end(t); got.Cases != 1 || got.EndedBy != "ops@host" {
		t.Errorf("got %+v, want one case in doubt", got)
	}
	if claim := r.claim(t, r.plan(t, busy)); claim.Standing != act.Unsure || !claim.Doubted || claim.Why("") != act.LostTime {
		t.Errorf("of the busy case: got %s, doubted %t, %q", claim.Standing, claim.Doubted, claim.Why(""))
	}
	if claim := r.claim(t, r.plan(t, quiet)); claim.Standing != act.Mine {
		t.Errorf("of the quiet case: got %s, want mine", claim.Standing)
	}
	all, err := recovery.Cases(t.Context(), r.Config)
	must(t, err)
	if len(all) != 1 || all[0].Case != busy.ID || all[0].Ref != busy.Ref {
		t.Errorf("got %+v", all)
	}
	id, err := recovery.Free(t.Context(), r.Config, north, busy.Ref, word("the mail server has nothing of it"))
	must(t, err)
	if claim := r.claim(t, r.plan(t, busy)); claim.Standing != act.Mine || id != string(busy.ID) {
		t.Errorf("after it was freed: got %s", claim.Standing)
	}
	if _, err := recovery.Free(t.Context(), r.Config, north, busy.Ref, word("again")); !fault.Is(err, fault.Conflict) {
		t.Errorf("freed twice: got %v", err)
	}
	if _, err := recovery.Free(t.Context(), r.Config, south, busy.Ref, word("another's")); !fault.Is(err, fault.NotFound) {
		t.Errorf("freed by another organisation's name: got %v", err)
	}
}

func TestBeginningTwiceIsOneRecoveryAndBothEndsAreOnRecord(t *testing.T) {
	r := newRig(t)
	r.plan(t, r.open(t))
	first := r.begin(t, recovery.Same)
	again, fresh, err := recovery.Begin(t.Context(), r.Config, recovery.Ahead, word("once more"))
	must(t, err)
	if fresh || again.ID != first.ID || again.Acts != 1 || again.Engine != recovery.Same {
		t.Errorf("got %+v, want %+v", again, first)
	}
	r.end(t)
	if _, err := recovery.End(t.Context(), r.Config, 0, word("once more")); !fault.Is(err, fault.Conflict) {
		t.Errorf("ended twice: got %v", err)
	}
	const records = `select count(*) from gavel.record where kind = 'recovery' and actor = 'operator:ops@host' and json like '%a lost disk%'
		and json like '%"acts":1%'`
	if n := r.count(t, strings.ReplaceAll(records, "actor =", "json::json -> 'actor' ->> 'id' =")); n != 1 {
		t.Errorf("%d records say who began it and why, want 1", n)
	}
	second := r.begin(t, recovery.Same) // the next restore
	if second.ID == first.ID {
		t.Error("a second recovery has the first one's id")
	}
}

func TestNobodyElseEndsARecoverysPause(t *testing.T) {
	r := newRig(t)
	r.begin(t, recovery.Same)
	for _, org := range []identity.Org{north, south} {
		on, err := r.pauses.On(t.Context(), org)
		must(t, err)
		if len(on) != 1 || on[0].Scope != act.Recovering {
			t.Fatalf("%s: got %+v", org, on)
		}
	}
	on, err := r.pauses.On(t.Context(), north)
	must(t, err)
	if _, err := r.pauses.Lift(t.Context(), officer, on[0].ID, "we are in a hurry"); !fault.Is(err, fault.Refused) ||
		!strings.Contains(fmt.Sprint(fault.Words(err)), "gavel recover end") {
		t.Errorf("got %v", err)
	}
	if _, _, err := r.pauses.Set(t.Context(), officer, act.Recovering, "for fun"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a person set one: %v", err)
	}
	r.end(t)
	if on, err = r.pauses.On(t.Context(), north); err != nil || len(on) != 0 {
		t.Errorf("got %+v, %v", on, err)
	}
}

func TestARecoveryDoesNotBeginBesideAServer(t *testing.T) {
	r := newRig(t)
	for _, name := range recovery.Serving() {
		there, err := postgres.Open(t.Context(), postgres.Called(r.db.AppURL, name))
		must(t, err)
		must(t, there.Ping(t.Context()))
		if _, _, err := recovery.Begin(t.Context(), r.Config, recovery.Same, word("a lost disk")); !fault.Is(err, fault.Conflict) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("beside %s: got %v", name, err)
		}
		there.Close()
	}
	if n := r.count(t, `select count(*) from gavel.pause`); n != 0 {
		t.Errorf("%d pauses were left", n)
	}
}

func TestARecoveryDoesNotEndTooSoon(t *testing.T) {
	r := newRig(t)
	r.open(t)
	r.begin(t, recovery.Same)
	if _, err := recovery.End(t.Context(), r.Config, 0, word("x")); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(),
		"not been told of 1") {
		t.Errorf("with something in the outbox: got %v", err)
	}
	_, err := r.db.System.Exec(t.Context(), `delete from gavel.outbox`)
	must(t, err)
	if _, err := recovery.End(t.Context(), r.Config, recovery.Settle, word("x")); !fault.Is(err, fault.Conflict) {
		t.Errorf("at once: got %v", err)
	}
	for _, w := range []recovery.Word{{By: "x", At: time.Now()}, {By: "two words", Reason: "x", At: time.Now()},
		{Reason: "x", At: time.Now()}} {
		if _, err := recovery.End(t.Context(), r.Config, 0, w); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: got %v", w, err)
		}
	}
	if _, _, err := recovery.Begin(t.Context(), r.Config, "maybe", word("x")); !fault.Is(err, fault.Invalid) {
		t.Errorf("an engine of no kind: got %v", err)
	}
}

// TestWhereTheEngineIsAheadEveryOpenCaseBeginsAnew promises that the engine is made
// again from the record.
func TestWhereTheEngineIsAheadEveryOpenCaseBeginsAnew(t *testing.T) {
	r := newRig(t)
	one, two := r.open(t), r.open(t)
	_, err := r.db.System.Exec(t.Context(), `delete from gavel.outbox`)
	must(t, err)
	got := r.begin(t, recovery.Ahead)
	if got.Anew != 2 {
		t.Errorf("%d were begun anew, want 2", got.Anew)
	}
	for _, c := range []casefile.Case{one, two} {
		const start = `select count(*) from gavel.outbox where org = $1 and kind = 'start' and target = $2 and payload ->> 'subject' = $3
			and payload ->> 'anew' = $4`
		if n := r.count(t, start, north, "general/north/"+c.Key, c.ID, got.ID); n != 1 {
			t.Errorf("%d starts of %s, want 1", n, c.Key)
		}
	}
}

// TestMailToStaffThatWasOpenIsNotSimplySentAgain holds for mails that are no acts.
func TestMailToStaffThatWasOpenIsNotSimplySentAgain(t *testing.T) {
	r := newRig(t)
	const queue = `insert into gavel.mail (org, id, key, kind, recipient, thread, message_id, reply_to, in_reply_to, refs, language,
		automatic, because, sealed, args_sha256, queued_at)
		values ('north', 'mail_01K5ZJ3W8Q6X9V2T4N7M1B0CDE', 'notice/1', 'notice_now', 'staff:p', 'staff:p', 'aaaaaaaaaa@x', '', '', '{}',
		'en', false, 'notice:1', 'x', repeat('0', 64), now())`
	must(t, r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error { _, err := tx.Exec(context.Background(), queue); return err }))
	if got := r.begin(t, recovery.Same); got.Word != 1 || got.Letters != 0 {
		t.Errorf("got %+v", got)
	}
	if n := r.count(t, `select count(*) from gavel.mail where state = 'sending' and tries = 1
		and first_try_at <= clock_timestamp()`); n != 1 {
		t.Error("it counts as one that nobody has handed over")
	}
}

func TestTheDoctorSaysThatARecoveryIsOnAndWhatIsInDoubt(t *testing.T) {
	r := newRig(t)
	c := r.open(t)
	r.plan(t, c)
	says := func(status doctor.Status, words string) {
		t.Helper()
		if got := recovery.Check(r.db.SystemURL).Run(t.Context()); got.Status != status || !strings.Contains(got.Detail, words) {
			t.Errorf("got %+v, want %s and %q", got, status, words)
		}
	}
	says(doctor.OK, "no recovery")
	r.begin(t, recovery.Same)
	says(doctor.Warn, "nothing goes outside")
	r.end(t)
	says(doctor.Warn, "1 cases")
	_, err := recovery.Free(t.Context(), r.Config, north, string(c.ID), word("nothing left"))
	must(t, err)
	says(doctor.OK, "no case")
}
