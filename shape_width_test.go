package gavel_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// A line has at most maxWidth columns, a tab being four. One that holds a literal of longData columns is data: a document, a
// query, a tag, words that people read. Taking it apart makes it harder to read, not easier.
const (
	maxWidth = 140
	longData = 50
)

var lineWidth = rule{"line-width", fmt.Sprintf("a line has at most %d columns", maxWidth), "break it where the outermost list goes on"}

// checkWidth finds the lines of a file that are too wide and hold no data.
func (t *tree) checkWidth(fsys fs.FS, f *file) ([]finding, error) {
	src, err := fs.ReadFile(fsys, f.path)
	if err != nil {
		return nil, err
	}
	data := t.dataLines(f.syntax)
	var found []finding
	for i, line := range strings.Split(string(src), "\n") {
		if n := columns(line); n > maxWidth && !data[i+1] {
			found = append(found, finding{fmt.Sprintf("%s:%d", f.path, i+1), fmt.Sprintf("has %d columns", n), lineWidth})
		}
	}
	return found, nil
}

// columns is how wide a line is.
func columns(line string) int {
	n := 0
	for _, r := range line {
		n++
		if r == '\t' {
			n += 3
		}
	}
	return n
}

// dataLines are the lines on which a long literal stands.
func (t *tree) dataLines(f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		first := t.fset.Position(lit.Pos()).Line
		for i, part := range strings.Split(lit.Value, "\n") {
			if columns(part) >= longData {
				lines[first+i] = true
			}
		}
		return true
	})
	return lines
}

// TestLinesFitAReader promises that code stands on lines that can be read beside another file.
func TestLinesFitAReader(t *testing.T) {
	wide := "\t_ = []string{" + strings.Repeat(`"ab", `, 22) + `"ab"}` + "\n"
	whole := "\t_ = " + `"` + strings.Repeat("ab ", 46) + `"` + "\n"
	for _, tt := range []struct {
		what, body string
		want       int
	}{
		{"a list that could go on in the next line", wide, 1},
		{"one that does", strings.Replace(wide, `"ab", `, "\"ab\",\n\t\t", 1), 0},
		{"a remark", "\t// " + strings.Repeat("ab ", 46) + "\n", 1},
		{"words in one literal", whole, 0},
		{"a query of several lines", "\t_ = `select 1\n" + strings.Repeat("ab ", 50) + "`\n", 0},
		{"as wide as may be", "\t// " + strings.Repeat("a", maxWidth-7) + "\n", 0},
		{"wider by one", "\t// " + strings.Repeat("a", maxWidth-6) + "\n", 1},
	} {
		src := "// Package fact is made up.\npackage fact\n\nfunc f() {\n" + tt.body + "}\n"
		if got := shapes(t, "platform/fact/fact.go", src); len(got) != tt.want {
			t.Errorf("%s breaks %v, want %d", tt.what, got, tt.want)
		}
	}
}
