package ask

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Wish is what a question is after.
type Wish struct {
	Topics []Topic   // in the order of Topics; all of them where the question names none
	Facts  []fact.ID // that it names by number
	Words  []string  // that may name what a fact is about
	Guess  bool      // it named no topic
}

// signs are the words by which a question tells its topic, in English and Hindi.
var signs = map[Topic][]string{
	Why: {"why", "reason", "reasons", "because", "fail", "failed", "fails", "flag", "flagged", "evidence", "against", "verdict", "grounds",
		"about",
		"क्यों", "कारण", "सबूत", "साक्ष्य", "प्रमाण", "विरुद्ध"},
	Numbers: {"much", "many", "number", "numbers", "figure", "figures", "value", "values", "fact", "facts", "share", "distance", "minutes",
		"total",
		"कितना", "कितने", "कितनी", "संख्या", "आंकड़े", "आँकड़े", "मान", "तथ्य"},
	State: {"state", "status", "stand", "stands", "now", "open", "closed", "due", "deadline", "when", "happened",
		"स्थिति", "अब", "कब", "समय-सीमा", "बंद"},
	Waiting: {"waiting", "wait", "waits", "next", "who", "whom", "pending", "decide", "needs", "sign",
		"प्रतीक्षा", "आगे", "कौन", "किसे", "लंबित"},
	Decisions: {"decided", "decision", "decisions", "approved", "approve", "rejected", "reject", "signed",
		"निर्णय", "फैसला", "स्वीकृत", "अस्वीकृत", "मंज़ूर"},
}

// plain are words that name nothing.
var plain = []string{"the", "how", "and", "was", "were", "are", "did", "does", "has", "have", "had", "this", "that", "case", "for", "with",
	"what", "which", "is", "it", "its",
	"of", "in", "on", "to", "at", "by", "an", "tell", "me", "us", "we", "you", "please",
	"का", "की", "के", "को", "में", "से", "है", "हैं", "था", "थे", "और", "यह", "वह", "क्या", "मामला", "मामले"}

// Read finds what a question is after. It guesses no grammar: words decide, and a
// question with none of them is answered with everything.
func Read(question string) Wish {
	var w Wish
	seen := map[Topic]bool{}
	for _, word := range words(question) {
		if id := fact.ID(strings.ToUpper(word)); id.Number() > 0 {
			w.Facts = append(w.Facts, id)
			seen[Numbers] = true
			continue
		}
		named := false
		for topic, list := range signs {
			if slices.Contains(list, word) {
				seen[topic], named = true, true
			}
		}
		if !named && !slices.Contains(plain, word) && len([]rune(word)) > 1 {
			w.Words = append(w.Words, word)
		}
	}
	w.Guess = len(seen) == 0
	for _, t := range Topics() {
		if seen[t] || w.Guess {
			w.Topics = append(w.Topics, t)
		}
	}
	return w
}

// words are those of a text, in small letters. Marks above and below letters
// belong to the word: Hindi has none without them.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '-'
	})
}

// about counts how many words of a question name what a fact is about.
func (w Wish) about(f fact.Fact) int {
	names := words(strings.Join(slices.Concat(f.Subject.Names.EN, f.Subject.Names.HI, []string{f.Subject.Type, f.Unit}), " "))
	for k, v := range f.Subject.IDs {
		names = append(names, words(k+" "+v)...)
	}
	n := 0
	for _, word := range w.Words {
		if slices.ContainsFunc(names, func(name string) bool { return alike(name, word) }) {
			n++
		}
	}
	return n
}

// alike reports whether two words are the same but for a plural's ending.
func alike(a, b string) bool {
	return strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s")
}
