package signal

import (
	"maps"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// plainWords is what wordsOf promises, as one would write it without thinking of how long it takes.
func plainWords(summary string) map[string]bool {
	out := map[string]bool{}
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	for _, w := range strings.FieldsFunc(strings.ToLower(summary), between) {
		if telling[w] {
			out[w] = true
		}
	}
	return out
}

// TestWordsAreThoseOfThePlainWay promises that no word is missed or made up, whatever letters stand beside it.
func TestWordsAreThoseOfThePlainWay(t *testing.T) {
	var all []string
	for w := range telling {
		if all = append(all, w); len(w) > longest {
			t.Errorf("%s is longer than %d letters", w, longest)
		}
	}
	beside := []string{" ", "-", "s", "K", "é", "ी", "बंद", "NH", "4", "MOB", "\xff", "ı", "İ", "\u0301"}
	piece := rapid.OneOf(rapid.SampledFrom(all), rapid.SampledFrom(beside), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "loud") {
			text = strings.ToUpper(text)
		}
		if got, want := wordsOf(text), plainWords(text); !maps.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	})
}
