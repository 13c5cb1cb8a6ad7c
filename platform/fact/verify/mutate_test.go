package verify_test

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// A mutant is a true text made false in one way.
type mutant struct {
	item
	book  func() (*fact.Book, error) // nil: the world's own
	pins  map[fact.ID]int
	named bool // text still has names for F-numbers
}

func (it item) with(text string) mutant {
	m := mutant{item: it, named: true}
	m.text = text
	return m
}

// An operator makes mutants of a true text.
type operator struct {
	name string
	make func(w *world, it item) []mutant
}

func operators() []operator {
	return []operator{
		{"swap scenario", func(w *world, it item) []mutant { return swapMember(w, it, "scenario") }},
		{"swap category", func(w *world, it item) []mutant { return swapMember(w, it, "category") }},
		{"flip sign", flipSign},
		{"digits typed", digitsTyped},
		{"wrong unit", wrongUnit},
		{"stale version", staleVersion},
		{"unsupported superlative", unsupportedSuperlative},
		{"dropped scenario", droppedScenario},
	}
}

var named = regexp.MustCompile(`\{\{([a-z0-9.]+)((?:\|[a-z0-9]+)*)\}\}`)

// names lists the named tokens of a text, each once.
func names(text string) []string {
	var out []string
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// aliasesIn finds the names of a dimension's members in a text: where, and whose.
func aliasesIn(text, lang string, w *world, dim string) (at [][2]int, ids []string) {
	lower := strings.ToLower(text)
	for _, m := range w.dim(dim).Members {
		all := m.Names.EN
		if lang == "hi" {
			all = m.Names.HI
		}
		all = slices.Clone(all)
		slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
		for _, a := range all {
			needle := strings.ToLower(a)
			for from := 0; ; {
				i := strings.Index(lower[from:], needle)
				if i < 0 {
					break
				}
				i += from
				from = i + len(needle)
				if bounded(lower, i, from) && (a != strings.ToUpper(a) || lang == "hi" || text[i:from] == a) && !overlaps(at, i, from) &&
					!inToken(text, i) {
					at, ids = append(at, [2]int{i, from}), append(ids, m.ID)
				}
			}
		}
	}
	return at, ids
}

func bounded(s string, i, end int) bool {
	word := regexp.MustCompile(`[\p{L}\p{M}\p{N}]`)
	return (i == 0 || !word.MatchString(lastRune(s[:i]))) && (end == len(s) || !word.MatchString(firstRune(s[end:])))
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

func lastRune(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return ""
	}
	return string(r[len(r)-1])
}

func overlaps(at [][2]int, i, end int) bool {
	for _, a := range at {
		if i < a[1] && a[0] < end {
			return true
		}
	}
	return false
}

func inToken(text string, i int) bool {
	return strings.LastIndex(text[:i], "{{") > strings.LastIndex(text[:i], "}}")
}

// swapMember names another member in the text, or cites another member's fact.
func swapMember(w *world, it item, role string) []mutant {
	var out []mutant
	if slices.Contains(it.tags, "tie") { // with equal values the swap may leave it true
		return nil
	}
	for _, d := range w.profile.Dimensions {
		if w.roles[d.Name] != role {
			continue
		}
		at, ids := aliasesIn(it.text, it.lang, w, d.Name)
		for k, span := range at {
			for _, m := range d.Members {
				if m.ID == ids[k] {
					continue
				}
				alias := m.Names.EN[0]
				if it.lang == "hi" {
					alias = m.Names.HI[0]
				}
				out = append(out, it.with(it.text[:span[0]]+alias+it.text[span[1]:]))
			}
		}
		for _, n := range names(it.text) {
			for _, other := range w.others(n, d.Name) {
				r := strings.NewReplacer("{{"+n+"}}", "{{"+other+"}}", "{{"+n+"|", "{{"+other+"|")
				out = append(out, it.with(r.Replace(it.text)))
			}
		}
	}
	return out
}

// others are the names of the same measure of other members, with another value.
func (w *world) others(name, dim string) []string {
	f, _ := w.book.Latest(w.ids[name])
	var out []string
	for _, l := range w.lines {
		g, _ := w.book.Latest(w.ids[l[1]])
		same := g.ID != f.ID && g.Unit == f.Unit && g.Value != f.Value && len(g.Subject.IDs) == len(f.Subject.IDs) &&
			(g.Calc == nil) == (f.Calc == nil) && (f.Calc == nil || f.Calc.Op == g.Calc.Op)
		for k, v := range f.Subject.IDs {
			same = same && (g.Subject.IDs[k] == v) != (k == dim) && g.Subject.IDs[k] != ""
		}
		if same && f.Subject.IDs[dim] != "" {
			out = append(out, l[1])
		}
	}
	return out
}

// antonyms are pairs of words of direction; each way of a pair is tried.
var antonyms = map[string][][2]string{
	"en": {{"falls", "rises"}, {"fall", "rise"}, {"fell", "rose"}, {"reduction", "increase"}, {"declines", "climbs"}, {"decline", "climb"},
		{"declined", "climbed"},
		{"decreases", "increases"}, {"decrease", "increase"}, {"drops", "jumps"}, {"drop", "jump"}, {"dropped", "jumped"},
		{"grows", "shrinks"}, {"cuts", "raises"}, {"cut", "raise"},
		{"lower", "higher"}, {"below", "above"}, {"reduced", "increased"}, {"reduces", "increases"}, {"lowers", "raises"},
		{"growth", "decline"}, {"down", "up"}, {"fewer", "more"},
		{"expands", "contracts"}, {"rising", "falling"}, {"grown", "shrunk"}, {"eased", "climbed"}, {"dipped", "rose"}, {"gained", "lost"},
		{"slipped", "climbed"}, {"surges", "slumps"}, {"trims", "adds"}, {"save", "add"}, {"abates", "adds"}, {"shed", "add"},
		{"removes", "adds"}},
	"hi": {{"घटता", "बढ़ता"}, {"घटती", "बढ़ती"}, {"घटा", "बढ़ा"}, {"घटी", "बढ़ी"}, {"घटीं", "बढ़ीं"}, {"घटकर", "बढ़कर"}, {"कमी", "वृद्धि"},
		{"गिरावट", "बढ़ोतरी"}, {"गिरती", "चढ़ती"}, {"कम होता", "अधिक होता"}, {"घट जाता", "बढ़ जाता"}, {"कटौती", "बढ़ोतरी"},
		{"अधिक था", "कम था"}, {"ऊपर गई", "नीचे गई"}},
}

var neutral = regexp.MustCompile(`\b(difference|gap)\b`)

// flipSign turns a word of direction round, or the sign of the fact under it.
func flipSign(w *world, it item) []mutant {
	var out []mutant
	for _, p := range antonyms[it.lang] {
		for _, way := range [][2]string{{p[0], p[1]}, {p[1], p[0]}} {
			for from := 0; ; {
				i := strings.Index(it.text[from:], way[0])
				if i < 0 {
					break
				}
				i += from
				from = i + len(way[0])
				if bounded(it.text, i, from) && !inToken(it.text, i) {
					out = append(out, it.with(it.text[:i]+way[1]+it.text[from:]))
				}
			}
		}
	}
	for _, m := range named.FindAllStringSubmatch(it.text, -1) {
		if change := w.flipped(m[1]); change != nil && strings.Contains(m[2], "|abs") && w.negative(m[1]) {
			b, _, err := w.build(change)
			if err != nil {
				continue // this world cannot have that value: a share of mixed signs, say
			}
			if f, _ := b.Latest(w.ids[m[1]]); strings.HasPrefix(f.Value, "-") || neutral.MatchString(it.text) {
				continue // the sign stayed, or the sentence does not speak of it
			}
			mu := it.with(it.text)
			mu.book = func() (*fact.Book, error) { return b, nil }
			out = append(out, mu)
		}
	}
	return out
}

func (w *world) negative(name string) bool {
	f, _ := w.book.Latest(w.ids[name])
	n, err := f.Number()
	return err == nil && n.Sign() < 0
}

// flipped is the change of base numbers that turns a fact's sign.
func (w *world) flipped(name string) map[string]string {
	l := w.lineOf(name)
	switch {
	case l[0] == "fact":
		return map[string]string{name: strings.TrimPrefix("-"+l[3], "--")}
	case l[2] == "difference":
		a, b := w.lineOf(l[3]), w.lineOf(l[4])
		if a[0] == "fact" && b[0] == "fact" {
			return map[string]string{a[1]: b[3], b[1]: a[3]}
		}
	case l[2] == "percentage" && l[3] != "":
		return w.flipped(l[3])
	}
	return nil
}

func (w *world) lineOf(name string) []string {
	for _, l := range w.lines {
		if l[1] == name {
			return l
		}
	}
	return nil
}

// digitsTyped types the number a token would have shown, right or wrong.
func digitsTyped(w *world, it item) []mutant {
	var out []mutant
	for k, span := range named.FindAllStringSubmatchIndex(it.text, -1) {
		tok, _ := render.ParseToken("{{F1" + it.text[span[4]:span[5]] + "}}")
		f, _ := w.book.Latest(w.ids[it.text[span[2]:span[3]]])
		if k%2 == 1 { // a third more than the truth
			n, _ := f.Number()
			f.Exact = fact.Rational(n.Mul(n, big.NewRat(13, 10)).RatString())
		}
		typed := fact.Style{}.Show(f, tok.Options)
		if it.lang == "hi" && k%3 == 0 {
			typed = strings.Map(func(r rune) rune {
				if '0' <= r && r <= '9' {
					return r - '0' + '०'
				}
				return r
			}, typed)
		}
		out = append(out, it.with(it.text[:span[0]]+typed+it.text[span[1]:]))
	}
	return out
}

var otherUnits = map[string][]string{
	"en": {"PJ", "Mt CO₂-e", "TWh", "per cent", "µg/m³", "GW", "percentage points", "tonnes", "million dollars", "kilometres"},
	"hi": {"पेटाजूल", "प्रतिशत", "मेगावाट", "टन", "किलोमीटर", "प्रतिशत अंक", "करोड़ रुपये", "किलोग्राम"},
}

// wrongUnit writes another unit after a number.
func wrongUnit(w *world, it item) []mutant {
	var out []mutant
	for k, span := range named.FindAllStringSubmatchIndex(it.text, -1) {
		f, _ := w.book.Latest(w.ids[it.text[span[2]:span[3]]])
		if f.Unit == fact.Year {
			continue
		}
		opts := it.text[span[4]:span[5]]
		if !strings.Contains(opts, "nounit") {
			opts += "|nounit"
		}
		list := otherUnits[it.lang]
		unit := list[(k+len(it.text))%len(list)]
		if w.sameUnit(f.Unit, unit) {
			unit = list[(k+1+len(it.text))%len(list)]
		}
		rest := it.text[span[1]:]
		for _, own := range w.profile.Units[f.Unit] { // the right unit, where written, is replaced
			rest = strings.TrimPrefix(rest, " "+own)
		}
		out = append(out, it.with(it.text[:span[0]]+"{{"+it.text[span[2]:span[3]]+opts+"}} "+unit+rest))
	}
	return out
}

func (w *world) sameUnit(unit, word string) bool {
	return fact.SameUnit(unit, word) || slices.Contains(w.profile.Units[unit], word) ||
		unit == "%" && (word == "per cent" || word == "प्रतिशत") || unit == fact.Points && (word == "percentage points" ||
		word == "प्रतिशत अंक")
}

// staleVersion gives a cited fact, or one it rests on, a newer version than the
// draft used.
func staleVersion(w *world, it item) []mutant {
	var out []mutant
	for _, n := range names(it.text) {
		base := n
		for w.lineOf(base)[0] == "derive" {
			base = w.lineOf(base)[3]
		}
		m := it.with(it.text)
		m.pins = map[fact.ID]int{}
		for _, id := range w.ids {
			m.pins[id] = 1
		}
		m.book = func() (*fact.Book, error) {
			b, ids, err := w.build(nil)
			if err != nil {
				return nil, err
			}
			f, err := reading(w.lineOf(base), map[string]string{base: "7.25"})
			if err != nil {
				return nil, err
			}
			if _, err := b.Add(f); err != nil {
				return nil, err
			}
			if len(it.text)%2 == 0 { // half the time the derived fact was computed again
				_, _ = w.derive(b, ids, w.lineOf(n))
			}
			return b, nil
		}
		out = append(out, m)
	}
	return out
}
