package gavel_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// documents are the Markdown files of the repository that people read, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*/*.md"} {
		names, err := fs.Glob(os.DirFS("."), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = string(text)
		}
	}
	if len(all) < 10 {
		t.Fatalf("only %d documents were found", len(all))
	}
	return all
}

var (
	linkForm   = regexp.MustCompile(`\]\(([^)]+)\)`)
	makeForm   = regexp.MustCompile("(?m)(?:^|`)make ([a-z][a-z-]+)")
	targetForm = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	nameForm   = regexp.MustCompile("`([a-z/]+)`")
)

// TestDocumentsLinkToWhatExists promises that a reader who follows a link in
// the documents arrives somewhere.
func TestDocumentsLinkToWhatExists(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range linkForm.FindAllStringSubmatch(text, -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			if _, err := os.Stat(path.Join(path.Dir(name), to)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

// TestDocumentsNameMakeTargetsThatExist promises that what a document tells a
// person to type works.
func TestDocumentsNameMakeTargetsThatExist(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range targetForm.FindAllStringSubmatch(string(makefile), -1) {
		targets[m[1]] = true
	}
	for name, text := range documents(t) {
		for _, m := range makeForm.FindAllStringSubmatch(text, -1) {
			if !targets[m[1]] {
				t.Errorf("%s says make %s, and the Makefile has no such target", name, m[1])
			}
		}
	}
}

// TestReadmeIsShort promises a README that is read to its end.
func TestReadmeIsShort(t *testing.T) {
	const most = 100
	if got := strings.Count(documents(t)["README.md"], "\n"); got > most {
		t.Errorf("README.md has %d lines, want at most %d", got, most)
	}
}

// TestLayoutTableIsTrue promises that ARCHITECTURE.md's layout is the tree as it
// is: what it names is there and on the layer it says, what it sets in italics
// is not built yet, and no folder of platform is left out.
func TestLayoutTableIsTrue(t *testing.T) {
	_, text, found := strings.Cut(documents(t)["ARCHITECTURE.md"], "\n## Layout\n")
	if !found {
		t.Fatal("ARCHITECTURE.md has no layout")
	}
	text, _, _ = strings.Cut(text, "\n## ")
	named := map[string]bool{}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		planned := strings.Contains(cells[1], "*")
		for i, m := range nameForm.FindAllStringSubmatch(cells[1], -1) {
			dir := m[1]
			if i > 0 {
				dir = "platform/" + dir
			}
			named[dir] = true
			if !planned && len(goFiles(t, dir)) == 0 {
				t.Errorf("the layout names %s, and there is no Go file in it; set it in italics", dir)
			}
			if planned && len(goFiles(t, dir)) != 0 {
				t.Errorf("the layout says that %s is not built yet, and it is; take the italics away", dir)
			}
			if got, want := strings.TrimSpace(cells[2]), placeOf(dir).layer.String(); got != "–" && got != want {
				t.Errorf("the layout puts %s on layer %s, the arrows on %s", dir, got, want)
			}
		}
	}
	for part := range shelves {
		if !named["platform/"+part] {
			t.Errorf("the layout leaves out platform/%s", part)
		}
	}
}

func goFiles(t *testing.T, dir string) []string {
	t.Helper()
	pattern := dir + "/*.go"
	if placeOf(dir).layer == bench {
		pattern = dir + "/*/*.go" // one program each
	}
	names, err := fs.Glob(os.DirFS("."), pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}
