package web_test

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/web/webtest"
)

const (
	tokensFile = "static/css/1-tokens.css"
	lightStart = ":root {"
	darkStart  = `:root[data-theme="dark"] {`
	autoStart  = `:root:not([data-theme="light"]) {`
)

// block is what stands between a rule's opening and the end of the rule.
func block(t *testing.T, css, start string) string {
	t.Helper()
	_, after, ok := strings.Cut(css, start)
	body, _, ended := strings.Cut(after, "\n}")
	if !ok || !ended {
		t.Fatalf("%s was not found", start)
	}
	return body
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheTwoDarkThemesAreEqual(t *testing.T) {
	css := readFile(t, tokensFile)
	if block(t, css, autoStart) != block(t, css, darkStart) {
		t.Error("dark by system and dark by choice differ")
	}
}

// colours are the tokens of a theme that are colours.
func colours(t *testing.T, css string) map[string]float64 {
	t.Helper()
	found := map[string]float64{"white": 1}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): *#([0-9a-f]{6})\b`).FindAllStringSubmatch(css, -1) {
		n, err := strconv.ParseUint(m[2], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		found[m[1]] = luminance(n)
	}
	return found
}

// luminance and contrast are WCAG 2.2's.
func luminance(rgb uint64) float64 {
	part := func(shift uint) float64 {
		c := float64(rgb>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// TestContrastHolds promises that what is read and what must be seen stands out
// from what it stands on, in both themes: 4.5 to 1 for text, 3 to 1 for edges and
// marks.
func TestContrastHolds(t *testing.T) {
	const text, mark = 4.5, 3.0
	on := func(least float64, fronts, grounds string) [][3]any {
		var pairs [][3]any
		for _, front := range strings.Fields(fronts) {
			for _, ground := range strings.Fields(grounds) {
				pairs = append(pairs, [3]any{front, ground, least})
			}
		}
		return pairs
	}
	pairs := on(text, "ink ink-2 ink-3 accent accent-2", "paper surface sunken accent-soft")
	for _, more := range [][][3]any{
		on(text, "accent-ink", "accent accent-2"), on(text, "paper", "ink"), on(text, "ink ink-2", "note-ok note-draft mark"),
		on(text, "ok", "ok-soft surface paper"), on(text, "warn", "warn-soft surface paper"), on(text, "bad", "bad-soft surface paper"),
		on(text, "ink ink-2", "ok-soft warn-soft bad-soft"), on(text, "white", "go ask stop"),
		on(text, "r-ink", "r1 r2 r3"), on(text, "r-ink-2", "r4 r5"),
		on(mark, "line-2", "paper surface"), on(mark, "focus", "paper surface sunken"), on(mark, "c1 c2 c3 c4 c5 c6", "surface"),
		on(mark, "note-ok-edge", "note-ok paper"), on(mark, "note-draft-edge", "note-draft paper"),
		on(mark, "ok warn bad", "paper surface"),
	} {
		pairs = append(pairs, more...)
	}
	css := readFile(t, tokensFile)
	for theme, start := range map[string]string{"light": lightStart, "dark": darkStart} {
		known := colours(t, block(t, css, start))
		for _, pair := range pairs {
			front, ground, least := pair[0].(string), pair[1].(string), pair[2].(float64)
			a, okA := known[front]
			b, okB := known[ground]
			if !okA || !okB {
				t.Fatalf("%s: there is no token %s or %s", theme, front, ground)
			}
			if got := contrast(a, b); got < least {
				t.Errorf("%s: --%s on --%s is %.2f, want %.1f", theme, front, ground, got, least)
			}
		}
	}
}

// TestEveryPartOfTheStylesheetIsWhole promises that a slip in one part cannot swallow the
// rules of the next, and that no rule has a colour of its own.
func TestEveryPartOfTheStylesheetIsWhole(t *testing.T) { webtest.Stylesheet(t, os.DirFS("static")) }

// TestTheGalleryStylesNothingElse promises that a rule for the gallery of components meets
// no page: it goes to everybody with the others, and its names are plain words.
func TestTheGalleryStylesNothingElse(t *testing.T) {
	css := regexp.MustCompile(`(?s)/\*.*?\*/|@media[^{]*`).ReplaceAllString(readFile(t, "static/css/6z-gallery.css"), "")
	for _, rule := range regexp.MustCompile(`[^{}]+[{][^{}]`).FindAllString(css, -1) {
		selector, _, _ := strings.Cut(rule, "{")
		if selector = strings.TrimSpace(selector); selector != "" && !strings.HasPrefix(selector, ".gallery") {
			t.Errorf("%s is not kept to the gallery", selector)
		}
	}
}

// TestScriptsAndFontsStayLight promises what a phone on a poor line has to fetch:
// all scripts of all pages together at most 40 kB as they are sent, fonts at most
// 150 kB, and those by readers of Hindi only.
func TestScriptsAndFontsStayLight(t *testing.T) {
	scripts, fonts := 0, 0
	err := filepath.WalkDir("static", func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(file)
		switch filepath.Ext(file) {
		case ".js":
			scripts += zipped(t, body)
		case ".woff2":
			fonts += len(body)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("scripts %d bytes, fonts %d bytes", scripts, fonts)
	if scripts == 0 || scripts > 40_000 {
		t.Errorf("scripts are %d bytes, want at most 40,000", scripts)
	}
	if fonts == 0 || fonts > 150_000 {
		t.Errorf("fonts are %d bytes, want at most 150,000", fonts)
	}
}

func zipped(t *testing.T, body []byte) int {
	t.Helper()
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Len()
}

// TestHindiHasItsLetters promises that the letters of Hindi come from this server,
// under an address with the hash of their content, are asked for at once by pages
// in Hindi, and by no others.
func TestHindiHasItsLetters(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /page", "a page")
	hindi, english := s.ask("GET", "/page?lang=hi", "").Body.String(), s.ask("GET", "/page", "").Body.String()
	early := regexp.MustCompile(`<link rel="preload" as="font" type="font/woff2" crossorigin href="([^"]+)"`).FindStringSubmatch(hindi)
	if early == nil || !strings.Contains(hindi, `<html lang="hi"`) {
		t.Fatal("a page in Hindi does not ask for its letters, or does not say its language")
	}
	if strings.Contains(english, ".woff2") {
		t.Error("a page in English asks for letters of Hindi")
	}
	sheet := regexp.MustCompile(`rel="stylesheet" href="([^"]+)"`).FindStringSubmatch(hindi)[1]
	urls := regexp.MustCompile(`url\("([^"]+)"\)`).FindAllStringSubmatch(s.ask("GET", sheet, "").Body.String(), -1)
	if len(urls) != 2 || urls[0][1] != early[1] {
		t.Errorf("the stylesheet fetches %v, the page %s", urls, early[1])
	}
	for _, u := range urls {
		w := s.ask("GET", u[1], "", "Accept-Encoding", "gzip")
		if w.Code != 200 || w.Header().Get("Content-Type") != "font/woff2" || !strings.HasPrefix(w.Body.String(), "wOF2") {
			t.Errorf("%s got %d, %s", u[1], w.Code, w.Header().Get("Content-Type"))
		}
	}
}

// TestATableOfNamesScrollsAndShowsThatItDoes promises on a phone that a name in a table of
// the documentation is not broken into letters, and that what scrolls sideways in its
// box, there and on every other page, shows an edge on the side where more of it is.
func TestATableOfNamesScrollsAndShowsThatItDoes(t *testing.T) {
	css := readFile(t, "static/css/6j-manual.css")
	_, after, found := strings.Cut(css, ".manual-text :not(pre) > code {")
	if !found || !strings.Contains(after, ".manual-text td code { overflow-wrap: break-word; }") {
		t.Error("names in tables are broken as they are in running text")
	}
	edge := block(t, readFile(t, "static/css/5a-components.css"), ".table-wrap, .manual-text pre.code, .rail {")
	if !strings.Contains(edge, "local, local, scroll, scroll") || strings.Count(edge, "var(--line-2)") != 2 ||
		strings.Count(edge, "var(--ground)") != 2 {
		t.Errorf("what scrolls has no edge on both sides:\n%s", edge)
	}
}
