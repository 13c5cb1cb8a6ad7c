// Package signal turns a report of an event into something that can be weighed: in which layers it
// counts, how severe it is by its facts, which way it points, and what its district adds.
//
// Read Report and Signal first, then Classifier.Classify. Cluster counts once what several papers tell.
// What a report says of itself is kept; only what it leaves out is classified, and Signal.Basis says
// what was.
package signal

import (
	"slices"
	"time"
)

// A Layer is one of the three sides of a district's risk.
type Layer string

// The layers.
const (
	Cognitive Layer = "cognitive" // what is said: rumours, threats, protest
	Network   Layer = "network"   // what is coordinated: bandhs, blockades, mass mobilisation
	Physical  Layer = "physical"  // what is done: violence, arms, explosives
)

// Layers lists the layers.
func Layers() []Layer { return []Layer{Cognitive, Network, Physical} }

// A Polarity is the way a signal points.
type Polarity string

// The polarities, spelt as the first design spelt them: files have them so.
const (
	Escalatory  Polarity = "escalatory"
	Stabilizing Polarity = "stabilizing"
	Neutral     Polarity = "neutral"
)

// Polarities lists the polarities.
func Polarities() []Polarity { return []Polarity{Escalatory, Stabilizing, Neutral} }

// The range of a severity.
const (
	LeastSevere = 1
	MostSevere  = 5
)

// A Report is one line of what comes in. What may be left out is classified.
type Report struct {
	EventID    string    `json:"event_id"`
	Source     string    `json:"source"`
	SourceType string    `json:"source_type"`
	EventType  string    `json:"event_type"`
	At         time.Time `json:"timestamp"`
	LGD        int       `json:"district_lgd,omitempty"` // the district's code, or its name and state
	District   string    `json:"district,omitempty"`
	State      string    `json:"state,omitempty"`
	Severity   int       `json:"severity,omitempty"` // 0 where it was left out
	Polarity   Polarity  `json:"polarity,omitempty"`
	Layers     []Layer   `json:"layers,omitempty"`
	Summary    string    `json:"event_summary"`
	Fatalities *int      `json:"fatalities,omitempty"`
	URL        string    `json:"url,omitempty"`
}

// A Signal is a report that can be weighed.
type Signal struct {
	ID          string    `json:"event_id"`
	Source      string    `json:"source"`
	SourceType  string    `json:"source_type"`
	Type        Type      `json:"event_type"`
	At          time.Time `json:"timestamp"`
	LGD         int       `json:"district_lgd"`
	Severity    int       `json:"severity"`
	Polarity    Polarity  `json:"polarity"`
	Layers      []Layer   `json:"layers"`
	Geo         float64   `json:"geo_multiplier"`
	Enforcement bool      `json:"enforcement_generated"` // it tells of what the police did, which follows from where they look
	Summary     string    `json:"event_summary"`
	Sources     int       `json:"n_sources"` // how many told it
	Basis       Basis     `json:"basis"`
	Hints       []Tag     `json:"hints,omitempty"` // what words of the summary suggest about the place; they change nothing
}

// In reports whether a signal counts in a layer.
func (s Signal) In(l Layer) bool { return slices.Contains(s.Layers, l) }

// Weight is what a signal weighs when it is new, before the way it points.
func (s Signal) Weight() float64 { return float64(s.Severity) / MostSevere * s.Geo }

// Basis says where what is known of a signal comes from.
type Basis struct {
	Severity Origin `json:"severity"`
	Polarity Origin `json:"polarity"`
	Layers   Origin `json:"layers"`
	Geo      Origin `json:"geo_multiplier"`
}

// An Origin is where one thing about a signal comes from.
type Origin string

// The origins.
const (
	Given    Origin = "given"      // the report said so
	ByType   Origin = "event_type" // it follows from the type of event
	ByWords  Origin = "words"      // it follows from words of the summary
	ByDeaths Origin = "fatalities" // it follows from how many died
	Capped   Origin = "capped"     // a machine coded it, and no other source says so
	Reviewed Origin = "reviewed"   // from the reviewed table of districts
	Unknown  Origin = "not_reviewed"
)

// India is the zone of a district's days.
func India() *time.Location { return time.FixedZone("IST", 5*3600+1800) }

// Shown is a time as pages print it: to the hour, because an exact time with a place and a rare event
// can tell who was meant.
func Shown(at time.Time) time.Time { return at.Truncate(time.Hour) }
