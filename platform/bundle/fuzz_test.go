package bundle_test

import (
	"bytes"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// FuzzVerify promises that no bytes whatever make the reader fail, and that none
// but a real bundle's are genuine. The seeds are a real bundle and its files.
func FuzzVerify(f *testing.F) {
	s := bundletest.New(f)
	data := s.Export(f, s.Case(f, 7))
	want := bundletest.TakeApart(f, data)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, got []byte) {
		if check(got, s.Public).Verdict() == bundle.Genuine {
			for name, body := range bundletest.TakeApart(t, got).Files { // packed bytes have bits that mean nothing
				if !bytes.Equal(body, want.Files[name]) {
					t.Errorf("another %s is genuine", name)
				}
			}
		}
		_, _ = bundle.Reperform(t.Context(), bytes.NewReader(got), int64(len(got)), bundle.Options{Sections: bundletest.Known()})
	})
}

// FuzzFiles promises the same behind the archive and the signature: every file
// in turn is replaced by anything, and the institution's own key signs it.
func FuzzFiles(f *testing.F) {
	s := bundletest.New(f)
	whole := bundletest.TakeApart(f, s.Export(f, s.Case(f, 7)))
	names := whole.Paths()
	for i, name := range names {
		f.Add(uint(i), whole.Files[name])
	}
	f.Fuzz(func(t *testing.T, which uint, body []byte) {
		one := whole.Copy()
		name := names[which%uint(len(names))]
		if name == "manifest.json" {
			return // FuzzVerify's; signing needs one that can be read
		}
		one.Files[name] = body
		one.SignWith(t, s.Secret)
		data := one.Pack(t)
		check(data, s.Public)
		_, _ = bundle.Reperform(t.Context(), bytes.NewReader(data), int64(len(data)), bundle.Options{Sections: bundletest.Known()})
	})
}
