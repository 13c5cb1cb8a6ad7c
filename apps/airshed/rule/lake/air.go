package lake

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// A Basis says what the figures of a row of air are.
type Basis string

// The bases. The first design's rows say nothing about theirs: whether a
// concentration is an hour's or a day's is not known, so only the index is used.
const (
	AsGiven  Basis = ""
	Measured Basis = "measured_hour" // mean concentrations of the hour
	SubIndex Basis = "sub_index"     // published sub-indices; concentrations are worked out from them
)

// An Air is what one station said of one hour.
type Air struct {
	Station string
	Site    aqi.Site  // may be empty: then name and place tell which station it is
	Time    time.Time // the end of the hour, a full or a half one
	Index   int       // of the 24 hours up to Time, 1 to 500; 0 is not given
	Values  []Value   // in the order of aqi.Pollutants, each once
	Lat     float64   // 0, 0: not given
	Lon     float64
	Basis   Basis
	Derived bool // the values were worked out from sub-indices: nobody measured them
}

// A Value is the concentration of one pollutant, in its unit.
type Value struct {
	Pollutant aqi.Pollutant
	Amount    aqi.Amount
}

// Of is a row's concentration of a pollutant, aqi.None where it gives none.
func (a Air) Of(p aqi.Pollutant) aqi.Amount {
	for _, v := range a.Values {
		if v.Pollutant == p {
			return v.Amount
		}
	}
	return aqi.None
}

// AirOf is the rows that a feed's reports of sub-indices make: the index as it was
// published, and the concentrations it can stand for, marked as derived.
func AirOf(reports []aqi.Report) []Air {
	var out []Air
	for _, r := range reports {
		a := Air{Station: r.Station, Time: r.Last.End().UTC(), Basis: SubIndex, Derived: true}
		if r.Placed {
			a.Lat, a.Lon = r.Lat, r.Lon
		}
		if r.Index.Known() {
			a.Index = r.Index.Value
		}
		for _, p := range aqi.Pollutants() {
			if d, ok := r.Concentration(p); ok && p != aqi.Pb {
				a.Values = append(a.Values, Value{p, d.Middle})
			}
		}
		out = append(out, a)
	}
	return out
}

// before puts rows of air in an order that depends on nothing but themselves.
func (a Air) before(o Air) int {
	if c := cmp.Or(cmp.Compare(a.Site, o.Site), cmp.Compare(a.Station, o.Station), a.Time.Compare(o.Time)); c != 0 {
		return c
	}
	c := cmp.Or(cmp.Compare(a.Lat, o.Lat), cmp.Compare(a.Lon, o.Lon), cmp.Compare(a.Basis, o.Basis),
		cmp.Compare(a.Index, o.Index), boolean(a.Derived)-boolean(o.Derived))
	if c != 0 {
		return c
	}
	return slices.CompareFunc(a.Values, o.Values, func(x, y Value) int {
		return cmp.Or(cmp.Compare(x.Pollutant, y.Pollutant), cmp.Compare(x.Amount, y.Amount))
	})
}
