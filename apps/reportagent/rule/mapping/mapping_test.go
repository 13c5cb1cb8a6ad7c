package mapping_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
)

func run(t testing.TB) (*outline.Document, *catalogue.Catalogue, *mapping.Map) {
	t.Helper()
	r := madeup.Make(1)
	folder := fstest.MapFS{}
	for name, content := range r.Files() {
		folder[name] = &fstest.MapFile{Data: content}
	}
	cat, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(r.Outline())), cat, parseMap(t, string(r.Map()))
}

func parse(t testing.TB, text string) *outline.Document {
	t.Helper()
	doc, err := outline.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func parseMap(t testing.TB, text string) *mapping.Map {
	t.Helper()
	m, err := mapping.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// say is the charts of a section in one line.
func say(p mapping.Plan, section string) string {
	for _, a := range p.Sections {
		if a.Section != section {
			continue
		}
		var out []string
		for _, c := range a.Charts {
			out = append(out, string(c.Why)+" "+c.Chart)
		}
		return strings.Join(append(out, a.Blocked), "; ")
	}
	return "no such section"
}

// TestADeadChartIsAnErrorInTheMap promises that the map of the first design, which names a chart that no run has, does not pass
// (T12); and that a run tells it and goes on with the rest.
func TestADeadChartIsAnErrorInTheMap(t *testing.T) {
	doc, cat, m := run(t)
	told := mapping.Lint(m, doc, cat)
	if !slices.Equal(told.Codes(), []string{"M005"}) || told[0].Severity != diagnostic.Error || told[0].Line != 2 ||
		!strings.Contains(told[0].Message, "electricity_generation_by_fuel") {
		t.Errorf("got %v", told)
	}
	p := mapping.Assign(m, doc, cat, mapping.StandardAliases())
	if !slices.Equal(p.Dead, []string{"electricity_generation_by_fuel"}) || p.Diagnostics.Has(diagnostic.Error) {
		t.Errorf("got %v, %v", p.Dead, p.Diagnostics)
	}
	if got := say(p, "projection-results"); got != "static emissions/emissions_reduction_by_sector; " {
		t.Errorf("got %s", got)
	}
}

// TestEverySectionOfARunGetsItsCharts promises the charts of a whole report: curated, by pattern, matched and inherited.
func TestEverySectionOfARunGetsItsCharts(t *testing.T) {
	doc, cat, m := run(t)
	p := mapping.Assign(m, doc, cat, mapping.StandardAliases())
	if len(p.Sections) != 40 {
		t.Errorf("got %d sections", len(p.Sections))
	}
	for section, want := range map[string]string{
		"emissions": "static emissions/emissions_reduction_by_sector; static emissions/emissions_from_electricity_generation; " +
			"static transport/domestic_transport_emissions_by_subsector; ",
		"transport": "static transport/domestic_transport_energy_use_by_fuel; pattern transport/road_transport_energy_use_by_fuel; " +
			"pattern transport/road_vehicle_stock_by_drivetrain; ",
		"industry": "inherited industry/industry_energy_use_by_fuel; inherited industry/industry_emissions_by_subsector; ",
	} {
		if got := say(p, section); got != want {
			t.Errorf("%s: got %s, want %s", section, got, want)
		}
	}
	for _, a := range p.Sections {
		if a.Blocked != "" || len(a.Charts) == 0 || len(a.Charts) > 5 {
			t.Errorf("%s: got %+v", a.Section, a)
		}
		s, _ := doc.Find(a.Section)
		if s.Level == 3 && a.Charts[0].Chart[strings.Index(a.Charts[0].Chart, "/")+1:] != madeup.Stem(s.Title) {
			t.Errorf("%s is about one chart, and its first is %+v", a.Section, a.Charts[0])
		}
	}
	again := mapping.Assign(m, doc, cat, mapping.StandardAliases())
	for i, a := range again.Sections {
		if !slices.EqualFunc(a.Charts, p.Sections[i].Charts, func(x, y mapping.Pick) bool {
			return x.Chart == y.Chart &&
				x.Score == y.Score
		}) {
			t.Errorf("%s: a second assignment differs", a.Section)
		}
	}
	left := len(cat.Charts) - len(p.Unmapped)
	if left < 30 || slices.Contains(p.Unmapped, "industry/industry_energy_use_by_fuel") {
		t.Errorf("%d charts are mapped, unmapped are %v", left, p.Unmapped)
	}
}

func small(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	const csv = "scen,fuel,unit,2025\nA,Gas,PJ,1\n"
	folder := fstest.MapFS{}
	for _, name := range []string{
		"built_environment/floor_area.csv", "land_use/area_by_type.csv", "electricity/generation.csv", "electricity/demand.csv",
		"transport/demand.csv", "costs/wholesale_cost.csv", "costs/retail_cost.csv", "costs/network_cost.csv", "water/use.png",
	} {
		folder[name] = &fstest.MapFile{Data: []byte(csv)}
	}
	cat, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// TestAMatchHasItsReasons promises each part of the score, and that a section nothing matches is blocked.
func TestAMatchHasItsReasons(t *testing.T) {
	cat := small(t)
	for _, tt := range []struct {
		outline, section, chart string
		score                   int
	}{
		{"# Residential\n", "residential", "built_environment/floor_area", 3},                              // an alias
		{"# Land use\n", "land-use", "land_use/area_by_type", 5},                                           // its category, by name and id
		{"# Transport\n## Overall\n# Water\n## Overall\n", "transport/overall", "transport/demand", 2},     // in its path
		{"# Money\n<!-- Section instructions: retail and network -->\n", "money", "costs/network_cost", 1}, // a word of the instructions
		{"# Retail cost\n", "retail-cost", "costs/retail_cost", 4},                                         // two words, and its name
		// a word, and a part of its name
		{"# Generation mix\n", "generation-mix", "electricity/generation", 2},
	} {
		p := mapping.Assign(&mapping.Map{}, parse(t, tt.outline), cat, mapping.StandardAliases())
		i := slices.IndexFunc(p.Sections, func(a mapping.Assignment) bool { return a.Section == tt.section })
		if i < 0 || len(p.Sections[i].Charts) == 0 {
			t.Errorf("%s: got %+v", tt.section, p.Sections)
			continue
		}
		got := p.Sections[i].Charts[0]
		if got.Chart != tt.chart || got.Score != tt.score || len(got.Reasons) == 0 || got.Why != mapping.Auto {
			t.Errorf("%s: got %+v, want %s with %d", tt.section, got, tt.chart, tt.score)
		}
	}
	p := mapping.Assign(&mapping.Map{}, parse(t, "# Weather\n# Water\n"), cat, mapping.StandardAliases())
	if say(p, "weather") != "no data" || say(p, "water") != "no data" {
		t.Errorf("a section without data, or with a picture only, is written: %+v", p.Sections)
	}
}

// TestFewGoodMatchesAreFilledUp promises three charts where three fit at all, and five at most.
func TestFewGoodMatchesAreFilledUp(t *testing.T) {
	cat := small(t)
	for text, want := range map[string]int{
		"# Retail cost\n": 3, // one good match, two that share a word
		"# Cost\n":        3, "# Costs of electricity and transport\n": 5,
	} {
		p := mapping.Assign(&mapping.Map{}, parse(t, text), cat, mapping.StandardAliases())
		if got := p.Sections[0].Charts; len(got) != want {
			t.Errorf("%q: got %+v, want %d", text, got, want)
		}
	}
}

func TestAliasesOfAProjectAreAdded(t *testing.T) {
	a, err := mapping.ParseAliases([]byte(`{"Shelter": ["built_environment"], "power": ["costs"]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := mapping.Assign(&mapping.Map{}, parse(t, "# Shelter\n"), small(t), a)
	if got := say(p, "shelter"); got != "auto built_environment/floor_area; " || a["power"][0] != "costs" || a["residential"] == nil {
		t.Errorf("got %s, %v", got, a)
	}
	if _, err := mapping.ParseAliases([]byte(`[]`)); err == nil {
		t.Error("read a list as aliases")
	}
}

// TestWhatIsWrongWithAMapIsTold promises a word for each fault, with its line.
func TestWhatIsWrongWithAMapIsTold(t *testing.T) {
	cat, doc := small(t), parse(t, "# A\n")
	for _, tt := range []struct{ code, text string }{
		{"M002", "{\"a\": {\"charts\": []},\n\"a\": {\"charts\": []}}"},
		{"M003", "{\n\"a\": {\"chart\": []}}"},
		{"M003", "{\n\"a\": {\"charts\": [{\"id\": \"generation\", \"auto\": true}]}}"},
		{"M003", "{\n\"a\": {\"charts\": [{\"pattern\": \"[\"}]}}"},
		{"M003", "{\n\"a\": {\"charts\": [{\"pattern\": \"g*\", \"sort\": \"size\"}]}}"},
		{"M003", "{\n\"a\": {\"charts\": [{\"id\": \"generation\", \"max\": 2}]}}"},
		{"M003", "{\n\"a\": {\"charts\": [\"\"]}}"},
		{"M003", "{\n\"a\": {\"charts\": [], \"max_charts\": -1}}"},
		{"M005", "{\n\"a\": {\"charts\": [\"nowhere\"]}}"},
		{"M005", "{\n\"a\": {\"charts\": [\"demand\"]}}"}, // two categories have one
		{"M007", "{\n\"b\": {\"charts\": [\"generation\"]}}"},
		{"M008", "{\n\"a\": {\"charts\": [{\"pattern\": \"x*\"}]}}"},
		{"M009", "{\n\"a\": {\"charts\": [\"generation\", \"electricity/generation\"]}}"},
		{"", "{\n\"a\": {\"description\": \"d\", \"max_charts\": 2,\n\"charts\": [\"generation\"," +
			" {\"pattern\": \"*/demand\"}, {\"auto\": true}]}}"},
	} {
		told := mapping.Lint(parseMap(t, tt.text), doc, cat)
		if strings.Join(told.Codes(), " ") != tt.code || len(told) > 0 && told[0].Line != 2 {
			t.Errorf("%s: got %v for\n%s", tt.code, told, tt.text)
		}
	}
	for _, text := range []string{"[]", "{\"a\": ", "{} {}", "{\"a\": {}"} {
		if m, err := mapping.Parse([]byte(text)); err == nil {
			t.Errorf("%q was read: %+v", text, m)
		}
	}
	if m := parseMap(t, " \n"); len(m.Entries) != 0 {
		t.Errorf("got %+v", m)
	}
}

// FuzzParse looks for a map that cannot be assigned.
func FuzzParse(f *testing.F) {
	f.Add(madeup.Make(1).Map())
	f.Add([]byte(`{"a": {"charts": [{"auto": true, "max": 1}, {"pattern": "*"}], "max_charts": 1}}`))
	cat, doc := small(f), parse(f, "# A\n## B\n")
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := mapping.Parse(file)
		if err != nil {
			return
		}
		mapping.Lint(m, doc, cat)
		for _, a := range mapping.Assign(m, doc, cat, mapping.StandardAliases()).Sections {
			seen := map[string]bool{}
			for _, p := range a.Charts {
				if seen[p.Chart] {
					t.Fatalf("%s is there twice: %+v", p.Chart, a)
				}
				seen[p.Chart] = true
			}
		}
	})
}
