package pii_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/pii/piitest"
)

// written are the published forms of things that need no look at their neighbours. Whatever fits one is
// found, however strange the text around it.
var written = map[pii.Kind]*regexp.Regexp{
	pii.PAN:   regexp.MustCompile(`\b[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]\b`),
	pii.Email: regexp.MustCompile(`\b[A-Za-z0-9_]+@[A-Za-z0-9]+\.[A-Za-z]{2,}\b`),
	pii.UPI:   regexp.MustCompile(`\b\w{2,}@(?:ok[a-z]{3,}|ybl|paytm|upi|ibl|axl)\b`),
}

// checkSpans wants spans in order, within the text and between its characters.
func checkSpans(t interface{ Fatalf(string, ...any) }, text string, spans []pii.Span) {
	last := 0
	for _, s := range spans {
		if s.Start < last || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("%q: span %+v after byte %d", text, s, last)
		}
		if utf8.ValidString(text) && (!utf8.RuneStart(text[s.Start]) || s.End < len(text) && !utf8.RuneStart(text[s.End])) {
			t.Fatalf("%q: span %+v cuts a character", text, s)
		}
		last = s.End
	}
}

func FuzzFind(f *testing.F) {
	for _, c := range piitest.Positives(3, 4) {
		f.Add(c.Text)
	}
	for _, s := range []string{"", "@", "/", "%", "%4", "s/o", "S/O.", "aged", "aged 3", "Shri ", "XXXX", "\xff\xfe9876543210", "(+91)",
		"t.me/", "a/c", "::1:", "MN", "22BH1234AA", "श्री", "पुत्र"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spans := pii.Find(text)
		checkSpans(t, text, spans)
		for kind, form := range written {
			for _, at := range form.FindAllStringIndex(text, -1) {
				if !covered(spans, at[0], at[1]) {
					t.Fatalf("%q: %s at %v is not covered by %+v", text, kind, at, spans)
				}
			}
		}
	})
}

// covered reports whether something was found in every part of a stretch that counts: its first and last byte.
func covered(spans []pii.Span, start, end int) bool {
	first, last := false, false
	for _, s := range spans {
		first = first || s.Start <= start && start < s.End
		last = last || s.Start < end && end <= s.End
	}
	return first && last
}

// TestWhatNobodySeesHidesNothing promises that characters of no width between the others change nothing.
func TestWhatNobodySeesHidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := piitest.Positives(rapid.Uint64().Draw(t, "seed"), 1)
		c := all[rapid.IntRange(0, len(all)-1).Draw(t, "case")]
		var b strings.Builder
		for _, r := range c.Text {
			b.WriteRune(r)
			if rapid.IntRange(0, 3).Draw(t, "hide") == 0 {
				b.WriteRune(rapid.SampledFrom([]rune{0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xad}).Draw(t, "by"))
			}
		}
		plain, hidden := pii.Find(c.Text), pii.Find(b.String())
		checkSpans(t, b.String(), hidden)
		if len(plain) != len(hidden) {
			t.Fatalf("%q has %+v, with characters nobody sees %+v", c.Text, plain, hidden)
		}
		for i := range plain {
			if plain[i].Kind != hidden[i].Kind {
				t.Fatalf("%q has %+v, with characters nobody sees %+v", c.Text, plain, hidden)
			}
		}
	})
}

// TestAMaskedTextHasNothingLeft promises that nothing is found in what Mask leaves.
func TestAMaskedTextHasNothingLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, c := range piitest.Positives(rapid.Uint64().Draw(t, "seed"), 1) {
			if rapid.Bool().Draw(t, "with") {
				b.WriteString(c.Text + "\n")
			}
		}
		once := pii.Mask(b.String())
		if left := pii.Find(once); len(left) != 0 {
			t.Fatalf("%q became %q, which has %+v", b.String(), once, left)
		}
	})
}
