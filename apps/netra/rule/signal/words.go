package signal

import (
	"strings"
	"unicode"
)

// wordsOf is the words of a summary, in small letters. Words are whole: "farms" has no "arms" in it.
func wordsOf(summary string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(summary),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		out[w] = true
	}
	return out
}

// typeByWords is the type that words of a summary name.
func typeByWords(words map[string]bool) (Type, bool) {
	for _, c := range clues {
		all := true
		for _, w := range c.words {
			all = all && words[w]
		}
		if all {
			return c.t, true
		}
	}
	return "", false
}

// hintsOf is what words of a summary suggest about the place.
func hintsOf(words map[string]bool) []Tag {
	var out []Tag
	for _, h := range []struct {
		word string
		tag  Tag
	}{{"border", NearBorder}, {"market", Market}, {"bazar", Market}, {"highway", Highway}, {"nh", Highway}, {"capital", Capital}} {
		if words[h.word] {
			out = append(out, h.tag)
		}
	}
	return out
}
