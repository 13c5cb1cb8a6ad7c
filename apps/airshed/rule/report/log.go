package report

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
)

// Prefix is where reports lie in the lake.
const Prefix = "reports/"

// FileName is the name of a report's file, caqm_report_20251114_083000.json, after
// the moment it was made in UTC.
func FileName(generated time.Time) string {
	return "caqm_report_" + generated.UTC().Format("20060102_150405") + ".json"
}

// Key is where a report lies in the lake.
func Key(generated time.Time) string { return Prefix + FileName(generated) }

// A Log is the list of reports that were made, in the first design's form.
type Log struct {
	Reports []Entry `json:"reports"`
}

// An Entry is one report of a log.
type Entry struct {
	ID          string    `json:"report_id"`
	Station     string    `json:"station"`
	AQI         int       `json:"aqi"`
	Time        time.Time `json:"timestamp"` // of the surge
	GeneratedAt time.Time `json:"generated_at"`
}

// Entry is a report's line in the log.
func (r Report) Entry() Entry {
	return Entry{ID: r.ID, Station: r.Surge.Station, AQI: r.Surge.AQI, Time: r.Surge.Time, GeneratedAt: r.Time}
}

// Unfiled is the report on an analysis before anybody has decided anything. It is of
// the moment of its data, so that the same data makes the same bytes.
func Unfiled(a analysis.Analysis, organisation string, received []lawbook.Record) (Report, error) {
	book, err := lawbook.Known()
	if err != nil {
		return Report{}, err
	}
	return Build(a, Meta{ID: "CAQM-" + a.At.UTC().Format("2006-01-02") + "-000", GeneratedAt: a.At, Organisation: organisation,
		Records: received}, book)
}
