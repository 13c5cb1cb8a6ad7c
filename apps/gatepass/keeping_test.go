package gatepass_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework/keep"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/timetable"
)

// sets has an organisation set how its passes are kept.
func (r *rig) sets(t *testing.T, more string) {
	t.Helper()
	text := `{"sites":[{"id":"main","name":"Main","tz":"Asia/Kolkata","opens":"","shuts":"","gates":[]}],"grace_minutes":15,` +
		`"photo_bytes":5242880` + more + `}`
	r.setup(t, text)
}

// setup has an organisation set up its passes.
func (r *rig) setup(t *testing.T, text string) {
	t.Helper()
	settings := setting.NewStore(setting.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules,
		Kinds: []setting.Kind{store.SetupKind}})
	if _, err := settings.Set(t.Context(), people()["admin"], store.SetupKind, "", json.RawMessage(text), setting.AnyVersion); err != nil {
		t.Fatal(err)
	}
}

// went has somebody with a telling name leave and come back, and returns the number and the photo's address.
func (r *rig) went(t *testing.T, days int) (number, photo string) {
	t.Helper()
	later := r.Deps.Clock.Now().AddDate(0, 0, days).UTC().Format(time.RFC3339)
	number = r.approved(t, "person_name", "Quagglewick", "description", "To see Quagglewick", "valid_until", later)
	out := r.scan(t, "gate", "scan-exit", number, face(t, 32, 32))
	wants(t, out, 200, "")
	wants(t, r.scan(t, "gate", "scan-return", number, face(t, 8, 8)), 200, "")
	return number, rest.Base + "/media/photo/" + out.JSON["exit_photo_id"].(string)
}

// TestNamesAreKeptLongerThanPhotos promises the times that hold where nobody has set others: photos thirty days, names a year; that what is
// under a legal hold stays; and that a pass, its history and the log are there afterwards and say of nobody who it was.
func TestNamesAreKeptLongerThanPhotos(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number, photo := r.went(t, 1)
	_, desk := r.behind()
	if err := desk.Steps().DrawPhotos(t.Context(), r.caseOf(t, number)); err != nil {
		t.Fatal(err)
	}
	s := r.kept()
	k := &keep.Keeper{}
	k.Open(keep.Config{Store: s, Vault: r.Deps.Vault})
	swept := func(after time.Duration, want keep.Swept) {
		t.Helper()
		got, err := k.Sweep(t.Context(), postgrestest.North, time.Now().Add(after))
		if err != nil || got != want {
			t.Fatalf("after %s: %+v, %v, want %+v", after, got, err, want)
		}
	}
	const day = 24 * time.Hour
	swept(29*day, keep.Swept{})
	r.Want(t, 200, "hr", http.MethodGet, photo, nil)
	org := platformtest.Person("org", postgrestest.North, identity.OrgAdmin)
	holder := seal.Subject{Type: store.HolderType, ID: r.Texts(t, `select id from gatepass.pass`)[0]}
	hold, err := r.Deps.Vault.Hold(t.Context(), org, seal.Target{Subject: holder}, "A claim.", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	swept(31*day, keep.Swept{Held: 2})
	if err := r.Deps.Vault.Release(t.Context(), org, hold.ID, "settled"); err != nil {
		t.Fatal(err)
	}
	swept(31*day, keep.Swept{Photos: 2})
	swept(31*day, keep.Swept{})
	wants(t, r.Call(t, "hr", http.MethodGet, photo, nil), 404, "not_found")
	if a := r.Want(t, 200, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+number, nil); a.JSON["person_name"] != "Quagglewick" {
		t.Fatalf("the name went with the photo: %s", a.Body)
	}
	swept(364*day, keep.Swept{})
	swept(367*day, keep.Swept{Names: 1})
	a := r.Want(t, 200, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+number, nil)
	if a.JSON["person_name"] != "" || a.JSON["status"] != "returned" || len(a.JSON["status_history"].([]any)) != 4 {
		t.Errorf("the pass is %s", a.Body)
	}
	for _, table := range r.Texts(t, `select schemaname || '.' || tablename from pg_tables where schemaname in ('gavel', 'gatepass')`) {
		if n := r.Number(t, `select count(*)::int from `+table+` x where x::text ilike '%quagglewick%'`); n != 0 {
			t.Errorf("%d rows of %s name them", n, table)
		}
	}
}

// TestASilentConversationIsForgotten promises that a conversation in which nobody has written for half an hour is ended by the keeper with
// nothing of it left at hand and nobody at work for it, that one which is still young stays, and that a keeper whose record fails has ended
// nothing and says so.
func TestASilentConversationIsForgotten(t *testing.T) {
	p := newParlour(t)
	p.wanted("Nothing waits.")
	for _, as := range []string{"hr", "hr2"} {
		p.says(t, as, "HR_User", "What waits?")
	}
	number := p.create(t, "hr")["pass_number"].(string)
	p.wanted("Shall I?", scripted.Call{Name: "reject_gate_pass", Args: map[string]any{"pass_number": number}})
	if now := p.says(t, "admin", "Admin_User", "Reject "+number); now["state"] != "waiting" {
		t.Fatalf("no card waits: %v", now)
	}
	p.Set(t, `update gatepass.talk set touched_at = now() + interval '40 minutes' where person = 'hr2'`)
	d, k, s := p.Deps, &keep.Keeper{}, p.kept()
	orders := agent.NewOrders(agent.OrdersConfig{DB: d.DB, Clock: d.Clock, Cases: d.Cases, Reviews: d.Reviews, Rules: d.Rules})
	k.Open(keep.Config{Store: s, Vault: d.Vault, Orders: orders})
	bare := &keep.Keeper{}
	bare.Open(keep.Config{Store: s, Orders: orders})
	later := time.Now().Add(45 * time.Minute)
	sweep := func(want keep.Swept) {
		t.Helper()
		got, err := k.Steps().KeepSweep(t.Context(), timetable.Input{Org: postgrestest.North}, later)
		if err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	for _, table := range []string{"gatepass.talk", "gavel.run", "gavel.setting", "gatepass.photo", "gatepass.pass"} {
		if table == "gavel.setting" { // what is silent is ended before the rest is looked for
			sweep(keep.Swept{Silent: 2})
		}
		p.without(t, table, func() {
			if got, err := k.Sweep(t.Context(), postgrestest.North, later); err == nil || got != (keep.Swept{}) {
				t.Errorf("without %s: %+v, %v", table, got, err)
			}
		})
	}
	sweep(keep.Swept{})
	if got, err := bare.Sweep(t.Context(), postgrestest.North, later.AddDate(2, 0, 0)); err != nil || got != (keep.Swept{Silent: 1}) {
		t.Errorf("where nothing is sealed: %+v, %v", got, err)
	}
	wants(t, p.Call(t, "admin", http.MethodGet, rest.Base+"/chat", nil), 404, "not_found")
	for what, left := range map[string]string{"are open": `ended_at is null`, "are at hand": `said <> '[]' or shown <> '[]'`} {
		if n := p.Number(t, `select count(*)::int from gatepass.talk where `+left); n != 0 {
			t.Errorf("%d conversations %s", n, what)
		}
	}
	wait.Until(t, "nobody decides on a card of it", func() bool {
		return p.Number(t, `select count(*)::int from gavel.proposal where state = 'open' and run is not null and run <> ''`) == 0
	})
}

// TestWhatIsKeptNoLongerGoesByItself promises that the keeper does so on the installation's clock, by what the organisation has set, and
// that it ends with the last of it.
func TestWhatIsKeptNoLongerGoesByItself(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for a clock")
	}
	clock, err := durable.NewClock(time.Now(), 86_400, true) // a day is a second
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, clock)
	r.sets(t, `,"photo_days":3,"name_days":6`)
	engine := r.Work(t, r.App.Work)
	number, photo := r.went(t, 5)
	wait.Until(t, "the photo is gone", func() bool {
		return r.Number(t, `select count(*)::int from gatepass.photo where trouble = 'its time is over'`) == 2
	})
	wants(t, r.Call(t, "hr", http.MethodGet, photo, nil), 404, "not_found")
	wait.Until(t, "the name is gone", func() bool {
		return r.Want(t, 200, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+number, nil).JSON["person_name"] == ""
	})
	id := "gatepass/" + string(postgrestest.North) + "/keeping"
	wait.Until(t, "the keeper has ended", func() bool { return ended(t, engine, id) })
	if *record {
		durabletest.Record(t, engine, id, "testdata/history/keeping.json")
	}
}
