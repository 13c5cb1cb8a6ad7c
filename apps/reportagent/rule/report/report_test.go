package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

// TestTheWholeRunBecomesAReport promises a draft in every section, every number of it a fact that the ledger holds, the
// outline otherwise as it was, and the one dead chart of the map as the only problem.
func TestTheWholeRunBecomesAReport(t *testing.T) {
	run, got := whole(t)
	for _, e := range got.Ledger.Sections {
		if e.Status != report.Written || e.Hash == "" || len(e.Facts) == 0 {
			t.Errorf("%s is %s, with %d facts", e.ID, e.Status, len(e.Facts))
		}
	}
	if len(got.Ledger.Sections) != 40 || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Text,
		"electricity_generation_by_fuel") {
		t.Errorf("%d sections; problems: %+v", len(got.Ledger.Sections), got.Problems)
	}
	meta, ok := report.ReadMeta(got.Document)
	if !ok || meta != got.Ledger.Meta || len(meta.Catalogue) != 64 || len(meta.Outline) != 64 {
		t.Errorf("the file says of itself %+v", meta)
	}
	doc, err := outline.Parse(got.Document)
	if err != nil || doc.Diagnostics.Has("error") {
		t.Fatal(err, doc.Diagnostics)
	}
	was, err := outline.Parse(run.Outline())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range was.Sections {
		if now := doc.Sections[i]; now.ID != s.ID || now.Instructions != s.Instructions {
			t.Errorf("%s became %s", s.ID, now.ID)
		}
	}
	typed := regexp.MustCompile(`\d`)
	for _, e := range got.Ledger.Sections {
		for _, p := range e.Paragraphs {
			for _, s := range p.Sentences {
				bare := regexp.MustCompile(`\{\{[^}]*\}\}|20[0-9][0-9]|Harbour-[12]p5DS|NDC 2030 \(43%\)|\(8 h or more\)`).
					ReplaceAllString(s.Text, "")
				if typed.MatchString(bare) {
					t.Errorf("%s types a digit: %s", e.ID, s.Text)
				}
			}
		}
	}
	if again := generate(t, request(t, run.Outline(), discover(t, run.Files()), run.Map())); !bytes.Equal(again.Document, got.Document) {
		t.Error("the same files make another report")
	}
}

// TestALedgerComesBackAsItWas promises that what is kept beside a report is read as it was written, and nothing else is.
func TestALedgerComesBackAsItWas(t *testing.T) {
	got := generate(t, request(t, []byte(smallOutline), discover(t, small()), nil))
	text, err := json.Marshal(got.Ledger)
	if err != nil {
		t.Fatal(err)
	}
	back, err := report.ParseLedger(text)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(back); !bytes.Equal(again, text) {
		t.Errorf("got %s", again)
	}
	for _, bad := range []string{"", "{}", strings.Replace(string(text), `"value":"100"`, `"value":"101"`, 1)} {
		if _, err := report.ParseLedger([]byte(bad)); err == nil {
			t.Errorf("%.40s was read as a ledger", bad)
		}
	}
}

// TestAPersonsWordsAreNeverOverwritten promises that text which is not what was written stays, whether it stands in the outline
// or in the report, through any number of runs; what nobody touched is written again.
func TestAPersonsWordsAreNeverOverwritten(t *testing.T) {
	first := generate(t, request(t, []byte(smallOutline), discover(t, small()), nil))
	document := edited(t, first.Document, "In Deep, the total falls by", "As the board asked: in Deep, the total falls by")
	next := changed(t, small(), "transport/cars.csv", "9.0", "8.0")
	for range 2 {
		got := generate(t, again(t, next, first, document))
		if text := prose(t, got.Document, "energy"); !strings.Contains(text, "As the board asked") {
			t.Errorf("the words are gone: %s", text)
		}
		if e := got.Ledger.Find("energy"); e.Status != report.Kept || e.Hash != "" || len(e.Facts) == 0 {
			t.Errorf("got %s, %d facts", e.Status, len(e.Facts))
		}
		if text := prose(t, got.Document, "transport"); !strings.Contains(text, "to 8.0\u00a0million") {
			t.Errorf("what nobody touched is not written again: %s", text)
		}
		first, document = got, got.Document
	}
	r := request(t, []byte(strings.Replace(smallOutline, "## Transport\n", "## Transport\nMine.\n", 1)), discover(t, small()), nil)
	if got := generate(t, r); prose(t, got.Document, "transport") != "Mine." || got.Ledger.Find("transport").Status != report.Kept {
		t.Errorf("words in the outline: got %s", got.Document)
	}
	r = again(t, small(), first, document)
	r.Outline = []byte("# Results\n\n## Transport\n")
	if got := generate(t, r); !slices.ContainsFunc(got.Problems, func(p report.Problem) bool { return p.Section == "energy" }) {
		t.Errorf("words of a section that is gone were dropped without a word: %+v", got.Problems)
	}
}

// TestReviewsOfAReplacedTextAreKept promises that what reviewers said of a text goes into the ledger when the text is written again.
func TestReviewsOfAReplacedTextAreKept(t *testing.T) {
	first := generate(t, request(t, []byte(smallOutline), discover(t, small()), nil))
	document := edited(t, first.Document, "<!-- Review comments: -->",
		"<!-- Review comments: AUTHOR: P. Rao\nRATING: accuracy=4\nNOTES: Good. -->")
	got := generate(t, again(t, changed(t, small(), "energy/use_by_fuel.csv", "10.0", "11.0"), first, document))
	e := got.Ledger.Find("energy")
	if e.Status != report.Written || len(e.History) != 1 || e.History[0].RunID != "test-1" || e.History[0].Reviews[0].Notes != "Good." {
		t.Errorf("got %s, %+v", e.Status, e.History)
	}
	if got.Ledger.Version != 2 {
		t.Errorf("got version %d", got.Ledger.Version)
	}
}

// TestOnlyWhatChangedIsWrittenAgain promises that with OnlyChanged a section whose charts are the same keeps its text, and that
// one section alone can be written.
func TestOnlyWhatChangedIsWrittenAgain(t *testing.T) {
	first := generate(t, request(t, []byte(smallOutline), discover(t, small()), nil))
	r := again(t, changed(t, small(), "energy/use_by_fuel.csv", "10.0", "11.0"), first, first.Document)
	r.OnlyChanged = true
	got := generate(t, r)
	for id, want := range map[string]report.Status{"results": report.Written, "energy": report.Written, "transport": report.Unchanged} {
		if e := got.Ledger.Find(id); e.Status != want {
			t.Errorf("%s: got %s, want %s", id, e.Status, want)
		}
	}
	r = again(t, changed(t, small(), "energy/use_by_fuel.csv", "10.0", "11.0"), first, first.Document)
	r.Section = "energy"
	got = generate(t, r)
	for id, want := range map[string]report.Status{"results": report.Left, "energy": report.Written, "transport": report.Left} {
		if e := got.Ledger.Find(id); e.Status != want || e.Hash == "" {
			t.Errorf("one section: %s is %s, want %s", id, e.Status, want)
		}
	}
	if prose(t, got.Document, "results") != prose(t, first.Document, "results") || prose(t, got.Document, "energy") == prose(t,
		first.Document, "energy") {
		t.Error("not the one section was written")
	}
	r.Section = "nothing"
	if _, err := report.Generate(r); err == nil {
		t.Error("a section that is not there was written")
	}
}

// TestASectionWithoutDataIsBlocked promises that nothing is written from nothing.
func TestASectionWithoutDataIsBlocked(t *testing.T) {
	got := generate(t, request(t, []byte("# Governance\n"), discover(t, small()), nil))
	if e := got.Ledger.Sections[0]; e.Status != report.Blocked || prose(t, got.Document, "governance") != "" || len(got.Problems) != 1 {
		t.Errorf("got %s, %+v", e.Status, got.Problems)
	}
}
