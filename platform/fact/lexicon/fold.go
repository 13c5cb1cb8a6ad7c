package lexicon

import (
	"strings"
	"unicode"
)

// Fold is the form in which words are compared: lower case, plain digits for
// raised and lowered ones, and for Devanagari without nukta, joiners and the
// difference between chandrabindu and anusvara, which writers use freely.
func Fold(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if f := FoldRune(r); f >= 0 {
			b.WriteRune(f)
		}
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || 'A' <= s[i] && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// composed are the Devanagari letters that carry their nukta with them.
var composed = map[rune]rune{
	'\u0958': 'क', '\u0959': 'ख', '\u095a': 'ग', '\u095b': 'ज', '\u095c': 'ड', '\u095d': 'ढ', '\u095e': 'फ', '\u095f': 'य',
	'\u0929': 'न', '\u0931': 'र', '\u0934': 'ळ',
}

// FoldRune folds one character; -1 means that it is left out.
func FoldRune(r rune) rune {
	switch {
	case r == '\u093c' || r == '\u200c' || r == '\u200d' || r == '\u00ad' || r == '\ufeff' || r == '\u2060' || r == '\u200b':
		return -1
	case r == '\u0901':
		return '\u0902'
	case '₀' <= r && r <= '₉':
		return '0' + r - '₀'
	case r == '²' || r == '³':
		return '2' + r - '²'
	case r == '¹':
		return '1'
	case '⁴' <= r && r <= '⁹':
		return '4' + r - '⁴'
	case r == '⁰':
		return '0'
	case r == 'µ':
		return 'μ'
	case r == '’' || r == '‘' || r == 'ʼ':
		return '\''
	}
	if c, ok := composed[r]; ok {
		return c
	}
	return unicode.ToLower(r)
}
