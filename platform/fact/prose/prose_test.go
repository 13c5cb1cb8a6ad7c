package prose_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fault"
)

func reader(t testing.TB) *prose.Reader {
	t.Helper()
	r, err := prose.NewReader(prose.Vocabulary{
		Dimensions: []prose.Dimension{
			{Name: "scenario", Nouns: fact.Names{EN: []string{"scenario", "scenarios"}}, Members: []prose.Member{
				{ID: "a", Names: fact.Names{EN: []string{"1p5DS", "1.5 °C scenario"}, HI: []string{"1.5 डिग्री परिदृश्य"}}},
				{ID: "b", Names: fact.Names{EN: []string{"House View"}, HI: []string{"हाउस व्यू"}}},
			}},
			{Name: "sector", Members: []prose.Member{
				{ID: "power", Names: fact.Names{EN: []string{"Power Generation"}, HI: []string{"बिजली उत्पादन"}}},
				{ID: "land", Names: fact.Names{EN: []string{"Land Use", "land"}, HI: []string{"भूमि उपयोग"}}},
				{ID: "up", Names: fact.Names{EN: []string{"UP"}}},
			}},
		},
		Units: map[string][]string{"Mt CO2-e": {"Mt", "million tonnes"}},
		Allow: []string{"24-hour"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.WithYears([]int{2025, 2050})
}

// kinds lists what is read, one word for each node that is not plain text.
func kinds(text string, s []prose.Sentence) string {
	var out []string
	for _, x := range s {
		for _, n := range x.Nodes {
			switch n.Kind {
			case prose.Number:
				out = append(out, "number:"+text[n.Start:n.End])
			case prose.Mention:
				out = append(out, n.Dim+":"+n.ID)
			case prose.Year:
				out = append(out, "year")
			case prose.Figure:
				out = append(out, n.Text)
			case prose.Allowed:
				out = append(out, "allowed")
			case prose.Cited:
				out = append(out, "fact")
			case prose.Broken:
				out = append(out, "broken")
			}
		}
	}
	return strings.Join(out, " ")
}

func TestDigitsAreFreeUnlessTheirFormAllowsThem(t *testing.T) {
	r := reader(t)
	for text, want := range map[string]string{
		"fell by 128.9 Mt":                    "number:128.9",
		"fell by 1,28,900":                    "number:1,28,900",
		"fell by १२८":                         "number:१२८",
		"fell by １２８":                         "number:１２８",
		"fell by ½":                           "number:½",
		"fell by ③ or Ⅻ":                      "number:③ number:Ⅻ",
		"CO₂, PM2.5 and CO2-e fell":           "allowed allowed allowed",
		"CO3 fell":                            "number:CO3",
		"in 2025 and 2050":                    "year year",
		"in 2047":                             "number:2047",
		"2025.5 PJ":                           "number:2025.5",
		"on 14 November 2026":                 "allowed",
		"on November 14, 2026":                "allowed",
		"on 14-11-2026 and 2026-11-14":        "allowed allowed",
		"on 14/13/2026":                       "number:14/13/2026",
		"14 नवंबर 2026 को":                    "allowed",
		"at 23:00 IST and 25:00":              "allowed number:25:00",
		"section 12(1) of the Act, 2021":      "allowed allowed",
		"s. 63(4), धारा 12(1)":                "allowed allowed",
		"Direction No. 95":                    "allowed",
		"sections 11 and 12":                  "allowed",
		"section 12 and 128.9 Mt":             "allowed number:128.9",
		"a 24-hour mean":                      "allowed",
		"1. First\n2. Second":                 "allowed allowed",
		"3 fires":                             "number:3",
		"Figure 2, Table 1 and Figs. 3 and 4": "figure 2 table 1 figure 3 figure 4",
		"in the 1.5 °C scenario and 1p5DS":    "scenario:a scenario:a",
		"at 1.5 °C":                           "number:1.5",
		"1.5 डिग्री परिदृश्य में":                "scenario:a",
		"Power Generation's {{F1}} and {{F1|x}}": "sector:power fact broken",
		"land use and Land-Use":                  "sector:land sector:land",
		"rose up in UP":                          "sector:up",
		"powerful generation":                    "",
		"it fell by &#49;00":                     "number:49 number:00",
	} {
		if got := kinds(text, r.Read(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSentencesEndWhereReadersEndThem(t *testing.T) {
	r := reader(t)
	for text, want := range map[string]int{
		"One. Two. Three.":                     3,
		"Under s. 63 of the Act. Then {{F1}}.": 2,
		"It rose to {{F1}}. It fell.":          2,
		"पहला वाक्य। दूसरा वाक्य।": 2,
		"A line\nthat goes on.":        1,
		"A heading\n\nA paragraph.":    2,
		"- one\n- two\n- three":        3,
		"See Fig. 2 for PM2.5 levels.": 1,
		"":                             0,
	} {
		if got := len(r.Read(text)); got != want {
			t.Errorf("%q: got %d sentences, want %d", text, got, want)
		}
	}
}

func TestNumbersAreGovernedByTheClauseTheyStandIn(t *testing.T) {
	r := reader(t)
	for text, want := range map[string]string{
		"In 1p5DS, Power Generation falls by {{F1}}, Land Use by {{F2}}.":               "a/power a/land",
		"Power Generation falls by {{F1}} in 1p5DS and {{F2}} in House View.":           "a/power b/power",
		"In 1p5DS (unlike House View), Power Generation falls by {{F1}}.":               "a/power",
		"Power Generation falls further in 1p5DS ({{F1}}) than in House View ({{F2}}).": "a/power b/power",
		"Falling by {{F1}}, Power Generation leads in House View.":                      "b/power",
		"बिजली उत्पादन 1p5DS में {{F1}} और हाउस व्यू में {{F2}} घटता है।":               "a/power b/power",
		"Power Generation and Land Use together fall by {{F1}} in 1p5DS.":               "a/power+land",
		"It falls by {{F1}}.": "/",
	} {
		var got []string
		for _, s := range r.Read(text) {
			for i, n := range s.Nodes {
				if n.Kind == prose.Cited {
					got = append(got, names(s, i, "scenario")+"/"+names(s, i, "sector"))
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %v, want %s", text, got, want)
		}
	}
}

func names(s prose.Sentence, token int, dim string) string {
	var ids []string
	for _, m := range s.Governing(token, dim) {
		ids = append(ids, s.Nodes[m].ID)
	}
	return strings.Join(ids, "+")
}

func TestANameForTwoMembersIsRefused(t *testing.T) {
	_, err := prose.NewReader(prose.Vocabulary{Dimensions: []prose.Dimension{{Name: "scenario", Members: []prose.Member{
		{ID: "a", Names: fact.Names{EN: []string{"base case"}}}, {ID: "b", Names: fact.Names{EN: []string{"Base Case"}}},
	}}}})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestUnitsAreKnownByTheirSpellings(t *testing.T) {
	r := reader(t)
	for _, tt := range []struct {
		text, unit string
		want       bool
	}{
		{"Mt CO₂-e", "Mt CO2-e", true}, {"million tonnes", "Mt CO₂-e", true}, {"per cent", "%", true}, {"प्रतिशत", "%", true},
		{"points", "%", false}, {"PJ", "Mt CO2-e", false}, {"", "%", false},
	} {
		if got := r.UnitName(tt.text, tt.unit); got != tt.want {
			t.Errorf("%q as %s: got %v", tt.text, tt.unit, got)
		}
	}
}
