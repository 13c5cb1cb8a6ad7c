package program

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestDecidingFromATerminal(t *testing.T) {
	k := newCounter(t)
	k.part(t, "what is decided is printed in words first", (*counter).testWords)
	k.part(t, "no is no", (*counter).testNo)
	k.part(t, "only what is routine is decided without asking", (*counter).testYes)
	k.part(t, "a stale view decides nothing and says what changed", (*counter).testStale)
	k.part(t, "two signatures", (*counter).testTwo)
	k.part(t, "undo", (*counter).testUndo)
	k.part(t, "who may not", (*counter).testRefused)
	k.part(t, "an edit shows what it changes", (*counter).testEdit)
	k.part(t, "inbox", (*counter).testInbox)
	k.part(t, "whose turn it is", (*counter).testAttention)
}

// person is somebody at a terminal who answers so.
func (k *counter) person(role identity.Role, answers string) setup {
	at := k.as(role)
	at.terminal, at.in = true, answers
	return at
}

func (k *counter) testWords(t *testing.T) {
	id := k.propose(mail, undoable)
	got := k.person(identity.Officer, "yes\n").run(t, "approve", id)
	for _, want := range []string{id + "  GEN-", "Smoke over Jind", "Note what rider", "  text:\n    line one\n    line two\n",
		"  to: rider", "The agent said: He called at nine.",
		"It leaves the organisation.", "It is an external mail.", "Proposed by agent:general/clerk.", "Why you: your role decides it.",
		"Approve " + id + "? Type yes: ",
		"until then: gavel undo " + id} {
		if !strings.Contains(got.talk, want) {
			t.Errorf("the terminal does not say %q:\n%s", want, got.talk)
		}
	}
	if got.code != 0 || k.state(id) != "approved" || !strings.Contains(got.out, "STATE") || !strings.Contains(got.out, "UNDO UNTIL (IST)") {
		t.Errorf("got %+v", got)
	}
	opened := k.as(identity.Officer).run(t, "api", "/v1/proposals/"+id, "--jq", ".decisions[0].verdict").out
	if opened != "approve\n" {
		t.Errorf("the decision on record is %q", opened)
	}
}

func (k *counter) testNo(t *testing.T) {
	id := k.propose()
	for _, answer := range []string{"no\n", "Y E S\n", "approve\n"} {
		if got := k.person(identity.Officer, answer).run(t, "approve", id); got.code != 1 ||
			!strings.Contains(got.talk, "nothing was decided") {
			t.Errorf("%q: got %+v", answer, got)
		}
	}
	for _, args := range [][]string{{"approve", id}, {"approve", id, "--no-input"}, {"reject", id, "--yes"}, {"send-back", id},
		{"approve", "P-x", "--yes"}, {"approve"}} {
		at := k.as(identity.Officer)
		at.terminal = len(args) > 2 && args[2] == "--no-input"
		if got := at.run(t, args...); got.code != 2 || !strings.HasPrefix(lastLine(got.talk), "next: ") {
			t.Errorf("%v where nobody can be asked: got %+v, want code 2", args, got)
		}
	}
	if k.state(id) != "open" {
		t.Errorf("%s is %s", id, k.state(id))
	}
	back := k.person(identity.Officer, "name the station\nyes\n").run(t, "send-back", id) // the reason is asked for
	if back.code != 0 || k.state(id) != "sent_back" || !strings.Contains(back.talk, "Why do you send back it: ") {
		t.Errorf("got %+v", back)
	}
}

func (k *counter) testYes(t *testing.T) {
	letter, note := k.propose(mail), k.propose()
	for _, verb := range []string{"approve", "reject", "send-back"} {
		got := k.as(identity.Officer).run(t, verb, letter, "--yes", "--reason", "x")
		if got.code != 5 || !strings.Contains(got.talk, "is an external mail, and not decided by --yes") ||
			!strings.Contains(lastLine(got.talk), "gavel "+verb+" "+letter) {
			t.Errorf("%s: got %+v, want code 5", verb, got)
		}
	}
	if k.state(letter) != "open" {
		t.Errorf("the letter is %s", k.state(letter))
	}
	if got := k.as(identity.Officer).run(t, "approve", note, "--yes", "--json"); got.code != 0 || got.talk != "" ||
		k.state(note) != "approved" {
		t.Errorf("got %+v", got)
	}
	if got := k.as(identity.Officer).run(t, "approve", note, "--yes"); got.code != 6 ||
		!strings.Contains(got.talk, note+" is approved already") {
		t.Errorf("again: got %+v", got)
	}
}

func (k *counter) testStale(t *testing.T) {
	id := k.propose()
	etag := strings.TrimSpace(k.as(identity.Officer).run(t, "show", id, "--jq", ".etag").out)
	stale := k.as(identity.Officer).run(t, "approve", id, "--yes", "--if-match", `"0000000000000000-1"`)
	if stale.code != 6 || !strings.Contains(stale.talk, "is not what you saw") || lastLine(stale.talk) != "next: gavel show "+id {
		t.Errorf("got %+v", stale)
	}
	// Somebody else decides while the question stands.
	at := k.as(identity.Officer)
	at.terminal = true
	reader := &meanwhile{first: func() {
		if got := k.as(identity.Officer).run(t, "reject", id, "--yes", "--reason", "the van was in the depot"); got.code != 0 {
			t.Errorf("got %+v", got)
		}
	}, rest: strings.NewReader("yes\n")}
	got := runWith(t, at, reader, "approve", id)
	if got.code != 6 || got.out != "" ||
		!strings.Contains(got.talk, "changed since it was shown, and nothing was done: it was open and is rejected") ||
		!strings.Contains(got.talk, "the van was in the depot") {
		t.Errorf("got %+v", got)
	}
	p := checkProblem(t, k.as(identity.Officer).run(t, "approve", id, "--yes", "--if-match", etag, "--json"), 6)
	if p.Next != "gavel show "+id {
		t.Errorf("got %+v", p)
	}
}

func (k *counter) testTwo(t *testing.T) {
	id := k.propose(byTwo)
	first := k.as(identity.Officer).run(t, "approve", id, "--yes")
	if first.code != 7 || !strings.Contains(first.talk, "1 of 2 have") || k.state(id) != "open" {
		t.Errorf("the first: got %+v, want code 7", first)
	}
	second := k.as(identity.ProgrammeManager).run(t, "approve", id, "--yes", "-o", "json")
	if second.code != 0 || k.state(id) != "approved" {
		t.Errorf("the second: got %+v", second)
	}
	other := k.propose(byTwo)
	var p struct{ State string }
	if got := k.as(identity.Officer).run(t, "approve", other, "--yes", "-o", "json"); got.code != 7 || got.talk != "" ||
		json.Unmarshal([]byte(got.out), &p) != nil || p.State != "open" {
		t.Errorf("for a program: got %+v, want the same code", got)
	}
}

func (k *counter) testUndo(t *testing.T) {
	id := k.approved()
	if got := k.as(identity.Officer).run(t, "undo", id, "--yes"); got.code != 2 {
		t.Errorf("without a reason: got %+v", got)
	}
	got := k.as(identity.Officer).run(t, "undo", id, "--reason", "wrong depot", "--yes")
	verdicts := k.as(identity.Officer).run(t, "show", id, "--jq", ".decisions[].verdict").out
	if got.code != 0 || verdicts != "approve\nundo\n" {
		t.Errorf("got %+v and %q", got, verdicts)
	}
	if again := k.as(identity.Officer).run(t, "undo", id, "--reason", "wrong depot", "--yes"); again.code != 6 {
		t.Errorf("again: got %+v", again)
	}
	if open := k.as(identity.Officer).run(t, "undo", k.propose(), "--reason", "x", "--yes"); open.code != 6 ||
		!strings.Contains(open.talk, "only what was approved") {
		t.Errorf("what was not approved: got %+v", open)
	}
}

func (k *counter) testRefused(t *testing.T) {
	id := k.propose()
	if got := k.person(identity.Analyst, "yes\n").run(t, "approve", id); got.code != 5 {
		t.Errorf("an analyst: got %+v, want code 5", got)
	}
	if got := k.of(postgrestest.South, identity.Officer).run(t, "approve", id, "--yes"); got.code != 3 {
		t.Errorf("an officer of another organisation: got %+v, want code 3", got)
	}
	stranger := k.as(identity.Officer)
	stranger.environ = append(stranger.environ, "GAVEL_TOKEN=gvdev.north.officer.AAAA")
	if got := stranger.run(t, "approve", id, "--yes"); got.code != 4 {
		t.Errorf("a stranger: got %+v, want code 4", got)
	}
	if k.state(id) != "open" {
		t.Errorf("%s is %s", id, k.state(id))
	}
}

func (k *counter) testEdit(t *testing.T) {
	id := k.propose()
	file := filepath.Join(t.TempDir(), "args.json")
	if err := os.WriteFile(file, []byte(`{"text":"line one","to":"the union"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got := k.person(identity.Officer, "no\n").run(t, "approve", id, "--edit", file)
	if got.code != 1 || !strings.Contains(got.talk, "You change:\n") || !strings.Contains(got.talk, `/to: "rider `) ||
		!strings.Contains(got.talk, `becomes "the union"`) {
		t.Errorf("got %+v", got)
	}
	for _, name := range []string{file + "x", os.DevNull} {
		if got := k.as(identity.Officer).run(t, "approve", id, "--yes", "--edit", name); got.code != 2 && got.code != 3 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func (k *counter) testInbox(t *testing.T) {
	id := k.propose(mail)
	got := k.as(identity.Officer).run(t, "inbox")
	if got.code != 0 || !strings.Contains(got.out, "CONSEQUENCE") || !strings.Contains(got.out, "WHY ME") ||
		!strings.Contains(got.out, "DUE (IST)") ||
		!strings.Contains(got.out, "external mail") || !strings.Contains(got.out, "your role decides it") ||
		!strings.HasPrefix(lastLine(got.talk), "next: gavel show P-") {
		t.Errorf("got %+v", got)
	}
	names := strings.Fields(k.as(identity.Officer).run(t, "inbox", "-o", "name").out)
	if len(names) == 0 || !strings.Contains(strings.Join(names, " "), id) {
		t.Errorf("got %v", names)
	}
	if got := k.as(identity.Officer).run(t, "inbox", "--limit", "1", "-o", "name"); strings.Count(got.out, "\n") != 1 ||
		!strings.Contains(got.talk, "there are more") {
		t.Errorf("got %+v", got)
	}
	done := k.as(identity.Officer).run(t, "inbox", "--view", "done")
	if done.code != 0 || !strings.Contains(done.out, "UNDO UNTIL") {
		t.Errorf("got %+v", done)
	}
	var s struct {
		Inbox  struct{ Overdue, NeedsMe int }
		Health struct{ Status string }
	}
	status := k.as(identity.Officer).run(t, "status", "--json")
	if err := json.Unmarshal([]byte(status.out), &s); err != nil || status.code != 0 || s.Health.Status != "ready" {
		t.Errorf("got %+v %v", status, err)
	}
	if got := k.as(identity.Officer).run(t, "status"); !strings.Contains(got.out, "NEEDS YOU") || !strings.Contains(got.out, "AWAY") ||
		!strings.Contains(got.out, "Temporal") {
		t.Errorf("got %+v", got)
	}
}

func (k *counter) testAttention(t *testing.T) {
	id := k.propose()
	officer := k.as(identity.Officer)
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"proposal", "snooze", id, "--until", "24h"}, "SNOOZED UNTIL (IST)"},
		{[]string{"proposal", "snooze", id, "--until", "-1s"}, id},
		{[]string{"proposal", "claim", id}, "CLAIMED BY"},
		{[]string{"proposal", "claim", id, "--release"}, id},
		{[]string{"proposal", "assign", id, "--to", colleague}, colleague},
		{[]string{"proposal", "assign", id, "--nobody"}, "officer"},
		{[]string{"proposal", "delegate", id, "--to", colleague, "--until", "24h"}, "call"},
	} {
		if got := officer.run(t, tt.args...); got.code != 0 || !strings.Contains(got.out, tt.says) {
			t.Errorf("%v: got %+v, want %q", tt.args, got, tt.says)
		}
	}
	made := k.delegation()
	if got := officer.run(t, "delegation", "list"); !strings.Contains(got.out, made) || !strings.Contains(got.out, "Asha") {
		t.Errorf("got %+v", got)
	}
	if got := officer.run(t, "delegation", "end", made); got.code != 0 || !strings.Contains(got.out, "ENDED (IST)") {
		t.Errorf("got %+v", got)
	}
	for _, args := range [][]string{
		{"proposal", "snooze", id}, {"proposal", "snooze", id, "--until", "tomorrow"}, {"proposal", "assign", id},
		{"proposal", "assign", id, "--to", "x", "--nobody"}, {"delegation", "add", "--to", colleague}, {"delegation", "add", "--until",
			"1h"},
		{"delegation", "end", "x"}, {"delegation", "list", "--everybody", "--person", "x"}, {"inbox", "--view", "all"},
		{"inbox", "--limit", "0"},
		{"proposal", "list", "--state", "lost"}, {"proposal", "show", "../cases"},
	} {
		if got := officer.run(t, args...); got.code != 2 || !strings.HasPrefix(lastLine(got.talk), "next: ") {
			t.Errorf("%v: got %+v, want code 2", args, got)
		}
	}
}
