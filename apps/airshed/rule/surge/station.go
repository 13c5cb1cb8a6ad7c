package surge

import (
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// A Role says what a station is looked at for.
type Role string

// The roles. A station with neither is not looked at.
const (
	Border   Role = "border"
	Interior Role = "interior" // a control: what the city's own air is like
)

// A State is a neighbour of Delhi.
type State string

// The neighbours.
const (
	Haryana      State = "Haryana"
	UttarPradesh State = "Uttar Pradesh"
)

// A Nearest is how far the nearest land of a neighbour is. Distances were computed
// from admin-1 outlines and hold within 2 km.
type Nearest struct {
	State    State   `json:"state"`
	Km       float64 `json:"km"`
	District string  `json:"district,omitempty"`
}

// A Station is a place where the air is measured. Coordinates are the authority's.
type Station struct {
	Site   aqi.Site  `json:"site_id"` // of ours where Official is false
	Name   string    `json:"name"`
	Agency string    `json:"agency"`
	Lat    float64   `json:"latitude"`
	Lon    float64   `json:"longitude"`
	Role   Role      `json:"role"`
	Faces  []State   `json:"faces,omitempty"`
	Side   string    `json:"side,omitempty"` // of the compass on which the border lies
	Near   []Nearest `json:"nearest,omitempty"`
	City   string    `json:"city,omitempty"` // at whose border or in which it stands; empty: Delhi
}

// Official reports whether the site id is the authority's own.
func (s Station) Official() bool { return strings.HasPrefix(string(s.Site), "site_") }

// NearKm is how near a place must be to a station of the same name to be it.
const NearKm = 1.0

// Match finds the station a feed speaks of among some: by site id, else by name and
// place together, for names are spelled in many ways and two places in Dwarka are
// two stations. A feed's name may carry city and agency: "Alipur, Delhi - DPCC". A
// site id that is another official one excludes a station whatever its name.
func Match(among []Station, site aqi.Site, name string, lat, lon float64) (Station, bool) {
	for _, s := range among {
		if site != "" && s.Site == site {
			return s, true
		}
	}
	plain := plainName(name)
	for _, s := range among {
		if site != "" && s.Official() || plain == "" || plainName(s.Name) != plain {
			continue
		}
		if earth.Distance(s.Lat, s.Lon, lat, lon) <= NearKm {
			return s, true
		}
	}
	return Station{}, false
}

// plainName is a station's name without city, agency, case and punctuation.
func plainName(s string) string {
	if len(s) > 200 {
		return ""
	}
	s = strings.ToLower(s)
	if i := strings.LastIndex(s, " - "); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndex(s, ","); i >= 0 {
		if city := strings.TrimSpace(s[i+1:]); city == "delhi" || city == "new delhi" {
			s = s[:i]
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
