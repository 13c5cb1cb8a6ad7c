package location

import (
	"math"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// earthMiles is the earth's mean radius.
const earthMiles = 3958.7613

// Haversine is the length of the straight line over the ground, in miles.
func Haversine(a, b fleet.Point) float64 {
	const rad = math.Pi / 180
	lat := math.Sin((b.Lat - a.Lat) * rad / 2)
	lng := math.Sin((b.Lng - a.Lng) * rad / 2)
	h := lat*lat + math.Cos(a.Lat*rad)*math.Cos(b.Lat*rad)*lng*lng
	return 2 * earthMiles * math.Asin(math.Min(1, math.Sqrt(h)))
}

// A distance is how far a home is and how well that is known.
type distance struct {
	miles   fleet.Miles
	minutes float64
	method  Method
	near    bool
	sure    check.Confidence
}

// measure climbs the ladder: bound, road, estimate.
func (p Policy) measure(h fleet.Home, pickup fleet.Point, roads Roads) distance {
	line, blur := Haversine(*h.At, pickup), p.blur(h)
	if d, settled := p.bound(line, blur); settled {
		return d
	}
	if r, ok := roads.Road(*h.At, pickup); ok && p.plausible(line, r.Miles) {
		return p.road(r, h)
	}
	return p.estimate(line, h)
}

// blur is how far from its recorded place a home may be.
func (p Policy) blur(h fleet.Home) float64 {
	switch {
	case !h.ByZIP:
		return 0
	case h.Radius > 0:
		return h.Radius
	}
	return p.Rural
}

// bound settles what needs no road: every home within the blur is on the same
// side of the limit, by the straight line or by the longest road there could be.
func (p Policy) bound(line, blur float64) (d distance, settled bool) {
	d = distance{miles: fleet.ToMiles(line), method: Bound, sure: check.Certain}
	switch {
	case fleet.ToMiles(line-blur) > fleet.ToMiles(p.Limit):
		return d, true
	case fleet.ToMiles((line+blur)*p.Detour) <= fleet.ToMiles(p.Limit):
		d.near = true
		return d, true
	}
	return distance{}, false
}

// plausible refuses a router's answer that cannot be a way between the two
// points: shorter than the line (but for its snapping to the nearest road), not
// a number, or absurdly long.
func (p Policy) plausible(line, road float64) bool {
	const snap = 0.5 // miles
	return road >= line-snap && road <= 10*line+50
}

func (p Policy) road(r Road, h fleet.Home) distance {
	d := distance{miles: fleet.ToMiles(r.Miles), minutes: r.Minutes, method: r.Method, sure: check.Certain}
	limit := fleet.ToMiles(p.Limit)
	d.near = d.miles <= limit
	if off := (d.miles - limit).Float(); math.Abs(off) < p.Close+p.blur(h) {
		d.sure--
	}
	if h.ByZIP {
		d.sure -= 2
	}
	return d
}

// estimate is never sure; near the limit, or for a home known by its ZIP alone,
// a person looks first.
func (p Policy) estimate(line float64, h fleet.Home) distance {
	miles := fleet.ToMiles(line * p.Usual)
	d := distance{miles: miles, method: Estimate, near: miles <= fleet.ToMiles(p.Limit), sure: 3}
	if h.ByZIP || math.Abs(miles.Float()/p.Limit-1) <= p.Blur+1e-9 {
		d.sure = check.Unsure
	}
	return d
}
