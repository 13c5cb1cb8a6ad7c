// Package lake is the file in which everything that was known at one moment lies
// together: the air, the fires, the wind and the stubble forecast, in the first
// design's JSON with fields of ours added. It is what ingest writes, what the
// analysis reads, and what an analyst hands in for an analysis offline.
//
// Read Object first, then Read, which says what is wrong with a file and what to
// do about it, and Object.Write, which gives the same bytes for the same content
// whatever order the rows had. Object.Ages says how old each part is.
//
// A part that is missing is nil, and that differs from one that is there and
// empty: "fires were looked for and none was seen" is a finding.
package lake

import (
	"time"
)

// Format names this form of the file. A file without it is the first design's.
const Format = "airshed.lake/1"

// Bounds of one file.
const (
	MaxBytes   = 64 << 20
	MaxAir     = 500_000 // rows: all stations of the country for five weeks
	MaxFires   = 600_000 // rows: three days of the world
	MaxWind    = 1_500_000
	MaxCloud   = 100_000
	MaxSources = 200
)

// An Object is one file of the data lake.
type Object struct {
	Time    time.Time // when it was put together; every age is counted from here or later
	Air     []Air     // never empty in an object that was read
	Fires   []Fire    // nil: not known; empty: looked for and none seen
	Looked  Span      // while fires were looked for; zero: the file does not say
	Stubble *Stubble  // nil: not known
	Wind    *Wind     // nil: not known
	Cloud   []Cloud
	Sources []Source
	Dropped []Drop // values that were left out on the way here, by part and reason
}

// A Span is the time from one moment to another.
type Span struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// IsZero reports whether nothing is said.
func (s Span) IsZero() bool { return s.From.IsZero() && s.To.IsZero() }

// A Cloud is what part of the sky was covered over a place at a moment.
type Cloud struct {
	Time     time.Time `json:"time"`
	Lat      float64   `json:"lat"`
	Lon      float64   `json:"lon"`
	Fraction float64   `json:"fraction"` // 0 to 1
}

// A Source is one thing that was fetched, typed in or uploaded to make the object.
type Source struct {
	Name    string    `json:"name"`
	URL     string    `json:"url,omitempty"` // without any key
	Fetched time.Time `json:"fetched_at,omitzero"`
	Bytes   int64     `json:"bytes"`
	SHA256  string    `json:"sha256,omitempty"` // of the bytes as received
	Stale   bool      `json:"stale,omitempty"`  // an earlier answer stands in for one that did not come
	Note    string    `json:"note,omitempty"`
}

// A Drop is how many values of a part were left out for a reason.
type Drop struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// The parts of an object, by their names in the file.
const (
	AirPart     = "cpcb_data"
	FiresPart   = "nasa_data"
	StubblePart = "dss_data"
	WindPart    = "wind_data"
	CloudPart   = "cloud_data"
	SourcesPart = "sources"
)

// The reasons why values are left out.
const (
	OffScale   = "off_scale"  // an index below 0 or above 500, or the 999 that stands for an error
	OutOfOrder = "impossible" // a concentration no instrument in order gives
)

// A Stubble is what the forecast says stubble burning adds to Delhi's PM2.5. It
// is a forecast for the whole city: of no station, and of no state.
type Stubble struct {
	Percent  float64   `json:"stubble_burning_percent"` // 0 to 100
	Time     time.Time `json:"timestamp,omitzero"`
	Issued   time.Time `json:"issued_at,omitzero"`
	Valid    string    `json:"valid_date,omitempty"` // the day it is for, as 2025-11-13
	URL      string    `json:"source_url,omitempty"`
	SHA256   string    `json:"captured_bytes_sha256,omitempty"`
	Captured string    `json:"captured_by,omitempty"`
}
