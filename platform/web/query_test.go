package web_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// TestAnAddressHoldsWhatIsSetAndNothingElse promises addresses that people can read,
// with every value escaped.
func TestAnAddressHoldsWhatIsSetAndNothingElse(t *testing.T) {
	for _, tt := range []struct {
		pairs []string
		want  string
	}{
		{nil, "/cases"},
		{[]string{"state", ""}, "/cases"},
		{[]string{"state", "open", "after", ""}, "/cases?state=open"},
		{[]string{"state", "open", "after", "a b&c"}, "/cases?after=a+b%26c&state=open"},
	} {
		if got := web.Address("/cases", tt.pairs...); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.pairs, got, tt.want)
		}
	}
}

// TestValuesThatNoPageWritesAreRefused promises that what somebody made up in an
// address does not reach the database.
func TestValuesThatNoPageWritesAreRefused(t *testing.T) {
	for value, fine := range map[string]bool{"": true, "VP-101": true, "दिल्ली": true, strings.Repeat("a", 200): true,
		strings.Repeat("a", 201): false, "a\x00b": false, "a\nb": false, "\xff": false} {
		if err := web.Plain("well", value); fault.Is(err, fault.Invalid) == fine {
			t.Errorf("%.20q: got %v", value, err)
		}
	}
}

// TestAFaultIsSaidInSentences promises that people read what was wrong and what to
// do as sentences.
func TestAFaultIsSaidInSentences(t *testing.T) {
	for want, err := range map[string]error{
		"The file is empty.":                     fault.New(fault.Invalid, "the file is empty"),
		"The file is empty. Choose another one.": fault.New(fault.Invalid, "the file is empty.").WithNext("choose another one"),
		"दिल्ली.":                                fault.New(fault.Invalid, "दिल्ली"), // no letter is cut in two
		"Éirinn.":                                fault.New(fault.Invalid, "éirinn"),
	} {
		if got := web.Said(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
