package plume

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// MaxHours bounds the hours of a question: ten days.
const MaxHours = 240

// An Hour is one hour of a surge: when its air arrived, a whole quarter of an
// hour, and the PM2.5 in it, by which the hour is weighted.
type Hour struct {
	Time time.Time
	PM25 float64 // µg/m³
}

// A Span is the time from one moment to another.
type Span struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Covers reports whether a span lies within another.
func (s Span) Covers(o Span) bool { return !s.From.After(o.From) && !s.To.Before(o.To) }

// A Control is how much more PM2.5 the station had than the stations inside the
// city. The zero Control is not known.
type Control struct {
	Known      bool    `json:"known"`
	Difference float64 `json:"difference"` // µg/m³, mean over the episode
}

// A Question asks whose smoke arrived at a station.
type Question struct {
	At      Point
	Hours   []Hour
	Control Control
	Seen    Span // while fires were looked for; an hour without fires outside it means nothing
}

func (q Question) check() error {
	if !q.At.Valid() {
		return fault.New(fault.Invalid, "a station at %v, %v: not on the map", q.At.Lat, q.At.Lon)
	}
	if len(q.Hours) == 0 || len(q.Hours) > MaxHours {
		return fault.New(fault.Invalid, "a surge of %d hours: 1 to %d", len(q.Hours), MaxHours)
	}
	total := 0.0
	for i, h := range q.Hours {
		switch {
		case h.Time.Year() < 1971 || h.Time.Year() > 2200 || !h.Time.Equal(h.Time.Truncate(Step)):
			return fault.New(fault.Invalid, "hour %s of a surge: a whole quarter of an hour is needed", h.Time.Format(time.RFC3339))
		case !(h.PM25 >= 0 && h.PM25 <= 10_000):
			return fault.New(fault.Invalid, "PM2.5 of %v µg/m³: 0 to 10,000", h.PM25)
		case i > 0 && !h.Time.After(q.Hours[i-1].Time):
			return fault.New(fault.Invalid, "the hours of a surge must follow each other")
		}
		total += h.PM25
	}
	if total == 0 {
		return fault.New(fault.Invalid, "a surge without PM2.5")
	}
	return nil
}

// way is the time that the air of a surge was followed through.
func (q Question) way(p Policy) Span {
	first, last := q.Hours[0].Time, q.Hours[len(q.Hours)-1].Time
	return Span{first.Add(-time.Duration(p.Hours) * time.Hour), last}
}

// An Attribution is the answer to a question.
type Attribution struct {
	Version   string       `json:"version"`
	Policy    string       `json:"policy"`
	Verdict   Verdict      `json:"verdict"`
	Reasons   []Reason     `json:"reasons"`             // why not conclusive; empty where it is
	States    []Range      `json:"states"`              // by median, the largest first
	Districts []Range      `json:"districts,omitempty"` // of those fires whose district is known
	Members   []Member     `json:"members"`             // those whose wind was known
	Agreed    int          `json:"agreed"`              // members that name the first state first
	Transport []wind.Level `json:"transport"`           // whose mean is the default wind
	Mixing    bool         `json:"mixing"`              // whether mixing heights were known
	Edge      Edge         `json:"edge"`
	Null      Null         `json:"null"`
	Calm      Calm         `json:"calm"`
	Control   Control      `json:"control"`
}

// An Edge says how many tracks came to where the wind is not known.
type Edge struct {
	Tracks   int     `json:"tracks"`
	Cut      int     `json:"cut"`      // ended early
	Unbegun  int     `json:"unbegun"`  // of these, without any wind at the station
	Shortest float64 `json:"shortest"` // hours of the shortest

	// Unseen is how much of the way was not followed, in percent, each hour by its
	// age: what of fires spread evenly over the land the cut tracks did not meet.
	Unseen float64 `json:"unseen_percent"`
}

func (e *Edge) count(p Policy, t Track) {
	if e.Tracks == 0 || t.Reach() < e.Shortest {
		e.Shortest = t.Reach()
	}
	e.Tracks++
	e.Unseen += (100*p.Unseen(t) - e.Unseen) / float64(e.Tracks)
	if t.Edge {
		e.Cut++
	}
	if len(t.Spots) == 0 {
		e.Unbegun++
	}
}

// Attribute answers a question from a wind grid, which may be nil: then the answer
// is that there is none. The error is for questions that make no sense.
func (x *Index) Attribute(q Question, g *wind.Grid) (Attribution, error) {
	if err := q.check(); err != nil {
		return Attribution{}, err
	}
	p := x.policy
	a := Attribution{Version: Version, Policy: p.Version, Mixing: g.HasMixing(), Control: q.Control}
	e := x.ensemble(q, g, &a.Edge)
	a.Members = e.members
	if f, levels, ok := transport(g); ok {
		a.Transport = levels
		tracks := x.tracks(q, f, mixing(g), q.At)
		e.normal = x.newTally()
		x.addAll(e.normal, q, tracks, 0)
		a.Null = x.null(q, g, f, tracks)
	}
	a.States = x.ranges(e, Place.state)
	a.Districts = x.ranges(e, Place.district)
	if len(a.States) > 0 {
		a.Agreed = a.States[0].First
	}
	a.Calm = p.calm(q, g)
	a.Verdict, a.Reasons = p.judge(q, g, a)
	return a, nil
}

// transport is the default wind: the mean of 100 m and 925 hPa, or the one of them
// that is there.
func transport(g *wind.Grid) (f wind.Field, levels []wind.Level, ok bool) {
	for _, l := range []wind.Level{wind.M100, wind.P925} {
		if g.Has(l) {
			levels = append(levels, l)
		}
	}
	if len(levels) == 0 {
		return wind.Field{}, nil, false
	}
	f, ok = g.Field(levels...)
	return f, levels, ok
}

// mixing is the grid's mixing height, nil where it has none at all.
func mixing(g *wind.Grid) Mixing {
	if !g.HasMixing() {
		return nil
	}
	return g.MixingAt
}
