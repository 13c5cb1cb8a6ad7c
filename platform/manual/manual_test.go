package manual

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// serve serves documents to somebody, or to nobody in particular.
func serve(t *testing.T, files fs.FS, who identity.Actor) http.Handler {
	t.Helper()
	site, err := web.New(web.Config{Messages: []fs.FS{Messages()}, Manual: Path,
		Actor: func(context.Context) identity.Actor { return who }})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	New(files).Routes(mux)
	return site.Handler(mux)
}

func get(t *testing.T, h http.Handler, at string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", Messages())
}

var (
	hrefForm = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idForm   = regexp.MustCompile(`\sid="([^"]*)"`)
)

// ids are those of a page, each of which must be there once.
func ids(t *testing.T, at, body string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range idForm.FindAllStringSubmatch(body, -1) {
		if all[m[1]] {
			t.Errorf("%s has id %q twice", at, m[1])
		}
		all[m[1]] = true
	}
	return all
}

// TestEveryPageIsServedAndLeadsSomewhere promises that each document is a page, in
// both languages, and that every link on it, its anchor included, arrives.
func TestEveryPageIsServedAndLeadsSomewhere(t *testing.T) {
	h := serve(t, gavel.Documents(), identity.Actor{})
	lib, err := readLibrary(gavel.Documents())
	if err != nil || len(lib.byFile) < 50 {
		t.Fatalf("got %d documents, %v", len(lib.byFile), err)
	}
	bodies, has := map[string]string{}, map[string]map[string]bool{}
	fetch := func(at string) string {
		if _, known := bodies[at]; !known {
			w := get(t, h, at)
			if w.Code != http.StatusOK {
				t.Errorf("%s got %d", at, w.Code)
			}
			bodies[at] = w.Body.String()
			if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
				has[at] = ids(t, at, bodies[at])
			}
		}
		return bodies[at]
	}
	for _, at := range append([]string{Path, Path + "?q=bundle", Path + "?q=zzzz"}, addresses(lib)...) {
		for _, m := range hrefForm.FindAllStringSubmatch(fetch(at), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if to == "" {
				to = at
			}
			if !strings.HasPrefix(to, Path) {
				continue
			}
			if fetch(to); anchor != "" && !has[to][anchor] {
				t.Errorf("%s links to %s, which has no such heading", at, m[1])
			}
		}
	}
	for _, at := range addresses(lib) {
		hindi := get(t, h, at+"?lang=hi").Body.String()
		if !strings.Contains(hindi, `<html lang="hi"`) || !strings.Contains(hindi, `<article class="manual-text" lang="en">`) {
			t.Errorf("%s in Hindi does not say which words are in which language", at)
		}
		if strings.Contains(bodies[at], " style=") || strings.Contains(bodies[at], "<script>") {
			t.Errorf("%s has a style or a script that the policy refuses", at)
		}
	}
}

func addresses(lib *library) []string {
	var all []string
	for _, s := range lib.shelves {
		for _, pg := range s.pages {
			all = append(all, pg.address())
		}
	}
	return all
}

// TestALanguageChosenByTheAddressGoesAlong promises that links inside a text keep it.
func TestALanguageChosenByTheAddressGoesAlong(t *testing.T) {
	h := serve(t, gavel.Documents(), identity.Actor{})
	body := get(t, h, Path+"/project/readme?lang=hi").Body.String()
	for _, m := range hrefForm.FindAllStringSubmatch(body, -1) {
		u, err := url.Parse(m[1])
		if err != nil || strings.HasPrefix(u.Path, Path) && !strings.HasPrefix(u.Path, Path+"/pictures/") && u.Query().Get("lang") != "hi" {
			t.Errorf("%s loses the language (%v)", m[1], err)
		}
	}
}

// TestHTMLInADocumentIsShownAndNotObeyed promises that no document can put more on
// a page than text, and no picture or link of its own making.
func TestHTMLInADocumentIsShownAndNotObeyed(t *testing.T) {
	nasty := strings.Join([]string{
		`# A <b>title</b> & more`, `<script>alert(1)</script>`, `<div onclick="x()">block</div>`, `Inline <img src=x onerror=y> here.`,
		`[run](javascript:alert(1)) [data](data:text/html,x) [quoted](x"onmouseover=y)`,
		`![far](https://example.org/p.png "t") ![near](../pictures/"x.png)`, `## A " <i>heading</i>`,
		"| a <u>b</u> |\n|--:|\n| <style>x</style> |", `- [x] done`, "```<b>\n</code><b>\n```", "<!-- hidden\n-->",
	}, "\n\n")
	h := serve(t, fstest.MapFS{"docs/guide/nasty.md": {Data: []byte(nasty)}}, identity.Actor{})
	w := get(t, h, Path+"/guide/nasty")
	_, article, _ := strings.Cut(w.Body.String(), "<article")
	article, _, found := strings.Cut(article, "</article>")
	if w.Code != http.StatusOK || !found {
		t.Fatalf("got %d, %s", w.Code, w.Body)
	}
	for _, bad := range []string{"<script", "<div onclick", "<img src=x", `src="https`, "<b>", "<i>", "<u>", "<style", "<input", "<!--",
		`href="javascript`, `href="data`, `"onmouseover`, "style="} {
		if strings.Contains(article, bad) {
			t.Errorf("%s passed:\n%s", bad, article)
		}
	}
	for _, good := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;img src=x onerror=y&gt;", "<code>run</code>",
		"far", `class="num"`, "☑ done", "&lt;/code&gt;"} {
		if !strings.Contains(article, good) {
			t.Errorf("%s is not shown:\n%s", good, article)
		}
	}
}

// TestAPageThatIsNotThereIsADesigned404 promises a page that says where to look,
// whatever is asked for.
func TestAPageThatIsNotThereIsADesigned404(t *testing.T) {
	h := serve(t, gavel.Documents(), identity.Actor{})
	for _, at := range []string{"/docs/design/nowhere", "/docs/nowhere/demo", "/docs/design/demo.md", "/docs/pictures/none.jpg",
		"/docs/pictures/..%2fdesign%2fdemo.md", "/docs/design/..%2f..%2fgo.mod", "/docs/design"} {
		w := get(t, h, at, "Accept", "text/html")
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `class="failure`) {
			t.Errorf("%s got %d", at, w.Code)
		}
	}
	if w := get(t, h, "/docs/design/nowhere", "Accept", "text/html"); !strings.Contains(w.Body.String(),
		"see /docs, which lists the pages") {
		t.Error("the page does not say where to look")
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Path, nil)
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a POST got %d", w.Code)
	}
}

// TestWhatIsTheSameForAllIsKept promises that a browser that is not signed in need
// not fetch a page twice, and that a page with somebody's name on it is kept nowhere.
func TestWhatIsTheSameForAllIsKept(t *testing.T) {
	nobody := serve(t, gavel.Documents(), identity.Actor{})
	for _, at := range []string{Path, Path + "/design/demo", Path + "?q=demo", Path + "/pictures/inbox.jpg"} {
		one := get(t, nobody, at)
		tag := one.Header().Get("ETag")
		again := get(t, nobody, at, "If-None-Match", tag)
		if tag == "" || again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s with its tag %s got %d", at, tag, again.Code)
		}
		if other := get(t, nobody, at+"?lang=hi", "If-None-Match", tag); strings.HasPrefix(at, Path+"/design") &&
			other.Code != http.StatusOK {
			t.Errorf("%s in Hindi with the tag of the English page got %d", at, other.Code)
		}
	}
	rao := serve(t, gavel.Documents(), identity.Actor{Kind: identity.Person, ID: "p1", Name: "S. Rao", Org: "north",
		Roles: []identity.Role{identity.Officer}})
	w := get(t, rao, Path+"/design/demo")
	if w.Code != http.StatusOK || w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" ||
		!strings.Contains(w.Body.String(), "S. Rao") {
		t.Errorf("somebody's page got %d, %v", w.Code, w.Header())
	}
}

// TestPicturesHaveTheirTypeAndTheirSize promises that a picture arrives as one, and
// that a page keeps its place while it does.
func TestPicturesHaveTheirTypeAndTheirSize(t *testing.T) {
	h := serve(t, gavel.Documents(), identity.Actor{})
	w := get(t, h, Path+"/pictures/inbox.jpg")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/jpeg" || !strings.HasPrefix(w.Body.String(), "\xff\xd8\xff") {
		t.Errorf("got %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	if page := get(t, h, Path+"/guide/officer").Body.String(); !regexp.MustCompile(`<img src="/docs/pictures/inbox.jpg" alt="[^"]+" loading="lazy" width="\d+" height="\d+">`).MatchString(page) {
		t.Error("the officer's guide shows the inbox without its size, or not at all")
	}
}

// TestTheGuidesComeFirst promises that the contents open with the guides, and that design and
// project stand folded behind all others.
func TestTheGuidesComeFirst(t *testing.T) {
	body := get(t, serve(t, gavel.Documents(), identity.Actor{}), Path).Body.String()
	guide, fold := strings.Index(body, `id="guide"`), strings.Index(body, "<details")
	for _, shelf := range []string{"reference", "runbook"} {
		if at := strings.Index(body, `id="`+shelf+`"`); at < guide || at > fold {
			t.Errorf("%s stands at %d, the guides at %d and what is folded from %d on", shelf, at, guide, fold)
		}
	}
	for _, shelf := range []string{"design", "project"} {
		if at := strings.Index(body, `id="`+shelf+`"`); guide < 0 || at < fold {
			t.Errorf("%s stands at %d, before what is folded at %d", shelf, at, fold)
		}
	}
}
