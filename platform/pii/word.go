package pii

import "strings"

// A cue is a word that stands beside names.
type cue uint8

// The cues.
const (
	noCue cue = iota
	honorificCue
	relationCue
	agedCue
	residentCue
	identifiedCue
	aliasCue
)

// longestCue is the longest of them.
const longestCue = len("identified")

// cueOf is what a word is beside a name.
func cueOf(word string) cue {
	var low [longestCue]byte
	for i := range len(word) {
		low[i] = word[i] | 0x20
	}
	switch string(low[:len(word)]) {
	case "shri", "sri", "shree", "sh", "smt", "smti", "dr", "mr", "mrs", "ms", "md", "mohd", "kumari", "prof", "adv":
		return honorificCue
	case "son", "daughter", "wife", "widow":
		return relationCue
	case "aged":
		return agedCue
	case "resident":
		return residentCue
	case "identified":
		return identifiedCue
	case "alias":
		return aliasCue
	}
	return noCue
}

// cueSeconds says which second letters a cue with a first letter can have, one bit each: one look
// spares most words everything else.
var cueSeconds = [256]uint32{
	's': bits("hrmo"), 'd': bits("ra"), 'm': bits("rsdo"), 'k': bits("u"), 'p': bits("r"), 'a': bits("dgl"), 'w': bits("i"),
	'r': bits("e"), 'i': bits("d"),
	'S': bits("hrmo"), 'D': bits("ra"), 'M': bits("rsdo"), 'K': bits("u"), 'P': bits("r"), 'A': bits("dgl"), 'W': bits("i"),
	'R': bits("e"), 'I': bits("d"),
}

func bits(letters string) (out uint32) {
	for _, c := range []byte(letters) {
		out |= 1 << (c & 31)
	}
	return out
}

// word looks at a word of letters: one that stands beside names, the letters of a plate, an Aadhaar
// that is crossed out.
func (f *finder) word(i, j int) {
	n := j - i
	if n < 2 || n > longestCue {
		return
	}
	if cueSeconds[f.b[i]]&(1<<(f.b[i+1]&31)) != 0 {
		f.beside(i, j, cueOf(f.b[i:j]))
	}
	switch {
	case n == 2 && f.b[i] < 'a':
		if end, kind := f.plate(i); end > 0 {
			f.found(i, end, kind)
		}
	case (n == 4 || n == 8) && f.b[i]|0x20 == 'x':
		if end, kind := f.crossedOut(i); end > 0 {
			f.found(i, end, kind)
		}
	}
}

// beside looks for the name that a cue stands beside.
func (f *finder) beside(i, j int, c cue) {
	switch c {
	case honorificCue:
		f.honorific(i, j)
	case relationCue:
		f.childOf(i, j)
	case agedCue:
		f.aged(i, j)
	case residentCue:
		f.residentOf(i, j)
	case identifiedCue:
		f.identifiedAs(j)
	case aliasCue:
		f.alias(i, j)
	}
}

// follows is where the text goes on after a word and one space, if that word stands at i.
func (f *finder) follows(i int, word string) (int, bool) {
	if i >= len(f.b) || f.b[i] != ' ' {
		return i, false
	}
	j := f.run(i+1, len(word)+1, letter)
	if f.said(i+1, j) != word {
		return i, false
	}
	return j, true
}

// honorific looks for a name after Shri, Smt or Dr. A road that is called after somebody is no person.
func (f *finder) honorific(i, j int) {
	if !f.is(i, upper) {
		return
	}
	if j < len(f.b) && f.b[j] == '.' {
		j++
	}
	if j >= len(f.b) || f.b[j] != ' ' && f.b[j-1] != '.' {
		return
	}
	r := f.nameAfter(f.gap(j))
	if r.empty() || r.thing || f.b[i] == 'S' && r.words == 1 && deities[f.said(r.i, r.j)] {
		return
	}
	f.found(r.i, r.j, Name)
}

// childOf looks for the names around "son of".
func (f *finder) childOf(i, j int) {
	of, ok := f.follows(j, "of")
	if !ok {
		return
	}
	after := f.nameAfter(f.overLate(f.gap(of)))
	f.between(i, after, !after.empty() && lands[f.said(after.i, after.j)])
}

// relation looks at a "/" for "s/o" and its like.
func (f *finder) relation(i int) {
	if i < 1 || !f.is(i+1, letter) || f.b[i+1]|0x20 != 'o' || f.is(i+2, wordy) || f.is(i-2, wordy) {
		return
	}
	switch kin := f.b[i-1] | 0x20; kin {
	case 's', 'd', 'w', 'h', 'c':
		after := i + 2
		if after < len(f.b) && f.b[after] == '.' {
			after++
		}
		parent := f.nameAfter(f.overLate(f.gap(after)))
		if before := f.nameBefore(i - 1); parent.empty() && !before.empty() && (kin == 's' || kin == 'd') {
			f.found(before.i, before.j, Name) // w/o is without, too
			return
		}
		f.between(i-1, parent, false)
	case 'r':
		if before := f.nameBefore(i - 1); !before.empty() {
			f.found(before.i, before.j, Name)
		}
	}
}

// overLate is where a name begins after a word that its bearer is dead.
func (f *finder) overLate(i int) int {
	for _, late := range [...]string{"(L) ", "(l) ", "(Late) ", "(LATE) ", "Late ", "LATE ", "late ", "Lt. "} {
		if strings.HasPrefix(f.b[i:], late) {
			return i + len(late)
		}
	}
	return i
}

// between notes the names on both sides of a relation that stands at i. Where the one after it is no
// name, the one before it counts only behind a comma: "Thoiba, son of a farmer".
func (f *finder) between(i int, after run, noName bool) {
	before := f.nameBefore(i)
	if after.empty() && !(i >= 2 && f.b[i-2] == ',') {
		return
	}
	if !before.empty() {
		f.found(before.i, before.j, Name)
	}
	if !after.empty() && !noName && !after.thing {
		f.found(after.i, after.j, Name)
	}
}

// residentOf looks for a name before "resident of", or notes that one person is meant.
func (f *finder) residentOf(i, j int) {
	of, ok := f.follows(j, "of")
	town := f.nameAfter(f.gap(of))
	if !ok || town.empty() {
		return
	}
	switch before := f.nameBefore(i); {
	case !before.empty():
		f.found(before.i, before.j, Name)
	case !f.masked(i):
		f.found(i, town.j, Person)
	}
}

// identifiedAs looks for a name after "identified as".
func (f *finder) identifiedAs(j int) {
	if as, ok := f.follows(j, "as"); ok {
		if r := f.nameAfter(f.gap(as)); !r.empty() && !r.thing {
			f.found(r.i, r.j, Name)
		}
	}
}

// alias looks for the names on both sides.
func (f *finder) alias(i, j int) { f.between(i, f.nameAfter(f.gap(j)), false) }

// aged looks for a name before "aged 34", or notes that one person is meant. Children aged 6 to 14 are
// nobody in particular.
func (f *finder) aged(i, j int) {
	at := j
	for _, word := range [...]string{"about", "around", "approximately"} {
		if z, ok := f.follows(at, word); ok {
			at = z
		}
	}
	a := f.gap(at)
	z := f.run(a, 4, digit)
	if z == a || z > a+3 || f.groupAfter(z) {
		return
	}
	if before, end := f.wordBefore(i, i-farthest); many[f.said(before, end)] {
		return
	}
	if before := f.nameBefore(i); !before.empty() {
		f.found(before.i, before.j, Name)
		return
	}
	if f.masked(i) {
		return
	}
	if years, ok := f.follows(z, "years"); ok {
		z = years
	}
	f.found(i, z, Person)
}

// groupAfter reports whether an age that ends at i goes on as one of many: "to 14", "and above", "-40".
func (f *finder) groupAfter(i int) bool {
	if years, ok := f.follows(i, "years"); ok {
		i = years
	}
	if i+1 < len(f.b) && (f.b[i] == '-' || f.b[i] == '+') {
		return true
	}
	for _, word := range [...]string{"to", "or"} {
		if _, ok := f.follows(i, word); ok {
			return true
		}
	}
	and, ok := f.follows(i, "and")
	if !ok {
		return false
	}
	_, above := f.follows(and, "above")
	_, over := f.follows(and, "over")
	_, below := f.follows(and, "below")
	return above || over || below
}
