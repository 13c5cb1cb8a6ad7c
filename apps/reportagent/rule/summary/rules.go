package summary

import (
	"math/big"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// sayCommonStart holds where all scenarios start from one value.
func (w *work) sayCommonStart() {
	starts := w.every(func(s *Scenario) *Number {
		switch {
		case s.Baseline != nil:
			return &s.Baseline.Number
		case s.Total != nil && s.Total.Start != nil:
			return &s.Total.Start.Number
		}
		return nil
	})
	if len(starts) == 0 {
		return
	}
	for _, s := range starts {
		if !table.Agree(value(s.fact), value(starts[0].fact), 2, 0) {
			return
		}
	}
	most := w.derive(fact.Max, facts(starts)...)
	year := starts[0].fact.Subject.IDs[fact.YearID]
	w.say(commonStart, most, "In all scenarios, "+w.whole()+" starts from "+token(most)+" in "+year+".", most)
}

// moves are the changes of a scenario's series.
func (w *work) moves(name string) []bar {
	var out []bar
	if len(w.t.Years) == 0 {
		for _, l := range w.parts[name] {
			out = append(out, bar{l.name, l.at[0]})
		}
		return out
	}
	for _, t := range w.body.ByScenario[name].Series {
		if f, ok := w.of(t.Change); ok {
			out = append(out, bar{t.Name, f})
		}
	}
	return out
}

// saySameReducer holds only if the same series falls most in every scenario. The value is a range, because it is not one.
func (w *work) saySameReducer() {
	if w.many {
		return
	}
	var winners, ranks []fact.Fact
	label := ""
	for i, name := range w.t.Scenarios {
		all := w.moves(name)
		if len(all) < 2 {
			return
		}
		least, _ := extremes(facts(all))
		alone := slices.IndexFunc(all, func(b bar) bool { return value(b.fact).Cmp(value(all[least].fact)) == 0 }) == least
		if i == 0 {
			label = all[least].name
		}
		if !alone || all[least].name != label || value(all[least].fact).Sign() >= 0 {
			return
		}
		winners = append(winners, all[least].fact)
		ranks = append(ranks, w.first(fact.RankLow, least, facts(all)))
	}
	deep, weak := w.derive(fact.Min, winners...), w.derive(fact.Max, winners...)
	amount := "between " + plain(weak) + " and " + plain(deep)
	if deep.Value == weak.Value {
		amount = "of " + plain(deep)
	}
	cited := append([]fact.Fact{deep, weak}, ranks...)
	w.say(sameReducer, deep, label+" has the largest reduction in all scenarios, "+amount+".", cited...)
}

func (w *work) sayDeepest() {
	totals := w.every(func(s *Scenario) *Number {
		if s.Total != nil {
			return s.Total.Change
		}
		return s.TotalReduction
	})
	if len(totals) < 2 {
		return
	}
	least, _ := extremes(facts(totals))
	for i, t := range totals {
		if value(totals[least].fact).Sign() >= 0 || i != least && value(t.fact).Cmp(value(totals[least].fact)) == 0 {
			return
		}
	}
	rank := w.first(fact.RankLow, least, facts(totals))
	f := totals[least].fact
	w.say(deepest, f, "Of all scenarios, "+w.whole()+" falls most in "+totals[least].name+", by "+plain(f)+".", f, rank)
}

// sayIncreases is for charts of changes: over years, something always rises.
func (w *work) sayIncreases(name string) {
	for _, n := range w.body.ByScenario[name].Notable {
		if f, ok := w.of(&n.Number); ok {
			w.say(increase, f, "In "+name+", "+n.Name+" increases by "+token(f)+".", f)
		}
	}
}

func (w *work) sayCrossing(name string) {
	s := w.body.ByScenario[name]
	if net, ok := w.of(s.NetEnd); ok && s.Baseline != nil {
		base, _ := w.of(&s.Baseline.Number)
		total, _ := w.of(s.TotalReduction)
		if value(base).Sign() > 0 && value(net).Sign() < 0 {
			w.say(crossesZero, total, "In "+name+", "+w.whole()+" falls from "+token(base)+" to "+token(net)+".", base, net, total)
		}
	}
	if s.Total == nil {
		return
	}
	for _, c := range s.Total.Crossings {
		before, _ := w.of(&c.Before.Number)
		at, _ := w.of(&c.At.Number)
		weight, ok := w.of(s.Total.Change)
		if !ok {
			weight = at
		}
		if c.Of == "zero" {
			verb := "falls"
			if value(at).Cmp(value(before)) > 0 {
				verb = "rises"
			}
			w.say(crossesZero, weight, "In "+name+", "+w.whole()+" "+verb+" from "+token(before)+" in "+yearText(c.Before.Year)+
				" to "+token(at)+" in "+yearText(c.At.Year)+".", before, at)
		}
	}
}

func (w *work) sayEndSpread() {
	if w.body.Across == nil || len(w.body.Across.Years) == 0 {
		return
	}
	c := w.body.Across.Years[len(w.body.Across.Years)-1]
	spread, ok := w.of(&c.Spread)
	if !ok || value(spread).Sign() <= 0 || len(w.t.Years) > 0 && c.Year != w.t.Years[len(w.t.Years)-1] {
		return
	}
	when := "At the end"
	if c.Year > 0 {
		when = "In " + yearText(c.Year)
	}
	w.say(endSpread, spread, when+", "+w.whole()+" is "+token(spread)+" higher in "+c.Max.Name+" than in "+c.Min.Name+".", spread)
}

// nine tenths of something, in per cent.
var mostOfIt = big.NewRat(90, 1)

func (w *work) sayNearlyAll(name string) {
	s := w.body.ByScenario[name]
	tell := func(label string, pct, change *Number, when string) {
		p, ok := w.of(pct)
		c, okay := w.of(change)
		if !ok || !okay || new(big.Rat).Abs(value(p)).Cmp(mostOfIt) <= 0 {
			return
		}
		start := ""
		if c.Calc != nil && c.Calc.Op == fact.Difference {
			if from, ok := w.book.At(c.Calc.Inputs[1]); ok && value(from).Sign() < 0 {
				return // a percentage of something below zero says the wrong thing
			} else if ok {
				start = from.Subject.IDs[fact.YearID]
			}
		}
		verb := " rises by "
		if value(p).Sign() < 0 {
			verb = " falls by "
		}
		if start != "" {
			when = " between " + start + when
		}
		w.say(nearlyAll, c, "In "+name+", "+label+verb+plain(p)+when+".", p, c)
	}
	tell(w.whole(), s.Pct, s.TotalReduction, "")
	last := ""
	if n := len(w.t.Years); n > 0 {
		last = " and " + yearText(w.t.Years[n-1])
	}
	if s.Total != nil {
		tell(w.whole(), s.Total.Pct, s.Total.Change, last)
	}
	for _, t := range s.Series {
		tell(t.Name, t.Pct, t.Change, last)
	}
}

func (w *work) sayTargets() {
	for _, t := range w.body.Targets {
		for _, g := range t.Gaps {
			gap, ok := w.of(&g.Number)
			if !ok || value(gap).Sign() == 0 {
				continue
			}
			where := "above"
			if value(gap).Sign() < 0 {
				where = "below"
			}
			target, _ := w.of(&t.At.Number)
			words := []string{"In", yearText(t.At.Year) + ",", w.whole(), "in", g.Name, "is", plain(gap), where, "the target", t.Name + "."}
			w.say(targetMissing, gap, strings.Join(words, " "), gap, target)
		}
	}
}
