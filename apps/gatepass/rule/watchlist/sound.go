package watchlist

import (
	"slices"
	"strings"
)

// alike are the ways in which one sound of an Indian name is spelled in Latin letters. What stands first is tried first.
var alike = strings.NewReplacer(
	"chh", "c", "ch", "c", "sch", "s", "ksh", "ks", "sh", "s", "ph", "f", "bh", "b", "th", "t", "dh", "d", "kh", "k", "gh", "g", "jh", "j",
	"ck", "k", "q", "k", "x", "ks", "w", "v", "z", "j", "gn", "gy", "jn", "gy",
)

// vowels are how the first letter of a name sounds; the others are not heard: Mohammed, Muhammad.
var vowels = map[byte]byte{'a': 'a', 'e': 'i', 'i': 'i', 'o': 'u', 'u': 'u'}

// Sound is how a name is heard, so that names which differ only in their spelling are the same: aspirates, doubled letters,
// v and w, z and j, ee and i. It says less than the name does, which is why it never decides alone.
func Sound(name string) string {
	words := strings.Fields(Normalise(name))
	for i, w := range words {
		words[i] = heard(w)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// heard is how one word is heard. A word in letters that are not Latin is heard as it is written.
func heard(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool { return r > 127 }) {
		return word
	}
	s := alike.Replace(gliding(word))
	var b strings.Builder
	last := byte(0)
	for i := range len(s) {
		c := s[i]
		v, vowel := vowels[c]
		switch {
		case i == 0 && vowel:
			c = v
		case vowel, i > 0 && c == 'y', c == 'h' && i == len(s)-1: // not heard
			last = 0
			continue
		case c == last:
			continue
		}
		b.WriteByte(c)
		last = c
	}
	return b.String()
}

// gliding is a word without each w that only ends a vowel: Chowdhury, but Jawahar.
func gliding(word string) string {
	b := make([]byte, 0, len(word))
	for i := range len(word) {
		after := i > 0 && vowels[word[i-1]] != 0
		before := i+1 < len(word) && vowels[word[i+1]] != 0
		if word[i] != 'w' || !after || before {
			b = append(b, word[i])
		}
	}
	return string(b)
}
