// Package likelihood says how likely it is that most of the smoke that came to a
// station was one state's, how likely it is that smoke mattered there at all, and how
// good the data are. They are three statements; package plume makes one of five.
//
// Read Question.Answer first. Whose it was comes from a hundred members: each follows
// the air back through a wind that is turned and sped up a little, weighs the fires on
// the way as plume does, and adds fires that nobody saw (unseen.go). Whether it
// mattered is a regression over seven days (matter.go). How good the data are is
// counted (data.go). What may be said and done with the three is in word.go.
//
//	fires, passes, land ─┐
//	wind, turned ────────┼─▶ 100 members ─▶ P of each state, range of its share ─┐
//	PM2.5 of seven days ─▶ regression ───▶ M ────────────────────────────────────┼─▶ word, act
//	what is known of all these ──────────▶ high, medium or low ──────────────────┘
//
// Every random number depends on the digest of the data and on what it is for, and on
// nothing else: the same data give the same answer on one kind of processor, and more
// allowance for one state's unseen fires never moves a draw of another's.
//
// Fires that only a watching satellite saw, between the passes, weigh in the shares. They
// take the place of as many that nobody saw, so that none counts twice. They are no
// detections of passes: they make no allowance smaller by themselves, no data better, and
// are no part of whether smoke mattered. Without any, every figure is what it was.
package likelihood

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// Version changes whenever an answer could.
const Version = "likelihood/1"

// A Policy is the numbers of the method.
type Policy struct {
	Version string       `json:"version"`
	Air     plume.Policy `json:"air"` // how air is followed and fires are weighed

	Members   int     `json:"members"`
	Turn      float64 `json:"turn_degrees"` // standard deviation of the wind's direction
	Speed     float64 `json:"speed_share"`  // and of its speed, as a share of it
	Cut       float64 `json:"cut"`          // no wind is off by more than so many of them
	Misjudged float64 `json:"misjudged"`    // standard deviation of the logarithm of a state's power

	Detected float64 `json:"detected"`      // the part of fires in sight that a pass sees
	Hidden   float64 `json:"cloud_unknown"` // the cloud there is taken to be where it is not known
	Least    float64 `json:"least_seen"`    // what is seen of the fires of all days is taken to be so much at least

	Week      int     `json:"days"`       // of PM2.5, for whether smoke mattered
	Resamples int     `json:"resamples"`  // of these days
	Complaint float64 `json:"complaint"`  // P and M from which a complaint may name a state
	Inquiry   float64 `json:"inquiry"`    // P from which an inquiry may
	Certain   float64 `json:"certain"`    // P that is virtually certain
	Mattered  float64 `json:"mattered"`   // M below which nothing is said
	Majority  float64 `json:"over_share"` // what P is the probability of
	Low       Bounds  `json:"low"`        // beyond which data are low
	High      Bounds  `json:"high"`       // within which they are high
}

// Standard is the second version of the verdict. Its numbers were settled on made-up
// seasons that no bar uses, and before the bar was run.
func Standard() Policy {
	air := plume.Standard()
	air.Version = "plume-2027-1"
	return Policy{
		Version: "plume-2027-1", Air: air,
		Members: 100, Turn: 20, Speed: 0.2, Cut: 2.5, Misjudged: 0.5,
		Detected: 0.85, Hidden: 0.5, Least: 0.02,
		Week: 7, Resamples: 1000,
		Complaint: 0.90, Inquiry: 0.66, Certain: 0.99, Mattered: 0.90, Majority: 0.5,
		Low:  Bounds{Wind: 0.80, Cloud: 0.50, Fires: 10, Still: 0.50},
		High: Bounds{Wind: 0.95, Cloud: 0.90, Fires: 30, Still: 0.20},
	}
}

// A Fire is one detection and the state it lies in; no state is one that is not known.
type Fire struct {
	plume.Fire

	State   string
	Between bool // passes did not see it: a satellite did that watches from one place
}

// A Pass is one look of a satellite.
type Pass struct {
	Time      time.Time
	Delivered bool               // rows of it came, from anywhere in the region
	Cloud     map[string]float64 // by state, 0 to 1; a state that is missing is not known
}

// A Land is places all over a state where fires could have burnt unseen.
type Land struct {
	State  string
	Points []plume.Point
}

// A Question asks whose smoke came to a station in the hours of a surge.
type Question struct {
	At     plume.Point
	Hours  []plume.Hour   // of the surge, by which its air is weighted
	Week   []plume.Hour   // the hours whose PM2.5 says whether smoke mattered; these among them
	Fires  []Fire         // that count, of all days the air was on its way, and of the week
	Passes []Pass         // of the same days
	Land   []Land         // each state once
	Zone   *time.Location // whose days are counted
	Flags  []quality.Flag // against the readings of the surge
	Looked bool           // for fires, while the air was on its way
	Digest [32]byte       // of the data
}

func (q *Question) check() error {
	switch {
	case !q.At.Valid():
		return fault.New(fault.Invalid, "a station at %v, %v: not on the map", q.At.Lat, q.At.Lon)
	case len(q.Hours) == 0 || len(q.Hours) > plume.MaxHours || len(q.Week) > plume.MaxHours:
		return fault.New(fault.Invalid, "a surge of %d hours in a week of %d: 1 to %d", len(q.Hours), len(q.Week), plume.MaxHours)
	case len(q.Fires) > plume.MaxFires:
		return fault.New(fault.TooLarge, "%d fires: at most %d at once", len(q.Fires), plume.MaxFires)
	case q.Zone == nil:
		return fault.New(fault.Invalid, "days are counted in a zone, and none is given")
	}
	total := 0.0
	for _, h := range q.Hours {
		if !(h.PM25 >= 0) || !h.Time.Equal(h.Time.Truncate(plume.Step)) {
			return fault.New(fault.Invalid, "the hour %s of a surge, with %v µg/m³", h.Time.Format(time.RFC3339), h.PM25)
		}
		total += h.PM25
	}
	if total == 0 {
		return fault.New(fault.Invalid, "a surge without PM2.5")
	}
	return nil
}

// An Answer is the three statements.
type Answer struct {
	Policy  string   `json:"policy"`
	Made    bool     `json:"made"`              // a probability was worked out
	Why     []Reason `json:"why_not,omitempty"` // it was not
	States  []Share  `json:"states"`            // by P, the greatest first
	Members []Member `json:"members"`
	Matter  Matter   `json:"matter"`
	Data    Data     `json:"data"`
}

// A Share is one state's: how likely it is to be most of the smoke, and the range of
// it, as shares of the influence of fires upwind, seen and allowed for.
type Share struct {
	State  string  `json:"state"`
	P      float64 `json:"p"`      // the part of the members in which it is over a half
	Low    float64 `json:"low"`    // 5 % of the members lie below
	Median float64 `json:"median"` //
	High   float64 `json:"high"`   // 95 % of the members lie below
	Fires  int     `json:"fires"`  // detections of the days the air was on its way
	// Between is the fires of these days that only a watching satellite saw.
	Between int `json:"between,omitempty"`
}

// A Member is one way it can have been.
type Member struct {
	Turn   float64    `json:"turn"`  // degrees the wind is turned by, anticlockwise
	Speed  float64    `json:"speed"` // what its speed is multiplied by
	North  float64    `json:"north"` // degrees its start is off the station
	East   float64    `json:"east"`
	Burn   plume.Burn `json:"burn"`
	Shares []float64  `json:"shares"` // by state, in the order of the answer; empty where no smoke came
}

// A Reason is why no probability was worked out.
type Reason string

// The reasons.
const (
	NoWind    Reason = "no_wind"
	NoFires   Reason = "no_fires"
	NotLooked Reason = "fires_not_looked_for"
)

// Answer makes the three statements, from a wind grid that may be nil. The error is
// for questions that make no sense.
func (p Policy) Answer(q Question, g *wind.Grid) (Answer, error) {
	if err := q.check(); err != nil {
		return Answer{}, err
	}
	out := Answer{Policy: p.Version, States: []Share{}, Members: []Member{}}
	s := p.newScene(&q, g)
	if !s.windy {
		out.Why = append(out.Why, NoWind)
	}
	if len(s.heaps) == 0 {
		out.Why = append(out.Why, NoFires)
	}
	if !q.Looked {
		out.Why = append(out.Why, NotLooked)
	}
	out.Matter = s.matter()
	if out.Made = len(out.Why) == 0; out.Made {
		out.States, out.Members = s.whose()
	}
	out.Data = s.data(out.States)
	return out, nil
}

// whose works the members out, and what each state has of them.
func (s *scene) whose() ([]Share, []Member) {
	members := make([]Member, s.Members)
	shares := make([][]float64, s.Members)
	for m := range members {
		members[m], shares[m] = s.member(m)
	}
	order := make([]Share, len(s.states))
	for j, name := range s.states {
		order[j] = s.share(j, shares)
		order[j].State, order[j].Fires, order[j].Between = name, s.counts[j].all, s.counts[j].between
	}
	at := make([]int, len(order))
	for j := range at {
		at[j] = j
	}
	slices.SortStableFunc(at, func(a, b int) int { return compareShares(order[a], order[b]) })
	at = slices.DeleteFunc(at, func(j int) bool { return order[j].High == 0 && order[j].Fires+order[j].Between == 0 })
	out := make([]Share, len(at))
	for i, j := range at {
		out[i] = order[j]
	}
	for m := range members {
		members[m].Shares = pick(shares[m], at)
	}
	return out, members
}
