package fire

import (
	"cmp"
	"slices"
)

// A Haunt is a place where heat was seen on many days.
type Haunt struct {
	At         Point `json:"at"` // mean of its detections
	Days       int   `json:"days"`
	Detections int   `json:"detections"`
}

// Haunts finds places of about a kilometre that were hot on at least so many
// different days in India: a field burns once or twice a season, a kiln does not
// stop. They are candidates for a mask, for a person to look at; nothing is
// masked because of them.
func Haunts(ds []Detection, days int) []Haunt {
	type heat struct {
		lat, lon float64
		n        int
		days     map[string]bool
	}
	const patch = 1000 // fifth decimals: 0.01 degrees
	found := map[[2]int32]*heat{}
	for _, d := range ds {
		key := [2]int32{floorDiv(micro(d.At.Lat), patch), floorDiv(micro(d.At.Lon), patch)}
		h := found[key]
		if h == nil {
			h = &heat{days: map[string]bool{}}
			found[key] = h
		}
		h.lat, h.lon, h.n = h.lat+d.At.Lat, h.lon+d.At.Lon, h.n+1
		h.days[IndianDay(d.Time)] = true
	}
	var out []Haunt
	for _, h := range found {
		if len(h.days) >= max(1, days) {
			out = append(out, Haunt{Point{h.lat / float64(h.n), h.lon / float64(h.n)}, len(h.days), h.n})
		}
	}
	slices.SortFunc(out, func(a, b Haunt) int {
		return cmp.Or(cmp.Compare(b.Days, a.Days), cmp.Compare(b.Detections, a.Detections), cmp.Compare(a.At.Lat, b.At.Lat),
			cmp.Compare(a.At.Lon, b.At.Lon))
	})
	return out
}

func floorDiv(a, b int32) int32 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
