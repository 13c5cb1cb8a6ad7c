package web_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestStaticFilesAreKeptForEverUnderTheirHash(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /page", "a page")
	page := s.ask("GET", "/page", "", "X-Test-Org", "north").Body.String()
	found := regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(found) != 6 {
		t.Fatalf("the page names %d static files, want stylesheet, icon and four scripts", len(found))
	}
	for _, m := range found {
		plain := s.ask("GET", m[1], "")
		if plain.Code != 200 || !strings.Contains(plain.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s got %d, %q", m[1], plain.Code, plain.Header().Get("Cache-Control"))
		}
		zipped := s.ask("GET", m[1], "", "Accept-Encoding", "br, gzip")
		in, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		if text, err := io.ReadAll(in); err != nil || string(text) != plain.Body.String() {
			t.Errorf("%s unzips to something else (%v)", m[1], err)
		}
		bare := regexp.MustCompile(`\.[0-9a-f]{12}\.`).ReplaceAllString(m[1], ".")
		if w := s.ask("GET", bare, ""); bare == m[1] || w.Code != 404 {
			t.Errorf("%s, without its hash, got %d", bare, w.Code)
		}
	}
}

func TestVendoredFilesAreWhatTheManifestSays(t *testing.T) {
	const dir = "static/vendor"
	var parts []struct {
		File, Package, Version, Licence, SHA256 string
		LicenceFile                             string `json:"licence_file"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"manifest.json": true}
	for _, p := range parts {
		named[p.File], named[p.LicenceFile] = true, true
		body, err := os.ReadFile(filepath.Join(dir, p.File))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(body)
		if got := hex.EncodeToString(sum[:]); got != p.SHA256 {
			t.Errorf("%s has sha256 %s, the manifest says %s", p.File, got, p.SHA256)
		}
		if p.Package == "" || p.Version == "" || p.Licence == "" || !strings.Contains(p.File, p.Version) {
			t.Errorf("the manifest is incomplete: %+v", p)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !named[f.Name()] {
			t.Errorf("the manifest does not name %s", f.Name())
		}
	}
}
