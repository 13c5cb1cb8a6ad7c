package bundletest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle"
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

// LeftOut is an insider who leaves each section out, each two, and all.
func LeftOut(t testing.TB, mine *Forgery, secret string) []Tampering {
	t.Helper()
	var names []string
	for _, p := range mine.Manifest(t).Sections {
		names = append(names, p.Name)
	}
	kinds := []Tampering{without(mine, secret, "all sections left out", names...)}
	for i, one := range names {
		kinds = append(kinds, without(mine, secret, "section left out", one))
		for _, other := range names[i+1:] {
			kinds = append(kinds, without(mine, secret, "two sections left out", one, other))
		}
	}
	return kinds
}

// without wants each section named that is gone. Without the log no record is proven, so
// that only it and what every bundle has can be missed.
func without(mine *Forgery, secret, kind string, gone ...string) Tampering {
	missed := gone
	if slices.Contains(gone, "log") {
		missed = slices.DeleteFunc(slices.Clone(gone), func(name string) bool { return !slices.Contains(bundle.Mandatory(), name) })
	}
	k := Insider(fmt.Sprintf("leave out %v", gone), "", mine, secret, func(t testing.TB, f *Forgery) { f.Strip(t, gone...) })
	k.Kind, k.Names, k.Also = kind, "Section "+missed[len(missed)-1]+",", "Section "+missed[0]+","
	return k
}

// OtherViewer is an insider who puts a page that says something else around the same data.
func OtherViewer(mine *Forgery, secret string) Tampering {
	k := Insider("put another page around the same data", "index.html", mine, secret, func(_ testing.TB, f *Forgery) {
		says := []byte("<h1>The decision was APPROVED by p:officer</h1></body>")
		f.Files["index.html"] = bytes.Replace(f.Files["index.html"], []byte("</body>"), says, 1)
	})
	k.Kind, k.Verdict = "another viewer", bundle.Unproven
	return k
}

// Downgraded is an insider who leaves sections out and says that the bundle is of the form
// that named no mandatory ones.
func Downgraded(mine *Forgery, secret string) Tampering {
	const what = "leave out decisions and acts, and say it is of the former form"
	k := Insider(what, "Section decisions,", mine, secret, func(t testing.TB, f *Forgery) {
		m := f.Manifest(t)
		m.Format = "gavel-bundle/1"
		f.SetManifest(t, m)
		f.Strip(t, "decisions", "acts")
	})
	k.Kind, k.Also, k.Verdict = "section left out, and called the former form", "Section acts,", bundle.Unproven
	return k
}
