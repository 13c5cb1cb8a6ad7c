package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/demo"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// demoFiles are the land and the script of the demonstration.
var demoFiles = os.DirFS("../demo")

// demoLand is the land of the demonstration, as an import reads it.
func demoLand(t *testing.T) *region.Districts {
	t.Helper()
	b, err := demoBoundary(demoFiles)
	if err != nil {
		t.Fatal(err)
	}
	land, err := region.ReadGeoJSON([]byte(b.File), region.Terms{Gives: b.Gives, Name: b.Name, Licence: b.Licence, AsOf: b.AsOf})
	if err != nil {
		t.Fatal(err)
	}
	return land
}

// demoFound is what the demonstration's data say so long after its land was imported.
func demoFound(t *testing.T, imported time.Time, after time.Duration, by analysis.Method) (analysis.Board, []analysis.Analysis) {
	t.Helper()
	rules, err := analysis.Brought{Districts: demoLand(t)}.Rules()
	if err != nil {
		t.Fatal(err)
	}
	o, err := demo.At(imported, imported.Add(after)).Object()
	if err != nil {
		t.Fatal(err)
	}
	d, err := analysis.Prepare(o, rules)
	if err != nil {
		t.Fatal(err)
	}
	board, all, err := d.Run(by)
	if err != nil {
		t.Fatal(err)
	}
	return board, all
}

// TestTheDemonstrationHasOneAnswerThatCanBeToldAndOneThatCannot promises that at any hour
// and in any season, by either method, and that newer data say the same, so that nothing is taken from who
// decides about it.
func TestTheDemonstrationHasOneAnswerThatCanBeToldAndOneThatCannot(t *testing.T) {
	for _, tt := range []struct {
		imported time.Time
		after    time.Duration
	}{
		{time.Date(2026, 11, 16, 18, 17, 0, 0, time.UTC), 0}, {time.Date(2027, 6, 1, 4, 1, 0, 0, time.UTC), 0},
		{time.Date(2027, 2, 28, 11, 59, 0, 0, time.UTC), 25 * time.Hour}, {time.Date(2026, 11, 16, 23, 17, 0, 0, time.UTC), 74 * time.Hour},
	} {
		board, all := demoFound(t, tt.imported, tt.after, analysis.Demands)
		if len(board.Left) != 1 || board.Left[0].Site != "demo-weir-road" || board.Left[0].Why != analysis.Quiet || board.Others != 0 {
			t.Errorf("%s: left out %+v, and %d rows of others", tt.imported, board.Left, board.Others)
		}
		if len(all) != 2 {
			t.Fatalf("%s + %s: %d episodes", tt.imported, tt.after, len(all))
		}
		told, open := all[0].Attribution, all[1].Attribution
		if all[0].Key[:17] != "demo-lantern-gate" || told.Verdict != plume.Conclusive || told.First != "Cinderfell (made up)" ||
			len(told.States) != 2 || told.States[1].Median < 1 || all[0].Surge.Category != "Severe" {
			t.Errorf("%s + %s: %s %s, %s first of %+v, %v %s", tt.imported, tt.after, all[0].Key, told.Verdict, told.First, told.States,
				told.Reasons, all[0].Surge.Category)
		}
		if open.Verdict != plume.Inconclusive || len(open.Reasons) != 1 || open.Reasons[0].Code != plume.Local ||
			all[1].Surge.Category != "Very Poor" {
			t.Errorf("%s + %s: %s %s, %v %s", tt.imported, tt.after, all[1].Key, open.Verdict, open.Reasons, all[1].Surge.Category)
		}
		_, all = demoFound(t, tt.imported, tt.after, analysis.Statements)
		one, other := all[0].Whose, all[1].Whose
		if one.Act != likelihood.Complaint || one.State != "Cinderfell (made up)" || one.P < 0.93 || one.Matter.M < 0.93 ||
			one.Data.Grade == likelihood.Low {
			t.Errorf("%s + %s: %+v %+v %+v", tt.imported, tt.after, one.Finding, one.Matter, one.Data)
		}
		if other.Act != likelihood.Nothing || !slices.Equal(other.Data.Lacks, []likelihood.Lack{likelihood.Doubtful}) {
			t.Errorf("%s + %s: %+v %+v", tt.imported, tt.after, other.Finding, other.Data)
		}
	}
}

// TestTheDemonstrationsDataAreNotLate promises that what looks ill in a demonstration is:
// its data come before they are missed.
func TestTheDemonstrationsDataAreNotLate(t *testing.T) {
	if spare := origin.Named(origin.Lake).Every - demoEvery; spare < time.Hour {
		t.Errorf("data come every %s and are expected every %s", demoEvery, origin.Named(origin.Lake).Every)
	}
}

// TestTheDemonstrationNamesNoRealPlace promises that no state, station or place of law
// that there is stands in what was made up, nor in what is found out about it: only the
// law that a report cites, and what it says of Delhi's plan, are real.
func TestTheDemonstrationNamesNoRealPlace(t *testing.T) {
	real := []string{"India", "Delhi", "Pakistan", "Nepal"}
	india, err := region.India()
	if err != nil {
		t.Fatal(err)
	}
	real = append(real, india.States()...)
	for _, s := range surge.Stations() {
		name, _, _ := strings.Cut(s.Name, ",")
		real = append(real, name, string(s.Site))
	}
	land := demoLand(t)
	for _, s := range land.Stations() {
		if p := india.At(s.Lat, s.Lon); p != (region.Place{}) || !strings.HasSuffix(s.Name, "(made up)") || s.City == "" {
			t.Errorf("%s (%s) lies in %+v", s.Name, s.City, p)
		}
	}
	all, err := land.Alone()
	if err != nil || len(all.States()) != 4 {
		t.Fatalf("%v, %v", all.States(), err)
	}
	for _, s := range all.States() {
		if !strings.HasSuffix(s, "(made up)") {
			t.Errorf("%s does not say that it is made up", s)
		}
	}
	file, err := fs.ReadFile(demoFiles, "land.geojson")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"the land": string(file)}
	board, found := demoFound(t, time.Date(2026, 11, 16, 18, 17, 0, 0, time.UTC), 0, analysis.Default)
	texts["the board"] = strings.ReplaceAll(jsonOf(t, board), "Delhi's PM2.5", "") // of which nothing is said, as it says
	for _, a := range found {
		r := demoReport(t, a)
		a.Gaps, a.Stubble = nil, analysis.Stubble{} // what is said of the forecast that did not come
		texts["the answer about "+string(a.Key)] = jsonOf(t, a)
		texts["the report about "+string(a.Key)] = strings.Join(append([]string{r.Summary, r.Reasoning, r.LowerBound},
			r.Recommendations...), "\n") + jsonOf(t, r.Attribution) + jsonOf(t, r.Notices)
	}
	for what, text := range texts {
		for _, name := range real {
			if strings.Contains(text, name) {
				t.Errorf("%s names %s", what, name)
			}
		}
	}
}

func demoReport(t *testing.T, a analysis.Analysis) report.Report {
	t.Helper()
	law, err := lawbook.Known()
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Build(a, report.Meta{ID: "CAQM-2026-11-16-001", GeneratedAt: a.At, Organisation: "North Commission",
		Status: report.Final, Channel: report.Mock}, law)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := r.Verify(nil, r.Parts()...); err != nil || v.Blocked() {
		t.Errorf("%v: the report does not hold: %+v", err, v.Findings)
	}
	return r
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
