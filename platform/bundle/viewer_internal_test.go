package bundle

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "add the page that ships to the list of known ones")

// TestTheViewerThatShipsIsKnown promises that no program gives out a page which the next
// one does not know: change the viewer, and add it with -update. Lines are never removed.
func TestTheViewerThatShipsIsKnown(t *testing.T) {
	m := Manifest{Format: Format, Case: "case_01ARZ3NDEKTSV4RRFFQ69G5FAV"}
	ships, err := viewerOf(m, newDraft())
	if err != nil {
		t.Fatal(err)
	}
	known(t, ships, m.Case)
	for _, name := range []string{"testdata/v1.zip", "testdata/v2.zip"} { // of programs of their time
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = z.Close() })
		text := func(name string) []byte {
			f, err := z.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			return body
		}
		old, err := parseManifest(text(manifestFile))
		if err != nil {
			t.Fatal(err)
		}
		known(t, text(viewerFile), old.Case)
	}
}

func known(t *testing.T, text []byte, caseID string) {
	t.Helper()
	p := &page{}
	if err := p.begin(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	_, p.after, _ = bytes.Cut(text, []byte(dataOpens))
	_, p.after, _ = bytes.Cut(p.after, []byte(dataCloses))
	sum := p.shell(caseID).String()
	if strings.Contains(knownViewers, sum) {
		return
	}
	if !*update {
		t.Errorf("the page %s is not in viewer/known.txt: run this test with -update", sum)
		return
	}
	knownViewers += sum + " " + time.Now().UTC().Format("2006-01-02") + "\n"
	if err := os.WriteFile("viewer/known.txt", []byte(knownViewers), 0o644); err != nil {
		t.Fatal(err)
	}
}
