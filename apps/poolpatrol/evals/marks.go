package evals

import (
	"regexp"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
)

// The metrics that code alone is measured by.
const (
	VerdictAccuracy  = "verdict_accuracy"
	VerdictSimple    = "verdict_accuracy_simple"
	VerdictEdge      = "verdict_accuracy_edge"
	ConflictAccuracy = "shift_conflict_accuracy"
	OverlapAccuracy  = "overlap_accuracy"
	FalsePositives   = "false_positive_rate"
	FalseNegatives   = "false_negative_rate"
	Completeness     = "evidence_completeness"
	TimeFormat       = "time_format"
	StateAccuracy    = "state_accuracy"
	ToolChoice       = "tool_choice_accuracy"
	ToolPrecision    = "tool_precision"
	ToolRecall       = "tool_recall"
	CancelPrecision  = "cancel_precision"
)

// required is what evidence of a type must hold.
func required() map[string][]string {
	return map[string][]string{
		shift.Mismatch:     {"employee_id", "shift_id", "vanpool_id", "overlap_minutes"},
		"employee_profile": {"employee_id", "home_zip"},
		"vanpool_pickup":   {"vanpool_id", "pickup_coords", "source"},
		"distance_check":   {"employee_id", "vanpool_id", "distance_miles", "threshold_miles", "method", "geo_precision"},
	}
}

// marks is what a verdict is worth. A positive is a conflict.
func (want Expected) marks(dataset string, about Metadata, v check.Verdict, zone string) []Mark {
	var r Result
	right, fails := v.Label == want.Verdict, v.Label == check.Fail
	r.mark(VerdictAccuracy, right)
	r.mark(map[string]string{"simple": VerdictSimple, "edge": VerdictEdge}[about.Complexity], right)
	if want.DetectConflict {
		r.mark(FalseNegatives, !fails)
	} else {
		r.mark(FalsePositives, fails)
	}
	r.complete(v)
	if dataset != Shift {
		return r.Marks
	}
	r.mark(ConflictAccuracy, fails == want.DetectConflict)
	if want.Overlap != nil {
		least, known := leastOverlap(v).(int)
		r.mark(OverlapAccuracy, known && max(least-*want.Overlap, *want.Overlap-least) <= nearMinutes)
	}
	r.times(v, zone)
	return r.Marks
}

// nearMinutes is how far an overlap may be from the oracle's and still be right.
const nearMinutes = 5

// complete marks every field that the evidence must hold.
func (r *Result) complete(v check.Verdict) {
	for _, e := range v.Evidence() {
		for _, field := range required()[e.Type] {
			r.mark(Completeness, e.Data.Get(field) != nil)
		}
	}
}

// Anything that looks like a time of day, and the form it must have.
var (
	timeLike = regexp.MustCompile(`[0-9]{1,2}:[0-9]{1,2}(:[0-9]+)?( ?[AaPp][Mm])?`)
	timeForm = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
)

// times marks every time of day in the evidence: it has the form, and the zone of
// the site stands beside it or beside the hours it was compared with.
func (r *Result) times(v check.Verdict, zone string) {
	all := v.Evidence()
	zoned := slices.ContainsFunc(all, func(e check.Evidence) bool { return e.Data.Text("tz") == zone })
	for _, e := range all {
		for _, f := range e.Data {
			text, ok := f.Value.(string)
			if !ok || f.Name == "problem" { // a problem quotes the record as it is
				continue
			}
			for _, t := range timeLike.FindAllString(text, -1) {
				r.mark(TimeFormat, zoned && timeForm.MatchString(t))
			}
		}
	}
}

// marks is what a story's end is worth.
func (want End) marks(got End) []Mark {
	var r Result
	r.mark(StateAccuracy, got.State == want.State && got.SubReason == want.SubReason && got.Why == want.Why)
	r.mark(ToolChoice, slices.Equal(got.Tools, want.Tools))
	for _, tool := range got.Tools {
		r.mark(ToolPrecision, slices.Contains(want.Tools, tool))
		if tool == "cancel_membership" {
			r.mark(CancelPrecision, slices.Contains(want.Tools, tool))
		}
	}
	for _, tool := range want.Tools {
		r.mark(ToolRecall, slices.Contains(got.Tools, tool))
	}
	return r.Marks
}
