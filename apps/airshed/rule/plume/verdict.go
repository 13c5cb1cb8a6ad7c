package plume

import (
	"fmt"
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A Verdict is what can be said.
type Verdict string

// The verdicts. The zero value says nothing.
const (
	Conclusive   Verdict = "conclusive"
	Inconclusive Verdict = "inconclusive"
	Unattributed Verdict = "no attribution" // there is nothing to make shares of
)

// A Code names a reason, for whoever words it in another language.
type Code string

// The reasons. The first two leave no attribution at all.
const (
	NoWind       Code = "no_wind"
	NoFires      Code = "no_fires"
	Disagree     Code = "members_disagree"
	Overlap      Code = "ranges_overlap"
	NoState      Code = "no_state"
	NotSpecial   Code = "null_test"
	NoNull       Code = "no_null_test"
	Stagnation   Code = "stagnation"
	CalmUnknown  Code = "calm_unknown"
	Local        Code = "not_distinguishable"
	NoControl    Code = "no_control"
	FiresUnknown Code = "fires_unknown"
	WindShort    Code = "wind_short"
	TracksCut    Code = "tracks_cut"
)

// A Reason is why a result is not conclusive.
type Reason struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// Percent is a share as it is printed, in percent to 0.1.
func Percent(share float64) float64 { return Printed(100*share, 1) }

// Printed is a number as it is printed, with so many decimals, half away from nought.
// What is no number becomes 0: nothing that is printed may be.
func Printed(n float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	n = math.Round(n*unit) / unit
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return n + 0 // never minus nought
}

// The decimals that speeds and differences from the city are printed with.
const (
	SpeedDecimals      = 2
	DifferenceDecimals = 1
)

// judge says conclusive only if nothing speaks against it.
func (p Policy) judge(q Question, g *wind.Grid, a Attribution) (Verdict, []Reason) {
	if len(a.Members) == 0 {
		return Unattributed, []Reason{{NoWind, "no wind is known at the station in these hours: no attribution is made"}}
	}
	if len(a.States) == 0 {
		return Unattributed, []Reason{{NoFires, "no fire was detected where the air came from: there is nothing to share out"}}
	}
	r := p.known(q, g, a.Edge)
	r = append(r, p.spread(a)...)
	r = append(r, p.special(a)...)
	r = append(r, p.still(a)...)
	if way := q.way(p); !q.Seen.Covers(way) {
		r = append(r, Reason{FiresUnknown, "fires are not known to have been looked for through all the hours that the air was followed"})
	}
	if len(r) > 0 {
		return Inconclusive, r
	}
	return Conclusive, nil
}

// known is what is missing of the wind. Tracks that end at the side of the grid are
// borne up to a bound: of fires spread evenly over the land, the way that was not
// followed may hold as much as the members that need not agree, one in ten by the
// standard. More than that could move the shares as far as the members differ.
func (p Policy) known(q Question, g *wind.Grid, e Edge) (out []Reason) {
	if !through(g).Covers(q.way(p)) || e.Unbegun > 0 {
		out = append(out, Reason{WindShort,
			fmt.Sprintf("the wind is not known through all the hours that the air was followed; %d of %d tracks could not be begun",
				e.Unbegun, e.Tracks)})
	}
	if most := Percent(1 - float64(p.Agree)/float64(Members)); Printed(e.Unseen, 1) > most {
		out = append(out, Reason{TracksCut,
			fmt.Sprintf("%d of %d tracks end where the wind is not known, with %.1f %% of the way by its weight; at most %.1f %% may be "+
				"missing", e.Cut, e.Tracks, e.Unseen, most)})
	}
	return out
}

// through is the time that a grid has wind for.
func through(g *wind.Grid) Span {
	s := g.Shape()
	return Span{s.Start, s.Start.Add(time.Duration(s.Times-1) * s.Every)}
}

// spread is what the members have against the first state.
func (p Policy) spread(a Attribution) (out []Reason) {
	first := a.States[0]
	if a.Agreed < p.Agree {
		out = append(out, Reason{Disagree, fmt.Sprintf("%d of %d members agree on the first state, %d are needed, and %d have wind",
			a.Agreed, Members, p.Agree, len(a.Members))})
	}
	if len(a.States) > 1 && Percent(a.States[1].High) >= Percent(first.Low) {
		out = append(out, Reason{Overlap, fmt.Sprintf("the range of the second, up to %.1f %%, reaches that of the first, from %.1f %%",
			Percent(a.States[1].High), Percent(first.Low))})
	}
	if first.State == "" {
		out = append(out, Reason{NoState, "the largest share lies where no state is known"})
	}
	return out
}

// special is whether other days, or other winds, would have brought as much.
func (p Policy) special(a Attribution) []Reason {
	switch {
	case a.Null.Method == "":
		return []Reason{{NoNull, "there was too little wind around the station to do the null test with"}}
	case a.Null.Rank > p.Rank:
		return []Reason{{NotSpecial, fmt.Sprintf("the influence ranks %d of %d in the null test (%s); %d is needed", a.Null.Rank, Shifts+1,
			a.Null.Method, p.Rank)}}
	}
	return nil
}

// still is what the air and the stations inside the city say. Neither asks whose smoke
// it was: a works beside the station passes the control, smoke over all the city fails it.
func (p Policy) still(a Attribution) (out []Reason) {
	switch {
	case !a.Calm.Known:
		out = append(out, Reason{CalmUnknown, "the wind at 10 m is not known: stagnation cannot be ruled out"})
	case Printed(a.Calm.Speed, SpeedDecimals) < p.Calm:
		out = append(out, Reason{Stagnation,
			fmt.Sprintf("stagnation, transport attribution not supported: a mean of %.2f m/s over %d hours", a.Calm.Speed, p.Run)})
	}
	switch {
	case !a.Control.Known:
		out = append(out, Reason{NoControl, "no station inside the city could be compared with"})
	case Printed(a.Control.Difference, DifferenceDecimals) <= 0:
		out = append(out, Reason{Local, "not distinguishable from local sources: the city had as much"})
	}
	return out
}
