//go:build browser

package reportagent_test

import (
	"bytes"
	"net/url"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestTheReportPagesAreFitForPeople promises that the pages have no serious finding from axe-core, log no error, break no content
// security policy and never scroll sideways, at 360 and 1280 px, light and dark, in English and Hindi; and that the card of a number
// opens and closes by the keyboard, wholly on the screen, on a desk, a tablet and a phone.
func TestTheReportPagesAreFitForPeople(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	r.look(t, identity.Analyst, "report-none@/reportagent")
	at := r.onPages(t)
	r.look(t, identity.Officer, "report-new@"+at, "report-unscored@"+at+"/evaluation")
	r.draftOnPages(t, at, url.Values{"after": {"none"}})
	section := at + "/sections/transport"
	say := func(role identity.Role, under string, pairs ...string) {
		t.Helper()
		form := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		if got := r.Post(t, role, section+under, form); got.Status != 303 {
			t.Fatalf("%s: got %d", under, got.Status)
		}
	}
	low := []string{"accuracy", "5", "completeness", "2", "clarity", "4", "data_use", "5", "words", "Nothing of trains."}
	say(identity.Officer, "/rating", append([]string{"version", "1"}, low...)...)
	say(identity.Officer, "/notes", "version", "1", "text", "Say that trains are left out.")
	text := r.section(t, at[len("/reportagent/reports/"):], "transport").Text
	say(identity.Analyst, "/text", "was", r.was(t, section), "text", text+"\n\nTrains are left out, and cars rise by 999 million.")
	say(identity.Analyst, "/notes/answer", "note", "1", "became", "done", "answer", "Said at the end.")
	r.look(t, identity.Analyst, "report-list@/reportagent", "report-one@"+at, "report-energy@"+at+"/sections/energy",
		"report-edited@"+section, "report-blocked@"+at+"/sections/steam-engines", "report-told@"+at+"/coverage",
		"report-unchanged@"+at+"/changes")
	webtest.CheckFile(t, "testdata/card.mjs", "--base", r.URL, "--token", platformtest.Token(t, postgrestest.North, identity.Auditor),
		"--at", at+"/sections/energy", "--out", webtest.Shots(t))
	r.draftOnPages(t, at, url.Values{"after": {"y"}, "section": {"energy"}})
	r.scores(t, at)
	files := small()
	files["energy/use_by_fuel.csv"] = bytes.ReplaceAll(files["energy/use_by_fuel.csv"], []byte("80.0,10.0"), []byte("80.0,130.0"))
	r.sendFiles(t, identity.Analyst, at+"/data", map[string][]byte{"zip": zipped(t, files)})
	r.look(t, identity.Analyst, "report-changes@"+at+"/changes", "report-scored@"+at+"/evaluation")
}

// TestTypingIntoASectionLosesNothing promises, with the script in a browser: what is typed is kept and said to be, and is there again; a
// second window overwrites nothing; another button of the page takes what was typed along; a lost connection is said and made up for; where
// somebody else wrote meanwhile both texts stand side by side; leaving asks only where something would be lost.
func TestTypingIntoASectionLosesNothing(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	at := r.onPages(t)
	r.draftOnPages(t, at, url.Values{"after": {"none"}})
	webtest.CheckFile(t, "testdata/editor.mjs", "--base", r.URL, "--token", platformtest.Token(t, postgrestest.North, identity.Analyst),
		"--other", "editor", "--at", at+"/sections/transport", "--out", webtest.Shots(t))
}

// scores has the drafts of a section scored in two draftings.
func (r rig) scores(t *testing.T, at string) {
	t.Helper()
	for i, n := range []string{"3", "5"} {
		version := r.section(t, at[len("/reportagent/reports/"):], "energy").Version
		form := url.Values{"version": {string(rune('0' + version))}, "accuracy": {n}, "completeness": {n},
			"clarity": {"4"}, "data_use": {"4"}}
		if got := r.Post(t, identity.Officer, at+"/sections/energy/rating", form); got.Status != 303 {
			t.Fatalf("got %d", got.Status)
		}
		if i == 0 {
			r.draftOnPages(t, at, url.Values{"after": {"z"}, "section": {"energy"}})
		}
	}
}

// look has pages looked at in a browser; screenshots are left for people.
func (r rig) look(t *testing.T, role identity.Role, pages ...string) {
	t.Helper()
	webtest.Check(t, "check.mjs", append([]string{"--base", r.URL, "--token", platformtest.Token(t, postgrestest.North, role), "--out",
		webtest.Shots(t), "--langs", "en,hi"}, pages...)...)
}
