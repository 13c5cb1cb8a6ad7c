package gavel_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	promiseForm = regexp.MustCompile(`^P[1-9][0-9]*$`)
	keptForm    = regexp.MustCompile("^((?:`Test[A-Za-z0-9]+`(?:, )?)+) in `([a-z0-9/_]+)`$")
	testForm    = regexp.MustCompile(`Test[A-Za-z0-9]+`)
)

// TestEveryPromiseIsKeptByTestsThatExist promises that the table of promises is
// true: numbered without a gap, and kept by tests that are in the folders it says.
func TestEveryPromiseIsKeptByTestsThatExist(t *testing.T) {
	for _, wrong := range checkPromises(documents(t)["docs/design/promises.md"], os.DirFS(".")) {
		t.Error(wrong)
	}
}

// leastPromises is how many there were when this was written; fewer are a table
// that cannot be read.
const leastPromises = 14

// checkPromises says what is wrong with the table of promises.
func checkPromises(text string, fsys fs.FS) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	n := 0
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		id := strings.TrimSpace(cells[0])
		if !promiseForm.MatchString(id) {
			continue
		}
		if n++; id != fmt.Sprintf("P%d", n) {
			say("%s stands where P%d should", id, n)
		}
		if len(cells) != 4 {
			say("%s has %d cells, want its number, the promise, its tests and what they show", id, len(cells))
			continue
		}
		for _, part := range strings.Split(cells[2], "; ") {
			m := keptForm.FindStringSubmatch(part)
			if m == nil {
				say("%s is kept by %q, which names no tests and no folder", id, part)
				continue
			}
			have := testsIn(fsys, m[2])
			for _, name := range testForm.FindAllString(m[1], -1) {
				if !slices.Contains(have, name) {
					say("%s is kept by %s, and %s has no such test", id, name, m[2])
				}
			}
		}
	}
	if n < leastPromises {
		say("the table has %d promises, want at least %d", n, leastPromises)
	}
	return wrong
}

// testsIn is the tests of a folder, whatever they are built for.
func testsIn(fsys fs.FS, dir string) (names []string) {
	files, _ := fs.Glob(fsys, path.Join(dir, "*_test.go")) // the pattern is well formed
	for _, file := range files {
		src, err := fs.ReadFile(fsys, file)
		if err != nil {
			continue // a test that cannot be read is not there
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && playForm.MatchString(f.Name.Name) {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// TestAFalsePromiseIsFound promises that each way in which the table could be
// wrong is noticed.
func TestAFalsePromiseIsFound(t *testing.T) {
	tree := fstest.MapFS{"platform/fact/fact_test.go": {Data: []byte("package fact\nfunc TestOne(t int) {}\nfunc TestTwo(t int) {}\n// " +
		"func TestThree is gone\n")}}
	row := func(id, kept string) string { return "| " + id + " | It holds. | " + kept + " | How. |\n" }
	good := func(n int) (all string) {
		for i := range n {
			all += row(fmt.Sprintf("P%d", i+1), "`TestOne`, `TestTwo` in `platform/fact`")
		}
		return all
	}
	next := fmt.Sprintf("P%d", leastPromises+1)
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"nothing":                   {good(leastPromises), 0},
		"a test that is gone":       {good(leastPromises) + row(next, "`TestThree` in `platform/fact`"), 1},
		"a test of another folder":  {good(leastPromises) + row(next, "`TestOne` in `platform/form`"), 1},
		"a folder that is not said": {good(leastPromises) + row(next, "`TestOne`"), 1},
		"no test":                   {good(leastPromises) + row(next, "we are careful"), 1},
		"a gap":                     {good(leastPromises) + row("P99", "`TestOne` in `platform/fact`"), 1},
		"a missing cell":            {good(leastPromises) + "| " + next + " | It holds. | How. |\n", 1},
		"too few":                   {good(leastPromises - 1), 1},
		"no table":                  {"# Promises\n", 1},
	} {
		if got := checkPromises(tt.text, tree); len(got) != tt.want {
			t.Errorf("%s: got %q, want %d findings", name, got, tt.want)
		}
	}
}
