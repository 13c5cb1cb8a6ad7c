package reference_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
)

var (
	nine  = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	ravi  = reference.Ref{Number: "GP-2026-0012", ID: "0193a1b2-0000-7000-8000-000000000012", Person: "Ravi Kumar"}
	rekha = reference.Ref{Number: "GP-2026-0013", ID: "0193a1b2-0000-7000-8000-000000000013", Person: "Rekha Rao"}
	raj   = reference.Ref{Number: "GP-2025-0012", ID: "0193a1b2-0000-7000-8000-000000000014", Person: "Raj Kumar"}
)

// spoken is a conversation in which one pass is spoken of, listed one in which several were shown.
func spoken() reference.Scene {
	return reference.Scene{Memory: reference.Memory{CurrentPassNumber: ravi.Number, CurrentPassID: ravi.ID},
		Shown: []reference.Ref{ravi}, Seen: []reference.Ref{ravi, rekha}}
}

func listed() reference.Scene {
	all := []reference.Ref{rekha, ravi, raj}
	return reference.Scene{Shown: all, Seen: all}
}

// TestWhichPassIsMeant promises the rules, message by message: what is found and by what, or what is asked.
func TestWhichPassIsMeant(t *testing.T) {
	scenes := map[string]reference.Scene{"spoken": spoken(), "listed": listed()}
	for _, tt := range []struct{ scene, message, want string }{
		{"spoken", "approve GP-2026-0099", "GP-2026-0099 number"}, // a number always wins
		{"spoken", "approve it, I mean gp 2026 13", "GP-2026-0013 number"},
		{"spoken", "print GP-२०२६-००१३ for Ravi", "GP-2026-0013 number"},
		{"spoken", "approve GP-2026-0012 and GP-2026-0013", "several GP-2026-0012 GP-2026-0013"},
		{"spoken", "approve GP-2026-0012, yes GP-2026-0012", "GP-2026-0012 number"},
		{"spoken", "show 0193A1B2-0000-7000-8000-000000000013", "GP-2026-0013 id"},
		{"spoken", "approve it", "GP-2026-0012 pronoun"},
		{"spoken", "Print that one.", "GP-2026-0012 pronoun"},
		{"spoken", "the pass, please", "GP-2026-0012 pronoun"},
		{"spoken", "reject the last one", "GP-2026-0012 pronoun"},
		{"spoken", "इसे मंज़ूर करो", "GP-2026-0012 pronoun"},
		{"spoken", "usko approve karo", "GP-2026-0012 pronoun"},
		{"spoken", "approve Rekha's", "GP-2026-0013 name"},
		{"spoken", "approve Rekha, not him", "GP-2026-0013 name"},
		{"spoken", "approve रेखा राव", "GP-2026-0013 name"},
		{"spoken", "pass 13", "GP-2026-0013 serial"},
		{"spoken", "#13", "GP-2026-0013 serial"},
		{"spoken", "pass 77", "not_seen"}, // its year is not guessed
		{"spoken", "approve", "nothing_said GP-2026-0012"},
		{"spoken", "approve them", "several GP-2026-0012"},
		{"spoken", "permit me to ask", "nothing_said GP-2026-0012"}, // "it" is a word, not two letters
		{"listed", "approve it", "nothing_yet GP-2026-0013 GP-2026-0012 GP-2025-0012"},
		{"listed", "the first", "GP-2026-0013 place"},
		{"listed", "approve the second one", "GP-2026-0012 place"},
		{"listed", "the last one", "GP-2025-0012 place"},
		{"listed", "आखिरी वाला", "GP-2025-0012 place"},
		{"listed", "doosra wala", "GP-2026-0012 place"},
		{"listed", "the fifth", "not_seen GP-2026-0013 GP-2026-0012 GP-2025-0012"},
		{"listed", "approve Kumar", "several GP-2026-0012 GP-2025-0012"},
		{"listed", "approve Ravi", "GP-2026-0012 name"},
		{"listed", "approve KUMAR, Raj", "GP-2025-0012 name"},
		{"listed", "approve Ravi Kumar please", "GP-2026-0012 name"},
		{"listed", "pass 12", "several GP-2026-0012 GP-2025-0012"},
		{"listed", "approve all", "several GP-2026-0013 GP-2026-0012 GP-2025-0012"},
		{"nothing", "approve it", "nothing_yet"},
		{"nothing", "the last one", "nothing_yet"},
		{"nothing", "the second one", "nothing_said"},
		{"nothing", "approve Ravi", "nothing_said"},
		{"nothing", "", "nothing_said"},
	} {
		if got := said(reference.Resolve(tt.message, scenes[tt.scene])); got != tt.want {
			t.Errorf("%s, %q: got %q, want %q", tt.scene, tt.message, got, tt.want)
		}
	}
}

func said(m reference.Meaning) string {
	if m.Sure() {
		return string(m.Pass.Number) + " " + string(m.By)
	}
	s := string(m.Doubt)
	for _, r := range m.Choice {
		s += " " + string(r.Number)
	}
	return s
}

// usual is how long a conversation lasts where the clock is the wall's.
var usual = reference.Patience{Idle: reference.Idle, Longest: reference.Longest}

// TestAListOfSeveralIsAboutNoneOfThem promises when a pass becomes the one that is spoken of, and when none is any more.
func TestAListOfSeveralIsAboutNoneOfThem(t *testing.T) {
	m := reference.Memory{}.Live(nine, usual)
	for i, step := range []struct {
		op     string
		answer []reference.Ref
		want   number.Number
	}{
		{"create_gate_pass", []reference.Ref{ravi}, ravi.Number},
		{"list_gate_passes", nil, ravi.Number},
		{"list_gate_passes", []reference.Ref{ravi, rekha}, ""},
		{"list_gate_passes", []reference.Ref{rekha}, rekha.Number},
		{"get_qr_code", []reference.Ref{raj}, raj.Number},
	} {
		m = m.After(step.op, step.answer)
		if m.CurrentPassNumber != step.want || m.LastOperation != step.op || (m.CurrentPassID == "") != (step.want == "") {
			t.Errorf("step %d: got %+v", i, m)
		}
	}
}

// TestAMemoryLastsAsLongAsItsConversation promises half an hour of silence, twelve hours at most, and nothing left afterwards.
func TestAMemoryLastsAsLongAsItsConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := reference.Memory{}.Live(nine, usual).After("create_gate_pass", []reference.Ref{ravi})
		m.PendingParameters = map[string]any{"person_name": "Ravi"}
		now := nine
		for range rapid.IntRange(1, 60).Draw(t, "messages") {
			pause := time.Duration(rapid.IntRange(0, 31).Draw(t, "minutes")) * time.Minute
			now = now.Add(pause)
			ended := pause > 30*time.Minute || now.Sub(m.Begun) > 12*time.Hour
			next := m.Live(now, usual)
			if fresh := (reference.Memory{Begun: now, Touched: now}); ended != reflect.DeepEqual(next, fresh) {
				t.Fatalf("after %s of silence, %s in all: %+v", pause, now.Sub(m.Begun), next)
			}
			if ended {
				return
			}
			m = next
		}
	})
}

// TestANumberThatCameFromNowhereIsNotUsed promises that what a model made up reaches no tool.
func TestANumberThatCameFromNowhereIsNotUsed(t *testing.T) {
	wrote := []string{"hello", "please approve gp-2026-77"}
	for n, want := range map[number.Number]bool{
		"GP-2026-0077": true,  // the person wrote it
		"GP-2026-0013": true,  // a tool answered with it
		"GP-2026-0012": true,  // it is spoken of
		"GP-2026-0078": false, // nobody did
		"":             false,
	} {
		if got := reference.Grounded(n, wrote, spoken()); got != want {
			t.Errorf("%q: got %v", n, got)
		}
	}
	wrote = []string{"a pass for", "Ravi Kumar, bank, back by 5"}
	for name, want := range map[string]bool{"Ravi Kumar": true, "KUMAR ravi": true, "रवि कुमार": true, "Ravi": true,
		"Ravi Sharma": false, "": false} {
		if got := reference.Said(name, wrote); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}

// TestNothingIsMeantThatIsNotThere promises of any message: what is found was written, shown or seen, or is spoken of.
func TestNothingIsMeantThatIsNotThere(t *testing.T) {
	words := rapid.SampledFrom([]string{"approve", "it", "GP-2026-0099", "the", "second", "last", "Kumar", "Ravi", "pass", "12", "#13",
		"all",
		"इसे", "और", "that", "one", ","})
	rapid.Check(t, func(t *rapid.T) {
		message := strings.Join(rapid.SliceOfN(words, 0, 8).Draw(t, "message"), " ")
		scene := rapid.SampledFrom([]reference.Scene{spoken(), listed(), {}}).Draw(t, "scene")
		m := reference.Resolve(message, scene)
		if m.Sure() && !reference.Grounded(m.Pass.Number, []string{message}, scene) {
			t.Fatalf("%q means %+v", message, m)
		}
		if found := number.Find(message); len(found) == 1 && (!m.Sure() || m.Pass.Number != found[0]) {
			t.Fatalf("%q says %s and means %+v", message, found[0], m)
		}
		if !m.Sure() && m.Pass != (reference.Ref{}) {
			t.Fatalf("%q: in doubt, and %+v all the same", message, m)
		}
	})
}

// FuzzResolve promises that no message breaks the rules.
func FuzzResolve(f *testing.F) {
	f.Add("approve GP-2026-0012 and the second one")
	f.Add("0193A1B2-0000-7000-8000-000000000013 #9999999")
	f.Fuzz(func(t *testing.T, message string) {
		for _, scene := range []reference.Scene{spoken(), listed(), {}} {
			m := reference.Resolve(message, scene)
			if m.Sure() && m.By != reference.ByID && !reference.Grounded(m.Pass.Number, []string{message}, scene) {
				t.Errorf("%q means %+v", message, m)
			}
		}
	})
}
