package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/report"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var author = identity.Actor{Kind: identity.Person, ID: "p:analyst", Name: "A. Nalyst", Org: postgrestest.North,
	Roles: []identity.Role{identity.Analyst}}

const aCase = "case_01ARZ3NDEKTSV4RRFFQ69G5FAV"

// A rig is a desk on a real log.
type rig struct {
	*report.Desk
	log *audit.Reader
}

func newRig(t testing.TB) rig {
	t.Helper()
	db := postgrestest.New(t, audit.Migrations())
	backend, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := audit.NewReader(audit.ReaderConfig{DB: db.App, System: db.System})
	return rig{report.NewDesk(log, blob.New(backend, blob.Config{})), log}
}

// page is a report with text that cites F1 = -128.92 Mt CO2-e and F2 = 1200.5,
// as package render writes it.
func page(t testing.TB, id report.ID, text string) string {
	t.Helper()
	b := fact.NewBook(aCase)
	for i, number := range []string{"-128.92", "1200.5"} {
		f, err := fact.Read(fact.Reading{Kind: fact.Observed, Number: number, Unit: "Mt CO2-e", Decimals: 1,
			Subject: fact.Subject{Type: "series", IDs: map[string]string{"n": fmt.Sprint(i)}},
			Source: fact.Source{Snapshot: strings.Repeat("0f", 32),
				Selector: fact.Selector{CSV: &fact.CSVCell{Row: i + 1, Column: "val"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	body, err := render.Renderer{Find: b.Latest}.HTML(text)
	if err != nil {
		t.Fatal(err)
	}
	return "<!doctype html><html><head>" + id.Tag() + "<title>Power & land</title></head><body><p>" + body + "</p></body></html>"
}

const text = "Falls by {{F1|abs|0}} from {{F2}}; {{F1}} in all, {{F2|nounit}} before."

func TestWhatRenderTagsIsReadBack(t *testing.T) {
	got, odd := report.Numbers([]byte(page(t, report.NewID(), text)))
	want := []report.Number{
		{Fact: "F1", Version: 1, Show: "|abs|0", Value: "-128.92", Text: "129\u00a0Mt\u00a0CO₂-e"},
		{Fact: "F2", Version: 1, Value: "1200.5", Text: "1,200.5\u00a0Mt\u00a0CO₂-e"},
		{Fact: "F1", Version: 1, Value: "-128.92", Text: "−128.9\u00a0Mt\u00a0CO₂-e"},
		{Fact: "F2", Version: 1, Show: "|nounit", Value: "1200.5", Text: "1,200.5"},
	}
	if odd != 0 || len(got) != len(want) {
		t.Fatalf("got %v and %d odd", got, odd)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("number %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestACopyIsToldWhatDiffers promises a sentence for each number that is not as
// it left, and silence about those that are.
func TestACopyIsToldWhatDiffers(t *testing.T) {
	r := newRig(t)
	id := report.NewID()
	whole := page(t, id, text)
	if _, err := r.Note(t.Context(), author, time.Now(), aCase, []byte(whole)); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(whole, "<data")
	inside, _, _ := strings.Cut(after, "</data>")
	first := "<data" + inside + "</data>"
	for _, tt := range []struct {
		name, copy string
		want       []string
	}{
		{"the same", whole, nil},
		{"other words", strings.Replace(whole, "Falls", "Rises", 1), nil},
		{"what is seen", strings.Replace(whole, ">129", ">229", 1),
			[]string{`F1, place 1 of 2, said “129 Mt CO₂-e”, and this copy says “229 Mt CO₂-e”.`}},
		{"what is not seen", strings.Replace(whole, `value="1200.5"`, `value="1300.5"`, 1),
			[]string{`F2, place 1 of 2, said “1,200.5 Mt CO₂-e” (value “1200.5”), and this copy says “1,200.5 Mt CO₂-e” (value “1300.5”).`}},
		{"another version", strings.Replace(whole, `data-version="1"`, `data-version="2"`, 1), []string{"version 1", "version 2"}},
		{"one left out", strings.Replace(whole, first, "", 1), []string{"F1 stood in 2 places, and 1 is missing from this copy."}},
		{"one added", strings.Replace(whole, "</p>", first+"</p>", 1), []string{"F1 stood in 2 places, and this copy has it in 3 places."}},
		{"a fact of another number", strings.Replace(whole, `data-fact="F2"`, `data-fact="F9"`, 2),
			[]string{"F2 stood in 2 places, and 2 are missing", "F9 stood in no place"}},
		{"another order", page(t, id, "Falls by {{F1|abs|0}}; {{F1}} in all, from {{F2}}, {{F2|nounit}} before."),
			[]string{"in another order"}},
		{"a tag of another hand", strings.Replace(whole, "</p>", `<data value="7">7</data></p>`, 1),
			[]string{"1 number is in this copy not tagged"}},
		{"a tag that never ends", strings.Replace(whole, "</p>", `<data value="7">`, 1), []string{"1 number is in this copy not tagged"}},
		{"a turn of the writing", strings.Replace(whole, ">129", ">\u202e921", 1), []string{"?921"}},
	} {
		got, err := r.Compare(t.Context(), []byte(tt.copy))
		if err != nil || got.Numbers != 4 || got.Left.SHA256 != blob.Sum([]byte(whole)) || got.Entry.Record.Subject != aCase {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
		said := strings.Join(got.Differences, "\n")
		if (len(tt.want) == 0) != (said == "") {
			t.Errorf("%s: got %q", tt.name, said)
		}
		for _, want := range tt.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: got %q, want %q", tt.name, said, want)
			}
		}
	}
}

// TestWhoWasNotGivenAReportLearnsNothing promises that a made-up file is told no
// number: the id cannot be guessed, and nobody who reads the log can tell it.
func TestWhoWasNotGivenAReportLearnsNothing(t *testing.T) {
	r := newRig(t)
	id := report.NewID()
	if _, err := r.Note(t.Context(), author, time.Now(), aCase, []byte(page(t, id, text))); err != nil {
		t.Fatal(err)
	}
	list, err := r.log.Page(t.Context(), postgrestest.North, audit.Query{})
	if err != nil || len(list.Entries) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	json := list.Entries[0].JSON
	if strings.Contains(json, string(id)[4:]) || strings.Contains(json, "128") && strings.Contains(json, "1200.5") {
		t.Errorf("the log tells the id or the numbers: %s", json)
	}
	left, _ := list.Entries[0].Left()
	for _, made := range []string{
		page(t, report.NewID(), text),
		page(t, report.ID("rpt_"+left.Report.String()[:32]), text),
		page(t, report.ID(left.Report.String()), text),
		page(t, aCase, text),
		"<p>nothing</p>", "",
	} {
		if got, err := r.Compare(t.Context(), []byte(made)); !fault.Is(err, fault.NotFound) || len(got.Differences) > 0 {
			t.Errorf("%.90s: got %+v, %v", made, got, err)
		}
	}
	// Who has one report may not ask for facts that were not in it.
	got, err := r.Compare(t.Context(), []byte(id.Tag()+`<data class="fact" value="1" data-fact="F3" data-version="1">1</data>`))
	if err != nil || !strings.Contains(strings.Join(got.Differences, " "), "F3 stood in no place") {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAReportThatCouldNotBeKnownAgainDoesNotLeave(t *testing.T) {
	r := newRig(t)
	id := report.NewID()
	for name, file := range map[string]string{
		"no id":         "<p>words</p>",
		"two ids":       id.Tag() + report.NewID().Tag(),
		"a strange tag": id.Tag() + `<data value="7">7</data>`,
		"too many numbers": id.Tag() + strings.Repeat(`<data class="fact" value="1" data-fact="F3" data-version="1">1</data>`,
			report.MaxNumbers+1),
		"too long":          id.Tag() + strings.Repeat(" ", report.MaxBytes),
		"a tag never ended": id.Tag() + `<data class="fact" value="1" data-fact="F3" data-version="1">1`,
	} {
		if rec, err := r.Note(t.Context(), author, time.Now(), aCase, []byte(file)); err == nil {
			t.Errorf("%s: left as %s", name, rec)
		}
	}
	list, err := r.log.Page(t.Context(), postgrestest.North, audit.Query{})
	if err != nil || len(list.Entries) != 0 {
		t.Errorf("on record are %d departures, %v", len(list.Entries), err)
	}
}

func TestAnyFileCanBeLookedAt(t *testing.T) {
	parts := []string{"<data", "</data>", ` class="fact"`, ` value="1"`, ` data-fact="F1"`, ` data-version="1"`, ">", "1", "<", "x"}
	rapid.Check(t, func(rt *rapid.T) {
		file := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(rt, "file"), "")
		numbers, odd := report.Numbers([]byte(file))
		if len(numbers)+odd > strings.Count(file, "<data") {
			rt.Fatalf("%q has %d numbers and %d odd ones", file, len(numbers), odd)
		}
		if (len(numbers)+odd == 0) != !strings.Contains(file, "<data") {
			rt.Fatalf("%q: a tag was passed over", file)
		}
	})
}
