package contradiction_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/contradiction"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

// bySector adds up to what net says, but for one cell that a test may change.
const bySector = "scen,sector,unit,2025,2030,2040,2050\nDeep,Power,Mt,60.0,40.0,20.0,5.0\nDeep,Land,Mt,40.0,30.0,20.0,5.0\n" +
	"Mild,Power,Mt,60.0,50.0,40.0,30.0\nMild,Land,Mt,40.0,35.0,30.0,25.0\n"

const net = "scen,kind,unit,2025,2030,2040,2050\nDeep,Net emissions,Mt,100.0,70.0,40.0,10.0\nMild,Net emissions,Mt,100.0,85.0,70.0,55.0\n"

func discovered(t *testing.T, files map[string]string) *catalogue.Catalogue {
	t.Helper()
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
	}
	cat, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

func written(t *testing.T, cat *catalogue.Catalogue) *report.Ledger {
	t.Helper()
	m, err := mapping.Parse([]byte(`{"sectors": {"charts": ["by_sector"]}, "net": {"charts": ["net"]}, "again": {"charts": ["net"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Generate(report.Request{Outline: []byte("# Sectors\n\n# Net\n\n# Again\n"), Catalogue: cat, Map: m,
		Aliases: mapping.StandardAliases(),
		Meta:    report.Meta{RunID: "r", Model: report.NoModel, Prompt: draft.Code, Generated: time.Unix(0, 0)}})
	if err != nil {
		t.Fatal(err)
	}
	return &r.Ledger
}

func kinds(all []contradiction.Item) (out []contradiction.Kind) {
	for _, i := range all {
		out = append(out, i.Kind)
	}
	return out
}

// TestChartsThatAgreeNearlyEverywhereContradictEachOtherWhereTheyDoNot promises one item for one cell that is another, none for what
// rounding does, and none for charts that are about different things.
func TestChartsThatAgreeNearlyEverywhereContradictEachOtherWhereTheyDoNot(t *testing.T) {
	for name, tt := range map[string]struct {
		net  string
		want int
	}{
		"they agree":             {net, 0},
		"rounding":               {strings.Replace(net, "70.0,40.0", "70.1,40.0", 1), 0},
		"one cell is another":    {strings.Replace(net, "70.0,40.0", "71.0,40.0", 1), 1},
		"a different quantity":   {strings.NewReplacer("70.0", "7.0", "40.0", "4.0", "10.0", "1.0", "85.0", "8.0").Replace(net), 0},
		"another unit":           {strings.ReplaceAll(strings.Replace(net, "70.0,40.0", "71.0,40.0", 1), "Mt", "PJ"), 0},
		"too little to tell":     {"scen,kind,unit,2025,2050\nDeep,Net emissions,Mt,100.0,99.0\n", 0},
		"nothing to compare":     {"scen,kind,unit,1990,2000\nDeep,Net emissions,Mt,100.0,99.0\n", 0},
		"a cell without a value": {strings.Replace(net, "70.0,40.0", ",40.0", 1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			cat := discovered(t, map[string]string{"emissions/by_sector.csv": bySector, "emissions/net.csv": tt.net})
			got := contradiction.Find(&report.Ledger{}, cat, nil)
			if len(got) != tt.want {
				t.Fatalf("got %+v", got)
			}
			if tt.want == 1 && (got[0].Kind != contradiction.Charts || got[0].About != "Deep, 2030" || got[0].Left.Says != "70.0 Mt" ||
				got[0].Right.Says != "71.0 Mt" || got[0].Right.Where != "emissions/net") {
				t.Errorf("got %+v", got[0])
			}
		})
	}
}

// TestSectionsThatSayTwoThingsOfOneNumberAreFound promises that a section which still rests on older data is told from one that does not,
// and that a report which says one thing everywhere has no item.
func TestSectionsThatSayTwoThingsOfOneNumberAreFound(t *testing.T) {
	cat := discovered(t, map[string]string{"emissions/by_sector.csv": bySector, "emissions/net.csv": net})
	l := written(t, cat)
	if got := contradiction.Find(l, cat, l); len(got) != 0 {
		t.Fatalf("a report contradicts itself: %+v", got)
	}
	newer := written(t, discovered(t, map[string]string{"emissions/by_sector.csv": bySector,
		"emissions/net.csv": strings.Replace(net, "40.0,10.0", "40.0,12.0", 1)}))
	mixed := *l
	mixed.Sections = slices.Clone(l.Sections)
	mixed.Sections[2] = newer.Sections[2]
	got := contradiction.Find(&mixed, cat, nil)
	if !slices.Contains(kinds(got), contradiction.Sections) || got[0].Left.Where != "net" || got[0].Right.Where != "again" ||
		got[0].Left.Says == got[0].Right.Says {
		t.Errorf("got %+v", got)
	}
	since := contradiction.Find(newer, cat, l)
	if len(since) == 0 || since[0].Kind != contradiction.Before {
		t.Errorf("against the report before: got %+v", since)
	}
}

// TestTheMadeUpRunHasNoContradictionsThatRoundingExplains promises that what rounding does to a stated total is none, over all 51 charts.
func TestTheMadeUpRunHasNoContradictionsThatRoundingExplains(t *testing.T) {
	folder := map[string]string{}
	for name, content := range madeup.Make(1).Files() {
		folder[name] = string(content)
	}
	for _, i := range contradiction.Find(&report.Ledger{}, discovered(t, folder), nil) {
		t.Errorf("%+v", i)
	}
}
