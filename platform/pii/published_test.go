package pii_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/pii"
)

// The published forms of numbers. Go's expressions cannot look at neighbours: the test does.
var (
	aadhaarForm = regexp.MustCompile(`[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}`)
	mobileForm  = regexp.MustCompile(`(?:\+?91[ -]?|0)?[6-9]\d{4}[ -]?\d{5}`)
)

// pieces are what nasty texts are made of: numbers that are somebody's, digits, what joins them and what does not.
var pieces = []string{"9876543210", "98765 43210", "234123412346", "2341 2341 2346", "2341-2341-2346", "+91", "91 ", "0", "7",
	"42", "144", " ", " ", "-", "/",
	",", ":", "k", "Call", "_", "(", ")", "no ", "2026", "x", "@", "#"}

// TestNumbersOfThePublishedFormsAreFoundAnywhere promises that a number which fits its published form, with no digit beside it,
// is found whatever stands around it, but for what the design page names.
func TestNumbersOfThePublishedFormsAreFoundAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 9).Draw(t, "pieces"), "")
		spans := pii.Find(text)
		for _, n := range fits(text) {
			if !touched(spans, n[0], n[1]) {
				t.Fatalf("%q: %q is not found: %+v", text, text[n[0]:n[1]], spans)
			}
		}
	})
}

// fits lists where the numbers of the published forms stand in a text.
func fits(text string) (out [][]int) {
	for _, at := range mobileForm.FindAllStringIndex(text, -1) {
		if !digitAt(text, at[0]-1) && !digitAt(text, at[1]) {
			out = append(out, at)
		}
	}
	for _, at := range aadhaarForm.FindAllStringIndex(text, -1) {
		bare := strings.NewReplacer(" ", "", "-", "").Replace(text[at[0]:at[1]])
		if bare == "234123412346" && !wordAt(text, at[0]-1) && !wordAt(text, at[1]) {
			out = append(out, at)
		}
	}
	return out
}

func digitAt(text string, i int) bool {
	return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9'
}

func wordAt(text string, i int) bool {
	return i >= 0 && i < len(text) && regexp.MustCompile(`\w`).MatchString(text[i:i+1])
}

// touched reports whether something was found in a stretch: another number may share its digits.
func touched(spans []pii.Span, start, end int) bool {
	for _, s := range spans {
		if s.Start < end && start < s.End {
			return true
		}
	}
	return false
}
