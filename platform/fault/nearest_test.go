package fault_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
)

func TestASlipLeadsToTheNearestWordAndNothingElseDoes(t *testing.T) {
	words := []string{"read:cases", "read:audit", "propose:poolpatrol"}
	for typed, want := range map[string]string{
		"read:case": "read:cases", "raed:audit": "read:audit", "propose:poolpatrl": "propose:poolpatrol", "read:cases": "read:cases",
		"fly": "", "": "", "read:weather": "",
	} {
		if got := fault.Nearest(typed, 3, words); got != want {
			t.Errorf("%q leads to %q, want %q", typed, got, want)
		}
	}
	if got := fault.Nearest("abcd", 1, []string{"abxx", "abcx", "abcy"}); got != "abcx" {
		t.Errorf("of those that are as near, got %q", got)
	}
}
