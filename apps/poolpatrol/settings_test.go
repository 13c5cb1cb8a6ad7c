package poolpatrol

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestWhoMaySetTheProgrammeUp promises that programme managers set the programme up
// and say when it audits by itself, that auditors read it, and nobody else either.
func TestWhoMaySetTheProgrammeUp(t *testing.T) {
	r := newRig(t)
	const times = `{"monthly":true,"day":1,"daily":false,"hour":6}`
	const office = `{"programme":"P","portal":"https://p.example","contact":"c","appeal":"a","tz":"","manual_minutes":45,"cost_per_hour":0,"currency":""}`
	for _, a := range []struct{ method, path, body, may string }{
		{"GET", scheduleAddress, "", "manager auditor south"}, {"PUT", scheduleAddress, times, "manager south"},
		{"GET", officeAddress, "", "manager auditor south"}, {"PUT", officeAddress, office, "manager south"},
		{"GET", casesAddress, "", "manager auditor south"},
	} {
		for _, who := range slices.Sorted(maps.Keys(rigPeople)) {
			var body any
			if a.body != "" {
				body = a.body
			}
			want := 403
			if slices.Contains(strings.Fields(a.may), who) {
				want = 200
			}
			if got := r.call(who, a.method, a.path, body); got.Status != want {
				t.Errorf("%s %s %s: got %d, want %d: %.200s", who, a.method, a.path, got.Status, want, got.Body)
			}
		}
	}
	if got := r.want(200, "manager", "GET", officeAddress, nil).JSON; got["changed_by"] != "manager" {
		t.Errorf("another organisation's set-up: got %v", got)
	}
}

// TestTheSetUpIsWhatLettersSay promises that what was set is what letters are
// written with, that a change to something older is refused, that nonsense is, and
// that the log says what changed without quoting it.
func TestTheSetUpIsWhatLettersSay(t *testing.T) {
	r := newRig(t)
	first := r.want(200, "manager", "GET", officeAddress, nil)
	if first.JSON["version"] != 0.0 || first.JSON["manual_minutes"] != 45.0 || first.JSON["programme"] == "" {
		t.Errorf("before it is set: got %s", first.Body)
	}
	office := map[string]any{"programme": "Vanpools of Plant 1", "portal": "https://portal.example", "contact": "ring Zelda Fitz",
		"appeal": "write to us",
		"tz":     "America/Los_Angeles", "manual_minutes": 30, "cost_per_hour": 60, "currency": "USD"}
	set := r.want(200, "manager", "PUT", officeAddress, office, "If-Match", first.Header.Get("ETag"))
	if set.Header.Get("ETag") != `"1"` {
		t.Errorf("got %s", set.Header.Get("ETag"))
	}
	r.want(412, "manager", "PUT", officeAddress, office, "If-Match", first.Header.Get("ETag"))
	r.want(422, "manager", "PUT", officeAddress, office, "If-Match", "1")
	for name, bad := range map[string]any{"programme": " ", "contact": "two\nlines", "tz": "Mars/Olympus", "manual_minutes": 0,
		"currency": "", "portal": strings.Repeat("x", 501)} {
		wrong := maps.Clone(office)
		wrong[name] = bad
		r.want(422, "manager", "PUT", officeAddress, wrong)
	}
	if got := ask[string](r, `select version || value from gavel.setting where app = 'poolpatrol' and name = 'office'`); got !=
		`1{"appeal":"write to us","contact":"ring Zelda Fitz","cost_per_hour":60,"currency":"USD","manual_minutes":30,"portal":"https://portal.example",`+
			`"programme":"Vanpools of Plant 1","tz":"America/Los_Angeles"}` {
		t.Errorf("got %s", got)
	}
	if got := ask[string](r, `select string_agg(json, '') from gavel.record where kind = 'poolpatrol_settings'`); !strings.Contains(got,
		`"contact"`) || strings.Contains(got, "Zelda") {
		t.Errorf("the log has %s", got)
	}
}

// TestTheTerminalSetsWhatIsNamed promises that a command changes what was named and
// leaves the rest.
func TestTheTerminalSetsWhatIsNamed(t *testing.T) {
	r := newRig(t)
	d := &desk{rig: r, as: "manager"}
	if err := d.run("schedule", "set", "--monthly", "--day", "15"); err != nil || d.field("monthly") != true || d.field("day") != 15.0 ||
		d.field("hour") != 6.0 {
		t.Errorf("got %v, %s", err, d.printed)
	}
	if err := d.run("schedule", "set", "--daily", "--hour", "22"); err != nil || d.field("monthly") != true || d.field("daily") != true ||
		d.field("day") != 15.0 {
		t.Errorf("got %v, %s", err, d.printed)
	}
	if err := d.run("schedule", "set", "--day", "31"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a day some months have not: got %v", err)
	}
	if err := d.run("schedule", "show"); err != nil || d.field("hour") != 22.0 {
		t.Errorf("got %v, %s", err, d.printed)
	}
	if err := d.run("settings", "set", "--contact", "desk 4", "--cost", "60", "--currency", "USD"); err != nil ||
		d.field("contact") != "desk 4" || d.field("manual_minutes") != 45.0 {
		t.Errorf("got %v, %s", err, d.printed)
	}
	if err := d.run("settings", "show"); err != nil || d.field("currency") != "USD" {
		t.Errorf("got %v, %s", err, d.printed)
	}
	d.as = "auditor"
	if err := d.run("settings", "set", "--contact", "me"); !fault.Is(err, fault.Refused) {
		t.Errorf("an auditor: got %v", err)
	}
}

// TestTheFormsOfTheSettings promises that the page saves what was sent, says what
// was wrong and keeps it, refuses to overwrite what another has saved, and shows an
// auditor no form.
func TestTheFormsOfTheSettings(t *testing.T) {
	s := newStage(t)
	times := url.Values{"version": {"0"}, "monthly": {"yes"}, "day": {"3"}, "hour": {"7"}}
	if got := s.Post(t, identity.ProgrammeManager, settingsAt+"/schedule", times); got.Status != http.StatusSeeOther ||
		got.Header.Get("Location") != settingsAt+"?done=schedule" {
		t.Fatalf("got %d, %s", got.Status, got.Header.Get("Location"))
	}
	if got := s.Post(t, identity.ProgrammeManager, settingsAt+"/schedule", times); got.Status != http.StatusPreconditionFailed ||
		!strings.Contains(got.Body, "changed since you read it") {
		t.Errorf("sent again: got %d", got.Status)
	}
	office := url.Values{"version": {"0"}, "programme": {"Rides & more"}, "portal": {"https://p.example"}, "contact": {"c"},
		"appeal": {"a"}, "zone": {"Mars/Olympus"}, "minutes": {"45"}, "cost": {"0"}, "currency": {""}}
	if got := s.Post(t, identity.ProgrammeManager, settingsAt+"/programme", office); got.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(got.Body, "is no time zone") || !strings.Contains(got.Body, "Rides &amp; more") {
		t.Errorf("a zone there is not: got %d", got.Status)
	}
	office.Set("zone", "")
	if got := s.Post(t, identity.ProgrammeManager, settingsAt+"/programme", office); got.Status != http.StatusSeeOther {
		t.Errorf("got %d: %.300s", got.Status, got.Body)
	}
	if got := s.Get(t, identity.ProgrammeManager, settingsAt+"?done=programme"); !strings.Contains(got.Body, "Rides &amp; more") ||
		!strings.Contains(got.Body, "set-up was saved") {
		t.Errorf("got %d", got.Status)
	}
	if got := s.Get(t, identity.Auditor, settingsAt); strings.Contains(got.Body, settingsAt+"/programme") ||
		!strings.Contains(got.Body, "Rides &amp; more") {
		t.Errorf("an auditor has a form, or sees nothing: %d", got.Status)
	}
	if got := s.Post(t, identity.Auditor, settingsAt+"/programme", office); got.Status != http.StatusForbidden {
		t.Errorf("an auditor: got %d", got.Status)
	}
}
