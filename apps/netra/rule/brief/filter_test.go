package brief_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/platform/pii/piitest"
)

// TestNothingThatNamesAnybodyLeaves promises that words which name a person or a community, in either script, do not leave; and that
// those of a briefing do.
func TestNothingThatNamesAnybodyLeaves(t *testing.T) {
	for text, want := range map[string]brief.Reason{
		"The score is {{F1}} of 100; the physical layer carries it.": brief.Fine,
		"Karbi Anglong and East Garo Hills fell silent.":             brief.Fine,
		"पिछले दिन की तीव्रता {{F3}} है।":                            brief.Fine,
		"Shri Ramesh Kumar called a bandh.":                          brief.Personal,
		"Call 98765 43210 for details.":                              brief.Personal,
		"Write to desk.two@example.com.":                             brief.Personal,
		"Two Meiteis were hurt.":                                     brief.Community,
		"A Hindu procession met a MUSLIM one.":                       brief.Community,
		"the kuki-zo hills":                                          brief.Community,
		"मुसलमानों ने बंद बुलाया।":                                   brief.Community,
		"मिज़ो समूह":                                                 brief.Community,
		"The Garo of East Garo Hills":                                brief.Community,
	} {
		if got := brief.Refuse(text, "Karbi Anglong", "East Garo Hills"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]brief.Reason{
		"The score is {{F1}} of {{F2}}.": brief.Fine, "The score is 63.": brief.Typed, "अंक ६३ है।": brief.Typed,
		"{{F1}} and {{F2": brief.Typed, "The Nagas have {{F1}}.": brief.Community,
	} {
		if got := brief.RefuseWorded(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestWhatTheDoorStopsDoesNotLeave promises that the filter is the door's: of the made-up texts with personal data that the door knows,
// none leaves.
func TestWhatTheDoorStopsDoesNotLeave(t *testing.T) {
	left := 0
	all := piitest.Positives(25, 40)
	for _, p := range all {
		if brief.Refuse(p.Text) != brief.Personal {
			left++
		}
	}
	if left > len(all)/100 {
		t.Errorf("%d of %d leave", left, len(all))
	}
}
