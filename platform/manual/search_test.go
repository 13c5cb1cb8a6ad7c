package manual

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/gavelhq/gavel"
	"github.com/gavelhq/gavel/platform/identity"
)

// shelfOfThree are documents in which the same words stand in different places.
func shelfOfThree(t testing.TB) *library {
	t.Helper()
	lib, err := readLibrary(fstest.MapFS{
		"docs/design/a.md": {Data: []byte("# Bundles\n\nA case for a stranger.\n\n## Keys\n\nThe *key* signs it.")},
		"docs/design/b.md": {Data: []byte("# Other\n\nOf cases.\n\n## A bundle's end\n\nIt ends in `gavel.case_entry`.\n\n## " +
			"More\n\nNothing.")},
		"docs/design/c.md": {Data: []byte("# Third\n\nA bundle, a bundle, a Bündel, a bundle; and a café\\_au lait &amp; milk.\n\n| " +
			"word | means |\n|---|---|\n| snapshot | bytes |")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// TestSearchFinds promises that pages with all words are found, the best first,
// whatever their case and accents.
func TestSearchFinds(t *testing.T) {
	lib := shelfOfThree(t)
	for _, tt := range []struct{ query, want string }{
		{"bundle", "a b c"},   // title, then heading, then text
		{"BUNDLES", "a"},      // only the last may be a beginning
		{"bundles key", "a"},  // words of two sections
		{"bundles ke", "a"},   // a beginning
		{"bundl key", ""},     // a beginning that is not the last
		{"buendel", ""},       // no spelling is guessed
		{"bundel", "c"},       // accents do not matter
		{"CAFE", "c"},         // nor does case
		{"cafe au", "c"},      // an escape is not part of a word
		{"case_entry", "b"},   // code is taken apart
		{"entry gavel", "b"},  // in any order
		{"milk", "c"},         // an entity is what it stands for
		{"amp", ""},           // and not how it is written
		{"snapshot", "c"},     // tables are read
		{"snapshotword", ""},  // cell by cell
		{"case bundles", "a"}, // text and title of one page
		{"zzz", ""},
		{"…!", ""},
	} {
		q, err := parseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, h := range lib.index.find(q).pages {
			names = append(names, h.page.name)
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%q found %q, want %q", tt.query, got, tt.want)
		}
	}
}

// TestSearchShowsWhereTheWordsStand promises the section and the words around,
// with what was searched for marked.
func TestSearchShowsWhereTheWordsStand(t *testing.T) {
	q, err := parseQuery("ends gavel")
	if err != nil {
		t.Fatal(err)
	}
	got := shelfOfThree(t).index.find(q).pages[0]
	if len(got.places) != 1 || got.places[0].section.anchor != "a-bundles-end" ||
		placeAddress(got, got.places[0]) != "/docs/design/b#a-bundles-end" {
		t.Errorf("got %+v", got.places)
	}
	var b strings.Builder
	for _, s := range got.places[0].text {
		if s.marked {
			b.WriteString("[" + s.text + "]")
		} else {
			b.WriteString(s.text)
		}
	}
	if want := "It [ends] in [gavel].case_entry."; b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}

// TestTheDocumentsAnswerWhatPeopleAsk promises that the page somebody would want
// is the first, on the documents as they are.
func TestTheDocumentsAnswerWhatPeopleAsk(t *testing.T) {
	lib, err := readLibrary(gavel.Documents())
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"outbox": "/docs/design/outbox", "webhooks": "/docs/design/webhooks", "temporal is down": "/docs/runbook/engine-down",
		"for officers": "/docs/guide/officer", "contributing": "/docs/project/contributing", "demonstration": "/docs/design/demo",
		"personal data": "/docs/design/personal-data",
	} {
		q, err := parseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if f := lib.index.find(q); len(f.pages) == 0 || f.pages[0].page.address() != want {
			t.Errorf("%q: the first of %d is not %s", query, f.all, want)
		}
	}
}

// TestTheSearchPageSaysWhatItFound promises a count and marks, a next step where
// nothing was found, and a bound that is told.
func TestTheSearchPageSaysWhatItFound(t *testing.T) {
	h := serve(t, gavel.Documents(), identity.Actor{})
	for _, tt := range []struct {
		query  string
		status int
		says   []string
	}{
		{"outbox", http.StatusOK, []string{"<mark>outbox</mark>", " pages", `value="outbox"`, `href="/docs/design/outbox"`}},
		{"zzzz", http.StatusOK, []string{"No page has all of these words", "Try fewer words", "All pages"}},
		{`"><script>x</script>`, http.StatusOK, []string{`value="&#34;&gt;&lt;script&gt;`}},
		{strings.Repeat("é", 101), http.StatusUnprocessableEntity, []string{"over 200 bytes", `aria-invalid="true"`}},
		{"  ", http.StatusOK, []string{"Guides, by role"}},
		{"\xff\xfe", http.StatusOK, []string{"Guides, by role"}},
	} {
		w := get(t, h, Path+"?q="+url.QueryEscape(tt.query))
		if w.Code != tt.status {
			t.Errorf("%.20q got %d, want %d", tt.query, w.Code, tt.status)
		}
		for _, want := range tt.says {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%.20q does not say %s", tt.query, want)
			}
		}
		if strings.Contains(w.Body.String(), "<script>x") {
			t.Errorf("%.20q passed a script", tt.query)
		}
	}
}

// FuzzQuery promises that nothing anybody types breaks the search, or comes back
// other than it was.
func FuzzQuery(f *testing.F) {
	lib := shelfOfThree(f)
	for _, seed := range []string{"", "bundle", "Café  KEY", "a\u0301b", "ﬁ", "मामला", "\xff", "case_entry!", strings.Repeat("x ", 120)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		q, err := parseQuery(typed)
		if !utf8.ValidString(q.text) || len(q.text) > MaxText || err != nil && len(q.words) > 0 {
			t.Fatalf("%q became %+v, %v", typed, q, err)
		}
		var whole strings.Builder
		for _, s := range marked(q.text, q) {
			whole.WriteString(s.text)
		}
		if whole.String() != q.text {
			t.Fatalf("%q became %q", q.text, whole.String())
		}
		found := lib.index.find(q)
		if len(found.pages) > found.all || len(q.words) == 0 && found.all > 0 {
			t.Fatalf("%q found %d of %d", typed, len(found.pages), found.all)
		}
		if text := around(strings.Repeat(q.text+" ", 4), q); !utf8.ValidString(text) || len(text) > excerpt+20 {
			t.Fatalf("%q became %q", typed, text)
		}
	})
}

// BenchmarkFind is a search of the documents as they are.
func BenchmarkFind(b *testing.B) {
	lib, err := readLibrary(gavel.Documents())
	if err != nil {
		b.Fatal(err)
	}
	q, err := parseQuery("case bundle a")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		lib.index.find(q)
	}
}

// TestTheReadmeIsFoundByItsName promises that the page a repository shows first is listed
// and found as what people call it, though its heading is the product's name.
func TestTheReadmeIsFoundByItsName(t *testing.T) {
	h := serve(t, gavel.Documents(), identity.Actor{})
	for _, at := range []string{Path, Path + "?q=readme", Path + "/project/readme"} {
		if body := get(t, h, at).Body.String(); !strings.Contains(body, "Gavel: the ") || !strings.Contains(body, "README") {
			t.Errorf("%s does not name the README", at)
		}
	}
	if body := get(t, h, Path+"?q=readme").Body.String(); !strings.Contains(body, `href="`+Path+`/project/readme`) {
		t.Error("searching for readme does not find it")
	}
}
