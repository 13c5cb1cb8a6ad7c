// Package location decides whether somebody lives near enough to where their
// van picks them up.
//
// The road is asked only where it matters. A straight line is shorter than any
// road, so a home farther off than the limit as the crow flies is too far
// whatever the road does; and roads are hardly ever half as long again as the
// line, so a home well inside is near enough. Between the two, road distances
// are needed; Ways lists them, so that they can be fetched in one go and
// handed in as Roads. Where none is to be had an estimate is used and believed
// less.
package location

import (
	"fmt"
	"math"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// Name is the check's name.
const Name check.Name = "location"

// Version changes whenever a verdict could.
const Version = "location/1"

// Mismatch is the kind of finding.
const Mismatch = "location_mismatch"

// A Policy is the thresholds of the check.
type Policy struct {
	Version string  `json:"version"`
	Limit   float64 `json:"threshold_miles"` // up to it, included, a home is near enough
	Detour  float64 `json:"bound_factor"`    // no road is longer than the straight line times this
	Usual   float64 `json:"estimate_factor"` // how much longer roads are on average
	Close   float64 `json:"close_miles"`     // this near to the limit a measured road is believed less
	Blur    float64 `json:"close_share"`     // and an estimate, as a share of the limit
	Rural   float64 `json:"zip_miles"`       // how far off the middle of a ZIP area may be where nobody says
}

// Standard is the policy of the programme as it began. A straight line is 11 to
// 30 % shorter than the road people drive: 1.25 is the middle of that.
func Standard() Policy {
	return Policy{Version: "location-2026-1", Limit: 50, Detour: 1.45, Usual: 1.25, Close: 5, Blur: 0.15, Rural: 30}
}

// A Method says how a distance was found.
type Method string

// The methods.
const (
	Bound    Method = "haversine_bound"
	OSRM     Method = "osrm"
	Valhalla Method = "valhalla"
	Estimate Method = "estimate"
)

// A Road is a measured way.
type Road struct {
	Miles   float64
	Minutes float64 // 0 is unknown
	Method  Method
}

// Roads knows measured ways. ok is false where one is not known, because the
// router was down or found none.
type Roads interface {
	Road(home, pickup fleet.Point) (Road, bool)
}

// A Pair is a way from a home to a pickup.
type Pair struct{ Home, Pickup fleet.Point }

// A Table is the ways that were fetched beforehand. A nil Table knows none.
type Table map[Pair]Road

// Road finds a way in the table.
func (t Table) Road(home, pickup fleet.Point) (Road, bool) {
	r, ok := t[Pair{home, pickup}]
	return r, ok
}

// New is the specialist. roads may be nil: then everything near the limit is
// estimated.
func New(p Policy, roads Roads) check.Specialist {
	if roads == nil {
		roads = Table(nil)
	}
	return check.Specialist{Name: Name, Version: Version, Judge: func(g fleet.Group) check.Verdict {
		v := p.judge(g, roads)
		v.Policy = p.Version
		return v
	}}
}

// Ways lists the ways that Judge would ask for in one group: of most there are none.
func (p Policy) Ways(g fleet.Group) (out []Pair) {
	pickup, _ := g.Pickup()
	if pickup == nil {
		return nil
	}
	for _, m := range g.Riders {
		h := m.Home.At
		if h == nil || !h.Valid() || m.Standing == fleet.Inactive {
			continue
		}
		if _, settled := p.bound(Haversine(*h, *pickup), p.blur(m.Home)); !settled {
			out = append(out, Pair{*h, *pickup})
		}
	}
	return out
}

// TooFar reports whether a home is farther from a pickup than any road could make
// good: Judge would find that without asking a router.
func (p Policy) TooFar(h fleet.Home, pickup fleet.Point) bool {
	d, settled := p.bound(Haversine(*h.At, pickup), p.blur(h))
	return settled && !d.near
}

func (p Policy) judge(g fleet.Group, roads Roads) check.Verdict {
	var t check.Tally
	if !g.Brief {
		t.Expect(2 * len(g.Riders))
	}
	pickup, fromSite := g.Pickup()
	if pickup == nil {
		t.Missing(Name, "", "pickup", "neither the van's pickup nor its site has coordinates")
		return t.Conclude(check.Least)
	}
	if !g.Brief {
		t.Context(pickupEvidence(g, *pickup, fromSite))
	}
	at := place{*pickup, g.Van.ID, fleet.ToMiles(p.Limit), g.Brief}
	sure := check.Certain
	for _, m := range g.Riders {
		switch h := m.Home.At; {
		case m.Standing == fleet.Inactive: // the roster's business
			t.Unknown(check.NewEvidence("separated_employee", "employee_id", m.ID))
		case h == nil || !h.Valid():
			t.Missing(Name, m.ID, "home", "no coordinates are known for the home")
		default:
			sure = min(sure, p.weigh(&t, m, at, roads))
		}
	}
	return t.Conclude(sure)
}

func pickupEvidence(g fleet.Group, at fleet.Point, fromSite bool) check.Evidence {
	source := "pickup"
	if fromSite {
		source = "work_site"
	}
	return check.NewEvidence("vanpool_pickup", "vanpool_id", g.Van.ID, "pickup_coords", at, "source", source)
}

// A place is where the riders of a van get in. What the evidence about each of them
// says alike is made once.
type place struct {
	fleet.Point

	van, limit any
	brief      bool
}

func (p Policy) weigh(t *check.Tally, m fleet.Member, at place, roads Roads) check.Confidence {
	d := p.measure(m.Home, at.Point, roads)
	if d.near && at.brief {
		return d.sure
	}
	who := any(m.ID)
	profile := check.NewEvidence("employee_profile", "employee_id", who, "home_zip", m.Home.ZIP)
	distance := check.NewEvidence("distance_check", "employee_id", who, "vanpool_id", at.van,
		"distance_miles", d.miles, "threshold_miles", at.limit, "method", d.method.word(), "geo_precision", precision(m.Home))
	if d.minutes > 0 {
		distance = distance.With("duration_minutes", int(math.Round(d.minutes)))
	}
	if d.near {
		t.Clean(profile, distance)
		return d.sure
	}
	t.Found(check.Finding{
		Employee: m.ID, Check: Name, Kind: Mismatch, Confidence: d.sure, Route: check.ToRider,
		Mark: fmt.Sprintf("%s to %.4f,%.4f", m.Home.ZIP, at.Lat, at.Lng),
		WouldChange: fmt.Sprintf("a home within %s miles of the pickup, which is %s miles away now",
			fleet.ToMiles(p.Limit), d.miles),
	}, profile, distance)
	return d.sure
}

// word is the method as evidence says it.
func (m Method) word() any {
	if m == Bound { // nearly always
		return string(Bound)
	}
	return string(m)
}

func precision(h fleet.Home) any {
	if h.ByZIP {
		return "zip"
	}
	return "address"
}
