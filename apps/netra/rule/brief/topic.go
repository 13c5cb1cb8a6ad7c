package brief

import (
	"slices"
	"strings"
	"unicode"
)

// A Topic is what a question is after, and a part of a briefing.
type Topic string

// The topics, in the order they are said.
const (
	Why     Topic = "why"     // why a district has its score
	Changed Topic = "changed" // what changed against the window before
	Lower   Topic = "lower"   // what would lower it
	Heard   Topic = "heard"   // how much is heard
)

// Topics lists them.
func Topics() []Topic { return []Topic{Why, Changed, Lower, Heard} }

// MaxQuestion bounds a question, in characters.
const MaxQuestion = 300

// signs are the words by which a question tells its topic, in English and Hindi.
var signs = map[Topic][]string{
	Why: strings.Fields(`why reason reasons flag flagged because high cause causes raises raised signals points
		क्यों कारण वजह ऊँचा ऊंचा बढ़ाता बढ़ाते संकेत अंक`),
	Changed: strings.Fields(`changed change changes since before earlier yesterday moved rose risen fell fallen trend new different
		बदला बदली बदले बदलाव पहले कल बढ़ा बढा घटा रुझान नया`),
	Lower: strings.Fields(`lower lowers reduce reduces drop decrease improve calm calmer without fall falls less
		घटेगा घटे घटाए घटाएगा कम घट शांत बिना`),
	Heard: strings.Fields(`heard hear sources source silent silence quiet coverage usual missing reports shutdown internet
		सूचना सूचनाएँ सूचनाएं स्रोत चुप चुप्पी सामान्य आमतौर इंटरनेट`),
}

// Read finds what a question is after. It guesses no grammar: words decide, and a question with none of them is after everything.
func Read(question string) (out []Topic) {
	said := map[string]bool{}
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	for _, w := range strings.FieldsFunc(strings.ToLower(question), between) {
		said[bare(w)] = true
	}
	for _, t := range Topics() {
		if slices.ContainsFunc(signs[t], func(w string) bool { return said[bare(w)] }) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return Topics()
	}
	return out
}
