package brief

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/finding"
)

// The days of a week as records write them, and as people in Hindi do.
var (
	days      = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
	hindiDays = []string{"सोम", "मंगल", "बुध", "गुरु", "शुक्र", "शनि", "रवि"}
)

// Hours are a week's hours as people say them: "Mon Tue Wed Thu Fri 22:00-06:00" of the record is
// "Mon–Fri 22:00-06:00", in both languages. What is no day stays as it is.
func Hours(text string) finding.Words {
	return finding.Words{En: spanDays(text, days), Hi: spanDays(text, hindiDays)}
}

// spanDays writes three or more days in a row as the first and the last.
func spanDays(text string, names []string) string {
	words := strings.Split(text, " ")
	var out []string
	for i := 0; i < len(words); {
		first := slices.Index(days, words[i])
		if first < 0 {
			out = append(out, words[i])
			i++
			continue
		}
		n := 1
		for i+n < len(words) && first+n < len(days) && words[i+n] == days[first+n] {
			n++
		}
		if n > 2 {
			out = append(out, names[first]+"–"+names[first+n-1])
		} else {
			out = append(out, names[first:first+n]...)
		}
		i += n
	}
	return strings.Join(out, " ")
}
