// Package webtest holds checks that every package with pages makes of its own
// texts and, in a browser, of the pages.
package webtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/web"
)

var (
	keyForm    = regexp.MustCompile(`(?:\bT\(|\bKey:\s*|\breturn |Page\(r, )\s*"([a-z0-9_]+(?:\.[a-z0-9_ ]+)+)"`)
	prefixForm = regexp.MustCompile(`"([a-z0-9_]+(?:\.[a-z0-9_]+)*\.)(?:"|%)`)
)

// Messages checks the texts of the package in dir against its sources, and those
// of packages below it that have no texts of their own: every key a page names
// has a text in every language, and every text is named by a page, whole or by
// the prefix it is made from. Pages of other packages say words that begin with one
// of elsewhere.
func Messages(t *testing.T, dir string, own fs.FS, elsewhere ...string) {
	t.Helper()
	mine, err := web.LoadCatalogue(own)
	if err != nil {
		t.Fatal(err)
	}
	all := mine
	if !mine.Has("shell.gavel") {
		if all, err = web.LoadCatalogue(web.Messages(), own); err != nil {
			t.Fatal(err)
		}
	}
	keys, prefixes := named(t, dir)
	for _, prefix := range elsewhere {
		prefixes[prefix] = true
	}
	for key := range keys {
		if !all.Has(key) {
			t.Errorf("a page names message %s, which has no text", key)
		}
	}
	for _, key := range mine.Keys() {
		if several := strings.TrimSuffix(key, web.One); !keys[several] && !begins(key, prefixes) {
			t.Errorf("no page names message %s", key)
		}
	}
}

func begins(key string, prefixes map[string]bool) bool {
	for prefix := range prefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// named collects the keys and prefixes in a package's own sources.
func named(t *testing.T, dir string) (keys, prefixes map[string]bool) {
	t.Helper()
	keys, prefixes = map[string]bool{}, map[string]bool{}
	for _, file := range sources(t, dir) {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_templ.go") ||
			!strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".templ") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range keyForm.FindAllSubmatch(text, -1) {
			keys[string(m[1])] = true
		}
		for _, m := range prefixForm.FindAllSubmatch(text, -1) {
			prefixes[string(m[1])] = true
		}
	}
	return keys, prefixes
}

// sources are the files of a package, and of those below it that speak by its
// texts.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob(filepath.Join(dir, "*", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range below {
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "messages")); os.IsNotExist(err) {
			files = append(files, file)
		}
	}
	return files
}
