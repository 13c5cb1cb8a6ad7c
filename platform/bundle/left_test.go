package bundle_test

import (
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// TestTamperingByLeavingOut promises that a bundle without one of its sections, or with
// another page around its data, is not called genuine, whoever signs it, and that no true
// bundle is refused for what it never had.
func TestTamperingByLeavingOut(t *testing.T) {
	s := newScene(t)
	verify := func(data []byte) *bundle.Report { return check(data, s.stage.Public) }
	kinds := append(bundletest.LeftOut(t, s.mine, s.stage.Secret),
		bundletest.OtherViewer(s.mine, s.stage.Secret), bundletest.Downgraded(s.mine, s.stage.Secret))
	bundletest.Tamper(t, kinds, verify)
	bundletest.Whole(t, map[string][]byte{
		"mine, as it left": s.packed, "mine": s.mine.Pack(t), "another": s.other.Pack(t),
		"erased in part": s.partly.Pack(t), "erased": s.wholly.Pack(t),
	}, verify)
	if !slices.ContainsFunc(kinds, func(k bundletest.Tampering) bool { return k.What == "leave out [decisions acts]" }) {
		t.Error("nobody left out decisions and acts")
	}
}
