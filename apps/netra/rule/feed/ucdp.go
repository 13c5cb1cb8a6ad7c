package feed

import (
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// ucdpTypes are what UCDP's types of violence are here.
var ucdpTypes = map[string]struct {
	t     signal.Type
	words string
}{
	"1": {signal.Battle, "State-based violence"}, "2": {signal.Battle, "Non-state violence"}, "3": {signal.Violence, "One-sided violence"},
}

// ucdp maps an event of UCDP GED or its candidates, by the names of their published columns. The best estimate of deaths counts. Names of
// the sides and the headline are left where they are.
func ucdp(at cell) (r signal.Report, problem string) {
	kind, ok := ucdpTypes[at("type_of_violence")]
	if !ok {
		return r, notCounted
	}
	r = signal.Report{EventID: "ucdp:" + at("id"), Source: "ucdp", SourceType: sourceType, EventType: string(kind.t), District: at("adm_2"),
		State: at("adm_1")}
	if r.At, ok = dayIn(at("date_end"), time.DateOnly); !ok {
		return r, notTime
	}
	if problem = deaths(&r, at("best")); problem != "" {
		return r, problem
	}
	r.Summary = told(kind.words, "", r.Fatalities)
	return r, ""
}
