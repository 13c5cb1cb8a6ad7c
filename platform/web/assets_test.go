package web_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/web"
)

func TestStaticFilesAreKeptForEverUnderTheirHash(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /page", "a page")
	page := s.ask("GET", "/page", "", "X-Test-Org", "north").Body.String()
	found := regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(found) != 7 {
		t.Fatalf("the page names %d static files, want stylesheet, icon and five scripts", len(found))
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

// TestFilesOfOthersAreServedLikeOurOwn promises an application that its rules are in the
// one stylesheet, before those for small screens and print, that its other files have
// addresses with their hash, and that two files of one name are refused at the start.
func TestFilesOfOthersAreServedLikeOurOwn(t *testing.T) {
	theirs := fstest.MapFS{
		"css/1-mine.css": {Data: []byte(`.mine { background: url("mine.svg"); }`)},
		"mine.svg":       {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
	}
	s := newStand(t, func(c *web.Config) { c.Assets = []fs.FS{theirs} })
	s.page("GET /page", "a page")
	page := s.ask("GET", "/page", "", "X-Test-Org", "north").Body.String()
	css := s.ask("GET", regexp.MustCompile(`rel="stylesheet" href="([^"]+)"`).FindStringSubmatch(page)[1], "").Body.String()
	mine, last := strings.Index(css, ".mine {"), strings.Index(css, "---------- 7 ")
	if mine < strings.Index(css, "---------- 6 ") || mine > last {
		t.Errorf("their rules begin at %d, ours for small screens at %d", mine, last)
	}
	at := regexp.MustCompile(`\.mine \{ background: url\("([^"]+)"\)`).FindStringSubmatch(css)
	if at == nil || !regexp.MustCompile(`^/static/mine\.[0-9a-f]{12}\.svg$`).MatchString(at[1]) || s.ask("GET", at[1], "").Code != 200 {
		t.Errorf("their file is at %v", at)
	}
	if _, err := web.New(web.Config{Assets: []fs.FS{fstest.MapFS{"forms.js": {}}}}); err == nil || !strings.Contains(err.Error(),
		"forms.js") {
		t.Errorf("a second forms.js got %v", err)
	}
}

// TestAnIconIsNamedOrDrawn promises an application a picture of its own, and everybody that
// nothing but shapes comes out of one.
func TestAnIconIsNamedOrDrawn(t *testing.T) {
	for icon, want := range map[string]string{
		"left":                            `<path d="M10 3 5 8l5 5"/>`,
		`<path d="M1 1h2"/>` + "\n":       `<path d="M1 1h2"/>`,
		`<circle cx="1" cy="1" r="2"/>`:   `<circle cx="1" cy="1" r="2"/>`,
		"no such":                         "",
		`<script>x</script>`:              "",
		`<path d="M1" onclick="x"/>`:      "",
		`<path d="M1"/><image href="/"/>`: "",
	} {
		var out strings.Builder
		if err := web.Icon(icon).Render(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		inside := strings.TrimSuffix(out.String()[strings.Index(out.String(), ">")+1:], "</svg>")
		if strings.TrimSpace(inside) != want {
			t.Errorf("%q is drawn as %q, want %q", icon, inside, want)
		}
	}
}
