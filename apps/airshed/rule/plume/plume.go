// Package plume decides whose smoke it can have been: it follows the air that
// arrived at a station back through the wind and weighs the fires it passed.
//
// Read Policy.Attribute first: it answers one Question, a station and the hours of
// its surge, from a wind grid and an Index of fires. Below it, Policy.Back is one
// track through the wind and Policy.Weigh the weight of one fire on one track; the
// rest does these two for sixty members and very many fires.
//
//	hours of the surge ─▶ tracks ─▶ weights of fires ─▶ shares of states
//	                      × 4 levels × 5 starts × 3 burn windows = 60 members
//	60 members ─▶ median and 5–95 % ─┐
//	fires of other days ─▶ null test ─┼─▶ conclusive, or not, and why
//	calm, control ────────────────────┘
//
// A share is a share of the influence of the fires that satellites saw upwind. It
// is not a share of the particles in the air, and a fire that nobody saw has none.
// Without wind there is no attribution; nothing here falls back on a circle.
//
// Weigh follows the formula to the rounding of float64; an Index comes near it (see
// there for how near). The same input gives the same result to the bit on one kind of
// processor, in whatever order the fires come; between kinds the last digits may
// differ, so shares, speeds and differences are compared as they are printed (Percent,
// Printed): whoever reads the numbers can follow the verdict.
package plume

import (
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// Version changes whenever a result could.
const Version = "plume/3"

// A Policy is the numbers of the method.
type Policy struct {
	Version string `json:"version"`

	Hours  int     `json:"back_hours"`     // how far back a track is followed
	Width  float64 `json:"start_km"`       // how uncertain the position of the air is where it arrives
	Growth float64 `json:"growth"`         // and how much more with every kilometre of its path
	Fade   float64 `json:"fade_hours"`     // a fire this old counts 1/e
	Floor  float64 `json:"mixing_floor_m"` // smoke is never mixed through less
	Offset float64 `json:"offset_degrees"` // between the starts of members
	Agree  int     `json:"members_agreed"` // of Members must name the same state first
	Rank   int     `json:"null_rank"`      // the observed influence must be this high among the shifted
	Calm   float64 `json:"calm_speed"`     // m/s at 10 m; below it air goes nowhere
	Run    int     `json:"calm_hours"`     // for so long
	Burn   Burns   `json:"burn_windows"`   // how long fires are taken to burn
	Night  Burn    `json:"night_window"`   // the longest a fire seen at night is taken to burn
}

// A Burn is how long before and after a satellite saw it a fire burnt. Both ends
// are included.
type Burn struct {
	Before time.Duration `json:"before"`
	After  time.Duration `json:"after"`
}

// Burns are the burn windows of the members, the default one last.
type Burns [3]Burn

// The numbers of members, and of date shifts in the null test.
const (
	Members = 4 * 5 * len(Burns{})
	Shifts  = 16
)

// Standard is the method as it began. Fires seen by day are taken to burn on into
// the evening, because the burning has moved to after the afternoon overpass.
// Trajectories are commonly off by 15 to 30 % of the way.
func Standard() Policy {
	h := time.Hour
	return Policy{
		Version: "plume-2026-1",
		Hours:   72, Width: 10, Growth: 0.20, Fade: 48, Floor: 100, Offset: 0.25,
		Agree: 54, Rank: 2, Calm: 1, Run: 12,
		Burn:  Burns{{h, h}, {3 * h, 3 * h}, {3 * h, 6 * h}},
		Night: Burn{3 * h, 3 * h},
	}
}

// check refuses a policy by which nothing could be computed.
func (p Policy) check() error {
	ok := p.Hours >= 1 && p.Hours <= 240 && p.Width >= 1 && p.Width <= 1000 && p.Growth >= 0 && p.Growth <= 1 &&
		p.Fade >= 1 && p.Floor >= 1 && p.Offset >= 0 && p.Offset <= 5 && p.Run >= 1 && p.Run <= MaxHours
	for _, b := range append(p.Burn[:], p.Night) {
		ok = ok && b.Before >= 0 && b.After >= 0 && b.Before <= 48*time.Hour && b.After <= 48*time.Hour
	}
	if !ok {
		return fault.New(fault.Invalid, "policy %.40q has a number that is out of bounds", p.Version)
	}
	return nil
}

// A Place is where on the map of states a fire lies. An empty State is a place
// that no known state holds; an empty District one whose district is not known.
type Place struct {
	State    string `json:"state"`
	District string `json:"district,omitempty"`
}

// A Fire is one detection.
type Fire struct {
	At    Point
	Time  time.Time // of the overpass
	FRP   float64   // radiative power, MW
	Night bool      // seen on a night pass
}

// burn is the window of a fire among the members' windows.
func (p Policy) burn(f Fire, window int) Burn {
	b := p.Burn[window]
	if f.Night {
		b.Before, b.After = min(b.Before, p.Night.Before), min(b.After, p.Night.After)
	}
	return b
}
