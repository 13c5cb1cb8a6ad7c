// Package lexicon is for the words that make claims: which way a value moved,
// how it compares, whether it is the largest, whether all share it, what caused
// it. English and Hindi stand in one table, because texts mix them.
//
// The table says what a word may claim, never whether the claim is true; that is
// package verify. Words are looked up folded: see Fold.
package lexicon

import "strings"

// A Sense is what a word or phrase does in a sentence.
type Sense uint8

// The senses. None is a word the table does not know.
const (
	None         Sense = iota
	Up                 // says that a value rises
	Down               // says that a value falls
	Flat               // says that a value does not move
	Change             // names a change without saying which way
	More               // compares upwards: higher, above, exceeds
	Less               // compares downwards: lower, below, fewer
	Larger             // compares the size of what follows: a larger cut
	Smaller            // and downwards
	Most               // superlative upwards
	Least              // superlative downwards
	Lead               // verb of coming first: leads, tops
	Ordinal            // second, third: Arg is the place
	All                // every one of a kind
	Nothing            // none of a kind
	Both               // all of two, or of a list
	Only               // this one and no other
	Always             // universal over what is not named
	Majority           // most of: more than half
	Among              // one of the largest: not first, but near
	Tie                // equal, joint, the same
	Not                // negates what follows
	NotBefore          // negates what precedes (Hindi नहीं)
	Bound              // more than, at least, about: says how a number is meant
	Idiom              // looks like a claim and is none
	From               // start of a movement
	To                 // end of a movement
	By                 // size of a movement
	Of                 // belongs to the noun before it
	Strong             // ends a clause: while, but
	Weak               // joins parts of a clause: and
	Side               // opens the other side of a comparison: than, unlike
	SideAfter          // the mention before it is the other side (Hindi की तुलना में)
	Except             // leaves one out: other than
	Relative           // refers to what was just named: where
	Respectively       // lists run in parallel
	Together           // speaks of several as one: average, combined, between
	Cause              // says why
	Advice             // says what should be done
	Honorific          // opens a person's name
	Beyond             // after a year
	Count              // a number in words; Arg is its value, 0 where it is none
	Zero               // the number zero in words
	Motion             // says that a value is there, not which way it came: reaches, stands
	Plain              // carries no claim: articles, auxiliaries, common nouns
)

// An Entry is what the table knows of a phrase.
type Entry struct {
	Sense Sense
	Arg   int
	Words int // length of the phrase
}

type phrase struct {
	words []string
	sense Sense
	arg   int
}

// A Lexicon is the table. It does not change after New.
type Lexicon struct {
	byFirst map[string][]phrase
}

// New builds the table.
func New() *Lexicon {
	l := &Lexicon{byFirst: map[string][]phrase{}}
	for _, g := range append(english(), hindi()...) {
		for _, form := range g.forms() {
			l.add(form, g.sense, g.arg)
		}
	}
	return l
}

func (l *Lexicon) add(form string, sense Sense, arg int) {
	words := strings.Fields(strings.ReplaceAll(Fold(form), "-", " "))
	if len(words) == 0 {
		return
	}
	list := l.byFirst[words[0]]
	for _, p := range list {
		if equal(p.words, words) {
			return // the first entry of a phrase is the one that counts
		}
	}
	l.byFirst[words[0]] = append(list, phrase{words, sense, arg})
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Find is the longest phrase that starts at the first of words, which are folded.
func (l *Lexicon) Find(words []string) Entry {
	var best Entry
	if len(words) == 0 {
		return best
	}
	for _, p := range l.byFirst[words[0]] {
		if len(p.words) > best.Words && len(p.words) <= len(words) && equal(p.words, words[:len(p.words)]) {
			best = Entry{p.sense, p.arg, len(p.words)}
		}
	}
	return best
}

// Longest is the most words a phrase has.
const Longest = 5

// A group is a list of words of one sense. Words are separated by commas; how
// they are inflected is said by kind.
type group struct {
	sense Sense
	arg   int
	kind  kind
	list  string
}

type kind uint8

const (
	asIs    kind = iota
	verbs        // regular English verbs: -s, -ed, -ing
	doubles      // regular with doubled consonant: drop, dropped
	phrasal      // verb and particle: the verb is inflected
	nouns        // singular and plural
	hindiV       // Hindi verb stems
	hindiA       // Hindi adjectives in -ा
)

func (g group) forms() []string {
	var out []string
	for _, w := range strings.Split(g.list, ",") {
		w = strings.TrimSpace(w)
		switch g.kind {
		case verbs:
			out = append(out, regular(w, false)...)
		case doubles:
			out = append(out, regular(w, true)...)
		case phrasal:
			v, rest, _ := strings.Cut(w, " ")
			for _, f := range inflect(v) {
				out = append(out, f+" "+rest)
			}
		case nouns:
			out = append(out, w, plural(w))
		case hindiV:
			out = append(out, stems(w)...)
		case hindiA:
			base := strings.TrimSuffix(w, "ा")
			out = append(out, base+"ा", base+"ी", base+"े")
		default:
			out = append(out, w)
		}
	}
	return out
}

func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "s") || strings.HasSuffix(w, "sh") || strings.HasSuffix(w, "ch"):
		return w + "es"
	case strings.HasSuffix(w, "y") && !strings.HasSuffix(w, "ay"):
		return strings.TrimSuffix(w, "y") + "ies"
	}
	return w + "s"
}

func regular(v string, double bool) []string {
	stem := v
	switch {
	case double:
		return []string{v, plural(v), v + v[len(v)-1:] + "ed", v + v[len(v)-1:] + "ing"}
	case strings.HasSuffix(v, "e"):
		stem = strings.TrimSuffix(v, "e")
	case strings.HasSuffix(v, "y") && !strings.HasSuffix(v, "ay"):
		stem = strings.TrimSuffix(v, "y")
		return []string{v, stem + "ies", stem + "ied", v + "ing"}
	}
	return []string{v, plural(v), stem + "ed", stem + "ing"}
}

// inflect knows the irregular verbs that phrasal verbs are made of.
func inflect(v string) []string {
	for _, irregular := range []string{
		"go,goes,went,gone,going", "come,comes,came,coming", "be,is,are,was,were,been,being",
		"rise,rises,rose,risen,rising", "fall,falls,fell,fallen,falling", "grow,grows,grew,grown,growing",
		"bring,brings,brought,bringing", "drive,drives,drove,driven,driving", "cut,cuts,cutting",
		"wind,winds,wound,winding", "creep,creeps,crept,creeping", "shoot,shoots,shot,shooting",
		"build,builds,built,building", "take,takes,took,taken,taking", "pull,pulls,pulled,pulling",
		"die,dies,died,dying", "step,steps,stepped,stepping", "ramp,ramps,ramped,ramping",
		"drop,drops,dropped,dropping", "trend,trends,trended,trending", "head,heads,headed,heading",
		"let,lets,letting", "run,runs,ran,running", "hold,holds,held,holding", "stay,stays,stayed,staying",
		"lead,leads,led,leading", "give,gives,gave,given,giving", "stem,stems,stemmed,stemming",
	} {
		forms := strings.Split(irregular, ",")
		if forms[0] == v {
			return forms
		}
	}
	return regular(v, false)
}
