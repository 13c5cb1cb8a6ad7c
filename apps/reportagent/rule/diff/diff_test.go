package diff_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diff"
)

func sides(all []diff.Piece) (old, now string) {
	for _, p := range all {
		if p.Op != diff.Added {
			old += p.Text
		}
		if p.Op != diff.Gone {
			now += p.Text
		}
	}
	return old, now
}

// TestBothTextsAreInTheDifference promises that whatever was written, the old and the new text can be read out of the difference, and that
// nothing is said to have changed where nothing has.
func TestBothTextsAreInTheDifference(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"Gas", "falls", " ", "\n\n", "by", "90.0", "में", "  "}), 0,
			30).Draw(t, "words"),
			"")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "old"), text.Draw(t, "now")
		if old, now := sides(diff.Words(a, b)); old != a || now != b {
			t.Fatalf("%q and %q came out as %q and %q", a, b, old, now)
		}
		for _, p := range diff.Words(a, a) {
			if p.Op != diff.Same {
				t.Fatalf("%q is said to have changed: %+v", a, p)
			}
		}
	})
}

// TestOneWordIsOneChange promises that a changed word is told as that, and the sentence around it as it was.
func TestOneWordIsOneChange(t *testing.T) {
	got := diff.Words("In Deep, Gas falls by 90.0 PJ.", "In Deep, Gas falls by 80.0 PJ.")
	want := []diff.Piece{{Op: diff.Same, Text: "In Deep, Gas falls by "}, {Op: diff.Gone, Text: "90.0"}, {Op: diff.Added, Text: "80.0"},
		{Op: diff.Same, Text: " PJ."}}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

// TestAnotherSentenceIsReadAsOne promises that a sentence which stands in the place of another is told whole, not word beside word; a line
// that is only added takes no blank from the text before.
func TestAnotherSentenceIsReadAsOne(t *testing.T) {
	for _, tt := range []struct {
		old, now string
		want     []diff.Piece
	}{
		{"Gas falls.\n\nSomebody else was here.", "Gas falls.\n\nTrains are left out. Yes", []diff.Piece{
			{Op: diff.Same, Text: "Gas falls.\n\n"}, {Op: diff.Gone, Text: "Somebody else was here."},
			{Op: diff.Added, Text: "Trains are left out. Yes"}}},
		{"Gas falls.", "Gas falls.\n\nOil rises.", []diff.Piece{{Op: diff.Same, Text: "Gas falls."},
			{Op: diff.Added, Text: "\n\nOil rises."}}},
	} {
		if got := diff.Words(tt.old, tt.now); !slices.Equal(got, tt.want) {
			t.Errorf("got %+v, want %+v", got, tt.want)
		}
	}
}
