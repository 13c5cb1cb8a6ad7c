package report_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

// TestWhatHasToBeMentionedIsMentionedAsWords promises whole words in any case and between any signs, nothing of a longer word, and no
// finding about a text that is not there.
func TestWhatHasToBeMentionedIsMentionedAsWords(t *testing.T) {
	for text, want := range map[string]int{
		"In House View, LAND  use rises.":       0,
		"Land-use rises.":                       0,
		"The land is of use.":                   1,
		"Landuse rises.":                        1,
		"Farmland use rises.":                   1,
		"":                                      0,
		"भूमि: land use.":                       0,
		"Nothing of it.":                        1,
		"the use of land, and so on: land. Use": 0,
	} {
		if got := report.Unmentioned("land", text, []string{"land use"}); len(got) != want || want == 1 && got[0].Rule != report.Standing {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
