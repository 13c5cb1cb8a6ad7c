package fleet

import (
	"math"
	"strconv"
)

// Miles is a distance in hundredths of a statute mile: what is printed is what
// is compared.
type Miles int64

// ToMiles rounds a distance to the nearest hundredth. What is no distance (not a
// number, negative, or farther than round the globe) becomes negative.
func ToMiles(d float64) Miles {
	if math.IsNaN(d) || d < 0 || d > 30_000 {
		return -1
	}
	return Miles(math.Round(d * 100))
}

// Float is the distance in miles.
func (m Miles) Float() float64 { return float64(m) / 100 }

// String is the distance with as many decimals as it needs, at most two.
func (m Miles) String() string { return strconv.FormatFloat(m.Float(), 'f', -1, 64) }

// MarshalJSON writes a number of miles.
func (m Miles) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON reads a number of miles.
func (m *Miles) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return err
	}
	*m = ToMiles(f)
	return nil
}

// A Unit is in which distances are set and told. Everything is computed in miles.
type Unit string

// The units.
const (
	InMiles      Unit = "mi"
	InKilometres Unit = "km"
)

// aMile is a statute mile in kilometres.
const aMile = 1.609344

// Miles is a distance in the unit as the miles it is compared in, to a hundredth.
func (u Unit) Miles(d float64) float64 {
	if u == InKilometres {
		d /= aMile
	}
	return ToMiles(d).Float()
}

// About is the distance to the nearest mile or kilometre.
func (m Miles) About(u Unit) string {
	f := m.Float()
	if u == InKilometres {
		f *= aMile
	}
	return strconv.FormatFloat(math.Round(f), 'f', -1, 64)
}

// In is the distance as it is told: of kilometres one decimal, which is as much as a
// hundredth of a mile can tell.
func (m Miles) In(u Unit) string {
	if u != InKilometres {
		return m.String()
	}
	return strconv.FormatFloat(math.Round(m.Float()*aMile*10)/10, 'f', -1, 64)
}
