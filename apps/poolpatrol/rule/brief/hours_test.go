package brief_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/brief"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// TestHoursAreSaidAsPeopleSayThem promises that days in a row are named by the first and the last, in both languages.
func TestHoursAreSaidAsPeopleSayThem(t *testing.T) {
	for _, tt := range []struct{ record, en, hi string }{
		{"Mon Tue Wed Thu Fri 22:00-06:00", "Mon–Fri 22:00-06:00", "सोम–शुक्र 22:00-06:00"},
		{"Mon Tue 07:00-16:00, Fri 07:00-15:00", "Mon Tue 07:00-16:00, Fri 07:00-15:00", "सोम मंगल 07:00-16:00, शुक्र 07:00-15:00"},
		{"Mon Wed Thu Fri 07:00-16:00", "Mon Wed–Fri 07:00-16:00", "सोम बुध–शुक्र 07:00-16:00"},
		{"Sat Sun Mon 07:00-16:00", "Sat Sun Mon 07:00-16:00", "शनि रवि सोम 07:00-16:00"},
		{"Mon 07:00-16:00 (start up to 09:00)", "Mon 07:00-16:00 (start up to 09:00)", "सोम 07:00-16:00 (start up to 09:00)"},
		{"", "", ""},
	} {
		if got := brief.Hours(tt.record); got.En != tt.en || got.Hi != tt.hi {
			t.Errorf("%q is said %q and %q, want %q and %q", tt.record, got.En, got.Hi, tt.en, tt.hi)
		}
	}
}

// TestNoDayIsLostInSayingHours promises that whoever writes the days out again has the record's own.
func TestNoDayIsLostInSayingHours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		for d := range 7 {
			if rapid.Bool().Draw(t, "works") {
				names = append(names, fleet.DayName(d))
			}
		}
		record := strings.Join(append(names, "07:00-16:00"), " ")
		var again []string
		for _, word := range strings.Split(brief.Hours(record).En, " ") {
			first, last, span := strings.Cut(word, "–")
			on := !span
			for d := range 7 {
				if span && fleet.DayName(d) == first {
					on = true
				}
				if span && on {
					again = append(again, fleet.DayName(d))
				}
				if fleet.DayName(d) == last {
					on = false
				}
			}
			if !span {
				again = append(again, word)
			}
		}
		if got := strings.Join(again, " "); got != record {
			t.Errorf("%q is said so that it reads %q", record, got)
		}
	})
}
