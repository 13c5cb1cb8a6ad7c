package aqi

import (
	"cmp"
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Report is what the feed says of one station for one hour: sub-indices only.
type Report struct {
	State, City, Station string
	Lat, Lon             float64
	Placed               bool
	Last                 Hour  // the last of the hours the sub-indices cover
	Index                Index // of parts whose footing is Reported
}

// Concentration is the range a part of the report can stand for. There is none
// for a pollutant the feed did not give.
func (r Report) Concentration(p Pollutant) (Derived, bool) {
	for _, s := range r.Index.Parts {
		if s.Pollutant == p {
			d, err := Derive(p, s.Rounded())
			return d, err == nil
		}
	}
	return Derived{}, false
}

// Gather puts rows of one or many pages together by station and hour: a station's
// rows may lie on two pages. Rows that disagree are all left out, and counted.
// The reports come by state, city, station and hour, whatever order the rows had.
func Gather(rows []Row) (reports []Report, disagree int, err error) {
	if len(rows) > MaxReadings {
		return nil, 0, fault.New(fault.TooLarge, "more than %d rows", MaxReadings)
	}
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b Row) int {
		return cmp.Or(byStation(a, b), cmp.Compare(a.Pollutant, b.Pollutant), cmp.Compare(a.Index, b.Index),
			cmp.Compare(a.Lat, b.Lat), cmp.Compare(a.Lon, b.Lon))
	})
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && byStation(sorted[0], sorted[n]) == 0 {
			n++
		}
		r, odd, err := gather(sorted[:n])
		if err != nil {
			return nil, 0, err
		}
		disagree += odd
		reports, sorted = append(reports, r), sorted[n:]
	}
	return reports, disagree, nil
}

func byStation(a, b Row) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.City, b.City), cmp.Compare(a.Station, b.Station),
		cmp.Compare(a.Last, b.Last))
}

// gather makes one report of a station's rows of one hour, sorted by pollutant.
func gather(rows []Row) (Report, int, error) {
	r := Report{State: rows[0].State, City: rows[0].City, Station: rows[0].Station, Last: rows[0].Last}
	var parts []SubIndex
	odd := 0
	for len(rows) > 0 {
		n, same := 0, true
		for ; n < len(rows) && rows[n].Pollutant == rows[0].Pollutant; n++ {
			same = same && rows[n].Index == rows[0].Index
			if rows[n].Placed && !r.Placed {
				r.Lat, r.Lon, r.Placed = rows[n].Lat, rows[n].Lon, true
			}
		}
		s, err := Given(rows[0].Pollutant, rows[0].Index)
		if err != nil {
			return Report{}, 0, err
		}
		if s.Last = r.Last; same {
			parts = append(parts, s)
		} else {
			odd += n
		}
		rows = rows[n:]
	}
	r.Index = overall(parts)
	return r, odd, nil
}
