package reference

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
)

// places are the words for where something stands in a list, in English, Hindi and Hindi in Latin letters; the last is -1.
var places = map[string]int{
	"first": 0, "1st": 0, "pehla": 0, "pahla": 0, "pehle": 0, "पहला": 0, "पहले": 0, "पहली": 0,
	"second": 1, "2nd": 1, "doosra": 1, "dusra": 1, "dusre": 1, "दूसरा": 1, "दूसरे": 1, "दूसरी": 1,
	"third": 2, "3rd": 2, "teesra": 2, "tisra": 2, "तीसरा": 2, "तीसरे": 2, "तीसरी": 2,
	"fourth": 3, "4th": 3, "चौथा": 3, "fifth": 4, "5th": 4, "पाँचवाँ": 4, "पांचवां": 4,
	"last": -1, "aakhri": -1, "akhri": -1, "आखिरी": -1, "आख़िरी": -1, "अंतिम": -1,
}

// one are the words for the pass that is spoken of, and many those for more than one.
var (
	one = []string{"it", "its", "that", "this", "same", "him", "her", "his", "the pass",
		"यह", "ये", "वह", "वो", "इसे", "उसे", "इसको", "उसको", "इसका", "उसका", "इसकी", "उसकी", "वही", "यही", "इस", "उस",
		"yeh", "ye", "woh", "wo", "isko", "usko", "ise", "use", "iska", "uska", "wahi", "yahi"}
	many = []string{"them", "both", "all", "these", "those", "everyone",
		"सब", "सभी", "दोनों", "इन्हें", "उन्हें", "sab", "sabko", "dono", "inko", "unko"}
)

// tokens are the words of a text, small.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

var possessive = regexp.MustCompile(`['’]s\b`)

// names are the words of a text as names are compared, as they stand. Rekha's is Rekha.
func names(text string) []string {
	return watchlist.Words(possessive.ReplaceAllString(text, ""))
}

// counts are words that say how many, in English and in Hindi as it is written in Latin letters.
var counts = []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty", "thirty",
	"forty", "fifty", "hundred", "thousand", "lakh", "dozen", "half", "ek", "do", "tin", "teen", "char", "chaar", "panch", "paanch",
	"chhah", "chhe", "sat", "saat", "ath", "aath", "nau", "das", "bis", "bees", "sau", "hazar", "hajar"}

// counted reports whether a word says how many.
func counted(w string) bool {
	return strings.ContainsFunc(w, unicode.IsDigit) || slices.Contains(counts, w)
}

// plain are the signs that say nothing by themselves.
const plain = ".,;:!?'’\"()-–/। "

// unsaid reports whether a text has a sign that the person did not write: there are signs that are read as letters and numbers.
func unsaid(text string, said []string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && !unicode.Is(unicode.Me, r)
		return !word && !strings.ContainsRune(plain, r) &&
			!slices.ContainsFunc(said, func(one string) bool { return strings.ContainsRune(one, r) })
	})
}
