package console

import (
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// inWords is a page with the words of an application that has some for its tool.
func inWords(t *testing.T) *web.Page {
	t.Helper()
	const words = `{"field.refund.why":"because of","field.refund.mode":"how","hint.refund.mode":"One of them.","value.refund.mode.fast":"At once",
		"value.why.late":"it came late","status.asked":"Asked","status.before_a_person":"Before a person","tool.refund":"pay it back",
		"about.pay_back":"Pay it back","about.first_letter":"the first letter","do.refund.mode.fast":"Pay at once","proposal.reason_hint.reject.refund":"It is asked again.",
		"subject.trip":"{measure} of {van}","subject.trip.measure.miles":"Length","subject.trip.measure./stops/late":"Late stops in {town}, as seen",
		"subject.trip.town.X":"Ex"}`
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, May: policy.Standard().May,
		Messages: []fs.FS{Messages(), signin.Messages(), fstest.MapFS{"en.json": {Data: []byte(words)}, "hi.json": {Data: []byte(words)}}}})
	if err != nil {
		t.Fatal(err)
	}
	return site.Page(httptest.NewRequest("GET", "/", nil))
}

// TestArgumentsAreReadInWords promises an application's own words for the arguments of
// its tools: what they are called, what can be picked, what a value means. What people
// type is shown as they typed it.
func TestArgumentsAreReadInWords(t *testing.T) {
	p := inWords(t)
	const schema = `{"type":"object","properties":{"mode":{"type":"string","enum":["fast","slow"]},"why":{"type":"string","readOnly":true},"note":{"type":"string"},
		"all":{"type":"array","readOnly":true,"items":{"type":"object","properties":{"why":{"type":"string","readOnly":true}}}}},"required":["mode","why","note","all"]}`
	form, err := forms.New([]byte(schema), []byte(`{"mode":"fast","why":"late","note":"late","all":[{"why":"late"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	fields := worded(p, "refund", form.Fields())
	mode, why, note, all := fields[0], fields[1], fields[2], fields[3]
	for _, tt := range []struct{ what, got, want string }{
		{"a label of the tool's own", fieldLabel(p, mode), "How"}, {"a hint", mode.Hint, "One of them."},
		{"a value with a word", chosenWords(p, mode), "At once"}, {"a value without", mode.Options[1].Label, "slow"},
		{"what nobody changes", why.Text, "it came late"}, {"what is typed", note.Text, "late"},
		{"a label nobody gave", fieldLabel(p, note), "Note"},
		{"a value in a row", all.Fields[0].Fields[0].Text, "it came late"},
		{"the form itself", form.Fields()[1].Text, "late"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.what, tt.got, tt.want)
		}
	}
	if n := len(fixed(fields)); n != 2 || len(free(fields)) != 2 {
		t.Errorf("%d of %d fields are fixed, want 2", n, len(fields))
	}
	d, err := forms.Diff([]byte(`{"mode":"fast"}`), []byte(`{"mode":"slow"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := changeWord(p, "refund", d.Changes[0], d.Changes[0].Was); !ok || got != "At once" {
		t.Errorf("what it was: got %q", got)
	}
	if got := pathWords(p, "refund", d.Changes[0].Path); got != "How" {
		t.Errorf("where it changed: got %q", got)
	}
}

// TestEntriesAreReadInWords promises that the codes in an entry are read as words, and
// that nothing else in it is touched: no word that a person or an agent wrote.
func TestEntriesAreReadInWords(t *testing.T) {
	p := inWords(t)
	for _, tt := range []struct {
		by               identity.Kind
		kind, text, want string
	}{
		{identity.Person, "proposed", "shop.refund", "Pay it back"},
		{identity.System, "note", "shop.refund", "shop.refund"},
		{identity.System, "moved", "EMP-1: asked → before_a_person (late)", "EMP-1: Asked → Before a person (it came late)"},
		{identity.System, "moved", "asked → gone", "Asked → gone"},
		{identity.System, "moved", "pay_back: asked → gone", "Pay it back: Asked → gone"},
		{identity.System, "moved", "EMP-1, first letter", "EMP-1, the first letter"},
		{identity.System, "moved", "pay_back. Nothing came of it: pay_back", "Pay it back. Nothing came of it: pay_back"},
		{identity.Person, "note", "pay_back: it was late", "pay_back: it was late"},
		{identity.System, "note", "left → right", "left → right"},
		{identity.Person, "note", "asked → before_a_person (late)", "asked → before_a_person (late)"},
		{identity.Agent, "note", "asked → gone", "asked → gone"},
		{identity.Person, "note", "a plain note", "a plain note"},
	} {
		if got := entryWords(p, casefile.Entry{ActorKind: tt.by, Kind: tt.kind, Text: tt.text}); got != tt.want {
			t.Errorf("%s, %s %q: got %q, want %q", tt.by, tt.kind, tt.text, got, tt.want)
		}
	}
}

// TestTheButtonNamesWhatWasChosen promises that who picks among several presses what
// they picked, and reads what follows from a no as the tool has it.
func TestTheButtonNamesWhatWasChosen(t *testing.T) {
	p := inWords(t)
	one := func(args string) proposalView {
		return proposalView{Proposal: review.Proposal{Tool: "refund", Required: 1, Effect: "write", Args: []byte(args)}, answer: "reject"}
	}
	for args, want := range map[string]string{`{"mode":"fast"}`: "Pay at once", `{"mode":"slow"}`: "Pay it back",
		`{"mode":1}`: "Pay it back", ``: "Pay it back"} {
		if got := primary(p, one(args)); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
	e := editView{proposalView: one(`{"mode":"slow"}`), edited: []byte(`{"mode":"fast"}`)}
	if got := primary(p, e.asEdited()); got != "Pay at once" {
		t.Errorf("as edited: got %q", got)
	}
	if got := reasonHint(p, one("")); got != "It is asked again." {
		t.Errorf("what a no leads to: got %q", got)
	}
	other := one("")
	other.Tool = "file"
	if got := reasonHint(p, other); got != p.T("proposal.reason_hint.reject") {
		t.Errorf("of another tool: got %q", got)
	}
}

// TestThePersonConcernedReadsWhatWasChosen promises them the outcome, as it was approved,
// and the tool's own line only where the application has no words for it.
func TestThePersonConcernedReadsWhatWasChosen(t *testing.T) {
	p := inWords(t)
	one := review.Proposal{Tool: "refund", State: review.Edited, Args: []byte(`{"mode":"slow"}`), FinalArgs: []byte(`{"mode":"fast"}`),
		Shown: []byte(`{"tool":"refund","line":"Pays back."}`)}
	if got := decisionFor(p, one, nil); got.what != "Pay at once" || got.lang != "" {
		t.Errorf("as edited: %q in %q", got.what, got.lang)
	}
	one.FinalArgs = nil
	if got := decisionFor(p, one, nil); got.what != "Pays back." || got.lang != "en" {
		t.Errorf("without a word for it: %q in %q", got.what, got.lang)
	}
}

// TestAKeyOfTheProgramsOwnIsNotShown promises that a person reads no keys.
func TestAKeyOfTheProgramsOwnIsNotShown(t *testing.T) {
	const schema = `{"type":"object","properties":{"key":{"type":"string","readOnly":true,"x-hidden":true},"open":{"type":"string","x-hidden":true}},"required":["key","open"]}`
	form, err := forms.New([]byte(schema), []byte(`{"key":"CASE-1/5/0","open":"typed"}`))
	if err != nil {
		t.Fatal(err)
	}
	if f := form.Fields(); shownField(f[0]) || !shownField(f[1]) {
		t.Error("a key is shown, or what can be edited is not")
	}
	if text, err := form.JSON(); err != nil || string(text) != `{"key":"CASE-1/5/0","open":"typed"}` {
		t.Errorf("it comes back as %s, %v", text, err)
	}
}

// TestAFactIsReadInWords promises that what tells facts apart is filled into the words
// of their kind, where it has places for it.
func TestAFactIsReadInWords(t *testing.T) {
	p := inWords(t)
	got := subjectWords(p, fact.Subject{Type: "trip", IDs: map[string]string{"measure": "miles", "van": "VP-1", "piece": "for/1"}})
	if want := "Length of VP-1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = subjectWords(p, fact.Subject{Type: "trip", IDs: map[string]string{"measure": "/stops/late", "van": "VP-1", "town": "X"}})
	if want := "Late stops in Ex, as seen of VP-1"; got != want {
		t.Errorf("words that have places again: got %q, want %q", got, want)
	}
}

// TestAFactLiesOnItsOwnPiece promises that of several pieces of one document a fact is
// on the one that it was read from.
func TestAFactLiesOnItsOwnPiece(t *testing.T) {
	piece := func(pointer string) card {
		return card{Piece: evidence.Piece{Range: &evidence.Range{JSON: &fact.JSONPointer{Pointer: pointer}}}}
	}
	read := func(pointer string) fact.Fact {
		var none evidence.Piece // of the same bytes
		return fact.Fact{Source: &fact.Source{Snapshot: none.SHA256.String(),
			Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: pointer}}}}
	}
	for _, tt := range []struct {
		piece, at string
		want      bool
	}{{"/for/1", "/for/1/data/miles", true}, {"/for/1", "/for/1", true}, {"/for/1", "/for/10/data/miles", false},
		{"/for/1", "/against/1/data/miles", false}, {"", "/for/1", true}} {
		if got := piece(tt.piece).holds(read(tt.at)); got != tt.want {
			t.Errorf("%s on %s: got %v", tt.at, tt.piece, got)
		}
	}
}

// TestARecordSaysWhatWasDoneOrNothing promises a word for what was done where the record
// says it and there is one, and never the name of a word.
func TestARecordSaysWhatWasDoneOrNothing(t *testing.T) {
	p := inWords(t)
	for _, tt := range []struct {
		kind       audit.Kind
		body, want string
	}{
		{audit.Act, `{"step":"paused"}`, "Act: paused"},
		{audit.Decision, `{"verdict":"send_back"}`, "Decision: sent back"},
		{audit.Act, `{"step":"no_such_step"}`, "Act"},
		{audit.Act, `{}`, "Act"},
		{audit.CaseStep, `{"step":"opened"}`, "Case: opened"},
		{audit.CaseStep, `{"step":"air_told"}`, "Case: air told"},
		{audit.CaseStep, `{}`, "Case"},
		{audit.CaseStep, `{"step":7}`, "Case"},
	} {
		if got := did(p, audit.Record{Kind: tt.kind, Body: json.RawMessage(tt.body)}); got != tt.want {
			t.Errorf("%s %s reads %q, want %q", tt.kind, tt.body, got, tt.want)
		}
	}
}
