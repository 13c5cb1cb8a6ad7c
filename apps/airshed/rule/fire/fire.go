// Package fire reads what satellites saw burning and makes of it a list in which
// each fire is counted once and everything left out is counted too.
//
// Read Detection first, then Reader, which knows the traps of the files the
// detections come in; Policy.Sift, which leaves out what should not be counted
// and says how much that was; and Coverage, which says what the satellites
// could not see. Which satellites there are is data: see Constellation.
//
// A detection is evidence of heat in a pixel at a moment. It is not evidence of
// straw, nor is the lack of one evidence that nothing burnt.
package fire

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Point is a place on the globe, in degrees of WGS 84.
type Point struct {
	Lat float64 `json:"latitude"`
	Lon float64 `json:"longitude"`
}

// Valid reports whether the point lies on the globe.
func (p Point) Valid() bool {
	return p.Lat >= -90 && p.Lat <= 90 && p.Lon >= -180 && p.Lon <= 180
}

// Distance is the length of the way over the ground from a to b, in kilometres.
func Distance(a, b Point) float64 { return earth.Distance(a.Lat, a.Lon, b.Lat, b.Lon) }

// A Detection is one pixel in which a satellite saw heat.
type Detection struct {
	Line       int        `json:"line"` // in the file it was read from, the header being 1
	At         Point      `json:"at"`   // middle of the pixel, not of the fire
	Time       time.Time  `json:"time"` // UTC, to the minute
	Satellite  Satellite  `json:"satellite"`
	Instrument Instrument `json:"instrument"`
	Confidence Confidence `json:"confidence"`
	Percent    int        `json:"percent"`    // what MODIS says of its confidence, 0 to 100; -1 for VIIRS, which has classes only
	Bright     float64    `json:"brightness"` // K, in the band that sees fires; that of VIIRS saturates at 367 K and folds over
	Background float64    `json:"background"` // K, in the band beside it
	Scan       float64    `json:"scan_km"`    // the pixel's real size, which grows towards the edge of the swath
	Track      float64    `json:"track_km"`
	FRP        float64    `json:"frp_mw"` // fire radiative power of the pixel as it was received, in MW; see Constellation.Power
	Light      Light      `json:"light"`
	Version    string     `json:"version"` // of the processing, as it was received
	Kind       Kind       `json:"kind"`
	Country    string     `json:"country,omitempty"` // as the source says; only some answers do
	Place      Place      `json:"place,omitzero"`    // empty until Locate
}

// Blur is how far from its middle the fire in a pixel may be, in km: half the
// pixel's diagonal.
func (d Detection) Blur() float64 { return math.Hypot(d.Scan, d.Track) / 2 }

// Standard reports whether the row comes from the final processing, which
// replaces the preliminary one after some months. Any letter after the number of
// the version says preliminary.
func (d Detection) Standard() bool {
	for i := range len(d.Version) {
		if c := d.Version[i]; c != '.' && (c < '0' || c > '9') {
			return false
		}
	}
	return d.Version != ""
}

// A Confidence is how sure the detection is, in the three classes all
// instruments can be told in. The zero value is less than low.
type Confidence uint8

// The classes.
const (
	Low Confidence = iota + 1
	Nominal
	High
)

// A Light is whether the satellite passed by day or by night.
type Light uint8

// The lights. The zero value is not known.
const (
	Day Light = iota + 1
	Night
)

// A Kind is what the final processing takes the source of the heat for.
type Kind uint8

// The kinds. Preliminary rows do not say: they are Unclassified.
const (
	Unclassified Kind = iota
	Vegetation        // presumed
	Volcano
	Static // another source on land that stays where it is
	Offshore
)

var (
	confidences = []string{"", "low", "nominal", "high"}
	lights      = []string{"", "day", "night"}
	kinds       = []string{"unclassified", "vegetation", "volcano", "static", "offshore"}
)

// String is the class's name.
func (c Confidence) String() string { return name(confidences, int(c)) }

// MarshalText is String.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Confidence) UnmarshalText(b []byte) error { return named(confidences, b, c) }

// String is the light's name.
func (l Light) String() string { return name(lights, int(l)) }

// MarshalText is String.
func (l Light) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (l *Light) UnmarshalText(b []byte) error { return named(lights, b, l) }

// String is the kind's name.
func (k Kind) String() string { return name(kinds, int(k)) }

// MarshalText is String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Kind) UnmarshalText(b []byte) error { return named(kinds, b, k) }

func name(names []string, i int) string {
	if i >= len(names) {
		return ""
	}
	return names[i]
}

func named[T ~uint8](names []string, b []byte, to *T) error {
	for i, n := range names {
		if n == string(b) {
			*to = T(i)
			return nil
		}
	}
	return fault.New(fault.Invalid, "%.20q is none of %q", b, names)
}

// India is Indian Standard Time, which has no summer time.
func India() *time.Location { return time.FixedZone("IST", 5*3600+1800) }

// IndianDay is the day it is in India at a moment, as 2026-11-13. The satellites'
// night pass, at about 21:00 UTC, belongs to the next day there.
func IndianDay(t time.Time) string { return t.In(India()).Format(time.DateOnly) }
