package gavel_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// kindForm is how a package names a kind of record.
var kindForm = regexp.MustCompile(`\b(?:audit|log)\.Kind\s*=\s*"([a-z_]+)"`)

// TestEveryKindOfRecordHasAWord promises that nobody reads a name out of the code in the
// log: whatever a package writes there has a word in the messages. "seed" is what nobody
// may be told of.
func TestEveryKindOfRecordHasAWord(t *testing.T) {
	kinds := inSource(t, kindForm)
	delete(kinds, "seed")
	if len(kinds) < 30 {
		t.Errorf("only %d kinds were found: %v", len(kinds), kinds)
	}
	haveWords(t, "record.kind.", kinds)
}

// claimForm is how a check of a bundle is named: where it begins, as a constant, or in a
// table.
var claimForm = regexp.MustCompile(`(?:\brep\.Check\(|Claim = |^\t\t\{)"([a-z][a-z', ]+)"`)

// TestEveryCheckOfABundleHasAWord promises that a stranger who checks a file reads what
// was checked in their own language.
func TestEveryCheckOfABundleHasAWord(t *testing.T) {
	claims := inSource(t, claimForm)
	maps.DeleteFunc(claims, func(_, file string) bool {
		ours := strings.HasPrefix(file, "platform/bundle/") || strings.HasPrefix(file, "platform/agent/section")
		return !ours || strings.Contains(file, "bundletest")
	})
	if len(claims) < 30 {
		t.Errorf("only %d claims were found: %v", len(claims), claims)
	}
	haveWords(t, "verify.claim.", claims)
}

// becauseForm is how a fault is given its reason.
var becauseForm = regexp.MustCompile(`\.?Because\("([a-z0-9_]+)"`)

// TestEveryReasonHasWords promises that whatever is refused for a reason with a code is told
// in the reader's language, alike on a page and over the API, and that no reason has words
// for nothing.
func TestEveryReasonHasWords(t *testing.T) {
	reasons := inSource(t, becauseForm)
	if len(reasons) < 40 {
		t.Errorf("only %d reasons were found: %v", len(reasons), reasons)
	}
	haveWords(t, "reason.", reasons)
	walk(t, func(file string, text []byte) {
		said := map[string]string{}
		if path.Ext(file) != ".json" || json.Unmarshal(text, &said) != nil {
			return
		}
		for key := range said {
			code, is := strings.CutPrefix(strings.TrimSuffix(key, ".next"), "reason.")
			if is && reasons[code] == "" {
				t.Errorf("%s: %s has words, and nothing is refused for it", file, key)
			}
		}
	})
}

// walk shows every file of the project that is written by hand.
func walk(t *testing.T, show func(file string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != "." || d.Name() == "node_modules"):
			return fs.SkipDir
		case path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go"), strings.HasSuffix(file, "messages/en.json"):
			text, err := os.ReadFile(file)
			show(file, text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inSource finds what lines of the code name, and where.
func inSource(t *testing.T, form *regexp.Regexp) map[string]string {
	t.Helper()
	found := map[string]string{}
	walk(t, func(file string, text []byte) {
		for line := range strings.Lines(string(text)) {
			if m := form.FindStringSubmatch(line); m != nil && path.Ext(file) == ".go" {
				found[m[1]] = file
			}
		}
	})
	return found
}

// haveWords wants a message for each of what was found.
func haveWords(t *testing.T, prefix string, found map[string]string) {
	t.Helper()
	said := map[string]string{}
	walk(t, func(file string, text []byte) {
		if path.Ext(file) == ".json" {
			if err := json.Unmarshal(text, &said); err != nil { // adds to what is there
				t.Errorf("%s: %v", file, err)
			}
		}
	})
	for what, file := range found {
		if said[prefix+what] == "" {
			t.Errorf("%s: %q has no word: add %s%s to the messages", file, what, prefix, what)
		}
	}
}
