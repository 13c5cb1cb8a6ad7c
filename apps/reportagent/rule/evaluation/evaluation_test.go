package evaluation_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/evaluation"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

const reviewed = `# Results
<!-- Review comments: AUTHOR: A
RATING: accuracy=4, completeness=3, clarity=5, data_use=4
NOTES: Good coverage. -->
<!-- Review comments: AUTHOR: B
RATING: accuracy=5, completeness=3, clarity=4, data_use=4
-->

Ten words stand here and they are all of them short.

## Energy
<!-- Review comments: AUTHOR: A
RATING: accuracy=2, completeness=5, clarity=5, data_use=1 -->

## Transport
<!-- Review comments: -->
`

func evaluate(t *testing.T, run, text string) evaluation.Record {
	t.Helper()
	doc, err := outline.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m := report.Meta{RunID: run, Model: "none", Prompt: "p1", Generated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r, err := evaluation.Evaluate(doc, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMeansAreOverReviewersThenSections promises the aggregates of the first design's record: the mean of the reviewers in each
// section, then of the sections that were rated; overall of all ratings there are.
func TestMeansAreOverReviewersThenSections(t *testing.T) {
	r := evaluate(t, "v1", reviewed)
	want := map[string]json.Number{"accuracy": "3.25", "completeness": "4", "clarity": "4.75", "data_use": "2.5", "overall": "3.75"}
	if !maps.Equal(r.Aggregate, want) {
		t.Errorf("got %v, want %v", r.Aggregate, want)
	}
	if r.Unrated != 1 || len(r.Sections) != 2 || r.Rated["accuracy"] != 2 {
		t.Errorf("%d unrated, %d sections, %v", r.Unrated, len(r.Sections), r.Rated)
	}
	s := r.Sections[0]
	if s.ID != "results" || s.Length != 11 || s.Words != 11 || s.Ratings["accuracy"] != "4.5" || s.Notes != "Good coverage." ||
		len(s.Reviews) != 2 {
		t.Errorf("got %+v", s)
	}
}

// TestAgreementIsBeyondChance promises Cohen's kappa, computed by hand for the four things both rated: they agree on two of four,
// and by chance on 1 + 2·2 + 1 of sixteen: (8/16 − 6/16) ÷ (10/16).
func TestAgreementIsBeyondChance(t *testing.T) {
	a := evaluate(t, "v1", reviewed).Agreement
	if a == nil || a.Items != 4 || a.Kappa != "0.2" || strings.Join(a.Authors, "") != "AB" {
		t.Errorf("got %+v", a)
	}
}

// TestRunsAreSetSideBySide promises differences by dimension and by section, and a warning where too little was rated.
func TestRunsAreSetSideBySide(t *testing.T) {
	before := evaluate(t, "v1", reviewed)
	now := evaluate(t, "v2", strings.Replace(reviewed, "accuracy=2, completeness=5", "accuracy=4, completeness=1", 1))
	got := evaluation.Compare(now, before)
	if got.Deltas["accuracy"] != "1" || got.Deltas["completeness"] != "-2" || got.Deltas["overall"] != "-0.167" || !got.Worse {
		t.Errorf("got %v, worse %v", got.Deltas, got.Worse)
	}
	if len(got.Sections) != 2 || got.Sections[1].ID != "energy" || got.Sections[1].Deltas["completeness"] != "-4" ||
		len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "clarity, data use") {
		t.Errorf("got %+v, %v", got.Sections, got.Warnings)
	}
	text, _ := json.Marshal(now)
	if back, err := evaluation.ParseRecord(text); err != nil || evaluation.Compare(back, now).Worse {
		t.Errorf("a record does not come back: %v", err)
	}
}

// TestAnOutlineWithErrorsIsNotEvaluated promises that a rating which cannot be read does not vanish into a mean.
func TestAnOutlineWithErrorsIsNotEvaluated(t *testing.T) {
	doc, err := outline.Parse([]byte(strings.Replace(reviewed, "accuracy=4", "accuracy=6", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evaluation.Evaluate(doc, report.Meta{RunID: "v1"}, nil); err == nil {
		t.Error("it was evaluated")
	}
}
