package bundle_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// TestOnlyWhatIsNoBundleIsCalledNone promises that half a download accuses nobody of
// anything, and that a bundle of which anything is left, however little, is never taken
// for something else: it was altered. Neither is ever genuine.
func TestOnlyWhatIsNoBundleIsCalledNone(t *testing.T) {
	s := bundletest.New(t)
	whole := s.Export(t, s.Case(t, 3))
	remains := func(names ...string) []byte {
		return trap(t, func(z *zip.Writer) {
			for _, name := range names {
				add(t, z, &zip.FileHeader{Name: name}, "x")
			}
		})
	}
	for name, tt := range map[string]struct {
		data []byte
		none bool
	}{
		"the whole":         {whole, false},
		"half a download":   {whole[:len(whole)/2], true},
		"a text":            {[]byte("root:x:0:0\n"), true},
		"nothing":           {nil, true},
		"another's zip":     {remains("holiday.jpg"), true},
		"a signature alone": {remains("manifest.sig", "holiday.jpg"), false},
		"a list alone":      {remains("manifest.json"), false},
		"bytes behind it":   {append(bytes.Clone(whole), "more"...), false},
		"a harmful name":    {remains("../x"), false},
	} {
		rep := bundletest.Verify(tt.data, bundle.Options{})
		if rep.NoBundle() != tt.none || name != "the whole" && rep.Verdict() != bundle.Altered {
			t.Errorf("%s: called no bundle %t, %s", name, rep.NoBundle(), rep.Verdict())
		}
	}
}
