// Package seedmethod keeps the first design's way of counting, for whoever wants
// to set it beside ours: fires in a circle around the station, by state.
//
// It is a labelled profile and nothing more. A circle knows no wind and no hour:
// fires downwind count like those upwind, most of Punjab's lie beyond the rim,
// and so the state next door comes first whatever blew. Nothing may be attributed
// with it, and no result of it stands in for a transport calculation that could
// not be made. Read Profile.Circle, then Profile.Score.
package seedmethod

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// Method is the label under which a result is shown.
const Method = "legacy_radius_count"

// A Profile is the thresholds and penalties of the first design.
type Profile struct {
	Name        string        `json:"profile"`
	SurgeAQI    float64       `json:"surge_aqi"` // more than this is a surge
	Radius      float64       `json:"radius_km"` // up to it, included, a fire counts
	Window      time.Duration `json:"window_ns"` // before the surge, both ends included
	HighFires   int           `json:"high_fires"`
	NoFires     int           `json:"points_no_fire_data"` // penalties, in points of 100
	NoStubble   int           `json:"points_no_stubble_data"`
	FewFires    int           `json:"points_few_fires"`
	FarFires    int           `json:"points_far_fires"`
	Few         int           `json:"few_fires"` // fewer than this are few
	Far         float64       `json:"far_km"`    // farther than this on average is far
	LeastPoints int           `json:"least_points"`
}

// V1 is the first design as it was written, with its penalties in points.
func V1() Profile {
	return Profile{
		Name: "seed-v1", SurgeAQI: 300, Radius: 200, Window: 48 * time.Hour, HighFires: 100,
		NoFires: 40, NoStubble: 20, FewFires: 10, FarFires: 10, Few: 50, Far: 150, LeastPoints: 30,
	}
}

// Surge reports whether an index is a surge by this profile.
func (p Profile) Surge(aqi float64) bool { return aqi > p.SurgeAQI }

// A Fire is one row about a fire. The first design's rows have a day and no hour.
type Fire struct {
	At      fire.Point
	Time    time.Time // if DayOnly any moment of that day in UTC
	DayOnly bool
	Place   fire.Place
}

// Of makes fires of detections.
func Of(ds []fire.Detection) []Fire {
	out := make([]Fire, len(ds))
	for i, d := range ds {
		out[i] = Fire{At: d.At, Time: d.Time, Place: d.Place}
	}
	return out
}

// MaxFires bounds one count: a season of South Asia.
const MaxFires = 2_000_000

// A State is what the circle holds of one state.
type State struct {
	State     string   `json:"state"`
	Fires     int      `json:"fire_count"`
	Districts []string `json:"districts"` // the most fires first; empty where no boundaries are known
	Distance  float64  `json:"avg_distance_km"`
	High      bool     `json:"is_high_contribution"` // more than so many fires: a name of the first design, not a finding
}

// A Count is the result of the circle.
type Count struct {
	Profile  string  `json:"profile"`
	Method   string  `json:"method"`
	States   []State `json:"states"` // the most fires first
	Fires    int     `json:"fire_count"`
	Distance float64 `json:"avg_distance_km"` // over all; 0 where there are none
	Abroad   int     `json:"outside_india"`   // of the fires; no state's
	Unplaced int     `json:"state_unknown"`   // of the fires; no state's
	DayOnly  int     `json:"day_only"`        // of the fires; they can support no statement about smoke
	Beyond   int     `json:"beyond_radius"`   // in time, but outside the circle: not counted
}

// Circle counts the fires around a place before a moment.
func (p Profile) Circle(around fire.Point, at time.Time, fires []Fire) (Count, error) {
	if len(fires) > MaxFires {
		return Count{}, fault.New(fault.TooLarge, "more than %d fires", MaxFires)
	}
	if !around.Valid() {
		return Count{}, fault.New(fault.Invalid, "the middle of the circle is not on the globe")
	}
	out := Count{Profile: p.Name, Method: Method}
	var all tally
	states := map[string]*tally{}
	for _, f := range fires {
		if !p.during(f, at) {
			continue
		}
		km := fire.Distance(around, f.At)
		if !(km <= p.Radius) { // a place that is not a number is in no circle
			out.Beyond++
			continue
		}
		all.add(km, "")
		out.place(f, km, states)
	}
	out.Fires, out.Distance = all.n, all.mean()
	out.States = p.sorted(states)
	return out, nil
}

// place gives a fire in the circle to its state, if it has one.
func (c *Count) place(f Fire, km float64, states map[string]*tally) {
	if f.DayOnly {
		c.DayOnly++
	}
	switch {
	case f.Place.Abroad:
		c.Abroad++
	case f.Place.State == "":
		c.Unplaced++
	default:
		t := states[f.Place.State]
		if t == nil {
			t = &tally{districts: map[string]int{}}
			states[f.Place.State] = t
		}
		t.add(km, f.Place.District)
	}
}

// during reports whether a fire counts in time: one without an hour does if any
// of its day does.
func (p Profile) during(f Fire, at time.Time) bool {
	first, last := f.Time, f.Time
	if f.DayOnly {
		first = f.Time.UTC().Truncate(24 * time.Hour)
		last = first.Add(24*time.Hour - 1)
	}
	return !last.Before(at.Add(-p.Window)) && !first.After(at)
}

// A tally adds up fires.
type tally struct {
	n         int
	km        float64
	districts map[string]int
}

func (t *tally) add(km float64, district string) {
	t.n++
	t.km += km
	if district != "" {
		t.districts[district]++
	}
}

// mean is the mean distance, to 0.1 km as the first design shows it.
func (t *tally) mean() float64 {
	if t.n == 0 {
		return 0
	}
	return math.Round(t.km/float64(t.n)*10) / 10
}

func (p Profile) sorted(states map[string]*tally) []State {
	out := make([]State, 0, len(states))
	for name, t := range states {
		s := State{State: name, Fires: t.n, Distance: t.mean(), High: t.n > p.HighFires, Districts: make([]string, 0, len(t.districts))}
		for d := range t.districts {
			s.Districts = append(s.Districts, d)
		}
		slices.SortFunc(s.Districts, func(a, b string) int {
			return cmp.Or(cmp.Compare(t.districts[b], t.districts[a]), cmp.Compare(a, b))
		})
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b State) int { return cmp.Or(cmp.Compare(b.Fires, a.Fires), cmp.Compare(a.State, b.State)) })
	return out
}
