// Package location decides whether somebody lives near enough to where their
// van picks them up.
//
// The road is asked only where it matters. A straight line is shorter than any
// road, so a home farther off than the limit as the crow flies is too far
// whatever the road does; and roads are hardly ever half as long again as the
// line, so a home well inside is near enough. Between the two, road distances
// are needed; Wanted lists them, so that they can be fetched in one go and
// handed in as Roads. Where none is to be had an estimate is used and believed
// less.
package location

import (
	"fmt"
	"math"

	"github.com/gavelhq/gavel/apps/poolpatrol/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
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

// Wanted lists the ways that Judge would ask for in some groups, each once.
func (p Policy) Wanted(groups []fleet.Group) []Pair {
	var out []Pair
	seen := map[Pair]bool{}
	for _, g := range groups {
		pickup, _ := g.Pickup()
		if pickup == nil {
			continue
		}
		for _, m := range g.Riders {
			h := m.Home.At
			if h == nil || !h.Valid() || m.Standing == fleet.Inactive {
				continue
			}
			pair := Pair{*h, *pickup}
			if _, settled := p.bound(Haversine(*h, *pickup), p.blur(m.Home)); !settled && !seen[pair] {
				seen[pair] = true
				out = append(out, pair)
			}
		}
	}
	return out
}

func (p Policy) judge(g fleet.Group, roads Roads) check.Verdict {
	var t check.Tally
	t.Expect(2 * len(g.Riders))
	pickup, fromSite := g.Pickup()
	if pickup == nil {
		t.Missing(Name, "", "pickup", "neither the van's pickup nor its site has coordinates")
		return t.Conclude(check.Least)
	}
	t.Context(pickupEvidence(g, *pickup, fromSite))
	sure := check.Certain
	for _, m := range g.Riders {
		switch h := m.Home.At; {
		case m.Standing == fleet.Inactive: // the roster's business
			t.Unknown(check.NewEvidence("separated_employee", "employee_id", m.ID))
		case h == nil || !h.Valid():
			t.Missing(Name, m.ID, "home", "no coordinates are known for the home")
		default:
			sure = min(sure, p.weigh(g, &t, m, *pickup, roads))
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

func (p Policy) weigh(g fleet.Group, t *check.Tally, m fleet.Member, pickup fleet.Point, roads Roads) check.Confidence {
	d := p.measure(m.Home, pickup, roads)
	profile := check.NewEvidence("employee_profile", "employee_id", m.ID, "home_zip", m.Home.ZIP)
	distance := check.NewEvidence("distance_check", "employee_id", m.ID, "vanpool_id", g.Van.ID,
		"distance_miles", d.miles, "threshold_miles", fleet.ToMiles(p.Limit), "method", string(d.method), "geo_precision", precision(m.Home))
	if d.minutes > 0 {
		distance = distance.With("duration_minutes", int(math.Round(d.minutes)))
	}
	if d.near {
		t.Clean(profile, distance)
		return d.sure
	}
	t.Found(check.Finding{
		Employee: m.ID, Check: Name, Kind: Mismatch, Confidence: d.sure, Route: check.ToRider,
		Mark: fmt.Sprintf("%s to %.4f,%.4f", m.Home.ZIP, pickup.Lat, pickup.Lng),
		WouldChange: fmt.Sprintf("a home within %s miles of the pickup, which is %s miles away now",
			fleet.ToMiles(p.Limit), d.miles),
	}, profile, distance)
	return d.sure
}

func precision(h fleet.Home) string {
	if h.ByZIP {
		return "zip"
	}
	return "address"
}
