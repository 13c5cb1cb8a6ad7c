package reportagent_test

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent"
	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestRecordedReportsStillGetThrough promises that a drafting and the case of a report which an earlier build lived through would
// be lived through alike by this one. The histories are written by `go test ./apps/reportagent -run AReportIsDrafted -record`.
func TestRecordedReportsStillGetThrough(t *testing.T) {
	durabletest.Replay(t, "testdata/history", reportagent.New().Work.Workflows...)
}

var metaLine = regexp.MustCompile(`^<!-- report-meta: .*-->\n`)

// alone is the same report written by the rules alone, in memory.
func alone(t *testing.T, outline string, files map[string][]byte) *report.Result {
	t.Helper()
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: content}
	}
	cat, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	out, err := report.Generate(report.Request{Outline: []byte(outline), Catalogue: cat, Map: &mapping.Map{},
		Aliases: mapping.StandardAliases(),
		Meta:    report.Meta{RunID: "x", Model: report.NoModel, Prompt: draft.Code, Tool: "test", Generated: time.Unix(0, 0)}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAReportIsDraftedAndAPersonsWordsStay promises, with the engine: section by section the same text is written as by the rules
// over the whole file; a person's words are never written over, nor by whoever saw other words; newer data say what is false, and
// only what rests on them is drafted again. With -record it writes the histories of the drafting and the case.
func TestAReportIsDraftedAndAPersonsWordsStay(t *testing.T) {
	r := newRig(t, false)
	engine := r.Work(t, r.App.Work)
	made := r.bring(t, smallOutline, small())
	first := r.drafted(t, made.ID, map[string]any{})
	var doc rest.ReportDocumentBody
	r.ask(t, "auditor", http.MethodGet, rest.Base+"/"+made.ID+"/document", nil, &doc)
	want := metaLine.ReplaceAllString(string(alone(t, smallOutline, small()).Document), "")
	if doc.Markdown != want {
		t.Errorf("got\n%s\nwant\n%s", doc.Markdown, want)
	}
	energy := r.section(t, made.ID, "energy")
	if energy.How != store.Templates || energy.Version != 1 || len(energy.Facts) == 0 || len(energy.Findings) > 0 {
		t.Errorf("got %+v", energy)
	}
	words := energy.Text + "\n\nThe model knows no rationing."
	at := rest.Base + "/" + made.ID + "/sections/energy"
	put := func(who, was, text string) int {
		return r.ask(t, who, http.MethodPut, at, map[string]string{"was": was, "text": text}, nil)
	}
	for _, one := range []struct {
		name, who, was, text string
		want                 int
	}{
		{"an officer", "officer", energy.Hash, words, http.StatusForbidden},
		{"somebody else's", "other", energy.Hash, words, http.StatusNotFound},
		{"a heading", "analyst", energy.Hash, "# Head", http.StatusUnprocessableEntity},
		{"a comment", "analyst", energy.Hash, "x <!-- y -->", http.StatusUnprocessableEntity},
		{"an analyst", "analyst", energy.Hash, words, http.StatusOK},
		{"what was there before", "analyst", energy.Hash, "Mine!", http.StatusPreconditionFailed},
	} {
		if got := put(one.who, one.was, one.text); got != one.want {
			t.Errorf("%s: got %d, want %d", one.name, got, one.want)
		}
	}
	r.drafted(t, made.ID, map[string]any{"section": "energy"})
	if now := r.section(t, made.ID, "energy"); now.Text != words || now.How != store.Person || now.Status != report.Kept ||
		len(now.Findings) > 0 {
		t.Errorf("a person's words: got %+v", now)
	}
	r.newerData(t, made.ID)
	if *record {
		r.keepHistories(t, engine, made, first)
	}
}

// newerData gives the report a run in which the cars are others.
func (r rig) newerData(t *testing.T, id string) {
	t.Helper()
	files := small()
	files["transport/cars.csv"] = bytes.ReplaceAll(files["transport/cars.csv"], []byte("1.0,9.0"), []byte("1.0,0.5"))
	before := r.section(t, id, "transport")
	r.ask(t, "analyst", http.MethodPost, rest.Base+"/"+id+"/data", map[string]any{"name": "second", "zip": zipped(t, files)},
		new(rest.ModelDataBody))
	var c report.Changes
	r.ask(t, "analyst", http.MethodGet, rest.Base+"/"+id+"/changes", nil, &c)
	if !slices.Contains(c.Sections(), "transport") || slices.Contains(c.Sections(), "energy") || len(c.Flipped) == 0 {
		t.Errorf("the changes: got %+v", c)
	}
	if now := r.section(t, id, "transport"); now.Text != before.Text {
		t.Error("newer data changed a text by themselves")
	}
	r.drafted(t, id, map[string]any{"only_changed": true})
	if now := r.section(t, id, "transport"); now.Version != before.Version+1 || !strings.Contains(now.Text, "falls") {
		t.Errorf("got %+v", now)
	}
	r.ask(t, "analyst", http.MethodGet, rest.Base+"/"+id+"/changes", nil, &c)
	if !c.None() {
		t.Errorf("after drafting: got %+v", c)
	}
}

// keepHistories closes the case and writes the histories.
func (r rig) keepHistories(t *testing.T, engine durabletest.Client, made rest.DraftedReportBody, drafting string) {
	t.Helper()
	officer := platformtest.Person("omar", postgrestest.North, identity.Officer)
	version := int64(r.Number(t, `select version::int from gavel.case where id = $1`, made.Case))
	if err := r.Deps.Cases.Close(t.Context(), officer, casefile.CaseID(made.Case), version, "It is published."); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the case has ended", func() bool {
		return r.Number(t, `select count(*)::int from gavel.case where id = $1 and state = 'closed'`, made.Case) == 1
	})
	north := "reportagent/" + string(postgrestest.North) + "/"
	durabletest.Record(t, engine, north+made.ID, "testdata/history/case.json")
	durabletest.Record(t, engine, north+"draft:"+drafting, "testdata/history/draft.json")
}

// TestABadRunIsRefused promises that what is no run, holds no tables or lies elsewhere is refused, and leaves nothing.
func TestABadRunIsRefused(t *testing.T) {
	r := newRig(t, false)
	for name, body := range map[string]map[string]any{
		"no zip":       {"outline": smallOutline, "zip": []byte("no zip at all")},
		"no tables":    {"outline": smallOutline, "zip": zipped(t, map[string][]byte{"a/x.png": {1}})},
		"no headings":  {"outline": "words", "zip": zipped(t, small())},
		"no run":       {"outline": smallOutline},
		"two runs":     {"outline": smallOutline, "zip": zipped(t, small()), "folder": "x"},
		"a folder":     {"outline": smallOutline, "folder": "../etc"},
		"a broken map": {"outline": smallOutline, "zip": zipped(t, small()), "section_chart_map": "{"},
	} {
		if code := r.ask(t, "analyst", http.MethodPost, rest.Base, body, nil); code < 400 || code >= 500 &&
			code != http.StatusServiceUnavailable {
			t.Errorf("%s: got %d", name, code)
		}
	}
	if n := r.Number(t, `select count(*)::int from reportagent.report`); n != 0 {
		t.Errorf("%d reports are there", n)
	}
}

// runOutline is some sections of the made-up run, three levels deep.
const runOutline = "# Projection results\n## Emissions\n### Emissions by gas\n## Transport\n### Road vehicle stock by drivetrain\n## Hydrogen\n"

// TestARealRunIsDrafted promises that sections of the made-up run with all its traps are drafted as the rules do in one go, and that
// every table is kept under the digest its facts name.
func TestARealRunIsDrafted(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	run := madeup.Make(1)
	made := r.bring(t, runOutline, run.Files())
	r.drafted(t, made.ID, map[string]any{})
	var doc rest.ReportDocumentBody
	r.ask(t, "auditor", http.MethodGet, rest.Base+"/"+made.ID+"/document", nil, &doc)
	if want := metaLine.ReplaceAllString(string(alone(t, runOutline, run.Files()).Document), ""); doc.Markdown != want {
		t.Error("the report is not what the rules write in one go")
	}
	kept := r.Texts(t, `select distinct sha256 from gavel.fetch`)
	facts := 0
	for _, e := range doc.Ledger.Sections {
		for _, f := range e.Facts {
			if f.Source != nil {
				facts++
				if !slices.Contains(kept, f.Source.Snapshot) {
					t.Fatalf("fact %s of %s cites %s, which is not kept", f.ID, e.ID, f.Source.Snapshot)
				}
			}
		}
	}
	t.Logf("%d sections, %d cells cited", len(doc.Ledger.Sections), facts)
}
