package hook_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestOrganisationsAreKeptApartInEveryTable(t *testing.T) { postgrestest.Walls(t, sets()...) }

func TestEveryEventOfItsKindsIsSentSignedAndThin(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-0") // before there was a webhook
	w, secret := r.register(t, v.url, "decision", "case")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	r.happen(t, postgrestest.North, audit.CaseStep, "case_1", "case_2")
	r.happen(t, postgrestest.North, audit.ModelCall, "run_1")  // of another kind
	r.happen(t, postgrestest.South, audit.Decision, "P-South") // of another organisation
	await(t, "three messages", func() bool { return len(v.all()) >= 3 })
	await(t, "three noted", func() bool {
		return r.count(t, `select count(*) from gavel.webhook_message where state = 'delivered'`) == 3
	})
	keys := webhook.Keys{{Secret: secret}}
	arrived := v.all() // in no promised order
	about := func(d delivery) string { _, data, _ := strings.Cut(d.body, `"data"`); return data }
	slices.SortFunc(arrived, func(a, b delivery) int { return strings.Compare(about(a), about(b)) })
	for i, want := range []string{`"decision" "P-1"`, `"case" "case_1"`, `"case" "case_2"`} {
		d := arrived[i]
		if err := keys.Verify(d.header, []byte(d.body), time.Now()); err != nil {
			t.Errorf("message %d: %v", i, err)
		}
		var sent map[string]any
		if err := json.Unmarshal([]byte(d.body), &sent); err != nil {
			t.Fatal(err)
		}
		_, err := time.Parse(time.RFC3339, fmt.Sprint(sent["timestamp"]))
		data, _ := sent["data"].(map[string]any)
		if got := fmt.Sprintf("%q %q", sent["type"], data["id"]); got != want || err != nil || len(sent) != 3 || len(data) != 1 {
			t.Errorf("got %s, want %s and nothing else", d.body, want)
		}
		if d.header.Get("Content-Type") != "application/json" {
			t.Errorf("it is said to be %q", d.header.Get("Content-Type"))
		}
	}
	got, err := r.Get(t.Context(), admin, w.ID)
	if err != nil || got.LastOKAt == nil || got.Waiting != 0 || got.Broken != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWhatWasRolledBackIsNeverSent(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	r.register(t, v.url, "decision")
	r.start(t, nil)
	_ = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		rec := audit.Record{At: time.Now(), Kind: audit.Decision, Subject: "P-undone", Body: struct{}{}, Actor: admin}
		if _, err := audit.Append(t.Context(), tx, rec); err != nil {
			t.Error(err)
		}
		return fault.New(fault.Conflict, "somebody else was first")
	})
	r.sequence(t)
	r.happen(t, postgrestest.North, audit.Decision, "P-done")
	await(t, "what was committed", func() bool { return len(v.all()) > 0 })
	time.Sleep(200 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	if all := v.all(); len(all) != 1 || !strings.Contains(all[0].body, "P-done") {
		t.Errorf("got %v", all)
	}
}

func TestARepeatHasTheSameIDAndTheSameBytes(t *testing.T) {
	r := newRig(t, fast(t, 100*time.Millisecond))
	v := receive(t, func(w http.ResponseWriter, n int, _ delivery) {
		if n < 4 {
			http.Error(w, "not now", http.StatusServiceUnavailable)
		}
	})
	w, secret := r.register(t, v.url, "decision")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	await(t, "the message", func() bool { m := r.messages(t, w.ID); return len(m) == 1 && m[0].State == hook.Delivered })
	all := v.all()
	for _, d := range all {
		if d.id() != all[0].id() || d.body != all[0].body {
			t.Errorf("got %s %s, want %s %s", d.id(), d.body, all[0].id(), all[0].body)
		}
		// The installation's clock runs ahead; what is signed is the time outside.
		if err := (webhook.Keys{{Secret: secret}}).Verify(d.header, []byte(d.body), d.at); err != nil {
			t.Error(err)
		}
	}
	m, tries, err := r.Message(t.Context(), admin, w.ID, all[0].id())
	if err != nil || len(tries) != 5 || m.Attempts != 5 || len(all) != 5 {
		t.Fatalf("%d tries of %d kept, %v", len(tries), len(all), err)
	}
	for i, a := range tries {
		want, status := hook.FaultServer, http.StatusServiceUnavailable
		if i == 4 {
			want, status = "", http.StatusOK
		}
		if a.N != i+1 || a.Fault != want || a.Status != status || i < 4 && a.Answer != "not now" {
			t.Errorf("try %d: %+v", i+1, a)
		}
	}
	if waited := tries[4].At.Sub(tries[3].At); waited < 90*time.Minute {
		t.Errorf("between the fourth and the fifth try there are %v", waited)
	}
}

func TestAnAddressThatTakesNothingForThreeDaysIsTurnedOffAndItsOwnerTold(t *testing.T) {
	r := newRig(t, fast(t, 60*time.Millisecond))
	v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) { w.WriteHeader(http.StatusInternalServerError) })
	w, _ := r.register(t, v.url, "decision")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	if got := r.ended(t, w.ID); got.Reason != hook.FaultServer || got.Broken != 1 {
		t.Fatalf("got %+v", got)
	}
	_, tries, err := r.Message(t.Context(), admin, w.ID, v.all()[0].id())
	if err != nil || len(tries) != hook.Tries() {
		t.Fatalf("%d tries, want %d; %v", len(tries), hook.Tries(), err)
	}
	// a slow machine makes it longer on this clock; the rules' test has both bounds
	if over := tries[len(tries)-1].At.Sub(tries[0].At); over < 60*time.Hour {
		t.Errorf("it was tried for %v, want about three days", over)
	}
	n := r.notices()
	if len(n) != 1 || n[0].Owner != admin.ID || n[0].Webhook != w.ID || n[0].Org != postgrestest.North || n[0].Fault != hook.FaultServer ||
		n[0].Host != w.Host() {
		t.Errorf("told %+v", n)
	}
	if n := r.count(t, `select count(*) from gavel.record where kind = 'webhook' and actor_kind = 'system'
		and json like '%given_up%'`); n != 1 {
		t.Errorf("%d records of it", n)
	}
	sent := len(v.all())
	r.happen(t, postgrestest.North, audit.Decision, "P-2")
	time.Sleep(300 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	if more := len(v.all()); more != sent {
		t.Errorf("%d messages were sent to an address that is off", more-sent)
	}
}

func TestAMessageThatIsNeverTakenTurnsNothingOffWhileOthersAre(t *testing.T) {
	r := newRig(t, fast(t, 120*time.Millisecond)) // time enough for the other one, before three days are over
	v := receive(t, func(w http.ResponseWriter, _ int, d delivery) {
		if strings.Contains(d.body, "P-bad") {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
	})
	w, _ := r.register(t, v.url, "decision")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-bad")
	await(t, "a first try", func() bool { return len(v.all()) > 0 })
	r.happen(t, postgrestest.North, audit.Decision, "P-good")
	await(t, "its end", func() bool {
		return r.count(t, `select count(*) from gavel.webhook_message where state = 'failed'`) == 1
	})
	got, err := r.Get(t.Context(), admin, w.ID)
	if err != nil || got.State != hook.On || got.Broken != 1 || len(r.notices()) != 0 {
		t.Errorf("got %+v, %v, told %v", got, err, r.notices())
	}
}

func TestAnAddressThatIsGoneIsTurnedOffAtOnce(t *testing.T) {
	r := newRig(t, nil)
	v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) { w.WriteHeader(http.StatusGone) })
	w, _ := r.register(t, v.url, "decision")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	if got := r.ended(t, w.ID); got.Reason != hook.FaultGone || len(v.all()) != 1 || len(r.notices()) != 1 {
		t.Errorf("got %+v after %d tries, told %v", got, len(v.all()), r.notices())
	}
}

func TestOnlyAdministratorsChangeWebhooksAndOnlyTheirOwn(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	w, _ := r.register(t, v.url, "decision")
	draft := hook.Draft{URL: v.url, Title: "x", Kinds: []string{"case"}, Reason: "x"}
	try := func(who identity.Actor) map[string]error {
		all := map[string]error{}
		_, _, all["rotate"] = r.Rotate(t.Context(), who, w.ID, 0, "x")
		_, all["change"] = r.Change(t.Context(), who, w.ID, w.Version, draft)
		_, all["disable"] = r.Disable(t.Context(), who, w.ID, "x")
		_, all["enable"] = r.Enable(t.Context(), who, w.ID, "x", hook.SkipMissed)
		_, all["test"] = r.Test(t.Context(), who, w.ID)
		_, all["resend"] = r.Resend(t.Context(), who, w.ID, "msg_01ARZ3NDEKTSV4RRFFQ69G5FAV")
		all["remove"] = r.Remove(t.Context(), who, w.ID)
		return all
	}
	for _, role := range identity.Roles() {
		if role == identity.OrgAdmin {
			continue
		}
		who := person(postgrestest.North, role)
		for what, err := range try(who) {
			if !fault.Is(err, fault.Refused) {
				t.Errorf("%s: %s: got %v, want refused", role, what, err)
			}
		}
		if _, _, err := r.Register(t.Context(), who, draft); !fault.Is(err, fault.Refused) {
			t.Errorf("%s registers: %v", role, err)
		}
		_, err := r.Get(t.Context(), who, w.ID)
		if may := role == identity.Operator || role == identity.Auditor; may != (err == nil) {
			t.Errorf("%s reads: %v", role, err)
		}
	}
	south := person(postgrestest.South, identity.OrgAdmin)
	for what, err := range try(south) {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("another organisation: %s: got %v, want not found", what, err)
		}
	}
	if all, err := r.List(t.Context(), south); err != nil || len(all) != 0 {
		t.Errorf("another organisation lists %v, %v", all, err)
	}
}

func TestWhatIsWrongWithADraftIsRefused(t *testing.T) {
	r := newRig(t, nil)
	good := hook.Draft{URL: "http://127.0.0.1:9/x", Title: "x", Kinds: []string{"case"}, Reason: "x"}
	for name, spoil := range map[string]func(*hook.Draft){
		"no title":          func(d *hook.Draft) { d.Title = " " },
		"a long title":      func(d *hook.Draft) { d.Title = strings.Repeat("क", hook.MaxTitle+1) },
		"no reason":         func(d *hook.Draft) { d.Reason = "" },
		"no kinds":          func(d *hook.Draft) { d.Kinds = nil },
		"an unknown kind":   func(d *hook.Draft) { d.Kinds = []string{"case", "seed"} },
		"its own kind":      func(d *hook.Draft) { d.Kinds = []string{string(hook.Record)} },
		"no address":        func(d *hook.Draft) { d.URL = "" },
		"no host":           func(d *hook.Draft) { d.URL = "https:///x" },
		"another protocol":  func(d *hook.Draft) { d.URL = "ftp://127.0.0.1/x" },
		"a password":        func(d *hook.Draft) { d.URL = "http://a:b@127.0.0.1/x" },
		"a fragment":        func(d *hook.Draft) { d.URL = "http://127.0.0.1/x#y" },
		"a long address":    func(d *hook.Draft) { d.URL = "http://127.0.0.1/" + strings.Repeat("x", 2000) },
		"a bad port":        func(d *hook.Draft) { d.URL = "http://127.0.0.1:0/x" },
		"a nul in a reason": func(d *hook.Draft) { d.Reason = "x\x00" },
	} {
		d := good
		spoil(&d)
		if _, _, err := r.Register(t.Context(), admin, d); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
	for range hook.MaxHooks {
		if _, _, err := r.Register(t.Context(), admin, good); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := r.Register(t.Context(), admin, good); !fault.Is(err, fault.Conflict) {
		t.Errorf("one more than there may be: %v", err)
	}
}
