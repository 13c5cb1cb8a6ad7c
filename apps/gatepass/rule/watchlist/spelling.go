package watchlist

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A spelling is a name made ready to be compared.
type spelling struct {
	written string
	normal  string
	grams   []string // sorted, each once
	sound   string
}

func read(name string) spelling {
	n := Normalise(name)
	return spelling{written: name, normal: n, grams: trigrams(n), sound: Sound(name)}
}

// titles stand before a name and are no part of it.
var titles = []string{"mr", "mrs", "ms", "miss", "dr", "prof", "shri", "shrimati", "smt", "kumari", "janab"}

// Normalise is a name as it is compared: in Latin letters without accents, small, its words in order of the alphabet, without
// punctuation and without titles before it. "KUMAR, Ravi", "Mr. Ravi Kumar" and "रवि कुमार" are one name.
func Normalise(name string) string {
	words := Words(name)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// Words is the same, as the words stand.
func Words(name string) []string {
	words := split(name)
	for len(words) > 1 && slices.Contains(titles, words[0]) {
		words = words[1:]
	}
	return words
}

// split is the words of a name, folded.
func split(name string) []string {
	folded := cases.Fold().String(norm.NFKC.String(romanise(norm.NFKC.String(name))))
	latin := strings.ToLower(folded) // a few scripts fold to capitals
	var b strings.Builder
	for _, r := range norm.NFD.String(latin) {
		switch {
		case unicode.Is(unicode.Mn, r) && r < 0x0370: // an accent of a Latin letter; other scripts' marks are letters of theirs
		case unicode.Is(unicode.Cf, r), r == '\'', r == '\u2019', r == '\u02bc', r == '`': // O'Brien is one word
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(norm.NFC.String(b.String()))
}

// trigrams is every three letters in a row of every word, with two spaces before it and one after.
func trigrams(normal string) []string {
	var all []string
	for _, w := range strings.Fields(normal) {
		r := []rune("  " + w + " ")
		for i := range len(r) - 2 {
			all = append(all, string(r[i:i+3]))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// similarity is the share of trigrams that two names have in common.
func similarity(a, b []string) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch strings.Compare(a[i], b[j]) {
		case -1:
			i++
		case 1:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}
