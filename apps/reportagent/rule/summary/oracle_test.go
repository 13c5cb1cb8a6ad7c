package summary_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
)

// The oracle says what a summary of a made-up chart must hold. It works from the numbers the run was drawn with, before they
// became files, in its own arithmetic, and shares no code with what it judges.
type oracle struct {
	run   madeup.Run
	c     madeup.Chart
	share bool // parts of a whole
	mixed bool // several units
	want  map[string]expected
}

// An expected number is exact, or a yearly rate known by what it must satisfy.
type expected struct {
	exact *big.Rat
	ratio *big.Rat // of a rate: end ÷ start
	years int
}

// A row is one thing: its hundredths by place in the years, nil where there is no value.
type row struct {
	name   string
	values []*big.Rat
	gaps   []string // of a sum: who had no value, by year, joined
}

func cents(v madeup.Value) *big.Rat {
	if v.Empty {
		return nil
	}
	return big.NewRat(v.Cents, 100)
}

func expect(run madeup.Run, c madeup.Chart) map[string]expected {
	o := &oracle{run: run, c: c, want: map[string]expected{}, mixed: strings.HasPrefix(c.Unit, "["),
		share: c.Unit == "%" || c.Unit == "fraction"}
	if c.Long {
		o.changes()
	} else {
		o.overYears()
	}
	return o.want
}

func (o *oracle) put(v *big.Rat, path string, args ...any) {
	o.want[fmt.Sprintf(path, args...)] = expected{exact: v}
}

func (o *oracle) scenarios() []string {
	if o.c.NoScen {
		return []string{"all"}
	}
	return o.run.Scenarios
}

func (o *oracle) rows(scenario string) []row {
	var out []row
	for _, s := range o.c.Series {
		if s.Scenario != scenario {
			continue
		}
		r := row{name: strings.ReplaceAll(s.Label, "e\u0301", "é"), gaps: make([]string, len(o.run.Years))}
		for _, v := range s.Values {
			r.values = append(r.values, cents(v))
		}
		out = append(out, r)
	}
	return out
}

func add(values ...*big.Rat) *big.Rat {
	t := new(big.Rat)
	for _, v := range values {
		t.Add(t, v)
	}
	return t
}

func percent(part, whole *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).Quo(part, whole), big.NewRat(100, 1))
}

func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// place counts who is ahead.
func place(v *big.Rat, all []*big.Rat, low bool) *big.Rat {
	n := int64(1)
	for _, x := range all {
		if c := x.Cmp(v); c > 0 && !low || c < 0 && low {
			n++
		}
	}
	return big.NewRat(n, 1)
}

// changes is a chart of changes: the first row of each scenario is its baseline.
func (o *oracle) changes() {
	var ends []*big.Rat
	byName := map[string][]*big.Rat{}
	for _, sc := range o.scenarios() {
		rows := o.rows(sc)
		at := "by_scenario/" + sc + "/"
		base, bars := rows[0].values[0], rows[1:]
		o.put(base, "%sbaseline=%s", at, rows[0].name)
		var all, falls []*big.Rat
		for _, b := range bars {
			all = append(all, b.values[0])
			byName[b.name] = append(byName[b.name], b.values[0])
			if b.values[0].Sign() < 0 {
				falls = append(falls, b.values[0])
			}
		}
		total := add(all...)
		o.put(total, "%stotal_reduction", at)
		o.put(add(base, total), "%snet_end", at)
		o.put(percent(total, base), "%spct", at)
		ends = append(ends, add(base, total))
		slices.SortFunc(bars, func(a, b row) int { return a.values[0].Cmp(b.values[0]) })
		for i, b := range bars {
			v := b.values[0]
			switch {
			case v.Sign() > 0:
				o.put(v, "%snotable=%s", at, b.name)
			case i < 3:
				o.put(v, "%stop_reductions=%s", at, b.name)
				o.put(big.NewRat(int64(i+1), 1), "%stop_ranks=%s", at, b.name)
			}
			if v.Sign() < 0 {
				o.put(percent(v, add(falls...)), "%sshares=%s", at, b.name)
			}
		}
	}
	o.put(o.rows(o.scenarios()[0])[0].values[0], "baseline=Net 2025")
	o.compared("across/by_year", "", ends)
	o.pairs(ends)
	o.widest(byName)
}

// compared is the scenarios side by side.
func (o *oracle) compared(at, when string, v []*big.Rat) {
	names := o.scenarios()
	hi, lo := 0, 0
	for i := range v {
		if v[i].Cmp(v[hi]) > 0 {
			hi = i
		}
		if v[i].Cmp(v[lo]) <= 0 {
			lo = i
		}
	}
	o.put(v[hi], "%s%s/max=%s", at, when, names[hi])
	o.put(v[lo], "%s%s/min=%s", at, when, names[lo])
	o.put(minus(v[hi], v[lo]), "%s%s/spread", at, when)
	for i := range v {
		o.put(place(v[i], v, false), "%s%s/order=%s", at, when, names[i])
	}
}

func (o *oracle) pairs(v []*big.Rat) {
	names := o.scenarios()
	for i := range v {
		for k := i + 1; k < len(v); k++ {
			o.put(minus(v[i], v[k]), "across/pairs=%s less %s", names[i], names[k])
		}
	}
}

func (o *oracle) widest(byName map[string][]*big.Rat) {
	if o.mixed {
		return
	}
	var best string
	var most *big.Rat
	n := 0
	for name, v := range byName {
		if len(v) < 2 {
			continue
		}
		n++
		spread := minus(slices.MaxFunc(v, (*big.Rat).Cmp), slices.MinFunc(v, (*big.Rat).Cmp))
		o.put(spread, "across/spreads=%s", name)
		if most == nil || cmp.Or(spread.Cmp(most), cmp.Compare(best, name)) > 0 {
			best, most = name, spread
		}
	}
	if n > 1 {
		o.put(most, "across/widest=%s", best)
		o.put(big.NewRat(1, 1), "across/widest_rank")
	}
}
