package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestWordsOfAnAgentCountOnlyWhereTheyHold promises that a summary an agent worded
// replaces ours, and nothing else, only where every number is a fact rightly used and a
// result that is not conclusive names nobody.
func TestWordsOfAnAgentCountOnlyWhereTheyHold(t *testing.T) {
	const run = "run_1"
	sure := build(t, conclusive())
	token := func(name string) string {
		i := slices.IndexFunc(sure.Facts, func(f report.Named) bool { return f.Name == name })
		return "{{" + string(sure.Facts[i].ID) + "}}"
	}
	good := report.Words{
		English: []string{"At Alipur the AQI reached " + token("aqi") + ".",
			"Of the influence of the fires that were seen, the share of Punjab is " + token("share.0.median") + "."},
		Hindi: []string{"अलीपुर में AQI " + token("aqi") + " तक पहुँचा।", "दिखी आगों के प्रभाव में पंजाब का हिस्सा " +
			token("share.0.median") + " है।"},
	}
	got, err := sure.Reword(good, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.WordedBy != run || !strings.Contains(got.Summary, "AQI reached 477") || got.Reasoning != sure.Reasoning {
		t.Errorf("got %q by %s", got.Summary, got.WordedBy)
	}
	if sure.WordedBy != "code" || sure.Texts.English.Summary[0] == good.English[0] {
		t.Error("the report that was reworded has changed")
	}
	doubtful := build(t, fixtures()["inconclusive"])
	districted := doubtful
	districted.Analysis.Attribution.Districts = []analysis.Share{{State: "Punjab", District: "Sangrur"}}
	for name, tt := range map[string]struct {
		of report.Report
		w  report.Words
	}{
		"a number that is no fact":    {sure, with(good, "The share of Punjab is large, and the AQI was 480.")},
		"a fact of another thing":     {sure, with(good, "Punjab has "+token("aqi")+" % of the influence.")},
		"nobody named where one is":   {sure, with(good, "At Alipur the AQI reached "+token("aqi")+".")},
		"the wrong state":             {sure, with(good, "The share of Haryana is "+token("share.0.median")+".")},
		"blame":                       {sure, with(good, "Punjab is the culprit.")},
		"a state though inconclusive": {doubtful, with(good, "The smoke came from Haryana.")},
		"a cause that no fact shows":  {sure, with(good, "The surge at Alipur was caused by fires upwind.")},
		"a district, inconclusive":    {districted, with(good, "Fires were seen in Sangrur.")},
		"in Hindi, though inconclusive": {doubtful, report.Words{English: []string{"Nothing can be said."},
			Hindi: []string{"धुआँ पंजाब से आया।"}}},
		"nothing":   {sure, report.Words{}},
		"two lines": {sure, with(good, "Of Punjab\nsome.")},
		"too much":  {sure, with(good, strings.Repeat("Of Punjab there is more to say. ", 40))},
	} {
		if _, err := tt.of.Reword(tt.w, run, nil); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

// with is words whose English is one sentence.
func with(w report.Words, english string) report.Words {
	w.English = []string{english}
	return w
}
