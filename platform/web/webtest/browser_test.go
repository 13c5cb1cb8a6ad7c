//go:build browser

package webtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// wrong are pages with one fault each, and in which of the two views of VIEWS=few it is
// to be found: narrow and light, or wide and dark.
var wrong = []struct{ name, style, body, narrow, wide string }{
	{"well", "", "", "", ""},
	{"faint", "p { color: #eee }", "<p>text", "axe serious color-contrast", "axe serious color-contrast"},
	{"faint-in-dark", "@media (prefers-color-scheme: dark) { body { background: #000; color: #fff } p { color: #222 } }", "<p>text", "",
		"axe serious color-contrast"},
	{"too-wide-for-a-phone", "div { width: 300px } @media (width < 400px) { div { width: 500px } }", "<div>text</div>",
		"scrolls sideways by", ""},
	{"too-wide-for-a-desk", "@media (width > 1000px) { div { width: 1500px } }", "<div>text</div>", "", "scrolls sideways by"},
	{"no-label", "", "<input>", "axe critical label", ""},
	{"no-label-on-a-desk", "@media (width < 600px) { nav { display: none } }", "<nav><input></nav>", "", "axe critical label"},
	{"small", "button { display: block; width: 9px; height: 9px; padding: 0; font-size: 5px }",
		"<button>a</button><button>b</button><button>c</button>",
		"axe serious target-size", "axe serious target-size"},
	{"small-on-a-desk", "button { display: block; width: 40px; height: 40px } @media (width > 1000px) { button { width: 9px; height: " +
		"9px; padding: 0; font-size: 5px } }",
		"<button>a</button><button>b</button><button>c</button>", "", "axe serious target-size"},
	{"error-on-a-desk", "", "<script>if (innerWidth > 1000) setTimeout(() => { throw new Error('planted') })</script>", "",
		"script: planted"},
	{"never-at-rest", "", "<div data-live-status data-state=wait></div>", "does not come to rest", "does not come to rest"},
}

// TestWhatIsWrongIsFound promises that the check of a page sees what is wrong with it in
// the view in which it is wrong, although only one view has all of axe.
func TestWhatIsWrongIsFound(t *testing.T) {
	mux := http.NewServeMux()
	args := []string{"--out", t.TempDir()}
	for _, page := range wrong {
		mux.HandleFunc("/"+page.name, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>x</title>
				<style>body { background: #fff; color: #000 } %s</style><main><h1>x</h1>%s</main></html>`, page.style, page.body)
		})
		args = append(args, page.name+"@/"+page.name)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	cmd := command(t, append([]string{"check.mjs", "--base", server.URL}, args...)...)
	cmd.Env = append(cmd.Env, "VIEWS=few", "PATIENCE=20", "PAGES_SEEN=")
	said, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("all is said to be well")
	}
	for _, page := range wrong {
		for view, want := range map[string]string{"360 light": page.narrow, "1280 dark": page.wide} {
			found := section(string(said), page.name+"@/"+page.name+" "+view)
			if want == "" && found != "ok" || !strings.Contains(found, want) {
				t.Errorf("%s at %s: got %q, want %q", page.name, view, found, want)
			}
		}
	}
}

// section is what was said of a page in a view: ok, or what is wrong.
func section(said, of string) string {
	var found []string
	here := false
	for line := range strings.Lines(said) {
		switch {
		case strings.HasPrefix(line, "ok    "+of):
			return "ok"
		case strings.HasPrefix(line, "FAIL  "):
			here = strings.HasPrefix(line, "FAIL  "+of)
		case here && strings.HasPrefix(line, "      "):
			found = append(found, strings.TrimSpace(line))
		default:
			here = false
		}
	}
	return strings.Join(found, "; ")
}
