package bundle_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/audit/bundle/bundletest"
)

// leftKinds leave each section out, and each two, and all; and put another page around
// the same data.
func leftKinds(t *testing.T, s *scene) []kind {
	var names []string
	for _, p := range s.mine.Manifest(t).Sections {
		names = append(names, p.Name)
	}
	all := [][]string{names}
	for i, one := range names {
		all = append(all, []string{one})
		for _, other := range names[i+1:] {
			all = append(all, []string{one, other})
		}
	}
	var kinds []kind
	for _, gone := range all {
		what := fmt.Sprintf("leave out %v", gone)
		kinds = append(kinds, kind{"insider", what, "Section " + gone[len(gone)-1] + ",", func(t *testing.T, s *scene) []byte {
			f := s.mine.Copy()
			f.Strip(t, gone...)
			f.SignWith(t, s.stage.Secret)
			return f.Pack(t)
		}})
	}
	return kinds
}

// otherViewer is a page that says something else around the same data.
func otherViewer(t testing.TB, mine *bundletest.Forgery, secret string) []byte {
	f := mine.Copy()
	f.Files["index.html"] = bytes.Replace(f.Files["index.html"], []byte("</body>"), []byte("<h1>The decision was APPROVED by p:officer</h1></body>"), 1)
	f.SignWith(t, secret)
	return f.Pack(t)
}

// downgraded says that it is of the form that named no mandatory sections.
func downgraded(t testing.TB, mine *bundletest.Forgery, secret string) []byte {
	f := mine.Copy()
	m := f.Manifest(t)
	m.Format = "gavel-bundle/1"
	f.SetManifest(t, m)
	f.Strip(t, "decisions", "acts")
	f.SignWith(t, secret)
	return f.Pack(t)
}

// TestTamperingByLeavingOut promises that a bundle without one of its sections, or with
// another page around its data, is not called genuine, whoever signs it.
func TestTamperingByLeavingOut(t *testing.T) {
	s := newScene(t)
	var kinds []bundletest.Tampering
	for _, k := range leftKinds(t, s) {
		kinds = append(kinds, k.on(t, s))
	}
	kinds = append(kinds, bundletest.Tampering{Who: "insider", What: "put another page around the same data", Names: "index.html", Verdict: bundle.Unproven,
		Forge: func(t testing.TB) []byte { return otherViewer(t, s.mine, s.stage.Secret) }})
	kinds = append(kinds, bundletest.Tampering{Who: "insider", What: "leave out decisions and acts, and say it is of the former form", Names: "Section decisions,", Verdict: bundle.Unproven,
		Forge: func(t testing.TB) []byte { return downgraded(t, s.mine, s.stage.Secret) }})
	bundletest.Tamper(t, kinds, func(data []byte) *bundle.Report { return check(data, s.stage.Public) })
	for name, f := range map[string]*bundletest.Forgery{"mine": s.mine, "another": s.other, "erased in part": s.partly, "erased": s.wholly} {
		if rep := check(f.Copy().Pack(t), s.stage.Public); rep.Verdict() != bundle.Genuine {
			t.Errorf("%s: a true bundle is %s: %v", name, rep.Verdict(), rep.Findings())
		}
	}
	if !slices.ContainsFunc(kinds, func(k bundletest.Tampering) bool { return k.What == "leave out [decisions acts]" }) {
		t.Error("nobody left out decisions and acts")
	}
}
