package gavel_test

import (
	"encoding/json"
	"io/fs"
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
	said, kinds := map[string]bool{}, map[string]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != "." || d.Name() == "node_modules"):
			return fs.SkipDir
		case strings.HasSuffix(file, "messages/en.json"):
			var all map[string]string
			text, err := os.ReadFile(file)
			if err == nil {
				err = json.Unmarshal(text, &all)
			}
			for key := range all {
				said[key] = true
			}
			return err
		case path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go"):
			text, err := os.ReadFile(file)
			for _, m := range kindForm.FindAllStringSubmatch(string(text), -1) {
				kinds[m[1]] = file
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(kinds, "seed")
	if len(kinds) < 30 {
		t.Errorf("only %d kinds were found: %v", len(kinds), kinds)
	}
	for kind, file := range kinds {
		if !said["record.kind."+kind] {
			t.Errorf("%s: records of kind %q have no word: add record.kind.%s to the messages", file, kind, kind)
		}
	}
}
