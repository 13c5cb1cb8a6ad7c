package catalogue_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
)

const (
	wide = "scen,fuel,unit,2025\nA,Gas,PJ,1\n"
	spec = `{"title": "X y", "category": "a", "groupby": ["fuel"]}`
)

// TestTheDataRootIsWhereTheSpecsAre promises the four cases: here, in the one child, in several, nowhere.
func TestTheDataRootIsWhereTheSpecsAre(t *testing.T) {
	for _, tt := range []struct {
		name, root string
		files      map[string]string
		charts     int
	}{
		{"here", ".", map[string]string{"plot_specs.json": spec, "a/x_y.csv": wide, "run/plot_specs.json": spec}, 1},
		{"in the only child", "2025-12-03T10.20_x",
			map[string]string{"2025-12-03T10.20_x/plot_specs.json": spec, "2025-12-03T10.20_x/a/x_y.csv": wide}, 1},
		{"nowhere", ".", map[string]string{"a/x_y.csv": wide, "b/z.png": "png"}, 2},
	} {
		c := discover(t, texts(tt.files))
		if c.Root != tt.root || len(c.Charts) != tt.charts {
			t.Errorf("%s: got %s with %d charts", tt.name, c.Root, len(c.Charts))
		}
	}
	_, err := catalogue.Discover(texts(map[string]string{"r1/plot_specs.json": spec, "r2/plot_specs.json": spec}))
	if err == nil || !strings.Contains(err.Error(), "r1, r2") {
		t.Errorf("got %v, want both to choose from", err)
	}
}

// TestOnlyWhatIsAChartIsOne promises what is left out of a catalogue, and that a picture alone is no source of numbers.
func TestOnlyWhatIsAChartIsOne(t *testing.T) {
	files := texts(map[string]string{
		"plot_specs.json": spec, "a/x_y.csv": wide, "a/x_y.xlsx": "x", "a/x_y.HTML": "h", "a/.hidden.csv": wide, ".git/b.csv": wide,
		"a/only.png": "png", "a/deep/er.csv": wide, "b/x_y.csv": wide, "notes/readme.txt": "n", "a/broken.csv": "no,values\n1,2\n",
	})
	files["a/link.csv"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}
	files["elsewhere"] = &fstest.MapFile{Data: []byte("/etc"), Mode: fs.ModeSymlink}
	c := discover(t, files)
	var keys []string
	for _, ch := range c.Charts {
		keys = append(keys, ch.Key)
	}
	if want := []string{"a/broken", "a/only", "a/x_y", "b/x_y"}; !slices.Equal(keys, want) ||
		!slices.Equal(c.Categories, []string{"a", "b"}) {
		t.Errorf("got %v in %v", keys, c.Categories)
	}
	if ch := chart(t, c, "a/x_y"); !slices.Equal(ch.Attachments, []string{"a/x_y.HTML", "a/x_y.xlsx"}) {
		t.Errorf("got %v", ch.Attachments)
	}
	for key, code := range map[string]string{"a/only": "C004", "a/broken": "C010"} {
		if ch := chart(t, c, key); ch.Citable() || !slices.Contains(ch.Diagnostics.Codes(), code) {
			t.Errorf("%s: got %+v", key, ch)
		}
	}
	if n := len(slices.DeleteFunc(c.Diagnostics.Codes(), func(s string) bool { return s != "C006" })); n != 2 {
		t.Errorf("%d links were told, want 2: %v", n, c.Diagnostics)
	}
	if _, err := c.Find("x_y"); err == nil || !strings.Contains(err.Error(), "a/x_y or b/x_y") {
		t.Errorf("got %v, want both to choose from", err)
	}
	if _, err := c.Find("z"); err == nil {
		t.Error("found what is not there")
	}
	if got := c.In("b"); len(got) != 1 || len(c.In("")) != 4 {
		t.Errorf("got %v", got)
	}
}

// TestTheMostFrequentSpellingWins promises that a scenario has one name, whichever file is read first.
func TestTheMostFrequentSpellingWins(t *testing.T) {
	c := discover(t, texts(map[string]string{
		"a/one.csv": "scen,fuel,unit,2025\nNET,Gas,PJ,1\n", "a/two.csv": "scen,fuel,unit,2025\nNet,Gas,PJ,1\nNet,Oil,PJ,1\n",
		"a/twin.csv": "scen,fuel,unit,2025\nnet,Gas,PJ,1\nNet,Gas,PJ,2\nNet,Oil,PJ,2\n",
	}))
	if !slices.Equal(c.Scenarios, []string{"Net"}) {
		t.Errorf("got %v", c.Scenarios)
	}
	if ch := chart(t, c, "twin"); len(ch.Table.Series) != 1 || !slices.Contains(ch.Diagnostics.Codes(), "D005") {
		t.Errorf("two spellings of one row were both kept: %+v", ch.Table.Series)
	}
}

// TestTablesOfVedaAreCharts promises that the solver's file is a table like any other, with the scenario it names; that a table of its own
// name comes first; and that files of descriptions and sets hold no numbers.
func TestTablesOfVedaAreCharts(t *testing.T) {
	run := madeup.Veda(3, "VAR_Cap")
	c := discover(t, folder(map[string][]byte{"power/capacity.vd": run.VD(), "power/capacity.vde": []byte("x"),
		"power/flows.csv": []byte(wide), "power/flows.vd": run.VD(), "power/batch.csv": run.Batch()}))
	ch := chart(t, c, "power/capacity")
	if !ch.Citable() || ch.Table.Form != table.Veda || !slices.Equal(ch.Scenarios, []string{madeup.Deep}) ||
		!slices.Equal(ch.Attachments, []string{"power/capacity.vde"}) || ch.CSV != "power/capacity.vd" {
		t.Errorf("got %+v", ch)
	}
	if ch := chart(t, c, "power/flows"); ch.CSV != "power/flows.csv" || !slices.Contains(ch.Diagnostics.Codes(), "C013") {
		t.Errorf("two tables of one name: %s, %v", ch.CSV, ch.Diagnostics)
	}
	if ch := chart(t, c, "power/batch"); ch.Table.Form != table.Veda || len(c.Charts) != 3 {
		t.Errorf("a batch export is %s, among %d charts", ch.Table.Form, len(c.Charts))
	}
}
