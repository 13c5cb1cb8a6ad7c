// Package simulate is for changing a rule with open eyes: who would be flagged
// that is not today, at which site and on which shift, before anybody is.
package simulate

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A Flag is one finding on one rider, or on a van.
type Flag struct {
	Vanpool  fleet.VanpoolID  `json:"vanpool_id"`
	Employee fleet.EmployeeID `json:"employee_id,omitempty"`
	Check    check.Name       `json:"check"`
}

// A Row is one group of riders, and how many of them are flagged under the rules
// of today and under those that are tried.
type Row struct {
	Name   string `json:"name"`
	Riders int    `json:"riders"`
	Before int    `json:"before"`
	After  int    `json:"after"`
}

// A Report is what a change of rules would do.
type Report struct {
	Riders  int    `json:"riders"`
	Cases   Row    `json:"cases"` // vans with something to be looked into
	Flagged Row    `json:"flagged"`
	New     []Flag `json:"new"`    // flagged only under the rules that are tried
	Gone    []Flag `json:"gone"`   // flagged only under the rules of today
	Sites   []Row  `json:"sites"`  // by the van's site
	Shifts  []Row  `json:"shifts"` // by the rider's shift today; "" where none is known
}

// ManualMinutes is what auditing one van by hand takes.
const ManualMinutes = 45

// Hours is the work of looking into the cases by hand, under the rules of today
// and those that are tried.
func (r Report) Hours() (before, after float64) {
	return float64(r.Cases.Before) * ManualMinutes / 60, float64(r.Cases.After) * ManualMinutes / 60
}

// A Trial is a change of rules on one snapshot.
type Trial struct {
	Book          *fleet.Book
	At            time.Time
	Before, After audit.Policies
	Inputs        audit.Inputs
	Granted       check.Exceptions
}

// Compare audits every van twice and tells the difference. Gaps in the records
// are not counted: no rule changes them.
func Compare(t Trial) (Report, error) {
	var rep Report
	every := func(fleet.VanpoolID) bool { return true }
	before, err := audit.Among(t.Book, "", t.At, t.Before.Specialists(t.Book, t.Inputs), t.Granted, every)
	if err != nil {
		return Report{}, err
	}
	ask := t.After.Specialists(t.Book, t.Inputs)
	sites, shifts := map[string]*Row{}, map[string]*Row{}
	for old := range before {
		if old.Outcome == audit.Errored {
			continue
		}
		g, err := t.Book.Group(old.Vanpool, t.At)
		if err != nil {
			return Report{}, err
		}
		was, will := old.Findings(), audit.Of(t.Book, old.Vanpool, t.At, ask(old.Vanpool), t.Granted).Findings()
		rep.Cases.count(min(len(was), 1), min(len(will), 1))
		rep.New = append(rep.New, missing(old.Vanpool, will, was)...)
		rep.Gone = append(rep.Gone, missing(old.Vanpool, was, will)...)
		for _, m := range g.Riders {
			a, b := flagged(was, m.ID), flagged(will, m.ID)
			shift, _ := m.ShiftOn(g.Today)
			rep.Riders++
			rep.Flagged.count(a, b)
			row(sites, string(g.Site.ID)).count(a, b)
			row(shifts, string(shift)).count(a, b)
		}
	}
	rep.Sites, rep.Shifts = rows(sites), rows(shifts)
	return rep, nil
}

// count adds one rider, or one van.
func (r *Row) count(before, after int) {
	r.Riders++
	r.Before += before
	r.After += after
}

// flagged is 1 for somebody with a finding, else 0.
func flagged(all []check.Finding, who fleet.EmployeeID) int {
	if slices.ContainsFunc(all, func(f check.Finding) bool { return f.Employee == who }) {
		return 1
	}
	return 0
}

// missing are the flags of one list that are not in the other.
func missing(van fleet.VanpoolID, in, notIn []check.Finding) []Flag {
	var out []Flag
	for _, f := range in {
		same := func(o check.Finding) bool { return o.Employee == f.Employee && o.Check == f.Check }
		flag := Flag{van, f.Employee, f.Check}
		if !slices.ContainsFunc(notIn, same) && !slices.Contains(out, flag) {
			out = append(out, flag)
		}
	}
	return out
}

func row(all map[string]*Row, name string) *Row {
	if all[name] == nil {
		all[name] = &Row{Name: name}
	}
	return all[name]
}

func rows(all map[string]*Row) []Row {
	var out []Row
	for _, r := range slices.SortedFunc(maps.Values(all), func(a, b *Row) int { return cmp.Compare(a.Name, b.Name) }) {
		out = append(out, *r)
	}
	return out
}

// Impact compares groups: the share of riders left alone in the group that fares
// worst, divided by that of the group that fares best, under the rules of today
// and those that are tried. Below 0.8 a rule weighs on some groups so much more
// than on others that people should look at why. Groups with fewer riders than
// least say too little and are left out. With fewer than two there is nothing to
// compare, and compared says so: one group beside itself would always be alike.
func Impact(groups []Row, least int) (before, after float64, compared bool) {
	var large []Row
	for _, g := range groups {
		if g.Riders >= max(least, 1) {
			large = append(large, g)
		}
	}
	if len(large) < 2 {
		return 0, 0, false
	}
	return impact(large, func(r Row) int { return r.Before }), impact(large, func(r Row) int { return r.After }), true
}

func impact(groups []Row, flagged func(Row) int) float64 {
	low, high := 1.0, 0.0
	for _, g := range groups {
		share := 1 - float64(flagged(g))/float64(g.Riders)
		low, high = min(low, share), max(high, share)
	}
	if high == 0 { // nobody is left alone anywhere: alike
		return 1
	}
	return low / high
}
