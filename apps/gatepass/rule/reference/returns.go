package reference

import "slices"

// Words that speak of coming back, of not doing so by themselves, and of no.
var (
	backWords = []string{"back", "return", "returns", "returning", "returned", "returnable", "wapas", "vapas", "wapis", "laut",
		"lautega", "lautenge", "वापस", "वापसी", "लौट", "लौटेगा", "लौटेगी", "लौटेंगे", "लौटना"}
	awayWords = []string{"oneway", "nonreturnable", "permanently"}
	noWords   = []string{"not", "no", "never", "non", "without", "won", "doesn", "isn", "nahi", "nahin", "nai", "नहीं", "नही", "ना", "न",
		"बिना"}
	yesAnswers = []string{"yes", "yeah", "yep", "sure", "haan", "han", "ha", "ji", "हाँ", "हां", "जी"}
)

// How far a no may stand from what it denies: "will not be coming back", "वापस नहीं आएगा".
const (
	noBefore = 4
	noAfter  = 2
)

// Returns is what a person has said about coming back; known is false where they have not. The last message that speaks of it counts.
// Asked says that it was the question before the last message, to which a plain yes or no is an answer.
func Returns(said []string, asked bool) (comes, known bool) {
	for i, text := range slices.Backward(said) {
		if comes, known := returnsIn(tokens(text)); known {
			return comes, true
		}
		if asked && i == len(said)-1 {
			if comes, known := answer(tokens(text)); known {
				return comes, true
			}
		}
	}
	return false, false
}

// returnsIn is what one message says. One that says both says nothing.
func returnsIn(words []string) (comes, known bool) {
	var yes, no bool
	for i, w := range words {
		switch {
		case slices.Contains(awayWords, w), w == "one" && i+1 < len(words) && words[i+1] == "way":
			no = true
		case !slices.Contains(backWords, w):
		case slices.ContainsFunc(words[max(0, i-noBefore):min(len(words), i+1+noAfter)], isNo):
			no = true
		default:
			yes = true
		}
	}
	return yes, yes != no
}

// answer is a plain yes or no, at the beginning of a message.
func answer(words []string) (yes, known bool) {
	if len(words) == 0 {
		return false, false
	}
	return slices.Contains(yesAnswers, words[0]), slices.Contains(yesAnswers, words[0]) || isNo(words[0])
}

func isNo(w string) bool { return slices.Contains(noWords, w) }

// Means reports whether a message means a pass, so that something may be done to it: it names it, or the rules find this one and no
// other, or it says all of those that were shown. Where it points to none, only the pass that is spoken of is meant. The meaning is what
// the person is asked about where it is not.
func Means(message string, s Scene, r Ref) (bool, Meaning) {
	m := Resolve(message, s)
	named := func(o Ref) bool { return o.Number == r.Number && r.Number != "" || o.ID == r.ID && r.ID != "" }
	said := tokens(message)
	switch {
	case m.Sure():
		return named(m.Pass), m
	case m.Doubt == Several && slices.ContainsFunc(said, func(w string) bool { return slices.Contains(many, w) }):
		return slices.ContainsFunc(s.Shown, named), m
	case m.Doubt == Several: // more than one number was written: each is meant. Of two people of one name neither is
		return slices.ContainsFunc(written(message), func(n Ref) bool { return named(n) }), m
	case m.Doubt == NothingSaid:
		now, ok := s.Memory.current()
		return ok && named(s.known(now)), m
	}
	return false, m
}
