package demo_test

import (
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/demo"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

func discovered(t *testing.T, files map[string][]byte) *catalogue.Catalogue {
	t.Helper()
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: content}
	}
	cat, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// TestTheReportHasSomethingOfEachKind promises what the demonstration shows: every section is written but one, for which there is
// nothing; the newer run turns a conclusion, and leaves the section that waits for a signature alone; a chart is left out.
func TestTheReportHasSomethingOfEachKind(t *testing.T) {
	m, err := mapping.Parse(demo.Map())
	if err != nil {
		t.Fatal(err)
	}
	cat := discovered(t, demo.Run())
	made, err := report.Generate(report.Request{Outline: demo.Outline(), Catalogue: cat, Map: m, Aliases: mapping.StandardAliases(),
		Meta: report.Meta{RunID: "demo", Model: report.NoModel, Prompt: draft.Code, Generated: time.Unix(0, 0)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range made.Ledger.Sections {
		if want := map[bool]report.Status{true: report.Blocked, false: report.Written}[e.ID == demo.Blocked]; e.Status != want {
			t.Errorf("%s is %s: %s", e.ID, e.Status, e.Why)
		}
	}
	for _, id := range []string{demo.Signed, demo.Edited, demo.Noted, demo.Turned, demo.Scored} {
		if e := made.Ledger.Find(id); e == nil || len(e.Facts) == 0 {
			t.Errorf("%s has no facts", id)
		}
	}
	c, err := report.Compare(&made.Ledger, discovered(t, demo.Newer()))
	if err != nil {
		t.Fatal(err)
	}
	turned := slices.ContainsFunc(c.Flipped, func(a report.Affected) bool { return a.Section == demo.Turned })
	touched := slices.ContainsFunc(c.Numbers, func(n report.Change) bool { return n.Section == demo.Signed })
	if !turned || touched || len(c.Numbers) < 5 {
		t.Errorf("%d numbers and %d conclusions changed; turned %v, the signed one touched %v", len(c.Numbers), len(c.Flipped), turned,
			touched)
	}
	cover, err := report.Cover(&made.Ledger, cat)
	if err != nil || len(cover.Unused) != 1 || len(cover.Untold) == 0 {
		t.Errorf("got %+v, %v", cover, err)
	}
}
