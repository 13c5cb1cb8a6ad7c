package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
)

// TestNothingIsWrittenOverAFileThatChanged promises that a file which somebody saved while a report was written is left alone, and that a
// file is there whole or not at all.
func TestNothingIsWrittenOverAFileThatChanged(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "draft.md")
	if err := replace(name, nil, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace(name, []byte("one"), []byte("two")); fault.KindOf(err) != fault.Stale {
		t.Errorf("got %v", err)
	}
	if err := replace(name, nil, []byte("two")); fault.KindOf(err) != fault.Stale {
		t.Errorf("a file that came meanwhile: got %v", err)
	}
	if body, err := os.ReadFile(name); err != nil || string(body) != "theirs" {
		t.Errorf("got %q, %v", body, err)
	}
	if err := replace(name, []byte("theirs"), []byte("two")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if err := put(filepath.Join(dir, "no", "such.md"), nil); err == nil {
		t.Error("a folder that is not there was written to")
	}
}

// TestFilesOfAReportStandBesideIt promises their names.
func TestFilesOfAReportStandBesideIt(t *testing.T) {
	for name, want := range map[string]string{"a/draft.md": "a/draft.facts.json", "draft": "draft.facts.json",
		"a.b/draft.v1.md": "a.b/draft.v1.facts.json"} {
		if got := beside(name, ".facts.json"); got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
