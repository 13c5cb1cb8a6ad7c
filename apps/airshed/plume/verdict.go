package plume

import "fmt"

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
)

// A Reason is why a result is not conclusive.
type Reason struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// judge says conclusive only if nothing speaks against it.
func (p Policy) judge(q Question, a Attribution) (Verdict, []Reason) {
	if len(a.Members) == 0 {
		return Unattributed, []Reason{{NoWind, "no wind is known at the station in these hours: no attribution is made"}}
	}
	if len(a.States) == 0 {
		return Unattributed, []Reason{{NoFires, "no fire was detected where the air came from: there is nothing to share out"}}
	}
	r := p.spread(a)
	r = append(r, p.special(a)...)
	r = append(r, p.still(a)...)
	if way := q.way(p); !q.Seen.covers(way) {
		r = append(r, Reason{FiresUnknown, "fires were not looked for through all the hours that the air was followed"})
	}
	if len(r) > 0 {
		return Inconclusive, r
	}
	return Conclusive, nil
}

// spread is what the members have against the first state.
func (p Policy) spread(a Attribution) (out []Reason) {
	first := a.States[0]
	if a.Agreed < p.Agree {
		out = append(out, Reason{Disagree, fmt.Sprintf("%d of %d members agree on the first state, %d are needed, and %d have wind", a.Agreed, Members, p.Agree, len(a.Members))})
	}
	if len(a.States) > 1 && a.States[1].High >= first.Low {
		out = append(out, Reason{Overlap, fmt.Sprintf("the range of the second, up to %.0f %%, reaches that of the first, from %.0f %%", 100*a.States[1].High, 100*first.Low)})
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
		return []Reason{{NoNull, "there was no wind to do the null test with"}}
	case a.Null.Rank > p.Rank:
		return []Reason{{NotSpecial, fmt.Sprintf("the influence ranks %d of %d in the null test (%s); %d is needed", a.Null.Rank, Shifts+1, a.Null.Method, p.Rank)}}
	}
	return nil
}

// still is what the air and the stations inside the city say.
func (p Policy) still(a Attribution) (out []Reason) {
	switch {
	case !a.Calm.Known:
		out = append(out, Reason{CalmUnknown, "the wind at 10 m is not known: stagnation cannot be ruled out"})
	case a.Calm.Speed < p.Calm:
		out = append(out, Reason{Stagnation, fmt.Sprintf("stagnation, transport attribution not supported: a mean of %.1f m/s over %d hours", a.Calm.Speed, p.Run)})
	}
	switch {
	case !a.Control.Known:
		out = append(out, Reason{NoControl, "no station inside the city could be compared with"})
	case a.Control.Difference <= 0:
		out = append(out, Reason{Local, "not distinguishable from local sources: the city had as much"})
	}
	return out
}
