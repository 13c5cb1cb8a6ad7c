package number

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// said is a number as people type it: any case, and a space, a dash or nothing between its parts.
var said = regexp.MustCompile(`(?i)\bGP[ \-_/]{0,3}(\d{4})[ \-_/]{1,3}(\d{1,6})\b`)

// dashes are what keyboards and phones make of a hyphen.
var dashes = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-")

// Find is the numbers that somebody wrote in a text, in order and each once: gp-2026-12 and
// GP २०२६ ००१२ are GP-2026-0012. What lacks its year is none, because to fill it in would be to guess.
func Find(text string) []Number {
	var found []Number
	for _, m := range said.FindAllStringSubmatch(Fold(text), -1) {
		year, _ := strconv.Atoi(m[1])
		serial, _ := strconv.Atoi(m[2])
		if n, err := Of(year, serial); err == nil && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	return found
}

// Withheld stands in a text in place of a number that nobody knows.
const Withheld = "GP-…"

// Known is a text without the numbers that are not known, and how many those are. A text that has none stays as it is.
func Known(text string, known func(Number) bool) (string, int) {
	out := 0
	clear := said.ReplaceAllStringFunc(Fold(text), func(one string) string {
		if n := Find(one); len(n) == 1 && known(n[0]) {
			return one
		}
		out++
		return Withheld
	})
	if out == 0 {
		return text, 0
	}
	return clear, out
}

// Fold is a text with the digits of every script as 0 to 9 and every dash as a hyphen.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII && unicode.IsDigit(r) {
			return '0' + digit(r)
		}
		return r
	}, dashes.Replace(norm.NFKC.String(text)))
}

// digit is the value of a decimal digit of any script. Unicode keeps the ten of a script together, in
// order, and the zero is the first that has no digit before it within ten.
func digit(r rune) rune {
	v := rune(0)
	for v < 9 && unicode.IsDigit(r-v-1) {
		v++
	}
	return v
}
