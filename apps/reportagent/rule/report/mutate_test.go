package report_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// An operator makes false sentences of true ones.
type operator struct {
	name string
	make func(t *testing.T, all []line) []mutant
}

// operators are those of the verifier's own bar. Two of that are written by hand, over other worlds; here they are other words for a
// direction, and another's number.
func operators() []operator {
	each := func(of func(line) []string) func(*testing.T, []line) []mutant {
		return func(_ *testing.T, all []line) (out []mutant) {
			for _, l := range all {
				for _, text := range of(l) {
					if text != l.text {
						out = append(out, mutant{line: l, now: text})
					}
				}
			}
			return out
		}
	}
	return []operator{
		{"swap scenario", each(swapScenario)},
		{"swap category", each(swapCategory)},
		{"flip sign", each(func(l line) []string { return replaced(l.text, antonyms) })},
		{"paraphrased direction", each(func(l line) []string { return replaced(l.text, paraphrases) })},
		{"another's number", each(swapFact)},
		{typedDigits, each(typed)},
		{"wrong unit", each(wrongUnit)},
		{"unsupported superlative", each(superlative)},
		{"dropped scenario", each(dropped)},
		{"stale version", stale},
	}
}

var scenarios = []string{madeup.Deep, madeup.Mild, madeup.House}

// scenarioOf is the first scenario that a text names.
func scenarioOf(text string) string {
	first, at := "", len(text)
	for _, s := range scenarios {
		if i := strings.Index(text, s); i >= 0 && i < at {
			first, at = s, i
		}
	}
	return first
}

func swapScenario(l line) (out []string) {
	was := scenarioOf(l.text)
	for _, s := range scenarios {
		if was != "" && s != was && !strings.Contains(l.text, s) {
			out = append(out, strings.Replace(l.text, was, s, 1))
		}
	}
	return out
}

// swapCategory calls a series by the name of another. A series of which nothing else of the same kind is known is not renamed to itself.
func swapCategory(l line) (out []string) {
	for _, was := range l.labels {
		if !named(l.text, was) {
			continue
		}
		for _, other := range l.labels {
			if other != was && !strings.Contains(other, was) && !strings.Contains(was, other) && !named(l.text, other) &&
				!baseline.MatchString(other) {
				out = append(out, strings.Replace(l.text, was, other, 1))
			}
		}
	}
	return out
}

var baseline = regexp.MustCompile(`^(Net|Baseline|Total) \d{4}$|^Total$`)

func named(text, label string) bool {
	i := strings.Index(text, label)
	if i < 0 || strings.Contains(label, "Total") {
		return false
	}
	rest := text[i+len(label):]
	return rest == "" || strings.ContainsAny(rest[:1], " ,.")
}

// Words that turn a sentence round.
var (
	antonyms = [][2]string{{" falls ", " rises "}, {" rises ", " falls "}, {" increases ", " decreases "}, {" higher ", " lower "},
		{" above ", " below "}, {" below ", " above "}, {" reduction ", " increase "}}
	paraphrases = [][2]string{{" falls ", " climbs "}, {" falls ", " goes up "}, {" falls ", " grows "}, {" falls ", " jumps "},
		{" rises ", " drops "}, {" rises ", " goes down "}, {" rises ", " shrinks "}, {" rises ", " declines "},
		{" increases ", " shrinks "}, {" increases ", " is cut "}, {" higher ", " smaller "}, {" reduction ", " growth "}}
)

func replaced(text string, pairs [][2]string) (out []string) {
	for _, p := range pairs {
		if strings.Contains(text, p[0]) {
			out = append(out, strings.Replace(text, p[0], p[1], 1))
		}
	}
	return out
}

// tokensOf are the places of the tokens in a text.
func tokensOf(text string) (out []render.Piece) {
	for _, p := range render.Parse(text) {
		if p.Kind == render.Fact {
			out = append(out, p)
		}
	}
	return out
}

func (l line) fact(id fact.ID) fact.Fact { return l.facts[id.Number()-1] }

func at(text string, p render.Piece, other string) string {
	return text[:p.Start] + other + text[p.End:]
}

// swapFact cites the same measure of another scenario or series, where it has another value.
func swapFact(l line) (out []string) {
	for _, p := range tokensOf(l.text) {
		f := l.fact(p.Token.ID)
		for _, g := range l.facts {
			if g.Value != f.Value && g.Unit == f.Unit && alike(f, g) {
				t := p.Token
				t.ID = g.ID
				out = append(out, at(l.text, p, t.String()))
			}
		}
	}
	return out
}

// alike reports whether two facts are the same measure of one chart, of two members of one dimension.
func alike(f, g fact.Fact) bool {
	if (f.Calc == nil) != (g.Calc == nil) || f.Calc != nil && f.Calc.Op != g.Calc.Op || len(f.Subject.IDs) != len(g.Subject.IDs) {
		return false
	}
	differ := 0
	for id, v := range f.Subject.IDs {
		if w, there := g.Subject.IDs[id]; !there {
			return false
		} else if w != v {
			differ++
			if id == fact.YearID || id == "chart" || id == fact.ChangeID {
				return false
			}
		}
	}
	return differ == 1
}

// typed types a number in the place of its token: every second one a third more than it is.
func typed(l line) (out []string) {
	for i, p := range tokensOf(l.text) {
		f := l.fact(p.Token.ID)
		if n, err := f.Number(); err == nil && i%2 == 1 {
			f.Exact = fact.Rational(n.Mul(n, big.NewRat(13, 10)).RatString())
		}
		out = append(out, at(l.text, p, fact.Style{}.Show(f, p.Token.Options)))
	}
	return out
}

func wrongUnit(l line) (out []string) {
	units := []string{"PJ", "Mt CO₂-e", "TWh", "per cent", "GW", "percentage points", "tonnes", "million dollars"}
	for i, p := range tokensOf(l.text) {
		f := l.fact(p.Token.ID)
		unit := units[(i+len(l.text))%len(units)]
		if fact.SameUnit(unit, f.Unit) || f.Unit == fact.Percent && unit == "per cent" || f.Unit == fact.Points &&
			unit == "percentage points" || strings.Contains(f.Unit, unit) {
			unit = "kilometres"
		}
		t := p.Token
		t.NoUnit = true
		out = append(out, at(l.text, p, t.String()+" "+unit))
	}
	return out
}

// superlative claims a first place, a last one or all of them, where the facts say otherwise or nothing.
func superlative(l line) (out []string) {
	scenario := scenarioOf(l.text)
	if strings.HasPrefix(l.text, "In "+scenario+", ") && scenario != "" {
		out = append(out, strings.Replace(l.text, "In "+scenario+", ", "In all scenarios, ", 1))
		if l.winner != "" && l.winner != scenario && l.rule == "L1" {
			out = append(out, strings.Replace(l.text, " falls by ", " falls most of all scenarios, by ", 1))
		}
	}
	return append(out, replaced(l.text, [][2]string{{" falls most ", " falls least "},
		{"the largest reduction", "the smallest reduction"}})...)
}

// dropped leaves the name of a scenario out, with the words that lead to it.
func dropped(l line) (out []string) {
	for _, s := range scenarios {
		for _, phrase := range []string{"In " + s + ", ", " than in " + s, " in " + s} {
			if strings.Contains(l.text, phrase) {
				out = append(out, strings.Replace(l.text, phrase, "", 1))
				break
			}
		}
	}
	return out
}

// stale has a newer version of a cell that a sentence rests on, while the sentence shows what it showed.
func stale(t *testing.T, all []line) (out []mutant) {
	for i, l := range all {
		if i%2 == 1 {
			continue // a book is copied for each
		}
		base := l.fact(tokensOf(l.text)[0].Token.ID)
		for base.Calc != nil {
			base = l.fact(base.Calc.Inputs[0].ID)
		}
		if base.Source == nil || base.Source.Selector.CSV == nil {
			continue
		}
		book, err := fact.OpenBook(l.section, l.facts)
		if err != nil {
			t.Fatal(err)
		}
		newer, err := fact.Read(fact.Reading{Kind: base.Kind, Number: "7.25", Unit: base.Unit, Decimals: base.Rounding.Decimals,
			Subject: base.Subject, Source: *base.Source})
		if err != nil {
			t.Fatal(err)
		}
		if now, err := book.Add(newer); err != nil || now.Version != 2 {
			continue
		}
		pins := map[fact.ID]int{}
		for _, f := range l.facts {
			pins[f.ID] = 1
		}
		out = append(out, mutant{line: l, now: l.text, book: book, pins: pins})
	}
	return out
}
