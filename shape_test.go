package gavel_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The longest things may be, in lines. Tests get more room because tables are
// data; a function that only returns a table is data too; generated files are
// not counted at all.
const (
	maxFile, maxTestFile = 500, 800
	maxFunc, maxTestFunc = 60, 120
)

// vagueNames say nothing about what a package is for; the second list hides a
// package of the standard library from whoever imports both.
var (
	vagueNames  = []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc", "shared", "base", "lib"}
	hidingNames = []string{"http", "errors", "log", "path", "time", "context", "sql", "json", "sync", "strings"}
)

// The rules of shape.
var (
	packageDoc  = rule{"package-doc", "every package says what it is for", `begin one file with "// Package <name> …"`}
	packageName = rule{"package-name", "a package is named for what it is about, and hides nothing", "name the noun it deals with"}
	noInit      = rule{"no-init", "nothing happens before main", "build it in New, or in program"}
	fileSize    = rule{"file-size", fmt.Sprintf("a file has at most %d lines, a test %d", maxFile, maxTestFile),
		"split it by what a reader looks for"}
	funcSize = rule{"func-size", fmt.Sprintf("a function has at most %d lines, one in a test file %d", maxFunc, maxTestFunc),
		"give each step a name of its own"}
)

// TestShape promises that every package is documented and well named, that
// nothing runs before main, and that no file or function outgrows a reader.
func TestShape(t *testing.T) {
	found, err := checkShape(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// checkShape reads the module under fsys and finds what is misshapen.
func checkShape(fsys fs.FS, module string) ([]finding, error) {
	t, err := readTree(fsys, module)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, dir := range slices.Sorted(maps.Keys(t.folders)) {
		found = append(found, checkPackage(dir, t.folders[dir])...)
	}
	for _, f := range t.files {
		if f.generated {
			continue
		}
		wide, err := t.checkWidth(fsys, f)
		if err != nil {
			return nil, err
		}
		found = append(append(found, t.checkSize(f)...), wide...)
	}
	return found, nil
}

// checkPackage looks at the name and the doc comment of the package in a folder.
func checkPackage(dir string, files []*file) []finding {
	var found []finding
	documented := false
	name := ""
	for _, f := range files {
		if f.test {
			continue
		}
		name = f.syntax.Name.Name
		doc := f.syntax.Doc.Text()
		documented = documented || !f.generated && (strings.HasPrefix(doc, "Package "+name+" ") || name == "main" && doc != "")
	}
	if name == "" {
		return nil // a folder of tests only is no package anyone imports
	}
	if !documented {
		found = append(found, finding{dir, "package " + name + " has no doc comment", packageDoc})
	}
	if slices.Contains(vagueNames, name) || slices.Contains(hidingNames, name) || token.IsKeyword(path.Base(dir)) {
		found = append(found, finding{dir, "package is called " + name, packageName})
	}
	return found
}

// checkSize looks at the length of a file and its functions, and for init.
func (t *tree) checkSize(f *file) []finding {
	var found []finding
	fileMax, funcMax := maxFile, maxFunc
	if f.test {
		fileMax, funcMax = maxTestFile, maxTestFunc
	}
	if f.lines > fileMax {
		found = append(found, finding{f.path, fmt.Sprintf("has %d lines", f.lines), fileSize})
	}
	for _, decl := range f.syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from := t.fset.Position(fn.Pos()).Line
		at := fmt.Sprintf("%s:%d", f.path, from)
		if fn.Recv == nil && fn.Name.Name == "init" {
			found = append(found, finding{at, "has func init", noInit})
		}
		if n := t.fset.Position(fn.End()).Line - from + 1; n > funcMax && !onlyTable(fn) {
			found = append(found, finding{at, fmt.Sprintf("func %s has %d lines", fn.Name.Name, n), funcSize})
		}
	}
	return found
}

// onlyTable reports whether a function does nothing but return one literal with
// no code in it.
func onlyTable(fn *ast.FuncDecl) bool {
	if fn.Body == nil || len(fn.Body.List) != 1 {
		return false
	}
	ret, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	table, ok := ret.Results[0].(*ast.CompositeLit)
	code := false
	ast.Inspect(ret, func(n ast.Node) bool {
		_, is := n.(*ast.FuncLit)
		code = code || is
		return !code
	})
	return ok && len(table.Elts) > 0 && !code
}

// TestEachMisshapenThingIsFound promises that every rule of shape refuses what
// it is for, and lets the nearest honest thing pass.
func TestEachMisshapenThingIsFound(t *testing.T) {
	doc := "// Package fact is made up.\npackage fact\n"
	lines := func(n int) string { return strings.Repeat("//\n", n) }
	body := func(n int) string { return "\nfunc long() {\n" + strings.Repeat("\t_ = 0\n", n-2) + "}\n" }
	table := func(elt string) string {
		return "\nfunc rows() []int {\n\treturn []int{\n" + strings.Repeat("\t\t"+elt+",\n", maxFunc) + "\t}\n}\n"
	}
	generated := "// Code generated by templ - DO NOT EDIT.\n\n"
	for _, tt := range []struct {
		rule              string
		badFile, bad      string
		goodFile, goodSrc string
	}{
		{"package-doc", "platform/fact/fact.go", "package fact\n", "platform/fact/fact.go", doc},
		{"package-doc", "platform/fact/fact.go", "// Some words.\npackage fact\n", "platform/fact/fact_test.go", "package fact\n"},
		{"package-doc", "cmd/gavel/main.go", "package main\n", "cmd/gavel/main.go", "// Gavel is made up.\npackage main\n"},
		{"package-name", "platform/web/util/u.go", "// Package util is made up.\npackage util\n", "platform/web/x/x.go",
			"// Package x is made up.\npackage x\n"},
		{"package-name", "platform/web/http/h.go", "// Package http is made up.\npackage http\n", "platform/web/x/x.go",
			"// Package httpx is made up.\npackage httpx\n"},
		{"package-name", "platform/case/c.go", "// Package casefile is made up.\npackage casefile\n", "platform/casefile/c.go",
			"// Package casefile is made up.\npackage casefile\n"},
		{"no-init", "platform/fact/fact.go", doc + "func init() {}\n", "platform/fact/fact.go", doc + "type t int\n\nfunc (t) init() {}\n"},
		{"no-init", "platform/fact/fact_test.go", "package fact\nfunc init() {}\n", "platform/fact/fact_test.go",
			generated + "package fact\nfunc init() {}\n"},
		{"file-size", "platform/fact/fact.go", doc + lines(maxFile-1), "platform/fact/fact.go", doc + lines(maxFile-2)},
		{"file-size", "platform/fact/fact_test.go", doc + lines(maxTestFile-1), "platform/fact/fact_test.go", doc + lines(maxTestFile-2)},
		{"file-size", "platform/fact/fact_test.go", doc + lines(maxTestFile), "platform/fact/fact_test.go", generated + doc +
			lines(maxTestFile)},
		{"func-size", "platform/fact/fact.go", doc + body(maxFunc+1), "platform/fact/fact.go", doc + body(maxFunc)},
		{"func-size", "platform/fact/fact.go", doc + table("func() int { return 0 }()"), "platform/fact/fact.go", doc + table("0")},
		{"func-size", "platform/fact/fact_test.go", doc + body(maxTestFunc+1), "platform/fact/fact_test.go", doc + body(maxTestFunc)},
	} {
		if got := shapes(t, tt.badFile, tt.bad); !slices.Equal(got, []string{tt.rule}) {
			t.Errorf("%s broke %v, want %s:\n%.80s", tt.badFile, got, tt.rule, tt.bad)
		}
		if got := shapes(t, tt.goodFile, tt.goodSrc); len(got) != 0 {
			t.Errorf("%s broke %v, want nothing:\n%.80s", tt.goodFile, got, tt.goodSrc)
		}
	}
}

// shapes is the names of the rules of shape that one made-up file breaks.
func shapes(t *testing.T, name, src string) []string {
	t.Helper()
	found, err := checkShape(fstest.MapFS{name: {Data: []byte(src)}}, module)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.rule.name)
	}
	return names
}
