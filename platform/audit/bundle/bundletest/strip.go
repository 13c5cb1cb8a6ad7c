package bundletest

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/audit/bundle"
)

// Strip leaves sections out, as if the bundle had never had them.
func (f *Forgery) Strip(t testing.TB, gone ...string) {
	t.Helper()
	m := f.Manifest(t)
	m.Sections = slices.DeleteFunc(m.Sections, func(p bundle.Part) bool { return slices.Contains(gone, p.Name) })
	for name := range f.Files {
		if top, _, in := strings.Cut(name, "/"); in && slices.Contains(gone, top) {
			delete(f.Files, name)
		}
	}
	f.SetManifest(t, m)
}
