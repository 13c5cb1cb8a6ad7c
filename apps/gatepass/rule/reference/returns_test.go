package reference_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
)

// TestWhetherSomebodyComesBackIsOnlyWhatWasSaid promises, message by message, when it is known and when it must be asked.
func TestWhetherSomebodyComesBackIsOnlyWhatWasSaid(t *testing.T) {
	for _, tt := range []struct {
		said  []string
		asked bool
		want  string
	}{
		{[]string{"Pass for Ravi Kumar, bank, back by five"}, false, "yes"},
		{[]string{"Pass for Ravi Kumar, he will return"}, false, "yes"},
		{[]string{"Ravi Kumar leaves for good, he will not come back"}, false, "no"},
		{[]string{"Pass for Ravi, non-returnable"}, false, "no"},
		{[]string{"Pass for Ravi, one way"}, false, "no"},
		{[]string{"He won't be coming back"}, false, "no"},
		{[]string{"रवि बैंक जाएगा और वापस आएगा"}, false, "yes"},
		{[]string{"रवि वापस नहीं आएगा"}, false, "no"},
		{[]string{"ravi wapas nahi aayega"}, false, "no"},
		{[]string{"Pass for Ravi Kumar, to the bank"}, false, "unknown"},
		{[]string{"Pass for Ravi Kumar, to the bank", "yes"}, false, "unknown"},
		{[]string{"Pass for Ravi Kumar, to the bank", "yes"}, true, "yes"},
		{[]string{"Pass for Ravi Kumar, to the bank", "No, he is leaving."}, true, "no"},
		{[]string{"Pass for Ravi Kumar, to the bank", "जी हाँ"}, true, "yes"},
		{[]string{"Pass for Ravi Kumar, back by five", "sorry, he does not come back"}, false, "no"},
		{[]string{"yes", "Pass for Ravi"}, true, "unknown"},
		{[]string{"Ravi comes back, but Rekha does not come back at all today"}, false, "unknown"},
		{nil, true, "unknown"},
	} {
		comes, known := reference.Returns(tt.said, tt.asked)
		got := map[bool]string{true: "yes", false: "no"}[comes]
		if !known {
			got = "unknown"
		}
		if got != tt.want {
			t.Errorf("%q (asked %v): got %s, want %s", tt.said, tt.asked, got, tt.want)
		}
	}
}

// TestNothingIsDoneToAPassThatIsNotMeant promises which passes a message lets something be done to.
func TestNothingIsDoneToAPassThatIsNotMeant(t *testing.T) {
	scenes := map[string]reference.Scene{"spoken": spoken(), "listed": listed(), "nothing": {}}
	for _, tt := range []struct {
		scene, message string
		n              number.Number
		want           bool
	}{
		{"nothing", "approve GP-2026-0099", "GP-2026-0099", true},
		{"nothing", "approve GP-2026-0099", "GP-2026-0098", false},
		{"nothing", "approve GP-2026-0099 and GP-2026-0098", "GP-2026-0098", true},
		{"nothing", "approve GP-2026-0099 and GP-2026-0098", "GP-2026-0097", false},
		{"listed", "approve the second one", "GP-2026-0012", true},
		{"listed", "approve the second one", "GP-2026-0013", false},
		{"listed", "approve all", "GP-2026-0013", true},
		{"listed", "approve all", "GP-2026-0099", false},
		{"listed", "approve it", "GP-2026-0013", false},
		{"listed", "pass 12", "GP-2026-0012", false}, // there are two
		{"spoken", "approve it", "GP-2026-0012", true},
		{"spoken", "approve it", "GP-2026-0013", false},
		{"spoken", "yes please", "GP-2026-0012", true},
		{"spoken", "yes please", "GP-2026-0013", false},
		{"nothing", "yes please", "GP-2026-0012", false},
	} {
		if got, m := reference.Means(tt.message, scenes[tt.scene], reference.Ref{Number: tt.n}); got != tt.want {
			t.Errorf("%s, %q, %s: got %v (%+v)", tt.scene, tt.message, tt.n, got, m)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.StringN(0, 60, 200).Draw(t, "message")
		scene := scenes[rapid.SampledFrom([]string{"spoken", "listed", "nothing"}).Draw(t, "scene")]
		n := number.Number(rapid.SampledFrom([]string{"GP-2026-0012", "GP-2026-0013", "GP-2026-0077"}).Draw(t, "number"))
		if ok, _ := reference.Means(message, scene, reference.Ref{Number: n}); ok && !reference.Grounded(n, []string{message}, scene) {
			t.Fatalf("%q means %s, which nobody named", message, n)
		}
	})
}
