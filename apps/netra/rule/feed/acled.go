package feed

import (
	"fmt"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// sourceType is what the first design calls sources that anybody can read.
const sourceType = "public_open_source"

// acled maps an event of ACLED, by the names of its published fields. Notes and actors can name persons, and are left where they
// are; so is every place below the district.
func acled(at cell) (r signal.Report, problem string) {
	r = signal.Report{EventID: "acled:" + at("event_id_cnty"), Source: "acled", SourceType: sourceType, EventType: at("sub_event_type"),
		District: at("admin2"), State: at("admin1")}
	if !signal.Known(r.EventType) {
		r.EventType = at("event_type")
	}
	var ok bool
	if r.At, ok = dayIn(at("event_date"), time.DateOnly); !ok {
		return r, notTime
	}
	if problem = deaths(&r, at("fatalities")); problem != "" {
		return r, problem
	}
	r.Summary = told(at("sub_event_type"), at("event_type"), r.Fatalities)
	return r, ""
}

// told is a summary made of what a source has coded.
func told(kind, of string, fatalities *int) string {
	text := kind
	if of != "" && of != kind {
		text = fmt.Sprintf("%s (%s)", kind, of)
	}
	if fatalities != nil && *fatalities > 0 {
		text += fmt.Sprintf("; reported deaths: %d", *fatalities)
	}
	return text
}
