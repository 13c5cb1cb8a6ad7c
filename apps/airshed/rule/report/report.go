// Package report turns an analysis into the report a tribunal can test: the first
// design's JSON with ours beside it, the words of it in English and Hindi, and a
// page to print.
//
// Read Build first. It takes the numbers of the analysis as facts (Facts, Read),
// says everything by code with tokens in place of numbers (Texts), and renders what
// the first design's keys ask for. Profile is what the texts are verified by, Check
// is for whoever doubts a report, and HTML is the page. Nothing here decides
// anything about the air; what the words may say follows from the analysis and the
// book of law, and a result that is not conclusive names no state as an origin.
package report

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// Format names the form of a report's JSON.
const Format = "airshed.report/1"

// MaxBytes bounds the JSON of a report, and a page of it.
const MaxBytes = 8 << 20

// A Status says what a report is good for.
type Status string

// The states of a report. The zero value is a draft. Whether a final one was filed
// is not in its bytes, which are approved and filed as they are.
const (
	Draft Status = "draft"
	Final Status = "final" // as it is put before those who decide
)

// A Channel says where a filed report goes.
type Channel string

// The channels. The zero value is the mock: nothing real may be assumed.
const (
	Mock Channel = "mock" // a simulator; no commission received anything
	Real Channel = "real"
)

// Meta is what a report says of itself.
type Meta struct {
	ID           string // CAQM-2025-11-14-001
	GeneratedAt  time.Time
	Organisation string
	Status       Status
	Channel      Channel
	Facts        []Named          // as a case numbered them; nil: numbered here, from F1 on
	Device       lawbook.Device   // for the certificate
	Records      []lawbook.Record // raw inputs as they were received
	VerifyAt     string           // address where anybody may check a report; empty: none is known
	Outages      []string         // of the system, from its own log; nil: no log was read
}

// SurgeDetails is the surge in the first design's form.
type SurgeDetails struct {
	Station string    `json:"station"`
	AQI     int       `json:"aqi"`
	PM25    *float64  `json:"pm25"`
	PM10    *float64  `json:"pm10"`
	Time    time.Time `json:"timestamp"`
}

// A Share is a state's share of the influence of detected fires, in percent.
type Share struct {
	State   string  `json:"state"`
	Percent float64 `json:"percent"`
}

// A Range is where 5 to 95 % of the calculations put a share.
type Range struct {
	State string  `json:"state"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Attribution is whose smoke it can have been.
type Attribution struct {
	Shares     []Share       `json:"shares"`
	Ranges     []Range       `json:"ranges"`
	Conclusive bool          `json:"conclusive"`
	Reasons    []Doubt       `json:"reasons"` // why not, in English
	Verdict    plume.Verdict `json:"verdict"`
	Means      string        `json:"means"`           // what a share is a share of
	Whose      *Judged       `json:"whose,omitempty"` // by the second method, the words of its statements
}

// Names reports whether the first state may be named.
func (a Attribution) Names() bool { return a.Conclusive || a.Verdict == analysis.Inquiry }

// Both is the texts in each language.
type Both struct {
	English Texts `json:"en"`
	Hindi   Texts `json:"hi"`
}

// In is the texts in one language.
func (b Both) In(lang Lang) Texts {
	if lang == Hindi {
		return b.Hindi
	}
	return b.English
}

// Custody is what a certificate of the record is filled in from.
type Custody struct {
	Analysis string           `json:"analysis_sha256"` // of the analysis' canonical JSON
	Device   lawbook.Device   `json:"device"`
	Records  []lawbook.Record `json:"records"`
	Outages  []string         `json:"outages"` // null: no log was read
}

// A Report is one report. The first keys, down to recommendations, are the first
// design's, and hold English; everything after is ours.
type Report struct {
	ID              string             `json:"report_id"`
	Time            time.Time          `json:"timestamp"`
	Summary         string             `json:"executive_summary"`
	Surge           SurgeDetails       `json:"surge_details"`
	Fires           []seedmethod.State `json:"fire_correlation"`
	Stubble         *float64           `json:"stubble_burning_contribution"`
	Reasoning       string             `json:"reasoning"`
	Confidence      float64            `json:"confidence_score"`
	Quality         seedmethod.Sources `json:"data_quality"`
	Legal           LegalCitations     `json:"legal_citations"`
	Recommendations []string           `json:"recommendations"`

	Format       string             `json:"format"`
	Status       Status             `json:"status"`
	Channel      Channel            `json:"submission_channel"`
	VerifyAt     string             `json:"verify_at,omitempty"`
	Organisation string             `json:"organisation"`
	WordedBy     string             `json:"summary_worded_by"` // code, or the run of an agent whose words were verified
	Completeness float64            `json:"completeness_score"`
	FireMethod   string             `json:"fire_correlation_method"` // legacy_radius_count: a circle, not an attribution
	Attribution  Attribution        `json:"attribution"`
	LowerBound   string             `json:"lower_bound_statement"`
	Alternatives []string           `json:"alternatives"`
	Band         string             `json:"grap_band"`
	Episode      surge.Episode      `json:"episode"`
	Station      surge.Station      `json:"station"`
	Control      surge.Comparison   `json:"control"`
	Satellites   []fire.Count       `json:"satellites"`
	Legacy       analysis.Legacy    `json:"legacy_radius_count"`
	Gaps         []Missing          `json:"gaps"`
	Warnings     []analysis.Warning `json:"warnings"`
	Law          Law                `json:"law"`
	Inputs       []analysis.Input   `json:"inputs"`
	Rules        []analysis.Rule    `json:"rules"`
	Custody      Custody            `json:"custody"`
	Notices      []Notice           `json:"notices"`
	Facts        []Named            `json:"facts"`
	Texts        Both               `json:"texts"`

	Analysis analysis.Analysis `json:"-"` // for the page, which shows more of it
}

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
