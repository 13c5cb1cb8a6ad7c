package summary

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// Profile is what the platform's verifier must know of charts to check a text about them: scenarios, the members of every
// dimension, units, targets, and the last year there are data for.
func Profile(name string, charts ...*catalogue.Chart) verify.Profile {
	p := verify.Profile{Name: name, Units: map[string][]string{},
		Forbid: []verify.Forbidden{{Kind: verify.Recommendation}, {Kind: verify.Forecast}}}
	v := vocabulary{}
	v.noun(ScenarioID, "scenario", "scenarios", "pathway", "pathways")
	for _, ch := range charts {
		if !ch.Citable() {
			continue
		}
		for _, s := range ch.Table.Scenarios {
			v.member(ScenarioID, s)
		}
		for i, id := range DimensionIDs(ch.Table.Dimensions) {
			v.noun(id, nouns(ch.Table.Dimensions[i])...)
			for _, s := range ch.Table.Series {
				if _, level := baselineYear(s); !level {
					v.member(id, s.Labels[i])
				}
			}
		}
		if ch.Spec != nil {
			for target := range ch.Spec.ExtraPoints {
				v.noun(TargetID, "target", "targets")
				v.member(TargetID, strings.TrimSpace(target))
			}
		}
		for _, u := range ch.Table.Units {
			p.Units[u] = []string{u}
		}
		if n := len(ch.Table.Years); n > 0 {
			p.FinalYear = max(p.FinalYear, ch.Table.Years[n-1])
		}
	}
	p.Dimensions = v.sorted()
	return p
}

// A vocabulary is dimensions while they are gathered.
type vocabulary map[string]*prose.Dimension

func (v vocabulary) noun(dim string, names ...string) {
	if v[dim] == nil {
		v[dim] = &prose.Dimension{Name: dim, Nouns: fact.Names{EN: names}}
	}
}

func (v vocabulary) member(dim, id string) {
	d := v[dim]
	if id != "" && !slices.ContainsFunc(d.Members, func(m prose.Member) bool { return m.ID == id }) {
		d.Members = append(d.Members, prose.Member{ID: id, Names: fact.Names{EN: []string{id}}})
	}
}

func (v vocabulary) sorted() []prose.Dimension {
	var out []prose.Dimension
	for _, d := range v {
		slices.SortFunc(d.Members, func(a, b prose.Member) int { return strings.Compare(a.ID, b.ID) })
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b prose.Dimension) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// nouns is what people call the members of a column: process_sector0 holds sectors.
func nouns(column string) []string {
	parts := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return r == '_' || r == ' ' || r == '-' })
	if len(parts) == 0 {
		return nil
	}
	one := strings.TrimRight(parts[len(parts)-1], "0123456789")
	switch {
	case one == "":
		return nil
	case strings.HasSuffix(one, "y"):
		return []string{one, strings.TrimSuffix(one, "y") + "ies"}
	}
	return []string{one, one + "s"}
}
