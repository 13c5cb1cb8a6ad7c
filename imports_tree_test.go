package gavel_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A finding is one place where the source breaks a rule.
type finding struct {
	file string // path from the root of the module, with the line where there is one
	what string // the import, call or shape that is wrong
	rule rule
}

// String names the file, what is wrong there, the rule, and what to do instead.
func (f finding) String() string {
	return fmt.Sprintf("%s: %s\n\trule %s: %s\n\tinstead: %s", f.file, f.what, f.rule.name, f.rule.says, f.rule.instead)
}

// A rule is one sentence of the architecture, with the way out for whoever
// breaks it.
type rule struct {
	name    string
	says    string
	instead string
}

// A tree is the source of one module, as parsed from its files.
type tree struct {
	module  string
	fset    *token.FileSet
	files   []*file
	folders map[string][]*file // by folder, "." for the root
}

// A file is one Go file of the tree.
type file struct {
	path      string // from the root of the module, with slashes
	at        place
	test      bool // a _test.go file
	generated bool // written by a program: its shape is not ours to mend
	lines     int
	syntax    *ast.File
	imports   []imported
}

// An imported is one import of a file.
type imported struct {
	path string
	name string // what the file calls it; "." for a dot import, "_" for a blank one
	line int
	ours bool  // a package of this module
	to   place // where it stands, if it is ours
}

// readTree parses every Go file of the module under fsys. It leaves out what is
// not this module's code: modules nested in it, testdata, and folders whose
// name begins with a dot or an underscore.
func readTree(fsys fs.FS, module string) (*tree, error) {
	t := &tree{module: module, fset: token.NewFileSet(), folders: map[string][]*file{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && foreign(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		return t.read(fsys, name)
	})
	if err != nil {
		return nil, fmt.Errorf("read the source tree of %s: %w", module, err)
	}
	return t, nil
}

// foreign reports whether a folder holds no code of this module.
func foreign(fsys fs.FS, dir string) bool {
	base := path.Base(dir)
	if base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

func (t *tree) read(fsys fs.FS, name string) error {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(name)
	f := &file{
		path:      name,
		at:        placeOf(dir),
		test:      strings.HasSuffix(name, "_test.go"),
		generated: ast.IsGenerated(syntax) || strings.HasSuffix(name, "_templ.go"),
		lines:     strings.Count(string(src), "\n"),
		syntax:    syntax,
	}
	for _, spec := range syntax.Imports {
		f.imports = append(f.imports, t.imported(spec))
	}
	t.files = append(t.files, f)
	t.folders[dir] = append(t.folders[dir], f)
	return nil
}

func (t *tree) imported(spec *ast.ImportSpec) imported {
	p, _ := strconv.Unquote(spec.Path.Value) // the parser has refused a path that is no string
	imp := imported{path: p, name: baseName(p), line: t.fset.Position(spec.Pos()).Line}
	if spec.Name != nil {
		imp.name = spec.Name.Name
	}
	if p == t.module {
		imp.ours, imp.to = true, placeOf(".")
	}
	if dir, ok := strings.CutPrefix(p, t.module+"/"); ok {
		imp.ours, imp.to = true, placeOf(dir)
	}
	return imp
}

// baseName is the name a package most likely has, from its import path.
func baseName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		return path.Base(path.Dir(p))
	}
	return base
}

// standard reports whether an import path is of the standard library.
func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// under reports whether an import path is one of the modules or lies below it.
func under(p string, modules ...string) bool {
	return slices.ContainsFunc(modules, func(m string) bool {
		return p == m || strings.HasPrefix(p, m+"/")
	})
}

// uses finds where a file names one of the given members of a package, called
// or passed on as a value. A local variable named like the package is taken
// for it; rename the variable.
func (t *tree) uses(f *file, pkg string, members ...string) []finding {
	var found []finding
	for _, imp := range f.imports {
		if imp.path != pkg {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == imp.name && slices.Contains(members, sel.Sel.Name) {
				found = append(found, finding{
					file: fmt.Sprintf("%s:%d", f.path, t.fset.Position(sel.Pos()).Line),
					what: "uses " + pkg + "." + sel.Sel.Name,
				})
			}
			return true
		})
	}
	return found
}
