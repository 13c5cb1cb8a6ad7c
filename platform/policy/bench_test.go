package policy_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

// BenchmarkMay is what every page and every request pays, several times over.
func BenchmarkMay(b *testing.B) {
	r, officer := policy.Standard(), person(identity.Officer)
	for b.Loop() {
		if err := r.May(officer, "case.read"); err != nil {
			b.Fatal(err)
		}
	}
}
