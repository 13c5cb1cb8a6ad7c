package signal

import (
	"unicode"
	"unicode/utf8"
)

// wordsOf is the words of a summary that tell something, in small letters. Words are whole: "farms" has no "arms" in it. It runs for each
// line of a feed, so it makes nothing of the words that tell nothing.
func wordsOf(summary string) map[string]bool {
	var out map[string]bool
	var word [longest + 1]byte
	n := 0
	end := func() {
		if n > 0 && telling[string(word[:n])] {
			if out == nil {
				out = map[string]bool{}
			}
			out[string(word[:n])] = true
		}
		n = 0
	}
	for _, r := range summary {
		small := letter(r)
		if small == 0 {
			end()
		} else if n < len(word) {
			word[n] = small
			n++
		}
	}
	end()
	return out
}

// foreign stands for a letter that is in no telling word.
const foreign = 0xff

// letter is a letter as a small one, or foreign; 0 is none.
func letter(r rune) byte {
	switch {
	case 'a' <= r && r <= 'z':
		return byte(r)
	case 'A' <= r && r <= 'Z':
		return byte(r) + 'a' - 'A'
	case r < utf8.RuneSelf:
		return 0
	}
	if small := unicode.ToLower(r); small < utf8.RuneSelf { // as K in Kelvin is
		return byte(small)
	}
	if unicode.IsLetter(r) || unicode.IsMark(r) {
		return foreign
	}
	return 0
}

// longest is how many letters a telling word has at most.
const longest = 14

// telling are the words that tell of a type of event or of a place.
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
