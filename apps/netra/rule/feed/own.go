package feed

import (
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// ownRecord reads a record whose columns are called as the fields of NDJSON. Layers are separated by spaces.
func ownRecord(at cell) (r signal.Report, problem string) {
	r = signal.Report{EventID: at("event_id"), Source: at("source"), SourceType: at("source_type"), EventType: at("event_type"),
		District: at("district"), State: at("state"), Polarity: signal.Polarity(strings.ToLower(at("polarity"))),
		Summary: at("event_summary")}
	for _, l := range strings.Fields(strings.ToLower(at("layers"))) {
		r.Layers = append(r.Layers, signal.Layer(l))
	}
	var err error
	if r.At, err = time.Parse(time.RFC3339Nano, at("timestamp")); err != nil {
		return r, notTime
	}
	lgd, ok := number(at("district_lgd"))
	severity, also := number(at("severity"))
	if !ok || !also {
		return r, notNumber
	}
	r.LGD, r.Severity = lgd, severity
	return r, deaths(&r, at("fatalities"))
}

// number reads a whole number; nothing is 0.
func number(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// deaths sets how many died, where that is said.
func deaths(r *signal.Report, text string) (problem string) {
	if text == "" {
		return ""
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return notNumber
	}
	r.Fatalities = &n
	return ""
}

// dayIn reads a date as the beginning of that day in India: sources that know no hour say none, and a later one could lie
// ahead of the report.
func dayIn(text, layout string) (time.Time, bool) {
	if len(text) > len(layout) {
		text = text[:len(layout)]
	}
	t, err := time.ParseInLocation(layout, text, signal.India())
	return t, err == nil
}
