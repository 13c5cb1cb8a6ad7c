package validate

import "slices"

// rows is how many rows a reliability table has.
const rows = 10

// A Report is what scores were worth over a time, for all or for one state.
type Report struct {
	State           string        `json:"state"` // empty for all
	N               int           `json:"n"`
	Events          int           `json:"events"`
	BaseRate        float64       `json:"base_rate"`
	Brier           float64       `json:"brier"`
	Decomposition   Decomposition `json:"decomposition"`
	OverBase        Skill         `json:"skill_over_base_rate"`
	OverPersistence Skill         `json:"skill_over_persistence"`
	OverHistory     Skill         `json:"skill_over_history"`
	AUPR            float64       `json:"aupr"` // by lot it would be the base rate
	Reliability     []Bin         `json:"reliability"`
	Alarms          []Alarms      `json:"alarms"`
	NoSkill         bool          `json:"no_skill"` // against the base rate none can be claimed; the page must say so
}

// Measure reports on predictions, all together first and then by state. Thresholds are where alarms are raised.
func Measure(all []Predicted, thresholds []float64) []Report {
	var states []string
	for _, p := range all {
		if !slices.Contains(states, p.State) {
			states = append(states, p.State)
		}
	}
	slices.Sort(states)
	out := []Report{measure(all, thresholds)}
	for _, state := range states {
		r := measure(slices.DeleteFunc(slices.Clone(all), func(p Predicted) bool { return p.State != state }), thresholds)
		r.State = state
		out = append(out, r)
	}
	return out
}

func measure(all []Predicted, thresholds []float64) Report {
	r := Report{N: len(all), NoSkill: true}
	if len(all) == 0 {
		return r
	}
	of := func(probability func(Predicted) float64) []Guess {
		out := make([]Guess, len(all))
		for i, p := range all {
			out[i] = Guess{P: probability(p), Outcome: p.Outcome, Cluster: p.District}
		}
		return out
	}
	ours := of(func(p Predicted) float64 { return p.P })
	ranked, settled := make([]Ranked, len(all)), make([]Settled, len(all))
	for i, p := range all {
		ranked[i], settled[i] = Ranked{p.Score, p.Outcome}, p.Settled
		r.Events += int(truth(p.Outcome))
	}
	r.BaseRate = float64(r.Events) / float64(r.N)
	r.Brier = Brier(ours)
	r.Decomposition = Decompose(ours, rows)
	r.OverBase = SkillOver(ours, of(func(p Predicted) float64 { return p.Base }))
	r.OverPersistence = SkillOver(ours, of(func(p Predicted) float64 { return p.Persistence }))
	r.OverHistory = SkillOver(ours, of(func(p Predicted) float64 { return p.History }))
	r.AUPR = AUPR(ranked)
	r.Reliability = Reliability(ours, rows)
	for _, t := range thresholds {
		r.Alarms = append(r.Alarms, AlarmsAt(settled, t))
	}
	r.NoSkill = r.OverBase.Reported() <= 0
	return r
}
