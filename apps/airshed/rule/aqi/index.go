package aqi

import "github.com/gavelhq/gavel/platform/fault"

// Enough is how many pollutants make an index; one of them is PM2.5 or PM10.
const Enough = 3

// A Lack is a reason why a station has no index.
type Lack string

// The lacks.
const (
	TooFew         Lack = "too_few_pollutants"
	NoParticulates Lack = "neither_pm25_nor_pm10"
)

// A Shortfall is a pollutant that was measured, but in too few hours to count.
type Shortfall struct {
	Pollutant Pollutant `json:"pollutant"`
	Hours     int       `json:"hours"` // for 8-hour means: in the fullest 8 hours
	Needs     int       `json:"needs"`
}

// An Index is the air quality index of one station for the 24 hours up to a
// moment. It is a figure of that station, never of a city: the city's figure is
// published once a day from all its stations.
type Index struct {
	Value       int         `json:"value"` // 0 to 500; Unknown where something lacks
	Exact       Exact       `json:"exact"`
	Responsible Pollutant   `json:"responsible"` // has no meaning where something lacks
	Parts       []SubIndex  `json:"parts"`       // in the order of Pollutants
	Short       []Shortfall `json:"short,omitempty"`
	Lacks       []Lack      `json:"lacks,omitempty"`
}

// Unknown stands in Index.Value where there is no index. It is less than any.
const Unknown = -1

// Known reports whether the rules allow an index at all.
func (x Index) Known() bool { return x.Value >= 0 }

// Overall makes a station's index of its sub-indices: the greatest of them, as
// long as there are three and PM2.5 or PM10 is among them. Of equals, the one
// first in the order of Pollutants is responsible.
func Overall(parts ...SubIndex) (Index, error) {
	var by [pollutants]*SubIndex
	for i := range parts {
		p := parts[i].Pollutant
		if !p.Valid() || parts[i].Exact.Den < 1 || parts[i].Exact.Num < 0 {
			return Index{}, fault.New(fault.Invalid, "a part of the index is no sub-index")
		}
		if by[p] != nil {
			return Index{}, fault.New(fault.Invalid, "two sub-indices of %s", p)
		}
		by[p] = &parts[i]
	}
	ordered := make([]SubIndex, 0, len(parts))
	for _, s := range by {
		if s != nil {
			ordered = append(ordered, *s)
		}
	}
	return overall(ordered), nil
}

// overall is Overall for parts in order and without doubles.
func overall(parts []SubIndex) Index {
	x := Index{Value: Unknown, Parts: parts, Exact: Exact{Den: 1}}
	particulates := false
	for i, s := range parts {
		particulates = particulates || s.Pollutant.particulate()
		if i == 0 || s.Exact.Above(x.Exact) {
			x.Exact, x.Responsible = s.Exact, s.Pollutant
		}
	}
	if len(parts) < Enough {
		x.Lacks = append(x.Lacks, TooFew)
	}
	if !particulates {
		x.Lacks = append(x.Lacks, NoParticulates)
	}
	if len(x.Lacks) == 0 {
		x.Value = x.Exact.Rounded()
	} else {
		x.Exact, x.Responsible = Exact{Den: 1}, 0
	}
	return x
}

// A Category is the word for a stretch of the index.
type Category string

// The categories, the best first.
const (
	Good         Category = "Good"
	Satisfactory Category = "Satisfactory"
	Moderate     Category = "Moderate"
	Poor         Category = "Poor"
	VeryPoor     Category = "Very Poor"
	Severe       Category = "Severe"
)

var categories = [...]struct {
	until  int
	word   Category
	colour string
}{
	{50, Good, "dark green"}, {100, Satisfactory, "light green"}, {200, Moderate, "yellow"},
	{300, Poor, "orange"}, {400, VeryPoor, "red"}, {Top, Severe, "dark red"},
}

// CategoryOf is the category of a rounded index and its official colour. An
// index off the scale has neither.
func CategoryOf(index int) (word Category, colour string) {
	if index < 0 {
		return "", ""
	}
	for _, c := range categories {
		if index <= c.until {
			return c.word, c.colour
		}
	}
	return "", ""
}
