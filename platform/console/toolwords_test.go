package console

import (
	"io/fs"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// inWords is a page with the words of an application that has some for its tool.
func inWords(t *testing.T) *web.Page {
	t.Helper()
	const words = `{"field.refund.why":"because of","field.refund.mode":"how","hint.refund.mode":"One of them.","value.refund.mode.fast":"At once",
		"value.why.late":"it came late","status.asked":"Asked","status.before_a_person":"Before a person","tool.refund":"pay it back",
		"subject.trip":"{measure} of {van}","subject.trip.measure.miles":"Length"}`
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
		{"what nobody changes", why.Text, "it came late"}, {"what is typed", note.Text, "late"}, {"a label nobody gave", fieldLabel(p, note), "Note"},
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

// TestAFactIsReadInWords promises that what tells facts apart is filled into the words
// of their kind, where it has places for it.
func TestAFactIsReadInWords(t *testing.T) {
	p := inWords(t)
	got := subjectWords(p, fact.Subject{Type: "trip", IDs: map[string]string{"measure": "miles", "van": "VP-1", "piece": "for/1"}})
	if want := "Length of VP-1"; got != want {
		t.Errorf("got %q, want %q", got, want)
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
		return fact.Fact{Source: &fact.Source{Snapshot: none.SHA256.String(), Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: pointer}}}}
	}
	for _, tt := range []struct {
		piece, at string
		want      bool
	}{{"/for/1", "/for/1/data/miles", true}, {"/for/1", "/for/1", true}, {"/for/1", "/for/10/data/miles", false}, {"/for/1", "/against/1/data/miles", false}, {"", "/for/1", true}} {
		if got := piece(tt.piece).holds(read(tt.at)); got != tt.want {
			t.Errorf("%s on %s: got %v", tt.at, tt.piece, got)
		}
	}
}
