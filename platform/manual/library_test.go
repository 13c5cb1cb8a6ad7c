package manual

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"

	"github.com/gavelhq/gavel"
)

// repository is every Markdown file people wrote, those that are not served, too.
func repository(t *testing.T) map[string]*page {
	t.Helper()
	all, root := map[string]*page{}, os.DirFS("../..")
	parse := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	err := fs.WalkDir(root, ".", func(at string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && at != "."
		if err != nil || d.IsDir() && (hidden || slices.Contains([]string{"node_modules", "bin", "dist"}, d.Name())) {
			if err != nil {
				return err
			}
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(at) != ".md" {
			return nil
		}
		source, err := fs.ReadFile(root, at)
		all[at] = readPage(parse, at, source)
		return err
	})
	if err != nil || len(all) < 50 {
		t.Fatalf("got %d documents, %v", len(all), err)
	}
	return all
}

// TestEveryLinkOfEveryDocumentArrives promises that whoever follows a link in the
// repository finds the file and the heading it names.
func TestEveryLinkOfEveryDocumentArrives(t *testing.T) {
	all := repository(t)
	for file, pg := range all {
		_ = ast.Walk(pg.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			to := ""
			switch n := n.(type) {
			case *ast.Link:
				to = string(n.Destination)
			case *ast.Image:
				to = string(n.Destination)
			}
			if !entering || to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				return ast.WalkContinue, nil
			}
			rel, anchor, _ := strings.Cut(to, "#")
			at := file
			if rel != "" {
				at = path.Join(path.Dir(file), rel)
			}
			if _, err := os.Stat("../../" + at); err != nil {
				t.Errorf("%s links to %s, which is not there", file, to)
			} else if anchor != "" && (all[at] == nil || !all[at].has(anchor)) {
				t.Errorf("%s links to %s, and there is no such heading", file, to)
			}
			return ast.WalkContinue, nil
		})
	}
}

// TestEveryDocumentSaysWhatItIs promises the contents a title and a sentence of
// every page.
func TestEveryDocumentSaysWhatItIs(t *testing.T) {
	lib, err := readLibrary(gavel.Documents())
	if err != nil {
		t.Fatal(err)
	}
	for file, pg := range lib.byFile {
		if pg.sections[0].anchor == "" || pg.lede == "" {
			t.Errorf("%s has title %q and begins with %q", file, pg.title, pg.lede)
		}
	}
	if got := lib.shelves[0].name; got != "guide" {
		t.Errorf("the contents begin with %s, want the guides", got)
	}
}

func TestAnchorsAreThoseOfGitHub(t *testing.T) {
	taken := anchors{}
	for _, tt := range []struct{ heading, want string }{
		{"Why not", "why-not"},
		{"Why not", "why-not-1"},
		{"1. Has the engine been told?", "1-has-the-engine-been-told"},
		{"What `gavel_app` may do", "what-gavel_app-may-do"},
		{"Places – and time", "places--and-time"},
		{"A/B: it's so", "ab-its-so"},
		{"मामला", "मामला"},
	} {
		if got := taken.next(tt.heading); got != tt.want && got != strings.ReplaceAll(tt.want, "`", "") {
			t.Errorf("%q: got %s, want %s", tt.heading, got, tt.want)
		}
	}
}

// TestLinksLeadWithinTheServerOrNowhere promises that a link to what is served
// leads there, and one to anything else in the repository is only its name.
func TestLinksLeadWithinTheServerOrNowhere(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("# x\n\ntext")}
	lib, err := readLibrary(fstest.MapFS{"README.md": file, "docs/guide/a.md": file, "docs/design/b.md": file, "docs/pictures/p.png": file})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, to, want string }{
		{"docs/guide/a.md", "../design/b.md#x", "/docs/design/b#x"},
		{"docs/guide/a.md", "../../README.md", "/docs/project/readme"},
		{"docs/guide/a.md", "#x", "#x"},
		{"docs/guide/a.md", "../design", "/docs#design"},
		{"docs/guide/a.md", "../design/", "/docs#design"},
		{"docs/guide/a.md", "../pictures/p.png", "/docs/pictures/p.png"},
		{"docs/guide/a.md", "../../platform/act", ""},
		{"docs/guide/a.md", "../../../etc/passwd", ""},
		{"docs/guide/a.md", "javascript:x", ""},
		{"docs/guide/a.md", "//evil.example/x", ""},
		{"README.md", "docs", "/docs"},
		{"README.md", "LICENSE", ""},
		{"README.md", "https://semver.org", "https://semver.org"},
	} {
		if got := lib.leads(lib.byFile[tt.from], tt.to); got != tt.want {
			t.Errorf("%s in %s: got %q, want %q", tt.to, tt.from, got, tt.want)
		}
	}
}

func TestAFirstSentenceEndsWhereItEnds(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"One. Two.", "One."},
		{"Go 1.26 and gavel.case. Then more", "Go 1.26 and gavel.case."},
		{"Is it? Yes.", "Is it?"},
		{"No end", "No end"},
		{"", ""},
	} {
		if got := firstSentence(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// BenchmarkRead is what the first reader waits for.
func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		if _, err := readLibrary(gavel.Documents()); err != nil {
			b.Fatal(err)
		}
	}
}
