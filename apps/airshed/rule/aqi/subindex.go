package aqi

import "github.com/gavelhq/gavel/platform/fault"

// Top is the end of the scale: what is worse is 500 too.
const Top = 500

// marks are where the bands of the index meet, and knots the amounts that lie
// there. The published table leaves gaps between whole numbers (30 and 31);
// the authority's own calculator closes them by letting bands share their ends,
// which makes the scale continuous. In thousandths of a unit.
var marks = [...]int64{0, 50, 100, 200, 300, 400, Top}

var knots = [pollutants][len(marks)]Amount{
	PM25: {0, 30_000, 60_000, 90_000, 120_000, 250_000, 380_000},
	PM10: {0, 50_000, 100_000, 250_000, 350_000, 430_000, 510_000},
	NO2:  {0, 40_000, 80_000, 180_000, 280_000, 400_000, 520_000},
	O3:   {0, 50_000, 100_000, 168_000, 208_000, 748_000, 1_287_000},
	CO:   {0, 1_000, 2_000, 10_000, 17_000, 34_000, 51_000},
	SO2:  {0, 40_000, 80_000, 380_000, 800_000, 1_600_000, 2_400_000},
	NH3:  {0, 200_000, 400_000, 800_000, 1_200_000, 1_800_000, 2_400_000},
	Pb:   {0, 500, 1_000, 2_000, 3_000, 3_500, 4_000},
}

// knot is where a band begins, as an amount.
func knot(p Pollutant, band int) Amount { return knots[p][band] * (Micro / 1000) }

// The bands above which the table is not the published one.
const (
	veryPoor = 4 // from 300
	severe   = 5 // from 400
)

// A Footing says what a sub-index stands on.
type Footing string

// The footings, the firmest first.
const (
	Published    Footing = "published"    // both ends of the band are in the published table
	Calculator   Footing = "calculator"   // the table leaves the band open; its end is that of the authority's calculator
	Arithmetic   Footing = "arithmetic"   // ozone from 209 to 748: published "for mathematical calculation only"
	Extrapolated Footing = "extrapolated" // ozone and lead above 400: nobody published an end, the slope goes on
	Reported     Footing = "reported"     // not computed here: the feed gave the sub-index
)

func footing(p Pollutant, band int) Footing {
	switch {
	case band == severe && (p == O3 || p == Pb):
		return Extrapolated
	case band == severe:
		return Calculator
	case band == veryPoor && p == O3:
		return Arithmetic
	default:
		return Published
	}
}

// A SubIndex is one pollutant's place on the scale.
type SubIndex struct {
	Pollutant Pollutant `json:"pollutant"`
	Exact     Exact     `json:"exact"` // 0 to 500
	Footing   Footing   `json:"footing"`
	Mean      Mean      `json:"mean"`           // what it was computed from; empty where the feed gave it
	Last      Hour      `json:"last,omitempty"` // the last hour of the period, where it is known
}

// Rounded is the sub-index as it is published.
func (s SubIndex) Rounded() int { return s.Exact.Rounded() }

// Of places one concentration, already a mean over the pollutant's period, on the
// scale.
func Of(p Pollutant, a Amount) (SubIndex, error) { return OfMean(p, Mean{Sum: a, Hours: 1}) }

// OfMean places a mean on the scale, without rounding it first.
func OfMean(p Pollutant, m Mean) (SubIndex, error) {
	switch {
	case !p.Valid():
		return SubIndex{}, fault.New(fault.Invalid, "pollutant number %d does not exist", p)
	case m.Hours < 1 || m.Hours > Day:
		return SubIndex{}, fault.New(fault.Invalid, "a mean of %s is over 1 to %d hours, not %d", p, Day, m.Hours)
	case m.Sum < 0 || m.Sum > MaxAmount*Amount(m.Hours):
		return SubIndex{}, fault.New(fault.Invalid, "a mean of %s is from 0 to %d %s", p, MaxAmount/Micro, p.Unit())
	}
	return place(p, m), nil
}

// place is OfMean for a mean known to be in bounds.
func place(p Pollutant, m Mean) SubIndex {
	n, band := Amount(m.Hours), 0
	for band < severe && m.Sum > n*knot(p, band+1) {
		band++
	}
	s := SubIndex{Pollutant: p, Footing: footing(p, band), Mean: m}
	low, high := knot(p, band), knot(p, band+1)
	if m.Sum >= n*high { // at the end of the band, or past the end of the scale
		s.Exact = Exact{Num: marks[band+1], Den: 1}
		return s
	}
	den := int64(n * (high - low))
	s.Exact = Exact{Num: marks[band]*den + (marks[band+1]-marks[band])*int64(m.Sum-n*low), Den: den}
	return s
}

// Given is a sub-index as a feed published it: a whole number from 0 to 500.
func Given(p Pollutant, index int) (SubIndex, error) {
	if !p.Valid() || index < 0 || index > Top {
		return SubIndex{}, fault.New(fault.Invalid, "a sub-index is from 0 to %d, not %d", Top, index)
	}
	return SubIndex{Pollutant: p, Exact: Exact{Num: int64(index), Den: 1}, Footing: Reported}, nil
}
