package webtest

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

var (
	comment   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	ownColour = regexp.MustCompile(`(?i):[^;{}]*(#[0-9a-f]{3,8}\b|rgb\((?:[1-9]|0 0 [1-9]))`)
)

// Stylesheet checks the parts of the stylesheet under css: a slip in one cannot swallow the
// rules of the next, and no rule has a colour of its own, which one of the themes would
// then lack. Print has: it is always light. The part that says what the colours are is
// called 1-tokens.css.
func Stylesheet(t *testing.T, files fs.FS) {
	t.Helper()
	parts, err := fs.Glob(files, "css/*.css")
	if err != nil || len(parts) == 0 {
		t.Fatalf("found %d parts of the stylesheet (%v)", len(parts), err)
	}
	for _, part := range parts {
		text, err := fs.ReadFile(files, part)
		if err != nil {
			t.Fatal(err)
		}
		if !whole(comment.ReplaceAllString(string(text), "")) {
			t.Errorf("%s leaves a rule or a comment open, or closes one twice", part)
		}
		screen, _, _ := strings.Cut(string(text), "@media print")
		for i, line := range strings.Split(screen, "\n") {
			own := ownColour.MatchString(line) && !strings.Contains(line, "::backdrop")
			if own && part != "css/1-tokens.css" {
				t.Errorf("%s:%d has a colour of its own: %s", part, i+1, strings.TrimSpace(line))
			}
		}
	}
}

// whole reports whether what is opened in a stylesheet without comments is closed.
func whole(css string) bool {
	depth := 0
	for _, r := range css {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && !strings.Contains(css, "/*")
}
