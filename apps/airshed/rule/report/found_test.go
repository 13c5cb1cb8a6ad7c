package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
)

// TestAnOfficerReadsTheVerdictFirst promises that what is read before a report is filed
// is whole, says the verdict in its first line, and names a state only where the report
// does.
func TestAnOfficerReadsTheVerdictFirst(t *testing.T) {
	first := map[string]string{
		"conclusive":      "Alipur, CAQM-2025-11-14-001: conclusive: Punjab, 71.4 % of the fires' influence",
		"stubble-missing": "Alipur, CAQM-2025-11-14-001: conclusive: Punjab, 71.4 % of the fires' influence",
		"inconclusive":    "Alipur, CAQM-2025-11-14-001: inconclusive: no state is named; AQI 477",
		"stagnation":      "Alipur, CAQM-2025-11-14-001: inconclusive: no state is named; AQI 477",
		"fires-missing":   "Alipur, CAQM-2025-11-14-001: no attribution; AQI 477",
	}
	for name, a := range fixtures() {
		r := build(t, a)
		f := r.Found("/airshed/episodes/site_5024@2025-11-13T14:30Z")
		if err := f.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := f.First("en"); first[name] != "" && got != first[name] {
			t.Errorf("%s: got %q, want %q", name, got, first[name])
		}
		text := fmt.Sprint(f.Brief, f.Says, f.Plain, f.Value, f.Sure)
		if !r.Attribution.Names() && (strings.Contains(text, "Punjab") || len(f.Against) == 0) {
			t.Errorf("%s: %s", name, text)
		}
		if len(f.Unknown) == 0 || len(f.For) == 0 || len(f.Facts) == 0 {
			t.Errorf("%s: for %v, unknown %v, facts %v", name, f.For, f.Unknown, f.Facts)
		}
		t.Logf("%s\n  %s\n  %s\n  value %s; limit %s; %s", f.First("hi"), f.Says.En, f.Says.Hi, f.Value.Words.En, f.Limit.Words.En,
			f.Sure.Words.En)
	}
}

// TestReportsThatDifferInVerdictDifferInTheirFirstLine tries random verdicts and shares:
// no two that would be decided differently read alike in a list.
func TestReportsThatDifferInVerdictDifferInTheirFirstLine(t *testing.T) {
	verdicts := []plume.Verdict{plume.Conclusive, plume.Inconclusive, plume.Unattributed}
	states := []string{"Punjab", "Haryana", "Uttar Pradesh", "Rajasthan"}
	base := build(t, conclusive())
	drawn := func(t *rapid.T, name string) report.Report {
		r := base
		r.Attribution.Verdict = rapid.SampledFrom(verdicts).Draw(t, name+" verdict")
		r.Attribution.Conclusive = r.Attribution.Verdict == plume.Conclusive
		share := float64(rapid.IntRange(1, 1000).Draw(t, name+" share")) / 10
		r.Attribution.Shares = []report.Share{{State: rapid.SampledFrom(states).Draw(t, name+" state"), Percent: share}}
		return r
	}
	told := func(r report.Report) string {
		if !r.Attribution.Conclusive {
			return string(r.Attribution.Verdict)
		}
		return fmt.Sprint(r.Attribution.Verdict, r.Attribution.Shares)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, "one"), drawn(t, "other")
		for _, lang := range []string{"en", "hi"} {
			one, other := a.Found("").First(lang), b.Found("").First(lang)
			if (told(a) == told(b)) != (one == other) {
				t.Fatalf("%s: %q and %q, of %s and %s", lang, one, other, told(a), told(b))
			}
		}
	})
}

// TestANoticeSaysWhichStateIsTold promises what is read before a state is told.
func TestANoticeSaysWhichStateIsTold(t *testing.T) {
	r := build(t, conclusive())
	var names []string
	for _, n := range r.Notices {
		f := r.FoundFor(n.State, "Pollution Control Board", "")
		if err := f.Check(); err != nil {
			t.Error(err)
		}
		names = append(names, f.Subject.Name)
		if !f.Limit.None || f.Value.None || !strings.HasPrefix(f.First("en"), n.State+", "+r.ID+": ") || !strings.HasSuffix(f.First("en"),
			" % by the filed report; notice to Pollution Control Board") {
			t.Errorf("got %q, value %+v, limit %+v", f.First("en"), f.Value, f.Limit)
		}
	}
	if !slices.Equal(names, []string{"Punjab", "Haryana"}) {
		t.Errorf("told are %v", names)
	}
	if f := r.FoundFor("Goa", "Board", ""); !f.Value.None || f.Check() != nil {
		t.Errorf("a state without a share: %+v, %v", f.Value, f.Check())
	}
}
