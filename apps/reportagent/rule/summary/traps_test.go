package summary_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

var update = flag.Bool("update", false, "write the golden files")

// TestTheFirstDesignsChartIsSummedUp promises the summary of the chart that the first design shows, with its own numbers. The
// baseline calls itself relative like every row, and one sector has Net in its name (T2).
func TestTheFirstDesignsChartIsSummedUp(t *testing.T) {
	c := discover(t, madeup.Make(1).Files())
	ch, err := c.Find("emissions_reduction_by_sector")
	if err != nil {
		t.Fatal(err)
	}
	s := summarise(t, fact.NewBook("case_x"), ch)
	got, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "emissions_reduction_by_sector.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != string(got)+"\n" {
		t.Errorf("got %s, want what is in %s (%v)", got, golden, err)
	}
	if s.RowCount != 24 || s.Body.MeasureType != "relative (change from 2025)" || s.Body.Baseline == nil ||
		s.Body.Baseline.Value != "401.05" {
		t.Errorf("got %d rows, %q, %+v", s.RowCount, s.Body.MeasureType, s.Body.Baseline)
	}
	for name, want := range map[string][2]json.Number{
		madeup.Deep: {"-472.53", "-71.48"}, madeup.Mild: {"-397.51", "3.54"}, madeup.House: {"-195.63", "205.42"},
	} {
		sc := s.Body.ByScenario[name]
		if sc.TotalReduction.Value != want[0] || sc.NetEnd.Value != want[1] || sc.TopReductions[0].Name != "Power Generation" {
			t.Errorf("%s: got %+v", name, sc)
		}
	}
	if n := s.Body.ByScenario[madeup.House].Notable; len(n) != 1 || n[0].Name != "Land Use" || n[0].Value != "33.58" {
		t.Errorf("got %+v", n)
	}
}

// TestSharesAreNotAddedUp promises that parts of a hundred have no total and no growth (T8), and only differ in points.
func TestSharesAreNotAddedUp(t *testing.T) {
	c := discover(t, madeup.Make(1).Files())
	for _, id := range []string{"road_vehicle_stock_by_drivetrain", "renewable_share_of_generation", "industry_electrification"} {
		ch, err := c.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		s := summarise(t, fact.NewBook("case_x"), ch)
		for name, sc := range s.Body.ByScenario {
			if sc.Total != nil || sc.AtStart != nil || len(s.Body.Notes) == 0 {
				t.Errorf("%s of %s has a total: %+v", id, name, sc.Total)
			}
			for _, tr := range sc.Series {
				if tr.Pct != nil || tr.CAGR != nil || tr.Change == nil {
					t.Errorf("%s of %s: %s grows by %+v", id, name, tr.Name, tr.Pct)
				}
			}
		}
		if s.Body.ByScenario[madeup.Deep].Series[0].Change.Unit == "%" {
			t.Errorf("%s: a difference of percentages is in per cent, not in points", id)
		}
	}
}

// TestWhatRoundingDoesIsNoContradiction promises that two charts which differ by rounding agree, that more than rounding does
// not, and that the value which is stated is the one to cite (T10).
func TestWhatRoundingDoesIsNoContradiction(t *testing.T) {
	c := discover(t, madeup.Make(1).Files())
	book := fact.NewBook("case_x")
	charts := map[string]*summary.Summary{}
	for _, id := range []string{"emissions_reduction_by_sector", "net_emissions_overview", "emissions_by_gas"} {
		ch, err := c.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		charts[id] = summarise(t, book, ch)
	}
	added, _ := book.Latest(charts["emissions_reduction_by_sector"].Body.ByScenario[madeup.Mild].NetEnd.Fact)
	stated, _ := book.Latest(charts["net_emissions_overview"].Body.ByScenario[madeup.Mild].Total.End.Fact)
	other, _ := book.Latest(charts["emissions_by_gas"].Body.ByScenario[madeup.Mild].Total.End.Fact)
	if use, agree := summary.Reconcile(book, stated, added, 2); !agree || use.ID != stated.ID ||
		added.Value != "3.54" || stated.Value != "3.52" {
		t.Errorf("%s and %s: agree %v, use %s", stated.Value, added.Value, agree, use.Value)
	}
	if _, agree := summary.Reconcile(book, other, added, 2); agree {
		t.Errorf("%s and %s agree", other.Value, added.Value)
	}
}

// TestTheEdgesOfASummary promises what is said where there is little to say.
func TestTheEdgesOfASummary(t *testing.T) {
	long := "sector,val,measure,scen\n"
	wide := "scen,fuel,unit,2025,2030,2050\n"
	for _, tt := range []struct {
		name, csv string
		right     func(a *summary.Scenario, b summary.Body) bool
	}{
		{"a start of nothing has no per cent",
			wide + "A,Gas,PJ,0.00,1.00,2.00\nA,Oil,PJ,1,1,1\n", func(a *summary.Scenario, _ summary.Body) bool {
				return a.Series[0].Pct == nil && a.Series[0].CAGR == nil && a.Series[0].Change.Value == "2" &&
					len(a.Series[0].Crossings) == 0
			}},
		{"zero is crossed where it is reached", wide + "A,Gas,PJ,5,0,1\n", func(a *summary.Scenario, _ summary.Body) bool {
			return len(a.Total.Crossings) == 1 && a.Total.Crossings[0].At.Year == 2030 && a.Total.Crossings[0].Before.Year == 2025
		}},
		{"no value is no zero", wide + "A,Gas,PJ,,1,2\nA,Oil,PJ,1,1,1\n", func(a *summary.Scenario, b summary.Body) bool {
			return a.Series[0].Start == nil && a.Series[0].Change == nil && a.Total.Change == nil && a.Total.Start.Value == "1" &&
				a.Total.Skipped[0].Names[0] == "Gas" && len(b.Notes) > 0
		}},
		{"parts of both signs have no share", wide + "A,Gas,PJ,1,1,1\nA,Oil,PJ,-1,1,1\n", func(a *summary.Scenario, _ summary.Body) bool {
			return a.AtStart == nil && len(a.AtEnd) == 2 && a.AtEnd[0].Value == "50"
		}},
		{"growth is by the real years", wide + "A,Gas,PJ,1,,2\n", func(a *summary.Scenario, _ summary.Body) bool {
			return strings.HasPrefix(string(a.Total.CAGR.Value), "2.81138266") // the 25th root of 2
		}},
		{"units that are not one are not added", wide + "A,Gas,PJ,1,1,1\nA,Oil,Mt,1,1,1\n", func(a *summary.Scenario, _ summary.Body) bool {
			return a.Total == nil && a.Biggest == nil && a.Series[0].Pct != nil
		}},
		{"a level at the end is not a change",
			long + "Net 2025,10,relative,A\nGas,-2,relative,A\nNet 2050,8.01,relative,A\n",
			func(a *summary.Scenario, _ summary.Body) bool {
				return a.NetEnd.Value == "8" && a.StatedEnd.Value == "8.01" && a.TotalReduction.Value == "-2"
			}},
		{"no baseline, no net", long + "Net Imports,10,relative,A\nGas,-2,relative,A\n", func(a *summary.Scenario, b summary.Body) bool {
			return a.NetEnd == nil && a.Baseline == nil && a.TotalReduction.Value == "8" && b.MeasureType == ""
		}},
		{"baselines that differ are not common",
			long + "Net 2025,10,relative,A\nGas,-2,relative,A\nNet 2025,11,relative,B\nGas,-2,relative,B\n",
			func(_ *summary.Scenario, b summary.Body) bool {
				for _, i := range b.Insights {
					if i.Rule == "K1" {
						return false
					}
				}
				return b.Baseline == nil
			}},
		{"a tie has no deepest", long + "Net 2025,10,relative,A\nGas,-2,relative,A\nNet 2025,10,relative,B\nGas,-2,relative,B\n",
			func(_ *summary.Scenario, b summary.Body) bool {
				rules := ""
				for _, i := range b.Insights {
					rules += i.Rule
				}
				return rules == "K1" && b.Baseline != nil
			}},
	} {
		_, s := one(t, tt.csv, "")
		if !tt.right(s.Body.ByScenario["A"], s.Body) {
			b, _ := json.MarshalIndent(s.Body, "", " ")
			t.Errorf("%s: got %s", tt.name, b)
		}
	}
}

// TestAChartReadAgainChangesNothing promises that facts keep their numbers, and that a cell which changes is a new version.
func TestAChartReadAgainChangesNothing(t *testing.T) {
	files := map[string][]byte{"a/x.csv": []byte("scen,fuel,unit,2025,2050\nA,Gas,PJ,1,2\nA,Oil,PJ,3,4\n")}
	book := fact.NewBook("case_x")
	first := summarise(t, book, &discover(t, files).Charts[0])
	n := len(book.All())
	summarise(t, book, &discover(t, files).Charts[0])
	if len(book.All()) != n {
		t.Errorf("reading it again made %d facts of %d", len(book.All()), n)
	}
	files["a/x.csv"] = []byte("scen,fuel,unit,2025,2050\nA,Oil,PJ,3,4\nA,Gas,PJ,1,2.5\n") // and the rows have moved
	again := summarise(t, book, &discover(t, files).Charts[0])
	a, b := first.Body.ByScenario["A"].Total.End, again.Body.ByScenario["A"].Total.End
	f, _ := book.Latest(a.Fact)
	if a.Fact != b.Fact || f.Version != 2 || f.Value != "6.5" {
		t.Errorf("got %+v, then %+v", a, b)
	}
}

func TestAPictureHasNothingToCite(t *testing.T) {
	_, err := summary.Summarise(fact.NewBook("case_x"), &catalogue.Chart{Key: "a/x"})
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

// FuzzSummarise looks for a table that is read and cannot be summed up.
func FuzzSummarise(f *testing.F) {
	f.Add([]byte("scen,fuel,unit,2025,2030,2050\nA,Gas,PJ,0,-1,2\nB,Gas,PJ,1e3,,2\nB,Oil,%,3,2,1\n"))
	f.Add([]byte("sector,val,measure,scen\nNet 2025,10,relative,A\nGas,-2,relative,A\nOil,-2,relative,A\nNet 2025,0,relative,B\n"))
	f.Add([]byte("model,scenario,region,variable,unit,year,value\nm,A,World,E,share,2010,2\nm,B,World,E,share,2010,0.5\n"))
	f.Fuzz(func(t *testing.T, csv []byte) {
		c := discover(t, map[string][]byte{"a/x.csv": csv})
		if !c.Charts[0].Citable() {
			return
		}
		if _, err := summary.Summarise(fact.NewBook("case_x"), &c.Charts[0]); err != nil && fault.KindOf(err) != fault.TooLarge {
			t.Errorf("%q: %v", csv, err)
		}
	})
}

// TestColumnsThatLookAlikeStayApart promises that no two dimensions of a table share an id, nor take one that means something.
func TestColumnsThatLookAlikeStayApart(t *testing.T) {
	got := summary.DimensionIDs([]string{"Fuel type", "fuel_type", "2nd", "scenario", "Ä", strings.Repeat("x", 50),
		strings.Repeat("x", 60)})
	want := "fuel_type fuel_type_2 by_2nd by_scenario by__ " + strings.Repeat("x", 36) + " " + strings.Repeat("x", 36) + "_2"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
