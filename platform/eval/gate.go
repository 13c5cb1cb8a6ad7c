package eval

import (
	"github.com/gavelhq/gavel/platform/eval/rule/stat"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Gate is what an application demands of itself before it is released: a file in the
// folder of its sets. A demand that nobody could measure is said, and stops nothing.
type Gate struct {
	About   string   `json:"about"`
	Demands []Demand `json:"demands"`
}

// A Demand is a bound of one metric of one set, in thousandths.
type Demand struct {
	Set     string `json:"set"`
	Metric  string `json:"metric"`
	AtLeast *int   `json:"at_least,omitempty"`
	AtMost  *int   `json:"at_most,omitempty"`
	Why     string `json:"why"` // what it is for, to people
}

// maxGate bounds the file.
const maxGate = 64 << 10

// ParseGate reads a gate, and refuses one that could not be meant: it demands something of
// each metric once, with one bound, and says why.
func ParseGate(text []byte) (g Gate, err error) {
	if len(text) > maxGate {
		return g, fault.New(fault.TooLarge, "a gate has at most %d bytes", maxGate)
	}
	if err := strict(text, &g); err != nil {
		return g, fault.From(fault.Invalid, err, "the gate cannot be read")
	}
	if len(g.Demands) == 0 {
		return g, fault.New(fault.Invalid, "a gate demands something")
	}
	seen := map[[2]string]bool{}
	for _, d := range g.Demands {
		key := [2]string{d.Set, d.Metric}
		switch {
		case d.Set == "" || d.Metric == "" || d.Why == "":
			return g, fault.New(fault.Invalid, "a demand names its set and metric, and says what it is for")
		case (d.AtLeast == nil) == (d.AtMost == nil):
			return g, fault.New(fault.Invalid, "%s of %s has one bound: at_least or at_most", d.Metric, d.Set)
		case !inThousandths(d.AtLeast) || !inThousandths(d.AtMost):
			return g, fault.New(fault.Invalid, "the bound of %s of %s is from 0 to 1000 thousandths", d.Metric, d.Set)
		case seen[key]:
			return g, fault.New(fault.Invalid, "%s of %s is demanded twice", d.Metric, d.Set)
		}
		seen[key] = true
	}
	return g, nil
}

func inThousandths(n *int) bool { return n == nil || *n >= 0 && *n <= 1000 }

// goal is the bound of a demand.
func (d Demand) goal() Goal {
	if d.AtMost != nil {
		return *AtMost(*d.AtMost)
	}
	return *AtLeast(*d.AtLeast)
}

// A Ruling is what a demand came to.
type Ruling struct {
	Demand   Demand        `json:"demand"`
	Bound    string        `json:"bound"`
	Measured Measured      `json:"measured"`
	Interval stat.Interval `json:"interval"` // of a share; where nothing was measured, from 0 to 1
}

// Sets are the names of the sets that a gate is about, each once, in its order.
func (g Gate) Sets() []string {
	var out []string
	seen := map[string]bool{}
	for _, d := range g.Demands {
		if !seen[d.Set] {
			seen[d.Set] = true
			out = append(out, d.Set)
		}
	}
	return out
}

// Rule holds what was measured against the demands. A metric that no set has is a mistake in
// the gate: it would hold for ever.
func (g Gate) Rule(reports map[string]Report) ([]Ruling, error) {
	out := make([]Ruling, 0, len(g.Demands))
	for _, d := range g.Demands {
		r, there := reports[d.Set]
		m, has := r.metric(d.Metric)
		if !there || !has {
			return nil, fault.New(fault.Invalid, "the gate demands %s of %s, which nobody counts", d.Metric, d.Set)
		}
		goal := d.goal()
		m.Goal = goal.text()
		if m.Status != NotMeasured {
			m.Status = Missed
			if goal.Met(m.Hits, m.Of) {
				m.Status = Met
			}
		}
		out = append(out, Ruling{Demand: d, Bound: m.Goal, Measured: m, Interval: stat.Wilson(min(m.Hits, m.Of), m.Of)})
	}
	return out, nil
}

func (r Report) metric(name string) (Measured, bool) {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Measured{}, false
}
