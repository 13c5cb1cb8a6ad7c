package verify_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// ruleCases are texts with one fault each. at is what the finding points to; for
// a token that is the token itself.
var ruleCases = []struct {
	name, world, text string
	rule              verify.Rule
	at                string
}{
	{"a token that is none", "report", "Power Generation falls by {{F7|ABS}} in 1p5DS.", verify.V1, "{{F7|ABS}}"},
	{"a fact that is not there", "report", "Power Generation falls by {{F9999|abs}} in 1p5DS.", verify.V1, "{{F9999|abs}}"},
	{"a typed number", "report", "Power Generation falls by 128.9 Mt in 1p5DS.", verify.V2, "128.9"},
	{"a number in words", "report", "Power Generation falls by twelve million tonnes in 1p5DS.", verify.V2, "twelve"},
	{"a doubling", "report", "Electricity doubles in 1p5DS, reaching {{ele.1.50}} in 2050.", verify.V2, "doubles"},
	{"a number in Hindi words", "report", "1p5DS में बिजली उत्पादन बारह मिलियन टन घटता है।", verify.V2, "बारह"},
	{"a hidden character", "report", "Power Generation falls by &frac12; in 1p5DS.", verify.V2, "&"},
	{"too many members", "report", "In all five scenarios net emissions start at {{base.1}}.", verify.V2, "five"},
	{"a wrong direction", "report", "Power Generation rises by {{pow.1|abs}} in 1p5DS.", verify.V3, "{{pow.1|abs}}"},
	{"a sign that is hidden", "report", "The change in Power Generation is {{pow.1|abs}} in 1p5DS.", verify.V3, "{{pow.1|abs}}"},
	{"a fall said twice", "report", "Power Generation falls by {{pow.1}} in 1p5DS.", verify.V3, "{{pow.1}}"},
	{"a word nobody knows", "report", "Power Generation snorkels by {{pow.1|abs}} in 1p5DS.", verify.V3, "{{pow.1|abs}}"},
	{"a level sent the wrong way", "report", "Diesel rises from {{die.1.25}} in 2025 to {{die.1.50}} in 2050 in 1p5DS.", verify.V3,
		"{{die.1.50}}"},
	{"a level whose past is unknown", "airshed", "The wind at Alipur dropped to {{wind.ali}}.", verify.V3, "{{wind.ali}}"},
	{"a comparison turned round", "report", "Net emissions in 2050 are {{gap.net.h1}} higher in 1p5DS than in House View.", verify.V3,
		"{{gap.net.h1}}"},
	{"a claim without a number", "report", "In House View, Power Generation falls by {{pow.h|abs}} while Land Use falls.", verify.V3,
		"falls"},
	{"a bound on the wrong side", "report", "Power Generation falls by less than {{pow.h|abs|0}} in House View.", verify.V3,
		"{{pow.h|abs|0}}"},
	{"what moved is not unchanged", "airshed", "PM2.5 at Alipur is unchanged at {{pm.ali}}.", verify.V3, "{{pm.ali}}"},
	{"not the largest", "report", "In 1p5DS, Industry delivers the largest reduction, {{ind.1|abs}}.", verify.V4, "largest"},
	{"not second", "report", "Transport makes the second-largest reduction in 1p5DS, {{tra.1|abs}}.", verify.V4, "largest"},
	{"first by chance of a tie", "netra", "Ukhrul has the highest border layer, {{bo.uk}}.", verify.V4, "highest"},
	{"nothing compares it", "airshed", "The wind was strongest at Alipur, at {{wind.ali}}.", verify.V4, "strongest"},
	{"not all", "report", "Land Use falls in all scenarios, by {{lan.1|abs}} in 1p5DS.", verify.V4, "all"},
	{"not the only one", "report", "In 1p5DS, Industry is the only sector to fall, by {{ind.1|abs}}.", verify.V4, "the only"},
	{"not most of it", "report", "Power Generation makes up most of the reduction in 1p5DS, {{shr.pow.1}}.", verify.V4, "most of"},
	{"always", "report", "Power Generation always falls, by {{pow.1|abs}} in 1p5DS.", verify.V4, "always"},
	{"another scenario", "report", "Power Generation falls by {{pow.1|abs}} in House View.", verify.V5, "{{pow.1|abs}}"},
	{"no scenario", "report", "Power Generation falls by {{pow.1|abs}}.", verify.V5, "{{pow.1|abs}}"},
	{"another unit", "report", "Power Generation falls by {{pow.1|abs|1|nounit}} PJ in 1p5DS.", verify.V5, "{{pow.1|abs|1|nounit}}"},
	{"no unit", "report", "Power Generation falls by {{pow.1|abs|1|nounit}} in 1p5DS.", verify.V5, "{{pow.1|abs|1|nounit}}"},
	{"a unit twice", "report", "Power Generation falls by {{pow.1|abs}} Mt in 1p5DS.", verify.V5, "{{pow.1|abs}}"},
	{"per cent is not points", "report", "Electricity's share in 2050 is {{pp.ele.1h|nounit}} per cent higher in 1p5DS than in House View.",
		verify.V5, "{{pp.ele.1h|nounit}}"},
	{"another year", "report", "In 2035, diesel supplies {{die.h.50}} in House View.", verify.V5, "{{die.h.50}}"},
	{"a mean said of one", "report", "Power Generation falls by {{mean.pow|abs}} in 1p5DS.", verify.V5, "{{mean.pow|abs}}"},
	{"a figure that is not there", "report", "As Figure 9 shows, Power Generation falls by {{pow.1|abs}} in 1p5DS.", verify.V7, "Figure 9"},
	{"two roundings", "report", "Power Generation falls by {{pow.1|abs}} in 1p5DS, or {{pow.1|abs|0}} in 1p5DS.", verify.V8,
		"{{pow.1|abs|0}}"},
	{"a recommendation", "report", "Industry should cut {{ind.1|abs}} in 1p5DS.", verify.V10, "should"},
	{"a recommendation in Hindi", "report", "1p5DS में उद्योग को {{ind.1|abs}} की कटौती करनी चाहिए।", verify.V10, "चाहिए"},
	{"beyond the data", "report", "After 2050, Power Generation falls by {{pow.1|abs}} in 1p5DS.", verify.V10, "After"},
}

func TestEachRuleFindsWhatItIsFor(t *testing.T) {
	ws := worlds(t)
	for _, tt := range ruleCases {
		w := ws[tt.world]
		text := tt.text
		if !strings.Contains(text, "{{F") {
			text = w.numbered(t, text)
		}
		r := w.check(t, "", text, w.book, nil)
		i := slices.IndexFunc(r.Findings, func(f verify.Finding) bool { return f.Rule == tt.rule && f.Severity == verify.Block })
		if i < 0 {
			t.Errorf("%s: %s found nothing in %q; found %v", tt.name, tt.rule, tt.text, r.Findings)
			continue
		}
		f := r.Findings[i]
		if at := tt.at; !strings.HasPrefix(at, "{{") && f.Text != at {
			t.Errorf("%s: points to %q, want %q", tt.name, f.Text, at)
		}
		if text[f.Start:f.End] != f.Text || string([]rune(text)[f.RuneStart:f.RuneEnd]) != f.Text || f.Words == "" {
			t.Errorf("%s: the finding does not say where it is: %+v", tt.name, f)
		}
	}
}

func TestStaleFactsBlockADraftThatPinnedThem(t *testing.T) {
	w := loadWorld(t, "report")
	text := w.numbered(t, "Net emissions in 1p5DS fall by {{pct.1|abs}}.")
	pins := map[fact.ID]int{w.ids["pct.1"]: 1}
	if r := w.check(t, "", text, w.book, pins); r.Blocked() {
		t.Fatalf("a fresh draft was blocked: %v", r.Findings)
	}
	if r := w.check(t, "", text, w.book, map[fact.ID]int{}); !slices.Contains(r.Rules(), verify.V1) {
		t.Error("a draft that pins nothing passed")
	}
	if r := w.check(t, "", text, w.book, map[fact.ID]int{w.ids["pct.1"]: 7}); !slices.Contains(r.Rules(), verify.V1) {
		t.Error("a draft that pins a version that never was passed")
	}
	f, err := reading(w.lineOf("net50.1"), map[string]string{"net50.1": "-60"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.book.Add(f); err != nil {
		t.Fatal(err)
	}
	if r := w.check(t, "", text, w.book, pins); !slices.Contains(r.Rules(), verify.V1) {
		t.Error("a percentage of a replaced value passed")
	}
}

func TestProfileDecidesWhatTheSofterRulesDo(t *testing.T) {
	w := loadWorld(t, "report")
	texts := map[verify.Rule]string{
		verify.V5:  w.numbered(t, "Power Generation falls by {{pow.1|abs}}."),
		verify.V6:  w.numbered(t, "Power Generation falls by {{pow.1|abs}} in 1p5DS."),
		verify.V10: w.numbered(t, "Industry should cut {{ind.1|abs}} in 1p5DS."),
	}
	for rule, text := range texts {
		for action, want := range map[verify.Action]verify.Severity{verify.Blocks: verify.Block, verify.Asks: verify.Ask,
			verify.Ignores: ""} {
			p := w.profile
			p.Subjects, p.Completeness, p.Forbidding = verify.Ignores, verify.Ignores, verify.Ignores
			p.Must = []verify.Must{{Dimension: "scenario", Waived: []string{"2p5ds"}}}
			switch rule {
			case verify.V5:
				p.Subjects = action
			case verify.V6:
				p.Completeness = action
			default:
				p.Forbidding = action
			}
			v, err := verify.New(p)
			if err != nil {
				t.Fatal(err)
			}
			r, err := v.Check(verify.Document{Parts: []verify.Part{{Text: text}}}, w.book)
			if err != nil {
				t.Fatal(err)
			}
			got := verify.Severity("")
			for _, f := range r.Findings {
				if f.Rule == rule {
					got = f.Severity
				}
			}
			if got != want {
				t.Errorf("%s with action %d: got %q, want %q", rule, action, got, want)
			}
		}
	}
}

func TestCausesAreAQuestionForAPersonUnlessSupported(t *testing.T) {
	w := loadWorld(t, "airshed")
	asks := func(p verify.Profile, text string) (asked, blocked bool) {
		v, err := verify.New(p)
		if err != nil {
			t.Fatal(err)
		}
		r, err := v.Check(verify.Document{Parts: []verify.Part{{Text: w.numbered(t, text)}}}, w.book)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			asked = asked || f.Rule == verify.V9 && f.Severity == verify.Ask
		}
		return asked, r.Blocked()
	}
	const text = "PM2.5 at Alipur rose by {{d.pm.ali}} because of fires in Punjab."
	if asked, blocked := asks(w.profile, text); !asked || blocked {
		t.Errorf("a cause: asked %v, blocked %v", asked, blocked)
	}
	if asked, blocked := asks(w.profile, "Fires are rising in Haryana and wind is falling at Bawana."); !asked || blocked {
		t.Errorf("a claim no fact speaks of: asked %v, blocked %v", asked, blocked)
	}
	if asked, _ := asks(w.profile, "The stubble share of {{dss}} is attributed to fires by the DSS."); asked {
		t.Error("a quoted cause is asked about")
	}
	p := w.profile
	p.Causes = []verify.Cause{{Dimension: "state", ID: "punjab", OfDimension: "station", OfID: "alipur"}}
	if asked, _ := asks(p, text); asked {
		t.Error("a supported cause is asked about")
	}
}

func TestPersonsAndCommunitiesAreNotNamedWhereForbidden(t *testing.T) {
	w := loadWorld(t, "netra")
	p := w.profile
	p.Forbid = []verify.Forbidden{{Kind: verify.Naming, Words: []string{"Hill People", "पहाड़ी लोग"}}}
	v, err := verify.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"Shri Ramesh met officers.":       true,
		"श्री रमेश मिले।":                 true,
		"The hill people gathered.":       true,
		"पहाड़ी लोग एकत्र हुए।":           true,
		"The hill peoples' road is open.": false,
		"Officers met in Ukhrul.":         false,
	} {
		r, err := v.Check(verify.Document{Parts: []verify.Part{{Text: text}}}, w.book)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(r.Rules(), verify.V10); got != want {
			t.Errorf("%q: got %v, want %v (%v)", text, got, want, r.Findings)
		}
	}
}

func TestRecommendationsPassOnlyFromTheRegistry(t *testing.T) {
	w := loadWorld(t, "airshed")
	p := w.profile
	p.Registry = []string{"Direction No. 95"}
	v, err := verify.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"Under Direction No. 95, complaints should be filed.": false,
		"Complaints should be filed.":                         true,
	} {
		r, _ := v.Check(verify.Document{Parts: []verify.Part{{Text: text}}}, w.book)
		if got := r.Blocked(); got != want {
			t.Errorf("%q: blocked %v, want %v", text, got, want)
		}
	}
}

func TestPartsMustShowAFactAlike(t *testing.T) {
	w := loadWorld(t, "report")
	parts := func(hindi string) verify.Report {
		r, err := w.verifier(t, "").Check(verify.Document{Parts: []verify.Part{
			{Name: "en", Text: w.numbered(t, "Power Generation falls by {{pow.1|abs}} in 1p5DS.")},
			{Name: "hi", Text: w.numbered(t, hindi)},
		}}, w.book)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := parts("1p5DS में बिजली उत्पादन का उत्सर्जन {{pow.1|abs}} घटता है।"); r.Blocked() || r.Numbers != 2 {
		t.Errorf("got %+v", r)
	}
	r := parts("1p5DS में बिजली उत्पादन का उत्सर्जन {{pow.1|abs|2}} घटता है।")
	if !slices.Contains(r.Rules(), verify.V8) || r.Findings[0].Part != 1 {
		t.Errorf("got %+v", r.Findings)
	}
}

func TestGivenSubjectsNeedNotBeNamed(t *testing.T) {
	w := loadWorld(t, "airshed")
	p := w.profile
	p.Given = map[string]string{"station": "alipur"}
	v, err := verify.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"PM2.5 rose by {{d.pm.ali}}.":           false,
		"PM2.5 rose by {{d.pm.baw}}.":           true,
		"PM2.5 rose by {{d.pm.ali}} at Bawana.": true,
	} {
		r, _ := v.Check(verify.Document{Parts: []verify.Part{{Text: w.numbered(t, text)}}}, w.book)
		if got := r.Blocked(); got != want {
			t.Errorf("%q: blocked %v, want %v", text, got, want)
		}
	}
}

func TestUnreadableProfilesAreRefused(t *testing.T) {
	w := loadWorld(t, "report")
	for name, spoil := range map[string]func(*verify.Profile){
		"dimension twice":       func(p *verify.Profile) { p.Dimensions = append(p.Dimensions, p.Dimensions[0]) },
		"member without a name": func(p *verify.Profile) { p.Dimensions[0].Members[0].Names = fact.Names{} },
		"must of nothing":       func(p *verify.Profile) { p.Must = []verify.Must{{Dimension: "colour"}} },
		"must of a stranger":    func(p *verify.Profile) { p.Must = []verify.Must{{Dimension: "scenario", IDs: []string{"x"}}} },
		"given a stranger":      func(p *verify.Profile) { p.Given = map[string]string{"scenario": "x"} },
		"figure without number": func(p *verify.Profile) { p.Figures = []string{"Figure"} },
		"two members, one name": func(p *verify.Profile) { p.Dimensions[0].Members[0].Names.EN = []string{"House View"} },
	} {
		p := w.profile
		p.Dimensions = slices.Clone(p.Dimensions)
		p.Dimensions[0].Members = slices.Clone(p.Dimensions[0].Members)
		spoil(&p)
		if _, err := verify.New(p); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

func TestCheckIsBounded(t *testing.T) {
	w := loadWorld(t, "report")
	v := w.verifier(t, "")
	long := strings.Repeat("x", verify.MaxText+1)
	if _, err := v.Check(verify.Document{Parts: []verify.Part{{Text: long}}}, w.book); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a text too long: %v", err)
	}
	if _, err := v.Check(verify.Document{Parts: make([]verify.Part, verify.MaxParts+1)}, w.book); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too many parts: %v", err)
	}
	r, err := v.Check(verify.Document{Parts: []verify.Part{{Text: strings.Repeat("12 ", 5000)}}}, w.book)
	if err != nil || !r.Truncated || !r.Blocked() || len(r.Findings) != verify.MaxFindings {
		t.Errorf("many findings: %d, truncated %v, %v", len(r.Findings), r.Truncated, err)
	}
	endless := w.numbered(t, strings.Repeat("Power Generation falls by {{pow.1|abs}} in 1p5DS and ", 400)+"so on.")
	if r, err := v.Check(verify.Document{Parts: []verify.Part{{Text: endless}}}, w.book); err != nil || !r.Blocked() {
		t.Errorf("a sentence too long to judge passed: %v", err)
	}
}

func TestSameTextSameFindings(t *testing.T) {
	ws := worlds(t)
	for _, it := range trueItems(t)[:60] {
		w := ws[it.world]
		text := strings.ReplaceAll(w.numbered(t, it.text), "fall", "rise")
		a, b := w.check(t, it.must, text, w.book, nil), loadWorld(t, it.world).check(t, it.must, text, w.book, nil)
		if !slices.Equal(a.Findings, b.Findings) {
			t.Fatalf("%q: %v and then %v", text, a.Findings, b.Findings)
		}
	}
}

func FuzzCheck(f *testing.F) {
	ws := worlds(f)
	w := ws["report"]
	v := w.verifier(f, "scenario")
	for _, it := range trueItems(f) {
		if it.world == "report" {
			f.Add(w.numbered(f, it.text))
		}
	}
	for _, s := range []string{"", "((((", "))))", "{{F7}}{{F7}}", "all all all scenarios only the largest {{F7|abs}}", "\xff\xfe {{F1}}",
		"से से {{F7}} तक नहीं", "1.2.3.4:5:6 — – - | # \n\n- 1)", "Figure", "section", "&;&;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20_000 {
			return
		}
		r, err := v.Check(verify.Document{Parts: []verify.Part{{Text: text}}}, w.book)
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		for _, x := range r.Findings {
			if x.Start < last || x.End < x.Start || x.End > len(text) ||
				x.RuneEnd-x.RuneStart != utf8.RuneCountInString(text[x.Start:x.End]) {
				t.Fatalf("finding out of place: %+v", x)
			}
			last = x.Start
		}
	})
}
