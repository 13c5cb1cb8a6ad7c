package table

import (
	"math/big"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fact"
)

// Tolerance is how far a value that a file states may lie from one computed out of so many rounded terms: half a unit of
// the last decimal for each of them and for the value itself.
func Tolerance(decimals, terms int) *big.Rat {
	half := big.NewRat(1, 2)
	half.Quo(half, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
	return half.Mul(half, big.NewRat(int64(terms+1), 1))
}

// Agree reports whether two values differ by no more than rounding explains.
func Agree(a, b *big.Rat, decimals, terms int) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(Tolerance(decimals, terms)) <= 0
}

// CheckHierarchy compares variables of an IAMC table with the sum of their components: "Emissions|Energy" is a component
// of "Emissions". Only what has a value for every component is compared.
func (t *Table) CheckHierarchy() diagnostic.List {
	var told diagnostic.List
	at := slices.Index(t.Dimensions, "variable")
	if at < 0 {
		at = slices.IndexFunc(t.Dimensions, func(d string) bool { return strings.EqualFold(d, "variable") })
	}
	if at < 0 || t.Form != IAMCWide && t.Form != IAMCLong {
		return told
	}
	parents := map[string][]Series{}
	key := func(s Series, variable string) string {
		labels := slices.Clone(s.Labels)
		labels[at] = variable
		return strings.Join(append([]string{s.Scenario, fact.FoldUnit(s.Unit.String())}, labels...), "\x00")
	}
	for _, s := range t.Series {
		if i := strings.LastIndex(s.Labels[at], "|"); i > 0 {
			k := key(s, s.Labels[at][:i])
			parents[k] = append(parents[k], s)
		}
	}
	for _, s := range t.Series {
		if parts := parents[key(s, s.Labels[at])]; len(parts) > 1 {
			t.compare(s, parts, at, &told)
		}
	}
	return told
}

// compare tells of the years in which the components of a variable do not add up to it.
func (t *Table) compare(whole Series, parts []Series, at int, told *diagnostic.List) {
	for _, c := range whole.Cells {
		stated, err := fact.ParseNumber(c.Text)
		if err != nil {
			continue
		}
		sum, full := new(big.Rat), true
		for _, p := range parts {
			v, err := fact.ParseNumber(p.At(c.Year).Text)
			if full = full && err == nil; full {
				sum.Add(sum, v)
			}
		}
		if full && !Agree(stated, sum, t.Decimals, len(parts)) {
			told.Add("D011", diagnostic.Warning, 0, "%s of %s in %d is %s, its %d components add up to %s",
				whole.Labels[at], whole.Scenario, c.Year, c.Text, len(parts), sum.FloatString(t.Decimals))
		}
	}
}

// viewNames are the published names of columns that a model's raw view may still call by its own.
var viewNames = map[string]string{
	"scen": "scenario", "varbl": "variable", "process_sector0": "sector0", "process_sector1": "sector1", "process_sector2": "sector2",
	"process_technology0": "technology0", "process_technology1": "technology1", "process_technology2": "technology2",
	"process_end_use": "end_use", "commodity_fuel0": "fuel0", "commodity_fuel1": "fuel1", "region": "state", "value": "val",
}

// Published is what a column of a raw view is called outside the model.
func Published(column string) string {
	column = strings.ToLower(strings.TrimSpace(column))
	if name, ok := viewNames[column]; ok {
		return name
	}
	return column
}
