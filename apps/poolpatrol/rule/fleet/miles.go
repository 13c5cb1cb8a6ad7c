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
