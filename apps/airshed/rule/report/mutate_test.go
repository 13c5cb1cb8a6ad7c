package report_test

import (
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// leastMade is how many mutants an operator must have for its figure to mean
// anything.
const leastMade = 40

// A mutant is a text of a report made false in one way.
type mutant struct {
	part verify.Part
	book *fact.Book      // nil: the report's own facts
	pins map[fact.ID]int // nil: the newest of each
}

// A bench is a report whose texts are made false.
type bench struct {
	report report.Report
	facts  map[fact.ID]report.Named
	ready  *verify.Verifier
	own    *fact.Book
}

func newBench(t *testing.T, a analysis.Analysis) *bench {
	t.Helper()
	b := &bench{report: build(t, a), facts: map[fact.ID]report.Named{}}
	profile := b.report.Profile()
	profile.Must = nil // one text at a time is judged, and need not name who must be named
	var err error
	if b.ready, err = verify.New(profile); err != nil {
		t.Fatal(err)
	}
	var facts []fact.Fact
	for _, f := range b.report.Facts {
		b.facts[f.ID] = f
		facts = append(facts, f.Fact)
	}
	if b.own, err = fact.OpenBook(b.report.ID, facts); err != nil {
		t.Fatal(err)
	}
	return b
}

// blocked reports whether a text is refused.
func (b *bench) blocked(t *testing.T, m mutant) bool {
	t.Helper()
	book := m.book
	if book == nil {
		book = b.own
	}
	got, err := b.ready.Check(verify.Document{Parts: []verify.Part{m.part}, Pins: m.pins}, book)
	if err != nil {
		t.Fatal(err)
	}
	return got.Blocked()
}

// A place is one token of a text.
type place struct {
	part     verify.Part
	lang     report.Lang
	from, to int
	fact     report.Named
	options  string // "|abs|1"
}

var tokenParts = regexp.MustCompile(`\{\{(F[0-9]+)((?:\|[a-z0-9]+)*)\}\}`)

// places are all tokens of all texts in both languages.
func (b *bench) places() (out []place) {
	for _, lang := range report.Langs() {
		for _, part := range b.report.Texts.In(lang).Parts(lang) {
			for _, at := range tokenParts.FindAllStringSubmatchIndex(part.Text, -1) {
				out = append(out, place{part, lang, at[0], at[1], b.facts[fact.ID(part.Text[at[2]:at[3]])], part.Text[at[4]:at[5]]})
			}
		}
	}
	return out
}

// with is the text with something else in the token's place.
func (p place) with(other string) mutant {
	return mutant{part: verify.Part{Name: p.part.Name, Text: p.part.Text[:p.from] + other + p.part.Text[p.to:]}}
}

// members are the names of a dimension in a language, by id.
func (b *bench) members(dimension string, lang report.Lang) map[string]string {
	out := map[string]string{}
	profile := b.report.Profile()
	i := slices.IndexFunc(profile.Dimensions, func(d prose.Dimension) bool { return d.Name == dimension })
	for _, m := range profile.Dimensions[i].Members {
		names := m.Names.EN
		if lang == report.Hindi && len(m.Names.HI) > 0 {
			names = m.Names.HI
		}
		out[m.ID] = names[0]
	}
	return out
}

// An operator makes mutants of a report.
type operator struct {
	name string
	make func(b *bench, t *testing.T) []mutant
}

func operators() []operator {
	return []operator{
		{"number typed", func(b *bench, _ *testing.T) []mutant { return b.typed(big.NewRat(1, 1)) }},
		{"number altered", func(b *bench, _ *testing.T) []mutant { return b.typed(big.NewRat(13, 10)) }},
		{"unit altered", func(b *bench, _ *testing.T) []mutant { return b.units() }},
		{"sign turned in the fact", (*bench).turned},
		{"direction turned in words", func(b *bench, _ *testing.T) []mutant { return b.directions() }},
		{"state's name altered", func(b *bench, _ *testing.T) []mutant { return b.renamed("state") }},
		{"pollutant's name altered", func(b *bench, _ *testing.T) []mutant { return b.renamed("pollutant") }},
		{"another subject's number", func(b *bench, _ *testing.T) []mutant { return b.others() }},
		{"state left out", func(b *bench, _ *testing.T) []mutant { return b.unnamed() }},
		{"newer number recorded", (*bench).stale},
	}
}

// typed types each number, by a factor, in place of its token; in Hindi every second
// one in Devanagari digits.
func (b *bench) typed(factor *big.Rat) (out []mutant) {
	for i, p := range b.places() {
		f := p.fact.Fact
		n, err := f.Number()
		if err != nil || n.Sign() == 0 && factor.Cmp(big.NewRat(1, 1)) != 0 {
			continue // nought by any factor is nought
		}
		f.Exact = fact.Rational(new(big.Rat).Mul(n, factor).RatString())
		text := report.Style(p.lang).
			Show(f, fact.Options{Abs: strings.Contains(p.options, "|abs"), NoUnit: strings.Contains(p.options, "|nounit")})
		if p.lang == report.Hindi && i%2 == 0 {
			text = strings.Map(func(c rune) rune {
				if '0' <= c && c <= '9' {
					return c - '0' + '०'
				}
				return c
			}, text)
		}
		out = append(out, p.with(text))
	}
	return out
}

// units writes another unit after each number.
func (b *bench) units() (out []mutant) {
	wrong := map[report.Lang][]string{report.English: {"km", "%", "µg/m³", "MW"}, report.Hindi: {"किमी", "प्रतिशत", "µg/m³", "मेगावाट"}}
	right := map[string]string{"km": "km", "किमी": "km", "%": "%", "प्रतिशत": "%", "µg/m³": "µg/m3", "MW": "MW", "मेगावाट": "MW"}
	for i, p := range b.places() {
		list := wrong[p.lang]
		unit := list[i%len(list)]
		if right[unit] == p.fact.Unit {
			unit = list[(i+1)%len(list)]
		}
		options := p.options
		if !strings.Contains(options, "|nounit") {
			options += "|nounit"
		}
		out = append(out, p.with("{{"+string(p.fact.ID)+options+"}} "+unit))
	}
	return out
}

// others cites, in the place of each number about a state, satellite or pollutant, the
// same measure of another.
func (b *bench) others() (out []mutant) {
	for _, p := range b.places() {
		for _, dim := range []string{"state", "satellite", "pollutant"} {
			for _, other := range b.report.Facts {
				if other.Value != p.fact.Value && other.Unit == p.fact.Unit && apart(p.fact.Subject.IDs, other.Subject.IDs, dim) {
					out = append(out, p.with("{{"+string(other.ID)+p.options+"}}"))
				}
			}
		}
	}
	return out
}

// apart reports whether two subjects differ in one dimension alone.
func apart(a, b map[string]string, dim string) bool {
	a, b = maps.Clone(a), maps.Clone(b)
	differ := a[dim] != "" && b[dim] != "" && a[dim] != b[dim]
	delete(a, dim)
	delete(b, dim)
	return differ && maps.Equal(a, b)
}

// renamed names another member in each sentence that cites a number about one.
func (b *bench) renamed(dim string) (out []mutant) {
	for _, p := range b.places() {
		names := b.members(dim, p.lang)
		own := names[p.fact.Subject.IDs[dim]]
		if own == "" || !strings.Contains(p.part.Text, own) {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(names)) {
			if other := names[id]; other != own {
				out = append(out, mutant{part: verify.Part{Name: p.part.Name, Text: strings.ReplaceAll(p.part.Text, own, other)}})
			}
		}
	}
	return out
}

// unnamed leaves the state out of each sentence that cites a number about it.
func (b *bench) unnamed() (out []mutant) {
	for _, p := range b.places() {
		own := b.members("state", p.lang)[p.fact.Subject.IDs["state"]]
		if own == "" || !strings.Contains(p.part.Text, own) {
			continue
		}
		gone := regexp.MustCompile(`( of| from)? `+regexp.QuoteMeta(own)).ReplaceAllString(" "+p.part.Text, "")
		out = append(out, mutant{part: verify.Part{Name: p.part.Name, Text: strings.TrimSpace(gone)}})
	}
	return out
}

// directions turns each word of direction round.
func (b *bench) directions() (out []mutant) {
	for _, lang := range report.Langs() {
		pairs := [][2]string{{"above", "below"}, {"higher", "lower"}, {"more", "less"}}
		if lang == report.Hindi {
			pairs = [][2]string{{"अधिक", "कम"}, {"ऊपर", "नीचे"}}
		}
		for _, part := range b.report.Texts.In(lang).Parts(lang) {
			if !strings.Contains(part.Text, "{{"+string(b.difference().ID)) {
				continue // the difference from the city is the one number that has a direction
			}
			for _, pair := range pairs {
				for _, way := range [][2]string{{pair[0], pair[1]}, {pair[1], pair[0]}} {
					if strings.Contains(part.Text, way[0]) {
						out = append(out, mutant{part: verify.Part{Name: part.Name, Text: strings.Replace(part.Text, way[0], way[1], 1)}})
					}
				}
			}
		}
	}
	return out
}

func (b *bench) difference() report.Named {
	i := slices.IndexFunc(b.report.Facts, func(f report.Named) bool { return f.Name == "control.difference" })
	return b.report.Facts[i]
}

// neutral is how a sentence speaks that shows a difference with its sign and says
// nothing of its direction: of the other sign it is as true.
var neutral = regexp.MustCompile(`mean difference|औसत अंतर`)

// turned leaves the texts and turns the sign of the difference from the city.
func (b *bench) turned(t *testing.T) (out []mutant) {
	t.Helper()
	book := b.changed(t, b.difference(), func(v string) string { return strings.TrimPrefix("-"+v, "--") })
	for _, lang := range report.Langs() {
		for _, part := range b.report.Texts.In(lang).Parts(lang) {
			if strings.Contains(part.Text, "{{"+string(b.difference().ID)) && !neutral.MatchString(part.Text) {
				out = append(out, mutant{part: part, book: book})
			}
		}
	}
	return out
}

// changed is the book of the report's facts with one of another value.
func (b *bench) changed(t *testing.T, which report.Named, change func(string) string) *fact.Book {
	t.Helper()
	book := fact.NewBook(b.report.ID)
	for _, f := range b.report.Facts {
		value := f.Value
		if f.ID == which.ID {
			value = change(value)
		}
		again, err := fact.Read(fact.Reading{Kind: f.Kind, Number: value, Unit: f.Unit, Subject: f.Subject, Decimals: f.Rounding.Decimals,
			Source: *f.Source})
		if err == nil {
			_, err = book.Add(again)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return book
}

// stale records a newer value of each fact that is cited, and leaves the texts.
func (b *bench) stale(t *testing.T) (out []mutant) {
	t.Helper()
	pins := map[fact.ID]int{}
	for _, f := range b.report.Facts {
		pins[f.ID] = f.Version
	}
	books := map[fact.ID]*fact.Book{}
	for _, p := range b.places() {
		f := p.fact
		if books[f.ID] == nil {
			book := b.changed(t, f, func(v string) string { return v })
			newer, err := fact.Read(fact.Reading{Kind: f.Kind, Number: f.Value + "1", Unit: f.Unit, Subject: f.Subject,
				Decimals: f.Rounding.Decimals, Source: *f.Source})
			if err == nil {
				_, err = book.Add(newer)
			}
			if err != nil {
				t.Fatal(err)
			}
			books[f.ID] = book
		}
		out = append(out, mutant{part: p.part, book: books[f.ID], pins: pins})
	}
	return out
}

// TestMutantsOfReportsAreCaught prints how many texts of reports, each made false in one
// way, the verifier refuses by the report's own profile, and wants all of them.
func TestMutantsOfReportsAreCaught(t *testing.T) {
	var benches []*bench
	analyses := map[string]analysis.Analysis{"conclusive": conclusive(), "inconclusive": inconclusive(), "stagnation": stagnant()}
	for _, name := range slices.Sorted(maps.Keys(analyses)) {
		benches = append(benches, newBench(t, analyses[name]))
	}
	var table strings.Builder
	made, caught := 0, 0
	for _, op := range operators() {
		n, ok := 0, 0
		for _, b := range benches {
			for _, m := range op.make(b, t) {
				n++
				if b.blocked(t, m) {
					ok++
					continue
				}
				t.Errorf("%s is let through in %s: %s", op.name, m.part.Name, b.report.Show(m.part.Text, report.English))
			}
		}
		if n < leastMade && !strings.Contains(op.name, "turned") { // each text has one difference from the city
			t.Errorf("%s: %d mutants, want at least %d", op.name, n, leastMade)
		}
		made, caught = made+n, caught+ok
		fmt.Fprintf(&table, "%-28s %5d %5d\n", op.name, n, ok)
	}
	t.Logf("mutants of airshed reports, both languages, made and caught:\n%s%-28s %5d %5d", table.String(), "all", made, caught)
}
