package cli

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/page"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
)

// TestEveryNumberOfACaseIsReadInWords promises that a person who signs on a fact of a
// surge reads what it is, in both languages: no measure is shown by its place in a file,
// and no words have a place that nothing fills.
func TestEveryNumberOfACaseIsReadInWords(t *testing.T) {
	_, all := demoFound(t, time.Date(2026, 11, 16, 18, 17, 0, 0, time.UTC), 0, analysis.Default)
	// What a demonstration's data do not have.
	number := 1.0
	more := all[0]
	more.Attribution.Districts = []analysis.Share{{State: "Punjab", District: "Sangrur"}}
	more.Stubble = analysis.Stubble{Available: true, Indicative: []analysis.Indicative{{State: "Punjab"}}}
	more.Fires.Dropped = []analysis.Tally{{Name: "repeated", Count: 1}}
	more.Beside = []analysis.Beside{{Pollutant: aqi.CO, Interior: &number, Difference: &number}}
	place := regexp.MustCompile(`[{]([a-z]+)[}]`)
	for _, lang := range []string{"en", "hi"} {
		text, err := fs.ReadFile(page.Messages(), lang+".json")
		if err != nil {
			t.Fatal(err)
		}
		var words map[string]string
		if err := json.Unmarshal(text, &words); err != nil {
			t.Fatal(err)
		}
		for _, a := range append(all, more) {
			for _, f := range report.Facts(a) {
				said := words["subject."+f.Subject.Type+".measure."+f.Subject.IDs["measure"]]
				if said == "" || strings.ContainsAny(said, "_/") {
					t.Errorf("%s: fact %s, measure %s, reads %q", lang, f.Name, f.Subject.IDs["measure"], said)
				}
				for _, m := range place.FindAllStringSubmatch(said, -1) {
					if f.Subject.IDs[m[1]] == "" {
						t.Errorf("%s: %q of fact %s has nothing for %s", lang, said, f.Name, m[1])
					}
				}
			}
		}
	}
}
