package summary_test

import (
	"fmt"
	"math/big"
	"slices"
)

// overYears is a chart with a column for each year.
func (o *oracle) overYears() {
	last := len(o.run.Years) - 1
	totals := map[string]*row{}
	byName := map[string][]*big.Rat{}
	for _, sc := range o.scenarios() {
		at := "by_scenario/" + sc + "/"
		rows := o.rows(sc)
		total, parts := o.whole(rows)
		if total != nil {
			o.trend(at+"total", *total)
			totals[sc] = total
		}
		var changes []row
		for _, p := range parts {
			o.trend(at+"series/"+p.name, p)
			if d := difference(p); d != nil {
				changes = append(changes, row{name: p.name, values: []*big.Rat{d}})
			}
			if v := p.values[last]; v != nil {
				byName[p.name] = append(byName[p.name], v)
			}
		}
		o.parts(at, "composition_start", "ranks_start", parts, 0)
		o.parts(at, "composition_end", "ranks_end", parts, last)
		o.rankChanges(at, parts)
		o.biggest(at, changes)
	}
	if len(o.scenarios()) > 1 {
		o.sideBySide(totals)
		o.widest(byName)
	}
	o.targets(totals)
}

// whole is what speaks for a chart, and the rows that it is made of.
func (o *oracle) whole(rows []row) (*row, []row) {
	if o.c.Total != "" {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == o.c.Total })
		return &rows[i], slices.Delete(slices.Clone(rows), i, i+1)
	}
	if len(rows) == 1 {
		return &rows[0], nil
	}
	if o.share || o.mixed {
		return nil, rows
	}
	sum := &row{name: "total", gaps: make([]string, len(o.run.Years))}
	for y := range o.run.Years {
		t := new(big.Rat)
		for _, r := range rows {
			if r.values[y] == nil {
				sum.gaps[y] += r.name + "|"
			} else {
				t.Add(t, r.values[y])
			}
		}
		sum.values = append(sum.values, t)
	}
	return sum, rows
}

// difference is the last year less the first, nil where a value is missing.
func difference(r row) *big.Rat {
	a, b := r.values[0], r.values[len(r.values)-1]
	if a == nil || b == nil || r.gaps[0] != r.gaps[len(r.values)-1] {
		return nil
	}
	return minus(b, a)
}

func (o *oracle) trend(at string, r row) {
	years := o.run.Years
	last := len(years) - 1
	if r.values[0] != nil {
		o.put(r.values[0], "%s/start@%d", at, years[0])
	}
	if r.values[last] != nil {
		o.put(r.values[last], "%s/end@%d", at, years[last])
	}
	if d := difference(r); d != nil {
		o.put(d, "%s/abs_change", at)
		half := big.NewRat(1, 200)
		if start := r.values[0]; !o.share && new(big.Rat).Abs(start).Cmp(half) >= 0 {
			o.put(percent(d, start), "%s/pct_change", at)
		}
		if r.values[0].Sign() > 0 && r.values[last].Sign() > 0 && !o.share {
			o.want[at+"/cagr"] = expected{ratio: new(big.Rat).Quo(r.values[last], r.values[0]), years: years[last] - years[0]}
		}
	}
	lo, hi := -1, -1
	for i, v := range r.values {
		if v == nil {
			continue
		}
		if lo < 0 || v.Cmp(r.values[lo]) < 0 {
			lo = i
		}
		if hi < 0 || v.Cmp(r.values[hi]) > 0 {
			hi = i
		}
		if y := years[i]; y == 2030 || y == 2035 || y == 2040 || y == 2050 {
			o.put(v, "%s/milestones@%d", at, y)
		}
	}
	o.put(r.values[lo], "%s/min@%d", at, years[lo])
	o.put(r.values[hi], "%s/max@%d", at, years[hi])
	o.cross(at, "zero", r, new(big.Rat))
	if len(at) > 5 && at[len(at)-5:] == "total" {
		for name, points := range o.c.Targets {
			for _, v := range points {
				level, _ := new(big.Rat).SetString(v)
				o.cross(at, name[:len(name)-1], r, level) // the name ends with a blank
			}
		}
	}
}

// cross finds the first step over a level.
func (o *oracle) cross(at, of string, r row, level *big.Rat) {
	before := -1
	for i, v := range r.values {
		if v == nil {
			continue
		}
		if before >= 0 {
			from, to := r.values[before].Cmp(level), v.Cmp(level)
			if from != 0 && from != to && r.gaps[before] == r.gaps[i] {
				o.put(r.values[before], "%s/crossings/%s/before@%d", at, of, o.run.Years[before])
				o.put(v, "%s/crossings/%s/at@%d", at, of, o.run.Years[i])
				return
			}
		}
		before = i
	}
}

// there is the values of a year that exist.
func there(parts []row, y int) (names []string, values []*big.Rat) {
	for _, p := range parts {
		if p.values[y] != nil {
			names, values = append(names, p.name), append(values, p.values[y])
		}
	}
	return names, values
}

// parts is what each is of the whole, and its place.
func (o *oracle) parts(at, shares, ranks string, parts []row, y int) {
	names, values := there(parts, y)
	up, down := 0, 0
	for _, v := range values {
		if v.Sign() > 0 {
			up++
		} else if v.Sign() < 0 {
			down++
		}
	}
	whole := add(values...)
	for i, n := range names {
		if len(names) > 1 && !o.share && !o.mixed && (up == 0) != (down == 0) {
			o.put(percent(values[i], whole), "%s%s=%s", at, shares, n)
		}
		if len(names) > 1 && !o.mixed {
			o.put(place(values[i], values, false), "%s%s=%s", at, ranks, n)
		}
	}
}

func (o *oracle) rankChanges(at string, parts []row) {
	last := len(o.run.Years) - 1
	for _, p := range parts {
		_, start := there(parts, 0)
		_, end := there(parts, last)
		if p.values[0] == nil || p.values[last] == nil || o.mixed || len(start) < 2 || len(end) < 2 {
			continue
		}
		a, b := place(p.values[0], start, false), place(p.values[last], end, false)
		if a.Cmp(b) != 0 {
			o.put(a, "%srank_changes/%s/start", at, p.name)
			o.put(b, "%srank_changes/%s/end", at, p.name)
		}
	}
}

func (o *oracle) biggest(at string, changes []row) {
	if len(changes) < 2 || o.mixed {
		return
	}
	best := changes[0]
	for _, c := range changes[1:] {
		d := new(big.Rat).Abs(c.values[0]).Cmp(new(big.Rat).Abs(best.values[0]))
		if d > 0 || d == 0 && c.name < best.name {
			best = c
		}
	}
	o.put(best.values[0], "%sbiggest_contributor=%s", at, best.name)
	o.put(big.NewRat(1, 1), "%sbiggest_contributor_rank", at)
}

// sideBySide compares the totals of all scenarios, where they leave out the same.
func (o *oracle) sideBySide(totals map[string]*row) {
	for y, year := range o.run.Years {
		var values []*big.Rat
		gaps := map[string]bool{}
		for _, sc := range o.scenarios() {
			if t := totals[sc]; t != nil {
				values = append(values, t.values[y])
				gaps[t.gaps[y]] = true
			}
		}
		if len(values) < 2 || len(gaps) > 1 {
			continue
		}
		o.compared("across/by_year", fmt.Sprintf("/%d", year), values)
		if y == len(o.run.Years)-1 {
			o.pairs(values)
		}
	}
}

func (o *oracle) targets(totals map[string]*row) {
	for name, points := range o.c.Targets {
		for year, v := range points {
			level, _ := new(big.Rat).SetString(v)
			name = name[:len(name)-1]
			o.put(level, "targets/%s/at@%s", name, year)
			y := slices.IndexFunc(o.run.Years, func(y int) bool { return fmt.Sprint(y) == year })
			for sc, t := range totals {
				o.put(minus(t.values[y], level), "targets/%s/gaps=%s", name, sc)
			}
		}
	}
}
