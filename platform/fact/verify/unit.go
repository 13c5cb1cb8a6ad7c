package verify

import (
	"strconv"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// wrongUnit says what is wrong with the unit written after a number.
func (j *judge) wrongUnit(t int) remark {
	f, n := j.fact[t], j.Nodes[t]
	unit := fact.FoldUnit(f.Unit)
	if t > 0 {
		if p := j.Nodes[t-1]; p.Kind == prose.Punct && p.HasUnit && p.Unit != unit && p.Text != "%" {
			return say("unit_before", "fact", f.ID, "unit", unitWord(f.Unit), "said", unitWord(p.Unit))
		}
	}
	if t+1 < len(j.Nodes) {
		u := j.Nodes[t+1]
		if u.Kind == prose.Punct && u.Text == "-" && t+2 < len(j.Nodes) {
			u = j.Nodes[t+2]
		}
		if u.HasUnit && !j.timeWord(u) && (u.Unit != unit || !n.Token.NoUnit && u.Kind != prose.Mention && unit != "") &&
			!j.otherReading(u, unit) {
			return say("unit_after", "fact", f.ID, "unit", unitWord(f.Unit), "said", unitWord(u.Unit))
		}
		if u.HasUnit && u.Unit == unit {
			return remark{}
		}
	}
	if !n.Token.NoUnit || f.Unit == "" || f.Unit == fact.Year {
		return remark{}
	}
	return j.unitNamed(f, unit)
}

// timeWord reports whether what looks like a unit tells when: "week on week", "a
// year earlier".
func (j *judge) timeWord(u prose.Node) bool {
	if u.Sense == lexicon.Idiom {
		return true
	}
	for _, n := range j.Nodes {
		if n.Start < u.UnitEnd {
			continue
		}
		switch n.Text {
		case "earlier", "later", "ago", "before", "after":
			return true
		}
		return false
	}
	return false
}

// otherReading reports whether a word that can be a unit is something else here:
// "a year later", "per cent" never.
func (j *judge) otherReading(u prose.Node, unit string) bool {
	return u.Unit == "" && unit == "" || u.Kind == prose.Mention && u.Unit != unit && !u.HasUnit
}

// unitNamed looks for the unit of a number shown without it: anywhere in the
// sentence, in words or with another number of the same unit.
func (j *judge) unitNamed(f fact.Fact, unit string) remark {
	for _, n := range j.Nodes {
		if n.HasUnit && n.Unit == unit {
			return remark{}
		}
	}
	for _, t := range j.cited {
		if !j.Nodes[t].Token.NoUnit && fact.FoldUnit(j.fact[t].Unit) == unit {
			return remark{}
		}
	}
	return say("unit_missing", "fact", f.ID, "unit", unitWord(f.Unit))
}

func unitWord(u string) string {
	if u == "" {
		return noUnit
	}
	return u
}

// wrongYear refuses a year right after the number that is not the fact's, and a
// sentence that names years but none of the fact's.
func (j *judge) wrongYear(t int) remark {
	f := j.fact[t]
	mine := j.years(f, 3)
	if len(mine) == 0 {
		return remark{}
	}
	named, match := false, false
	for _, n := range j.Nodes {
		if n.Kind == prose.Year {
			named = true
			match = match || mine[n.Arg]
		}
	}
	after := t + 2
	if after < len(j.Nodes) && j.Nodes[after].Kind == prose.Year && j.Nodes[t+1].Text == "in" {
		match = mine[j.Nodes[after].Arg]
	}
	if named && !match {
		return say("year", "fact", f.ID)
	}
	return remark{}
}

// years are those a fact speaks of, with those of its inputs.
func (j *judge) years(f fact.Fact, depth int) map[int]bool {
	out := map[int]bool{}
	for _, id := range []string{fact.YearID, fact.ChangeID} {
		if y, err := strconv.Atoi(f.Subject.IDs[id]); err == nil {
			out[y] = true
		}
	}
	if depth > 0 && f.Calc != nil && len(f.Calc.Inputs) <= 8 {
		for _, in := range j.ledger.Inputs(f) {
			for y := range j.years(in, depth-1) {
				out[y] = true
			}
		}
	}
	return out
}
