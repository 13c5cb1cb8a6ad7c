package reference

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
)

// A Scene is what a message is read against.
type Scene struct {
	Memory Memory
	Shown  []Ref // the passes of the last answer, as they stood there
	Seen   []Ref // every pass of the conversation
}

// A Way is by what a pass was found.
type Way string

// The ways.
const (
	ByNumber  Way = "number"
	ByID      Way = "id"
	BySerial  Way = "serial" // "pass 12"
	ByPlace   Way = "place"  // "the second"
	ByName    Way = "name"
	ByPronoun Way = "pronoun"
)

// A Doubt is why somebody must be asked which pass they mean.
type Doubt string

// The doubts.
const (
	NoDoubt     Doubt = ""
	Several     Doubt = "several"      // more than one is meant, or could be
	NotSeen     Doubt = "not_seen"     // one that has not been spoken of: say its whole number
	NothingYet  Doubt = "nothing_yet"  // "it", and no pass is being spoken of
	NothingSaid Doubt = "nothing_said" // the message points to no pass
)

// A Meaning is which pass a message means, or what must be asked.
type Meaning struct {
	Pass   Ref
	By     Way
	Doubt  Doubt
	Choice []Ref // what to offer
}

// Sure reports whether exactly one pass is meant.
func (m Meaning) Sure() bool { return m.Doubt == NoDoubt }

var (
	idForm     = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	serialForm = regexp.MustCompile(`(?i)(?:\bpass|पास|\bno\.?|\bnumber|नंबर|\bnum|#)\s*#?\s*(\d{1,6})(?:\D|$)`)
)

// Resolve says which pass a message means. The first rule that says anything decides.
func Resolve(message string, s Scene) Meaning {
	folded := number.Fold(message)
	for _, rule := range []func(string, Scene) (Meaning, bool){byNumber, byID, byPlace, bySerial, byName, byPronoun} {
		if m, says := rule(folded, s); says {
			return m
		}
	}
	return Meaning{Doubt: NothingSaid, Choice: offer(s)}
}

func byNumber(text string, s Scene) (Meaning, bool) {
	var found []Ref
	for _, n := range number.Find(text) {
		found = append(found, s.known(Ref{Number: n}))
	}
	return among(found, ByNumber), len(found) > 0
}

func byID(text string, s Scene) (Meaning, bool) {
	var found []Ref
	for _, id := range idForm.FindAllString(text, -1) {
		found = append(found, s.known(Ref{ID: strings.ToLower(id)}))
	}
	return among(found, ByID), len(found) > 0
}

// known is a pass with what the conversation knows of it.
func (s Scene) known(ref Ref) Ref {
	for _, r := range s.all() {
		if ref.Number != "" && r.Number == ref.Number || ref.Number == "" && r.ID == ref.ID {
			return r
		}
	}
	return ref
}

// byPlace finds "the second": of what was shown last, as the person sees it. "The last" of nothing that was shown is the pass
// that is spoken of.
func byPlace(text string, s Scene) (Meaning, bool) {
	for _, w := range tokens(text) {
		i, isPlace := places[w]
		switch {
		case !isPlace:
			continue
		case len(s.Shown) < 2 && i == -1:
			return spokenOf(s), true
		case len(s.Shown) < 2:
			continue
		case i == -1:
			i = len(s.Shown) - 1
		case i >= len(s.Shown):
			return Meaning{Doubt: NotSeen, Choice: s.Shown}, true
		}
		return among(s.Shown[i:i+1], ByPlace), true
	}
	return Meaning{}, false
}

// bySerial finds "pass 12" among those that were spoken of. Its year is never filled in.
func bySerial(text string, s Scene) (Meaning, bool) {
	m := serialForm.FindStringSubmatch(text)
	if m == nil {
		return Meaning{}, false
	}
	serial, _ := strconv.Atoi(m[1]) // digits, by the form
	return among(slices.DeleteFunc(s.all(), func(r Ref) bool { return r.Number.Serial() != serial }), BySerial), true
}

// byName finds a person among those that were spoken of: by every word of their name, or by one where no other has it.
func byName(text string, s Scene) (Meaning, bool) {
	said := names(text)
	var whole, part []Ref
	for _, r := range s.all() {
		words := names(r.Person)
		n := 0
		for _, w := range words {
			if slices.Contains(said, w) && (len([]rune(w)) >= 3 || len(words) == 1) {
				n++
			}
		}
		if n > 0 && n == len(words) {
			whole = append(whole, r)
		} else if n > 0 {
			part = append(part, r)
		}
	}
	if len(whole) > 0 {
		return among(whole, ByName), true
	}
	return among(part, ByName), len(part) > 0
}

func byPronoun(text string, s Scene) (Meaning, bool) {
	words := tokens(text)
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(many, w) }) {
		return Meaning{Doubt: Several, Choice: offer(s)}, true
	}
	padded := " " + strings.Join(words, " ") + " "
	if slices.ContainsFunc(one, func(w string) bool { return strings.Contains(padded, " "+w+" ") }) {
		return spokenOf(s), true
	}
	return Meaning{}, false
}

func spokenOf(s Scene) Meaning {
	now, ok := s.Memory.current()
	if !ok {
		return Meaning{Doubt: NothingYet, Choice: offer(s)}
	}
	return Meaning{Pass: s.known(now), By: ByPronoun}
}

// among is the one pass that was found, or the question which.
func among(found []Ref, by Way) Meaning {
	found = distinct(found)
	switch len(found) {
	case 0:
		return Meaning{Doubt: NotSeen}
	case 1:
		return Meaning{Pass: found[0], By: by}
	}
	return Meaning{Doubt: Several, Choice: found}
}

// all is every pass of the conversation, each once.
func (s Scene) all() []Ref { return distinct(slices.Concat(s.Shown, s.Seen)) }

func distinct(refs []Ref) []Ref {
	var out []Ref
	for _, r := range refs {
		if !slices.ContainsFunc(out, func(o Ref) bool { return o.Number == r.Number && (r.Number != "" || o.ID == r.ID) }) {
			out = append(out, r)
		}
	}
	return out
}

// offer is what to choose from where nothing was said: the pass that is spoken of, or what was shown last.
func offer(s Scene) []Ref {
	if now, ok := s.Memory.current(); ok {
		return []Ref{s.known(now)}
	}
	return s.Shown
}
