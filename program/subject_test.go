package program

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

var (
	recordForm = regexp.MustCompile(`(rec|hold|case)_[0-9A-Z]{26}`)
	timeForm   = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( [A-Z+:0-9]+)?`)
)

// still is output without what differs between two runs.
func still(s string) string {
	return timeForm.ReplaceAllString(recordForm.ReplaceAllString(s, "${1}_00000000000000000000000000"), "2026-01-01 00:00")
}

func TestAPersonIsErasedFromTheCommandLine(t *testing.T) {
	s := newStage(t)
	id := string(s.Case(t, 7))
	s.Person(t, s.Case(t, 8), seal.Subject{Type: "rider", ID: "R-7"})
	at := hall(t, s, bundletest.Admin)
	if got := at.run(t, "subject", "name", "rider:R-7", "--case", id, "--entry", "2"); got.code != 0 || got.talk != "named\n" {
		t.Fatalf("name: %+v", got)
	}
	held := at.run(t, "subject", "hold", id, "--reason", "appeal", "-o", "json")
	var hold struct{ ID, Target string }
	if err := json.Unmarshal([]byte(held.out), &hold); err != nil || held.code != 0 || hold.Target != "case:"+id {
		t.Fatalf("hold: %+v %v", held, err)
	}
	preview := at.run(t, "subject", "preview", "rider:R-7")
	golden(t, "subject/preview.golden", still(preview.out+preview.talk))
	golden(t, "subject/holds.golden", still(at.run(t, "subject", "holds").out))
	if got := at.run(t, "subject", "erase", "rider:R-7", "--ground", "request", "--yes"); got.code != 6 ||
		!strings.Contains(got.talk, hold.ID) {
		t.Errorf("under a hold: %+v", got)
	}
	if got := at.run(t, "subject", "release", hold.ID, "--reason", "settled"); got.code != 0 {
		t.Fatalf("release: %+v", got)
	}
	asking := at
	asking.terminal, asking.in = true, "rider:R-8\n"
	if got := asking.run(t, "subject", "erase", "rider:R-7", "--ground", "request"); got.code != 6 ||
		!strings.Contains(got.talk, "nothing was erased") {
		t.Errorf("with another subject typed: %+v", got)
	}
	asking.in = "rider:R-7\n"
	done := asking.run(t, "subject", "erase", "rider:R-7", "--ground", "request", "--reference", "DSR-7")
	if done.code != 0 {
		t.Fatalf("erase: %+v", done)
	}
	golden(t, "subject/erase.golden", still(done.out+done.talk))
	if got := at.run(t, "case", "show", id); !strings.Contains(got.out, "[erased]") {
		t.Errorf("the case shows\n%s", got.out)
	}
	golden(t, "subject/rewrap.golden", still(at.run(t, "key", "rewrap").out))
}

func TestWhatCannotBeErasedIsRefusedBeforeItIsSent(t *testing.T) {
	o := newOffice(t)
	for _, args := range [][]string{
		{"subject", "erase", "rider:R-7", "--yes"},
		{"subject", "erase", "rider:R-7", "--ground", "whim", "--yes"},
		{"subject", "erase", "rider:R-7", "--ground", "request"}, // nobody to ask
		{"subject", "erase", "Zubeida", "--ground", "request", "--yes"},
		{"subject", "preview", "../cases"},
		{"subject", "name", "rider:R-7"},
		{"subject", "name", "rider:R-7", "--case", "../x"},
		{"subject", "hold", "rider:R-7"},
		{"subject", "hold", "rider:R-7", "--reason", "x", "--until", "tomorrow"},
		{"subject", "release", "hold_1", "--reason", "x"},
		{"subject", "release", "hold_01K5ZJ3W8Q6X9V2T4N7M1B0CDE"},
	} {
		if got := o.client().run(t, args...); got.code != 2 || !strings.HasPrefix(lastLine(got.talk), "next: gavel ") {
			t.Errorf("%v: got %+v, want code 2 and the next command", args, got)
		}
	}
	if n := len(o.sent); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestOnlyAnAdministratorErasesHoldsAndRotates(t *testing.T) {
	s := newStage(t)
	for role, looks := range map[identity.Role]bool{identity.Officer: false, identity.Auditor: true, identity.Operator: false} {
		actor := identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Org: bundletest.Admin.Org, Roles: []identity.Role{role}}
		at := hall(t, s, actor)
		for _, args := range [][]string{
			{"subject", "erase", "rider:R-7", "--ground", "request", "--yes"},
			{"subject", "hold", "rider:R-7", "--reason", "x"},
			{"subject", "release", "hold_01K5ZJ3W8Q6X9V2T4N7M1B0CDE", "--reason", "x"},
			{"key", "rewrap"},
		} {
			if got := at.run(t, args...); got.code != 5 {
				t.Errorf("%s %v: got %+v, want a refusal", role, args, got)
			}
		}
		for _, args := range [][]string{{"subject", "preview", "rider:R-7"}, {"subject", "holds"}} {
			if got := at.run(t, args...); (got.code == 0) != looks || !looks && got.code != 5 {
				t.Errorf("%s %v: got %+v, looks %v", role, args, got, looks)
			}
		}
	}
}
