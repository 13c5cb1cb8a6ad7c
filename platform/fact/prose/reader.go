package prose

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Reader marks texts with one vocabulary. It does not change after NewReader
// and may be shared.
type Reader struct {
	lex   *lexicon.Lexicon
	names map[string][]name // by first word
	units map[string][]name
	allow map[string][]name
	years map[int]bool
}

// A name is a sequence of words that stands for something.
type name struct {
	words   []string
	kind    Kind
	dim, id string
	capital bool // an acronym: matches only as written
}

// Bounds on a vocabulary.
const (
	maxNames     = 20_000
	maxNameWords = 12
)

// NewReader prepares a vocabulary. It refuses one in which a name stands for two
// members of a dimension: a sentence that uses it could not be judged.
func NewReader(v Vocabulary) (*Reader, error) {
	r := &Reader{
		lex: lexicon.New(), names: map[string][]name{}, units: map[string][]name{},
		allow: map[string][]name{},
	}
	count, err := r.addDimensions(v.Dimensions)
	if err != nil {
		return nil, err
	}
	// The profile's units come first: where a spelling is in both, its own counts.
	for _, unit := range slices.Sorted(maps.Keys(v.Units)) {
		r.addUnit(unit, append([]string{unit, fact.PrettyUnit(unit)}, v.Units[unit]...))
		count += 2 + len(v.Units[unit])
	}
	common := commonUnits()
	for _, unit := range slices.Sorted(maps.Keys(common)) {
		r.addUnit(unit, common[unit])
	}
	for _, a := range append(substances(), v.Allow...) {
		r.add(r.allow, a, name{kind: Allowed})
		count++
	}
	if count > maxNames {
		return nil, fault.New(fault.TooLarge, "a vocabulary of %d names: at most %d are read", count, maxNames)
	}
	return r, nil
}

// addDimensions enters the names of members and dimensions and counts them.
func (r *Reader) addDimensions(dims []Dimension) (count int, err error) {
	seen := map[string]string{}
	for _, d := range dims {
		for _, m := range d.Members {
			for _, n := range both(m.Names) {
				key := d.Name + "\x00" + lexicon.Fold(n)
				if other, taken := seen[key]; taken && other != m.ID {
					return 0, fault.New(fault.Invalid, "the name %.60q stands for both %s and %s", n, other, m.ID)
				}
				seen[key] = m.ID
				r.add(r.names, n, name{kind: Mention, dim: d.Name, id: m.ID})
				count++
			}
		}
		for _, n := range both(d.Nouns) {
			r.add(r.names, n, name{kind: Noun, dim: d.Name})
			count++
		}
	}
	return count, nil
}

// WithYears is a reader of the same vocabulary to which these years are part of
// the data and may be typed.
func (r *Reader) WithYears(years []int) *Reader {
	c := *r
	c.years = make(map[int]bool, len(years))
	for _, y := range years {
		c.years[y] = true
	}
	return &c
}

func both(n fact.Names) []string { return append(append([]string{}, n.EN...), n.HI...) }

func (r *Reader) addUnit(unit string, spellings []string) {
	for _, s := range spellings {
		r.add(r.units, s, name{id: fact.FoldUnit(unit)})
	}
}

func (r *Reader) add(to map[string][]name, text string, n name) {
	for _, l := range lexemes(text) {
		if l.raw != "-" {
			n.words = append(n.words, l.fold)
		}
	}
	if len(n.words) == 0 || len(n.words) > maxNameWords {
		return
	}
	n.capital = acronym(text)
	to[n.words[0]] = append(to[n.words[0]], n)
	if last := n.words[len(n.words)-1]; n.kind == Mention && latin(last) && !strings.HasSuffix(last, "s") { // winds are wind
		n.words = append(slices.Clone(n.words[:len(n.words)-1]), last+"s")
		to[n.words[0]] = append(to[n.words[0]], n)
	}
}

func latin(w string) bool { return len(w) > 2 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" }

// acronym reports whether a name is short and all capitals, like UP: in lower
// case it would be another word.
func acronym(s string) bool {
	if len(s) > 4 {
		return false
	}
	for _, c := range s {
		if !unicode.IsUpper(c) {
			return false
		}
	}
	return true
}

// find is the longest name at lexeme i, and where it ends. Hyphens between its
// words are passed over.
func find(names map[string][]name, lex []lexeme, i int) (best name, end int) {
	if lex[i].kind != Word && lex[i].kind != Punct {
		return name{}, i
	}
	for _, n := range names[lex[i].fold] {
		j, ok := i, true
		for k, w := range n.words {
			for k > 0 && j < len(lex) && lex[j].raw == "-" {
				j++
			}
			if j >= len(lex) || lex[j].fold != w || lex[j].kind > Punct || k > 0 && lex[j].breakHere {
				ok = false
				break
			}
			j++
		}
		if ok && n.capital && lex[i].raw != strings.ToUpper(lex[i].raw) {
			ok = false
		}
		if ok && (j > end || j == end && n.kind == Mention && best.kind != Mention) {
			best, end = n, j
		}
	}
	return best, end
}

// UnitName reports whether text is a way to write unit.
func (r *Reader) UnitName(text, unit string) bool {
	lex := lexemes(text)
	if len(lex) == 0 {
		return false
	}
	n, end := find(r.units, lex, 0)
	return end == len(lex) && n.id == fact.FoldUnit(unit)
}

// NamesMember reports whether text is a name of a dimension's member.
func (r *Reader) NamesMember(text, dim, id string) bool {
	lex := lexemes(text)
	for i := range lex {
		if n, end := find(r.names, lex, i); end > i && n.kind == Mention && n.dim == dim && n.id == id {
			return true
		}
	}
	return false
}

// Read splits a text into sentences and marks them.
func (r *Reader) Read(text string) []Sentence {
	var out []Sentence
	for _, lex := range sentences(lexemes(text)) {
		s := Sentence{Start: lex[0].start, End: lex[len(lex)-1].end}
		s.Nodes = r.mark(lex)
		for _, l := range lex {
			for _, c := range l.raw {
				s.Hindi = s.Hindi || unicode.Is(unicode.Devanagari, c) && unicode.IsLetter(c)
			}
		}
		if len(s.Nodes) > MaxNodes {
			s.TooLong = true
			s.Segments, s.Parents = []Segment{{To: len(s.Nodes)}}, []int{-1}
		} else {
			s.segment()
		}
		out = append(out, s)
	}
	return out
}
