package report_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// A cell is one value of the made-up run, by where it stands.
type cell struct {
	chart, scenario, label string
	year                   int
}

// truth is what the cells of a run hold, in hundredths, and never went through a file.
func truth(r madeup.Run) map[cell]int64 {
	out := map[cell]int64{}
	for _, c := range r.Charts {
		for _, s := range c.Series {
			for i, v := range s.Values {
				year := 0
				if !c.Long {
					year = r.Years[i]
				}
				if !v.Empty {
					out[cell{c.Category + "/" + c.ID, s.Scenario, norm.NFC.String(s.Label), year}] = v.Cents
				}
			}
		}
	}
	return out
}

// altered is the run with some cells replaced.
func altered(r madeup.Run, with map[cell]int64) madeup.Run {
	for _, c := range r.Charts {
		for _, s := range c.Series {
			for i := range s.Values {
				at := cell{c.Category + "/" + c.ID, s.Scenario, s.Label, 0}
				if !c.Long {
					at.year = r.Years[i]
				}
				if cents, there := with[at]; there {
					s.Values[i].Cents = cents
				}
			}
		}
	}
	return r
}

// oracle computes facts of a ledger from the hundredths, by its own arithmetic.
type oracle struct {
	cells map[cell]int64
	facts []fact.Fact
}

// value is a fact as the oracle computes it.
func (o oracle) value(t *testing.T, id fact.ID) *big.Rat {
	t.Helper()
	f := o.facts[id.Number()-1]
	if f.Calc == nil {
		return o.read(t, f)
	}
	in := make([]*big.Rat, len(f.Calc.Inputs))
	for i, r := range f.Calc.Inputs {
		in[i] = o.value(t, r.ID)
	}
	switch out := new(big.Rat); f.Calc.Op {
	case fact.Sum:
		for _, v := range in {
			out.Add(out, v)
		}
		return out
	case fact.Difference:
		return out.Sub(in[0], in[1])
	case fact.Percentage:
		return out.Mul(out.Quo(in[0], in[1]), big.NewRat(100, 1))
	case fact.Max:
		return slices.MaxFunc(in, (*big.Rat).Cmp)
	case fact.Min:
		return slices.MinFunc(in, (*big.Rat).Cmp)
	case fact.RankLow:
		place := int64(1)
		for _, v := range in[1:] {
			if v.Cmp(in[0]) < 0 {
				place++
			}
		}
		return big.NewRat(place, 1)
	default:
		t.Fatalf("the oracle does not know %s", f.Calc.Op)
		return nil
	}
}

func (o oracle) read(t *testing.T, f fact.Fact) *big.Rat {
	t.Helper()
	at := cell{chart: f.Subject.IDs["chart"], scenario: f.Subject.IDs["scenario"]}
	if len(f.Subject.Names.EN) > 0 {
		at.label = f.Subject.Names.EN[0]
	}
	if f.Source.Selector.JSON != nil {
		n, _ := f.Number()
		return n // a target stands in no table
	}
	if f.Source.Selector.CSV.Column != "val" {
		_, _ = fmt.Sscan(f.Source.Selector.CSV.Column, &at.year)
	}
	cents, there := o.cells[at]
	if !there {
		t.Fatalf("the run has no cell %+v", at)
	}
	return big.NewRat(cents, 100)
}

// fives are five cells and what they become: two of the waterfall's, so that its deepest scenario is another; an end that makes a total
// rise that fell; and two that move numbers and no conclusion.
func fives() map[cell]int64 {
	return map[cell]int64{
		{"emissions/emissions_reduction_by_sector", madeup.Deep, "Power Generation", 0}: 28_92,
		{"emissions/emissions_reduction_by_sector", madeup.Deep, "Industry", 0}:         9_74,
		{"emissions/net_emissions_overview", madeup.House, "Net emissions", 2050}:       450_00,
		{"emissions/emissions_by_gas", madeup.Mild, "CO₂", 2050}:                        12_34,
		{"electricity/electricity_capacity_by_technology", madeup.House, "Hydro", 2050}: 77_77,
	}
}

// TestFiveCellsChangeWhatTheyChange promises that after five cells of a run were altered, the lists of numbers that changed, of sentences
// that are false and of conclusions that flip are exactly those that the oracle computes from the hundredths.
func TestFiveCellsChangeWhatTheyChange(t *testing.T) {
	_, made := whole(t)
	before := truth(madeup.Make(1))
	run := altered(madeup.Make(1), fives())
	after := truth(run)
	moved := 0
	for at, cents := range after {
		if before[at] != cents {
			moved++
		}
	}
	if moved != 5 {
		t.Fatalf("%d cells are altered", moved)
	}
	got, err := report.Compare(&made.Ledger, discover(t, run.Files()))
	if err != nil {
		t.Fatal(err)
	}
	want := expect(t, made.Ledger, before, after)
	var numbers, untrue, flipped []string
	for _, n := range got.Numbers {
		numbers = append(numbers, n.Section+" "+string(n.Fact))
	}
	for _, a := range got.False {
		untrue = append(untrue, a.Section+" "+a.Text)
	}
	for _, a := range got.Flipped {
		flipped = append(flipped, a.Section+" "+a.Text)
	}
	for what, pair := range map[string][2][]string{"numbers": {numbers, want.numbers}, "false": {untrue, want.untrue},
		"flipped": {flipped, want.flipped}} {
		slices.Sort(pair[0])
		slices.Sort(pair[1])
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(pair[0], "\n"), strings.Join(pair[1], "\n"))
		}
	}
	if len(flipped) < 3 || len(untrue) <= len(flipped) || len(numbers) < 10 {
		t.Errorf("%d numbers, %d false, %d flipped: the test tests little", len(numbers), len(untrue), len(flipped))
	}
	t.Logf("%d numbers changed, %d sentences false, %d flipped", len(numbers), len(untrue), len(flipped))
}

type expected struct{ numbers, untrue, flipped []string }

// expect is what five cells must do to a report, sentence by sentence.
func expect(t *testing.T, l report.Ledger, before, after map[cell]int64) expected {
	t.Helper()
	var out expected
	for _, e := range l.Sections {
		was, is := oracle{before, e.Facts}, oracle{after, e.Facts}
		noted := map[fact.ID]bool{}
		for _, p := range e.Paragraphs {
			for _, s := range p.Sentences {
				changed := false
				for _, id := range cited(s.Text) {
					if was.value(t, id).Cmp(is.value(t, id)) == 0 {
						continue
					}
					changed = changed || shows(e.Facts[id.Number()-1], was.value(t, id)) != shows(e.Facts[id.Number()-1], is.value(t, id))
					if !noted[id] {
						out.numbers = append(out.numbers, e.ID+" "+string(id))
						noted[id] = true
					}
				}
				text := e.ID + " " + shown(t, e, s.Text)
				turned := flips(t, s.Rule, s.Text, s.Facts, was, is)
				if turned {
					out.flipped = append(out.flipped, text)
				}
				if turned || changed {
					out.untrue = append(out.untrue, text)
				}
			}
		}
	}
	return out
}

// shows is a value as the fact is rounded.
func shows(f fact.Fact, v *big.Rat) string { return fact.RoundAt(v, f.Rounding.Decimals).RatString() }

// flips is what the words of each rule claim, computed from the hundredths: a direction, a first place, an order, equal starts.
func flips(t *testing.T, rule, text string, facts []fact.ID, was, is oracle) bool {
	t.Helper()
	sign := func(o oracle, id fact.ID) int { return o.value(t, id).Sign() }
	switch rule {
	case "L1", "L2", "K4", "K6", "K8": // the first fact is a change, or a difference: its sign is what is said
		return sign(was, facts[0]) != sign(is, facts[0])
	case "K7": // a percentage, and the change it is of
		return sign(was, facts[1]) != sign(is, facts[1])
	case "K3": // a change, and its place
		return sign(was, facts[0]) != sign(is, facts[0]) || is.value(t, facts[1]).Cmp(big.NewRat(1, 1)) != 0
	case "K2": // the largest reductions, and the place of each
		for _, id := range facts[2:] {
			if is.value(t, id).Cmp(big.NewRat(1, 1)) != 0 {
				return true
			}
		}
		return sign(is, facts[0]) >= 0 || sign(is, facts[1]) >= 0
	case "L3":
		return slices.ContainsFunc(facts, func(id fact.ID) bool { return sign(is, id) != -1 })
	case "K5":
		return is.value(t, facts[0]).Cmp(is.value(t, facts[1])) != was.value(t, facts[0]).Cmp(was.value(t, facts[1]))
	case "K1":
		first := is.facts[facts[0].Number()-1].Calc.Inputs[0].ID
		for _, in := range is.facts[facts[0].Number()-1].Calc.Inputs {
			if is.value(t, in.ID).Cmp(is.value(t, first)) != 0 {
				return true
			}
		}
		return false
	}
	t.Fatalf("the oracle does not know rule %s: %s", rule, text)
	return false
}

// cited are the facts of the tokens in a text.
func cited(text string) []fact.ID {
	var out []fact.ID
	for _, p := range render.Parse(text) {
		if p.Kind == render.Fact {
			out = append(out, p.Token.ID)
		}
	}
	return out
}

// shown is a sentence as it stands in the report.
func shown(t *testing.T, e report.Entry, text string) string {
	t.Helper()
	book, err := e.Book()
	if err != nil {
		t.Fatal(err)
	}
	out, err := render.Renderer{Find: book.Latest}.Text(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
