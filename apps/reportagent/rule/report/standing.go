package report

import (
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/fact/verify"
)

// Standing is the rule of a section that does not mention what it has to: a reviewer made their note a standing check.
const Standing verify.Rule = "S1"

// Unmentioned are the findings about a text that does not mention what it has to. A text that is not there yet is not held to it.
func Unmentioned(section, text string, phrases []string) (out []Finding) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	in := " " + worded(text) + " "
	for _, p := range phrases {
		if !strings.Contains(in, " "+worded(p)+" ") {
			out = append(out, Finding{Section: section, Rule: Standing, Text: p, Code: "unmentioned_note",
				Words: "a note asks that every text of this section mentions it", Hindi: "एक टिप्पणी चाहती है कि इस अनुभाग का हर पाठ इसका उल्लेख करे"})
		}
	}
	return out
}

// worded is the words of a text in small letters, with one blank between any two.
func worded(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}), " ")
}
