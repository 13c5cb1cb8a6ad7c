package catalogue_test

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
)

func folder(files map[string][]byte) fstest.MapFS {
	out := fstest.MapFS{}
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: content}
	}
	return out
}

func texts(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return out
}

func discover(t testing.TB, fsys fs.FS) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.Discover(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func chart(t testing.TB, c *catalogue.Catalogue, name string) *catalogue.Chart {
	t.Helper()
	ch, err := c.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// TestARunIsListedWhole promises every chart of the made-up run with its parts, and a version that follows its bytes.
func TestARunIsListedWhole(t *testing.T) {
	run := madeup.Make(1)
	files := run.Files()
	c := discover(t, folder(files))
	if len(c.Charts) != 51 || len(c.Categories) != 14 || len(c.Skipped) != 6 || len(c.Views) != 1 || c.Views[0].Dictionary == "" {
		t.Errorf("got %d charts, %d categories, skipped %v, views %v", len(c.Charts), len(c.Categories), c.Skipped, c.Views)
	}
	if want := []string{madeup.Deep, madeup.Mild, madeup.House}; !slices.Equal(c.Scenarios, want) {
		t.Errorf("got %v, want %v", c.Scenarios, want)
	}
	rows := 0
	for _, m := range run.Charts {
		ch := chart(t, c, m.Category+"/"+m.ID)
		rows += ch.Table.Records
		if ch.CSV == "" || ch.PNG == "" || ch.JSON == "" || !ch.Citable() || len(ch.Digest) != 64 ||
			!slices.Equal(ch.Dimensions, []string{m.Column}) {
			t.Errorf("got %+v", ch)
		}
		if ch.Title != m.Title && ch.ID != "gas_price_by_hub" {
			t.Errorf("got title %q, want %q", ch.Title, m.Title)
		}
	}
	if rows != 930 || len(c.Files) != len(files) {
		t.Errorf("got %d rows in %d files, want 930 in %d", rows, len(c.Files), len(files))
	}
	if again := discover(t, folder(files)); again.Version != c.Version {
		t.Error("the same files have two versions")
	}
	files["gas/gas_price_by_hub.png"] = append(files["gas/gas_price_by_hub.png"], 0)
	if again := discover(t, folder(files)); again.Version == c.Version {
		t.Error("other files have the same version")
	}
}

// TestTheTrapsOfARunAreMet promises what becomes of each thing that real runs get wrong, as far as a catalogue sees it. T2, T8
// and T10 are the summary's, T12 the mapping's, T13 and T14 the figure's.
func TestTheTrapsOfARunAreMet(t *testing.T) {
	c := discover(t, folder(madeup.Make(1).Files()))
	for _, tt := range []struct {
		trap, chart, code string
		right             func(ch *catalogue.Chart) bool
	}{
		{"T1 the header is no row", "emissions_reduction_by_sector", "", func(ch *catalogue.Chart) bool { return ch.Table.Records == 24 }},
		{"T3 a scenario in other capitals", "road_transport_energy_use_by_fuel", "C008",
			func(ch *catalogue.Chart) bool { return slices.Equal(ch.Scenarios, c.Scenarios) }},
		{"T4 a fraction that is per cent", "renewable_share_of_generation", "D004",
			func(ch *catalogue.Chart) bool { return slices.Equal(ch.Units, []string{"%"}) && !ch.Table.Summable() }},
		{"T4 a fraction that is one", "industry_electrification", "",
			func(ch *catalogue.Chart) bool {
				return slices.Equal(ch.Units, []string{"fraction"}) && !ch.Table.Summable()
			}},
		{"T5 units as Python prints them", "electricity_use_and_emissions", "D006",
			func(ch *catalogue.Chart) bool {
				return slices.Equal(ch.Units, []string{"TWh", "Mt CO₂-e"}) && !ch.Table.Summable()
			}},
		{"T5 again", "dwellings_and_floor_area", "D006",
			func(ch *catalogue.Chart) bool { return slices.Equal(ch.Units, []string{"dwellings", "m2"}) }},
		{"T6 no scenario", "population_and_households", "D008",
			func(ch *catalogue.Chart) bool { return slices.Equal(ch.Scenarios, []string{table.AllScenario}) }},
		{"T7 empty is not zero", "aviation_energy_use_by_fuel", "D007",
			func(ch *catalogue.Chart) bool {
				return ch.Table.Series[3].Cells[0].Empty() && !ch.Table.Series[3].Cells[2].Empty()
			}},
		{"T9 years that are not even", "storage_capacity", "",
			func(ch *catalogue.Chart) bool {
				y := ch.Table.Years
				return len(y) == 14 && y[10] == 2035 && y[11] == 2040
			}},
		{"T11 names with commas and figures", "emissions_by_gas", "",
			func(ch *catalogue.Chart) bool { return ch.Table.Series[3].Label() == "HFCs, PFCs and SF₆" }},
		{"T11 one form of accents", "commercial_energy_use_by_building_type", "",
			func(ch *catalogue.Chart) bool { return ch.Table.Series[2].Label() == "Cafés and Restaurants" }},
		{"T15 a spec beyond the data", "electricity_generation_by_technology", "C009",
			func(ch *catalogue.Chart) bool {
				y := ch.Table.Years
				return y[len(y)-1] == 2050 && ch.Spec.FinalYear == 2060
			}},
		{"another unit in the spec", "hydrogen_exports", "C007",
			func(ch *catalogue.Chart) bool { return slices.Equal(ch.Units, []string{"Mt"}) }},
		{"no spec", "gas_price_by_hub", "C002", func(ch *catalogue.Chart) bool { return ch.Title == "Gas Price By Hub" }},
		{"a column that was dropped", "emissions_reduction_by_sector", "C012",
			func(ch *catalogue.Chart) bool {
				return ch.Units[0] == "Mt CO₂-e" && slices.Equal(ch.Measures, []string{"val"})
			}},
	} {
		ch := chart(t, c, tt.chart)
		if !tt.right(ch) || tt.code != "" && !slices.Contains(ch.Diagnostics.Codes(), tt.code) {
			t.Errorf("%s: got %v, units %v, scenarios %v", tt.trap, ch.Diagnostics, ch.Units, ch.Scenarios)
		}
	}
	if all := c.All(); all.Has(diagnostic.Error) {
		t.Errorf("a run with traps has errors: %v", all)
	}
}
