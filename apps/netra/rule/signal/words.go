package signal

import (
	"strings"
	"unicode"
)

// wordsOf is the words of a summary that tell something, in small letters. Words are whole: "farms" has no "arms" in it.
func wordsOf(summary string) map[string]bool {
	var out map[string]bool
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(summary), between) {
		if !telling[w] {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[w] = true
	}
	return out
}

// telling are the words that tell of a type of event or of a place. Few of a summary are: to keep all took half of what classifying takes.
var telling = func() map[string]bool {
	out := map[string]bool{}
	for _, c := range clues {
		for _, w := range c.words {
			out[w] = true
		}
	}
	for _, h := range placeWords {
		out[h.word] = true
	}
	return out
}()

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

// placeWords are words that suggest something about a place.
var placeWords = []struct {
	word string
	tag  Tag
}{{"border", NearBorder}, {"market", Market}, {"bazar", Market}, {"highway", Highway}, {"nh", Highway}, {"capital", Capital}}

// hintsOf is what words of a summary suggest about the place.
func hintsOf(words map[string]bool) []Tag {
	var out []Tag
	for _, h := range placeWords {
		if words[h.word] {
			out = append(out, h.tag)
		}
	}
	return out
}
