package box_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/reportagent/rule/box"
)

// TestWhatIsPackedIsUnpacked promises that the standard library reads every file under its name, in any script, as it was put in; and
// that the same files make the same bytes.
func TestWhatIsPackedIsUnpacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zऊर्जाé_]{1,12}/[a-z0-9₂]{1,12}\.csv`), 0, 8, rapid.ID).Draw(t, "names")
		var first, again box.Box
		bodies := map[string][]byte{}
		for _, name := range names {
			bodies[name] = rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(t, "body")
			if err := first.Add(name, bodies[name]); err != nil {
				t.Fatal(err)
			}
			_ = again.Add(name, bodies[name]) // as before
		}
		file := first.Bytes()
		if !bytes.Equal(file, again.Bytes()) {
			t.Fatal("the same files make another zip")
		}
		z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil || len(z.File) != len(names) {
			t.Fatalf("%v, %d files of %d", err, len(z.File), len(names))
		}
		for i, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r) // which checks the sum
			if err != nil || f.Name != names[i] || f.NonUTF8 || !bytes.Equal(body, bodies[f.Name]) {
				t.Fatalf("%q came out as %q: %v", names[i], f.Name, err)
			}
		}
	})
}
