package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
)

// TestSectionsSayWhatThePageSays promises that a reader of the sections sees every
// part of the page to print, and that each number of them opens the card of a fact
// that the report has.
func TestSectionsSayWhatThePageSays(t *testing.T) {
	r := build(t, conclusive())
	known := map[string]bool{}
	for _, f := range r.Facts {
		known[report.CardID(f.ID)] = true
	}
	opens := regexp.MustCompile(`<button type="button" class="number" popovertarget="([^"]+)">(<data [^>]*>[^<]*</data>)</button>`)
	for _, lang := range report.Langs() {
		page, err := report.HTML(r, lang)
		if err != nil {
			t.Fatal(err)
		}
		all, err := report.Sections(r, lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			plain := opens.ReplaceAllString(s.HTML, "$2")
			if !strings.Contains(string(page), plain) || plain == "" {
				t.Errorf("%s: section %s is not as the page has it", lang, s.Name)
			}
			if strings.Count(s.HTML, "<data ") != len(opens.FindAllString(s.HTML, -1)) {
				t.Errorf("%s: section %s has numbers that open nothing", lang, s.Name)
			}
			for _, found := range opens.FindAllStringSubmatch(s.HTML, -1) {
				if !known[found[1]] {
					t.Errorf("%s: %s is opened and is the card of no fact", lang, found[1])
				}
			}
		}
	}
}

// TestWordsForPagesFallBackToTheAnalysis promises that a gap whose words hold numbers
// is told in the analysis' own words.
func TestWordsForPagesFallBackToTheAnalysis(t *testing.T) {
	hindi, err := report.Speak(report.Hindi)
	if err != nil {
		t.Fatal(err)
	}
	if text, costs, own := hindi.Gap(analysis.Gap{Code: analysis.WindMissing}); !own || text == "" || costs == "" {
		t.Errorf("wind missing: got %q, %q, %t", text, costs, own)
	}
	if text, costs, own := hindi.Gap(analysis.Gap{Code: analysis.FiresDayOnly, Text: "7 rows", Costs: "little"}); own || text != "7 rows" ||
		costs != "little" {
		t.Errorf("rows of a day: got %q, %q, %t", text, costs, own)
	}
	if got := hindi.State("Punjab"); got == "Punjab" || hindi.Station("Alipur, Delhi") == "Alipur" {
		t.Errorf("names are not in Hindi: %s", got)
	}
}
