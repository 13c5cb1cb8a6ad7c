package act_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestAnActIsBegunFinishedAndThenStandsAsItEnded(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	c := r.begin(t, p, lease)
	if c.Standing != act.Mine || c.Fence != 1 || string(c.Act.Args) != string(p.Args) {
		t.Fatalf("got %+v", c)
	}
	a, err := r.Finish(t.Context(), north, p.Key, c.Fence, done(`{"id":"m-1"}`), nil)
	if err != nil || a.State != act.Done || string(a.Result) != `{"id":"m-1"}` || a.EndedAt == nil {
		t.Fatalf("got %+v, %v", a, err)
	}
	again := r.begin(t, p, lease)
	if again.Standing != act.Ended || again.Fence != 0 || again.Act.State != act.Done || string(again.Act.Result) != `{"id":"m-1"}` {
		t.Errorf("got %+v, want the end on record", again)
	}
	if got, want := strings.Join(r.steps(t), " "), "planned done"; got != want {
		t.Errorf("the log says %s, want %s", got, want)
	}
}

func TestNoActIsBegunThatNobodyAuthorised(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	_, err := r.Begin(t.Context(), north, "run_1/none", p.ArgsSHA256, lease)
	wantKind(t, "no such act", err, fault.Refused)
	_, err = r.Begin(t.Context(), north, p.Key, act.Digest([]byte(`{"to":"y"}`)), lease)
	wantKind(t, "other arguments", err, fault.Refused)
	_, err = r.Begin(t.Context(), south, p.Key, p.ArgsSHA256, lease)
	wantKind(t, "another organisation", err, fault.Refused)
	if a := r.get(t, p); a.State != act.Planned || a.Fence != 0 {
		t.Errorf("got %+v, want it untouched", a)
	}
}

func TestPlansWithoutAuthorityOrWithOtherArgumentsAreRefused(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for _, tt := range []struct {
		name string
		edit func(*act.Plan)
		want fault.Kind
	}{
		{"no authority", func(p *act.Plan) { p.PolicyRecord = "" }, fault.Refused},
		{"two authorities", func(p *act.Plan) { p.Proposal = "P-1" }, fault.Refused},
		{"a digest of something else", func(p *act.Plan) { p.ArgsSHA256 = act.Digest([]byte("[]")) }, fault.Invalid},
		{"arguments that are no JSON", func(p *act.Plan) { p.Args, p.ArgsSHA256 = []byte("{"), act.Digest([]byte("{")) }, fault.Invalid},
		{"a key with a space", func(p *act.Plan) { p.Key = "a b" }, fault.Invalid},
		{"no key", func(p *act.Plan) { p.Key = "" }, fault.Invalid},
		{"an unknown effect", func(p *act.Plan) { p.Effect = "magic" }, fault.Invalid},
		{"nobody", func(p *act.Plan) { p.By.ID = "" }, fault.Invalid},
		{"no time", func(p *act.Plan) { p.At = time.Time{} }, fault.Invalid},
		{"a long argument", func(p *act.Plan) {
			p.Args = []byte(`"` + strings.Repeat("x", 256<<10) + `"`)
			p.ArgsSHA256 = act.Digest(p.Args)
		}, fault.TooLarge},
	} {
		p := r.plan(act.Outside, `{}`)
		p.PolicyRecord = "rec_1"
		tt.edit(&p)
		wantKind(t, tt.name, act.PlanLater(&pgx.Batch{}, north, p), tt.want)
	}
}

func TestTheSameKeyIsOneAct(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	other := p
	other.Args = json.RawMessage(`{"to":"somebody else"}`)
	other.ArgsSHA256 = act.Digest(other.Args)
	for _, again := range []act.Plan{p, other} {
		if err := r.commit(t.Context(), again); err != nil {
			t.Fatal(err)
		}
	}
	if a := r.get(t, p); string(a.Args) != string(p.Args) {
		t.Errorf("the arguments are now %s", a.Args)
	}
	_, err := r.Begin(t.Context(), north, p.Key, other.ArgsSHA256, lease)
	wantKind(t, "the later arguments", err, fault.Refused)
}

func TestOfManyWhoBeginAtOnceOneHasIt(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for range 10 {
		p := r.planned(t, act.Outside)
		var mu sync.Mutex
		mine, busy := 0, 0
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				c, err := r.Begin(t.Context(), north, p.Key, p.ArgsSHA256, lease)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && c.Standing == act.Mine:
					mine++
				case fault.Is(err, fault.Unavailable):
					busy++
				default:
					t.Errorf("got %v, %v", c.Standing, err)
				}
			})
		}
		wg.Wait()
		if mine != 1 || busy != 7 {
			t.Fatalf("%d have it and %d wait, want 1 and 7", mine, busy)
		}
	}
}

func TestAfterALeaseTheNextIsUnsureAndTheFirstCannotFinish(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	slow := r.begin(t, p, 20*time.Millisecond)
	time.Sleep(40 * time.Millisecond)
	next := r.begin(t, p, lease)
	if next.Standing != act.Unsure || next.Fence != 2 {
		t.Fatalf("got %s under fence %d, want unsure under 2", next.Standing, next.Fence)
	}
	_, err := r.Finish(t.Context(), north, p.Key, slow.Fence, done(`{}`), nil)
	wantKind(t, "the slow one finishes", err, fault.Conflict)
	for _, give := range []func() error{
		func() error { return r.GiveBack(t.Context(), north, p.Key, slow.Fence) },
		func() error { return r.Release(t.Context(), north, p.Key, slow.Fence) },
	} {
		if err := give(); err != nil {
			t.Fatal(err)
		}
	}
	if a := r.get(t, p); a.State != act.Running || a.Fence != 2 {
		t.Fatalf("got %+v, want the second holder to have it still", a)
	}
	_, err = r.Begin(t.Context(), north, p.Key, p.ArgsSHA256, lease)
	wantKind(t, "a third begins", err, fault.Unavailable)
	if _, err := r.Finish(t.Context(), north, p.Key, next.Fence, done(`{}`), nil); err != nil {
		t.Error(err)
	}
}

func TestAHolderWhoseLeaseIsOverFinishesIfNobodyTookOver(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	c := r.begin(t, p, 10*time.Millisecond)
	time.Sleep(30 * time.Millisecond)
	if a, err := r.Finish(t.Context(), north, p.Key, c.Fence, done(`{}`), nil); err != nil || a.State != act.Done {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestALeaseIsRealTimeOnAScaledClock(t *testing.T) {
	r := newRig(t, durable.Clock{Epoch: time.Now(), Speed: 100_000})
	p := r.planned(t, act.Outside)
	r.begin(t, p, lease)
	time.Sleep(20 * time.Millisecond) // half an hour on that clock
	_, err := r.Begin(t.Context(), north, p.Key, p.ArgsSHA256, lease)
	wantKind(t, "a second holder", err, fault.Unavailable)
}

func TestAWriteThatADeadHolderLeftIsDoneOnce(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Write)
	r.begin(t, p, 10*time.Millisecond)
	time.Sleep(30 * time.Millisecond)
	c := r.begin(t, p, lease)
	if c.Standing != act.Mine || c.Fence != 2 {
		t.Fatalf("got %s under %d, want mine: without an end there was no effect", c.Standing, c.Fence)
	}
	note := func(tx pgx.Tx) (json.RawMessage, error) {
		_, err := tx.Exec(t.Context(), `insert into gavel.pause (org, scope, reason, by_id, at)
			values ('north', 'app:zz', 'x', 'x', now())`)
		return json.RawMessage(`{"ok":true}`), err
	}
	_, err := r.Finish(t.Context(), north, p.Key, 1, act.End{State: act.Done}, note)
	wantKind(t, "the dead holder wakes", err, fault.Conflict)
	if n := all[int](t, r.db, `select count(*) from gavel.pause`); n[0] != 0 {
		t.Fatal("its write stayed")
	}
	for range 2 { // the second time is a repeat
		a, err := r.Finish(t.Context(), north, p.Key, c.Fence, act.End{State: act.Done}, note)
		if err != nil || string(a.Result) != `{"ok":true}` {
			t.Fatalf("got %+v, %v", a, err)
		}
	}
}

func TestAWriteThatFailsLeavesNothingAndCanBeTriedAgain(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Write)
	c := r.begin(t, p, lease)
	broken := errors.New("the disk is full")
	_, err := r.Finish(t.Context(), north, p.Key, c.Fence, act.End{State: act.Done}, func(tx pgx.Tx) (json.RawMessage, error) {
		if _, err := tx.Exec(t.Context(), `insert into gavel.pause (org, scope, reason, by_id, at)
			values ('north', 'all', 'x', 'x', now())`); err != nil {
			t.Error(err)
		}
		return nil, broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if n := all[int](t, r.db, `select count(*) from gavel.pause`); n[0] != 0 {
		t.Error("half a write stayed")
	}
	if err := r.GiveBack(t.Context(), north, p.Key, c.Fence); err != nil {
		t.Fatal(err)
	}
	if c := r.begin(t, p, lease); c.Standing != act.Mine || c.Fence != 2 {
		t.Errorf("got %s under %d", c.Standing, c.Fence)
	}
}

func TestAReleasedClaimLeavesDoubtAndAReturnedOneNone(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	c := r.begin(t, p, lease)
	if err := r.GiveBack(t.Context(), north, p.Key, c.Fence); err != nil {
		t.Fatal(err)
	}
	if c = r.begin(t, p, lease); c.Standing != act.Mine {
		t.Errorf("returned: got %s, want mine", c.Standing)
	}
	if err := r.Release(t.Context(), north, p.Key, c.Fence); err != nil {
		t.Fatal(err)
	}
	if c = r.begin(t, p, lease); c.Standing != act.Unsure {
		t.Errorf("released: got %s, want unsure", c.Standing)
	}
}

func TestWhoGaveAClaimBackCannotFinishIt(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	c := r.begin(t, p, lease)
	if err := r.GiveBack(t.Context(), north, p.Key, c.Fence); err != nil {
		t.Fatal(err)
	}
	_, err := r.Finish(t.Context(), north, p.Key, c.Fence, done(`{}`), nil)
	wantKind(t, "while it waits for the next", err, fault.Conflict)
	err = r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		_, err := r.Undo(t.Context(), tx, north, p.Key, "decision-1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Finish(t.Context(), north, p.Key, c.Fence, done(`{}`), nil)
	wantKind(t, "after it was undone", err, fault.Conflict)
}

func TestAnUnknownOutcomeAsksAPersonInTheSameTransaction(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	c := r.begin(t, p, lease)
	nobody := errors.New("nobody to ask")
	unknown := act.End{State: act.Unknown, Reason: "the line went dead", Then: func(pgx.Tx, act.Act) error { return nobody }}
	if _, err := r.Finish(t.Context(), north, p.Key, c.Fence, unknown, nil); !errors.Is(err, nobody) {
		t.Fatalf("got %v", err)
	}
	if a := r.get(t, p); a.State != act.Running {
		t.Fatalf("got %s: the outcome was written down without the question", a.State)
	}
	var asked act.Act
	unknown.Then = func(_ pgx.Tx, a act.Act) error { asked = a; return nil }
	if _, err := r.Finish(t.Context(), north, p.Key, c.Fence, unknown, nil); err != nil {
		t.Fatal(err)
	}
	if asked.State != act.Unknown || asked.Key != p.Key || asked.Reason != "the line went dead" {
		t.Errorf("got %+v", asked)
	}
}

func TestAnEndIsSaidAndBounded(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.planned(t, act.Outside)
	c := r.begin(t, p, lease)
	for name, tt := range map[string]struct {
		end  act.End
		want fault.Kind
	}{
		"nothing":           {act.End{}, fault.Invalid},
		"undone":            {act.End{State: act.Undone}, fault.Invalid},
		"planned":           {act.End{State: act.Planned}, fault.Invalid},
		"a broken result":   {done(`{`), fault.Invalid},
		"an endless result": {done(`"` + strings.Repeat("x", 1<<20) + `"`), fault.TooLarge},
	} {
		_, err := r.Finish(t.Context(), north, p.Key, c.Fence, tt.end, nil)
		wantKind(t, name, err, tt.want)
	}
	_, err := r.Finish(t.Context(), north, p.Key, 0, done(`{}`), nil)
	wantKind(t, "no fence", err, fault.Conflict)
	_, err = r.Finish(t.Context(), north, "run_1/none", 1, done(`{}`), nil)
	wantKind(t, "no such act", err, fault.NotFound)
	for _, d := range []time.Duration{0, -time.Second, 2 * time.Hour} {
		_, err := r.Begin(t.Context(), north, p.Key, p.ArgsSHA256, d)
		wantKind(t, "a lease of "+d.String(), err, fault.Invalid)
	}
	a, err := r.Finish(t.Context(), north, p.Key, c.Fence, act.End{State: act.Failed, Reason: strings.Repeat("ल", 5000) + "\x00\xff"}, nil)
	if err != nil || len([]rune(a.Reason)) != 2000 {
		t.Errorf("got a reason of %d, %v", len([]rune(a.Reason)), err)
	}
}

func TestAnActCanBeUndoneUntilItBegins(t *testing.T) {
	r := newRig(t, durable.Clock{})
	undo := func(p act.Plan) (a act.Act, err error) {
		err = r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			a, err = r.Undo(t.Context(), tx, north, p.Key, "decision-1")
			return err
		})
		return a, err
	}
	p := r.plan(act.Outside, `{}`)
	p.NotBefore = time.Now().Add(time.Hour)
	if err := r.commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	c, err := r.Begin(t.Context(), north, p.Key, p.ArgsSHA256, lease)
	if !fault.Is(err, fault.Conflict) || c.Act.NotBefore == nil || !strings.Contains(err.Error(), "due at") {
		t.Fatalf("before its time: got %+v, %v", c, err)
	}
	for range 2 {
		if a, err := undo(p); err != nil || a.State != act.Undone {
			t.Fatalf("got %+v, %v", a, err)
		}
	}
	if c := r.begin(t, p, lease); c.Standing != act.Ended || c.Act.State != act.Undone {
		t.Errorf("got %+v, want it over", c)
	}
	begun := r.planned(t, act.Outside)
	claim := r.begin(t, begun, lease)
	_, err = undo(begun)
	wantKind(t, "while it runs", err, fault.Conflict)
	if _, err := r.Finish(t.Context(), north, begun.Key, claim.Fence, done(`{}`), nil); err != nil {
		t.Fatal(err)
	}
	_, err = undo(begun)
	wantKind(t, "after its end", err, fault.Conflict)
	if got, want := strings.Join(r.steps(t), " "), "planned undone planned done"; got != want {
		t.Errorf("the log says %s, want %s", got, want)
	}
}

func TestAnUndoWindowPassesOnTheScaledClock(t *testing.T) {
	clock := durable.Clock{Epoch: time.Now(), Speed: 100_000}
	r := newRig(t, clock)
	p := r.plan(act.Outside, `{}`)
	p.At = clock.Now()
	p.NotBefore = p.At.Add(time.Hour) // 36 ms
	if err := r.commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	time.Sleep(60 * time.Millisecond)
	if c := r.begin(t, p, lease); c.Standing != act.Mine {
		t.Errorf("got %s", c.Standing)
	}
}

func TestErasureTakesTheWordsOfWhatHasEnded(t *testing.T) {
	r := newRig(t, durable.Clock{})
	ended, open := r.planned(t, act.Outside), r.planned(t, act.Outside)
	c := r.begin(t, ended, lease)
	if _, err := r.Finish(t.Context(), north, ended.Key, c.Fence, done(`{"name":"A B"}`), nil); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0} {
		err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			n, left, err := act.Blank(t.Context(), tx, north, r.file, time.Now())
			if n != want || left != 1 {
				t.Errorf("time %d: blanked %d and left %d, want %d and 1", i+1, n, left, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a := r.get(t, ended)
	if a.Args != nil || a.Result != nil || a.ErasedAt == nil || a.ArgsSHA256 != ended.ArgsSHA256 || a.ResultSHA256 == "" {
		t.Errorf("got %+v", a)
	}
	if a := r.get(t, open); a.Args == nil {
		t.Error("an act that is still to be done lost its arguments")
	}
}

// Each statement is tried as the role of requests, and as the owner of the table
// where grants would hide what the triggers do.
func TestTheDatabaseRefusesWhatTheCodeNeverDoes(t *testing.T) {
	r := newRig(t, durable.Clock{})
	ended, _, running := r.planned(t, act.Outside), r.planned(t, act.Outside), r.planned(t, act.Outside)
	c := r.begin(t, ended, lease)
	r.begin(t, running, lease)
	if _, err := r.Finish(t.Context(), north, ended.Key, c.Fence, done(`{}`), nil); err != nil {
		t.Fatal(err)
	}
	const endedKey, openKey, runningKey = `'run_1/c1'`, `'run_1/c2'`, `'run_1/c3'`
	for name, sql := range map[string]string{
		"an ended act is planned again":     `update gavel.act set state = 'planned', ended_at = null where key = ` + endedKey,
		"an ended act gets another result":  `update gavel.act set result = '{"x":1}', erased_at = now() where key = ` + endedKey,
		"an ended act gets another digest":  `update gavel.act set result_sha256 = args_sha256 where key = ` + endedKey,
		"words vanish without an erasure":   `update gavel.act set result = null where key = ` + endedKey,
		"arguments change before the act":   `update gavel.act set args = '{}' where key = ` + openKey,
		"an act is erased before its end":   `update gavel.act set args = null, erased_at = now() where key = ` + openKey,
		"an act ends that never began":      `update gavel.act set state = 'done', fence = 1, ended_at = now() where key = ` + openKey,
		"an act begins without a new fence": `update gavel.act set state = 'running', lease_until = now() where key = ` + openKey,
		"a fence goes back":                 `update gavel.act set fence = 0 where key = ` + runningKey,
		"a running act is undone": `update gavel.act set state = 'undone', lease_until = null, ended_at = now()
			where key = ` + runningKey,
		"a running act is held": `update gavel.act set state = 'held', lease_until = null where key = ` + runningKey,
		"an unknown state":      `update gavel.act set state = 'maybe' where key = ` + openKey,
		"an act without authority": `insert into gavel.act (org, key, case_id, run, call, app, tool, effect, args, args_sha256,
			by_kind, by_id, planned_at) select org, 'n1', case_id, run, call, app, tool, effect, args, args_sha256, by_kind, by_id,
			planned_at from gavel.act where key = ` + openKey,
		"an act on another call's record": `insert into gavel.act (org, key, case_id, run, call, app, tool, effect, args, args_sha256, policy_record, by_kind, by_id, planned_at) select org, 'n2', case_id, run, call, app, tool, effect, '{"to":"me"}', repeat('0', 64), policy_record, by_kind, by_id, planned_at from gavel.act where key = ` + openKey,
		"an act on a record that is not there": `insert into gavel.act (org, key, case_id, run, call, app, tool, effect, args, args_sha256,
			policy_record, by_kind, by_id, planned_at) select org, 'n3', case_id, run, call, app, tool, effect, args, args_sha256, 'rec_0',
			by_kind, by_id, planned_at from gavel.act where key = ` + openKey,
		"an act on a record of another kind": `insert into gavel.act (org, key, case_id, run, call, app, tool, effect, args, args_sha256,
			policy_record, by_kind, by_id, planned_at) select org, 'n4', case_id, run, call, app, tool, effect, args, args_sha256,
			(select id from gavel.record where kind = 'act' limit 1), by_kind, by_id, planned_at from gavel.act where key = ` + openKey,
	} {
		for role, url := range map[string]string{"app": r.db.AppURL, "owner": r.db.OwnerURL} {
			if err := tryAs(t, url, sql); err == nil {
				t.Errorf("%s, as %s: it was done", name, role)
			} else if role == "owner" && !postgres.Violates(err, "act_stays") && !postgres.Violates(err, "act_state") &&
				!postgres.Violates(err, "act_authority") && !postgres.Violates(err, "act_authorised") &&
				!postgres.Violates(err, "act_form") {
				t.Errorf("%s, as %s: refused for another reason: %v", name, role, err)
			}
		}
	}
	for name, sql := range map[string]string{
		"an act is moved to another proposal": `update gavel.act set proposal = 'P-1', policy_record = null`,
		"an act gets another digest":          `update gavel.act set args_sha256 = repeat('0', 64)`,
		"an act is removed":                   `delete from gavel.act`,
		"an act is born running":              `insert into gavel.act (org, key, state) values ('north', 'k', 'running')`,
	} {
		if err := tryAs(t, r.db.AppURL, sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: got %v, want permission denied", name, err)
		}
	}
}

func tryAs(t *testing.T, url, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), `set local gavel.org = 'north'`); err != nil {
		t.Fatal(err)
	}
	tag, err := tx.Exec(t.Context(), sql)
	if err == nil && tag.RowsAffected() == 0 {
		t.Errorf("%s: met no row", sql)
	}
	return err
}

func TestActsAreReadByKeyAndByCase(t *testing.T) {
	r := newRig(t, durable.Clock{})
	a, b := r.planned(t, act.Outside), r.planned(t, act.Write)
	found, err := r.ByKeys(t.Context(), north, a.Key, b.Key, "run_1/none")
	if err != nil || len(found) != 2 || found[b.Key].Effect != act.Write {
		t.Errorf("got %v, %v", found, err)
	}
	list, err := r.OfCase(t.Context(), north, r.file)
	if err != nil || len(list) != 2 || !slices.ContainsFunc(list, func(x act.Act) bool { return x.Key == a.Key }) {
		t.Errorf("got %v, %v", list, err)
	}
	if found, err := r.ByKeys(t.Context(), south, a.Key); err != nil || len(found) != 0 {
		t.Errorf("south reads %v, %v", found, err)
	}
	_, err = r.Get(t.Context(), south, a.Key)
	wantKind(t, "south reads it", err, fault.NotFound)
}

func TestWallsAroundActs(t *testing.T) { postgrestest.Walls(t, sets()...) }
