package lifecycle

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
)

// TestWhoWasNotJudgedDoesNotFit promises that of whom the records do not say enough
// nobody says that they fit.
func TestWhoWasNotJudgedDoesNotFit(t *testing.T) {
	about := func(who string) []check.Evidence { return []check.Evidence{check.NewEvidence("x", "employee_id", who)} }
	verdicts := []check.Verdict{{For: about("EMP-1001")}, {Against: about("EMP-1002"), Unknown: about("EMP-1001")},
		{For: about("EMP-1003")}}
	if got := Fit(verdicts, []Subject{{Employee: "EMP-1003"}}); got != 1 {
		t.Errorf("%d fit, want EMP-1002 alone", got)
	}
}
