package gavel_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// What somebody has to read who wants an application of their own.
const (
	maxExample  = 250 // lines of Go and templ, with its test and without what templ writes
	maxConcepts = 9   // that the guide explains
)

// TestTheSmallestApplicationStaysSmall promises that whoever adds something that every
// application must have sees it in the example first.
func TestTheSmallestApplicationStaysSmall(t *testing.T) {
	lines := 0
	err := fs.WalkDir(os.DirFS("examples/hello"), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" && path.Ext(name) != ".templ" || strings.HasSuffix(name, "_templ.go") {
			return err
		}
		text, err := os.ReadFile(path.Join("examples/hello", name))
		for line := range strings.Lines(string(text)) {
			if n := len([]rune(line)); n > 141 {
				t.Errorf("%s has a line of %d columns", name, n)
			}
			lines++
		}
		return err
	})
	if err != nil || lines == 0 || lines > maxExample {
		t.Errorf("examples/hello has %d lines of Go and templ, want at most %d (%v)", lines, maxExample, err)
	}
	guide := documents(t)["docs/guide/your-own-application.md"]
	if n := len(regexp.MustCompile(`(?m)^\| [0-9]+ \| `).FindAllString(guide, -1)); n == 0 || n > maxConcepts {
		t.Errorf("the guide has %d concepts, want at most %d", n, maxConcepts)
	}
}
