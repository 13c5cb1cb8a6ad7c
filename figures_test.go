package gavel_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// manyFiles is how many source files a folder may have before somebody has to say why.
const manyFiles = 25

// crowded are the folders with more, each with its reason. One that has fewer again leaves the list.
var crowded = map[string]string{
	"platform/console": "to be parted by what is looked at: docs/design/fifth-application.md",
	"platform/agent":   "to be parted into loop, replay and bundle section: docs/design/fifth-application.md",
	"program":          "to be parted by whom a command talks to: docs/design/fifth-application.md",
	"platform/api":     "one file for each thing that has addresses, and nothing is shared between most of them",
	"platform/audit":   "one log: its writing and its proofs know each other's private forms",
	"platform/review":  "one table of proposals, and every question to it; each file is one question",
	"platform/signin":  "every way in and the pages of each; they share sessions",
	"platform/web":     "what every page stands on; a folder for each part would be imported by all",
	"devstack":         "one file for each server it starts",
}

// A figure is what is counted of a folder, or of the whole tree.
type figure struct {
	sources, sourceLines int
	tests, testLines     int
	exported             int
	lengths              []int // of the sources
}

func (g *figure) add(f *file) {
	switch {
	case f.generated:
	case f.test:
		g.tests, g.testLines = g.tests+1, g.testLines+f.lines
	default:
		g.sources, g.sourceLines = g.sources+1, g.sourceLines+f.lines
		g.exported += exportedIn(f.syntax)
		g.lengths = append(g.lengths, f.lines)
	}
}

// ratio is how many lines of test there are for one of source.
func (g *figure) ratio() float64 { return float64(g.testLines) / float64(max(g.sourceLines, 1)) }

// median is the length of the file in the middle.
func (g *figure) median() int {
	if len(g.lengths) == 0 {
		return 0
	}
	slices.Sort(g.lengths)
	return g.lengths[len(g.lengths)/2]
}

// exportedIn counts what a file lets other packages name: functions, types, constants, variables, and methods of types that
// can be named.
func exportedIn(f *ast.File) int {
	n := 0
	count := func(name *ast.Ident) {
		if name.IsExported() {
			n++
		}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					count(s.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						count(name)
					}
				}
			}
		}
	}
	return n
}

// receiver is the name of a method's type.
func receiver(t ast.Expr) string {
	switch x := t.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// A wide struct is one with many fields.
type wideStruct struct {
	name   string // with its folder
	fields int
}

// structs are the structs of a tree by the number of their fields, the largest first.
func (t *tree) structs() (all []wideStruct) {
	for _, f := range t.files {
		if f.test || f.generated {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				all = append(all, wideStruct{f.at.dir + "." + spec.Name.Name, s.Fields.NumFields()})
			}
			return true
		})
	}
	slices.SortStableFunc(all, func(a, b wideStruct) int {
		return cmp.Or(cmp.Compare(b.fields, a.fields), cmp.Compare(a.name, b.name))
	})
	return all
}

// figures counts every folder, and all of them together under the empty name.
func (t *tree) figures() map[string]*figure {
	all := map[string]*figure{"": {}}
	for _, f := range t.files {
		if all[f.at.dir] == nil {
			all[f.at.dir] = &figure{}
		}
		all[f.at.dir].add(f)
		all[""].add(f)
	}
	return all
}

// TestTheTreesFigures promises that no folder grows past what one can look through without somebody saying why. It prints
// what there is to know of the tree's shape (go test -run TestTheTreesFigures -v .).
func TestTheTreesFigures(t *testing.T) {
	tree, err := readTree(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	folders := tree.figures()
	for _, f := range crowds(folders, crowded) {
		t.Error(f)
	}
	t.Log("folder | source files, lines | test files, lines | test÷source | exported | median | largest")
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		g := folders[dir]
		t.Logf("%s | %d %d | %d %d | %.2f | %d | %d | %d", cmp.Or(dir, "all"), g.sources, g.sourceLines, g.tests, g.testLines,
			g.ratio(), g.exported, g.median(), slices.Max(append(g.lengths, 0)))
	}
	for _, s := range tree.structs()[:30] {
		t.Logf("%s has %d fields", s.name, s.fields)
	}
	t.Logf("%d pairs of platform folders import each other", len(tree.pairs()))
}

// crowds are the folders with more files than may be without a reason, and the reasons that hold no longer.
func crowds(folders map[string]*figure, why map[string]string) (found []string) {
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		n := folders[dir].sources
		switch _, said := why[dir]; {
		case dir == "":
		case n > manyFiles && !said:
			found = append(found, fmt.Sprintf("%s has %d source files: split it by subject, or say why in figures_test.go", dir, n))
		case n <= manyFiles && said:
			found = append(found, fmt.Sprintf("%s has %d source files: it needs no reason any more", dir, n))
		}
	}
	for dir := range why {
		if folders[dir] == nil {
			found = append(found, dir+" is not there: it needs no reason any more")
		}
	}
	return found
}

func TestACrowdedFolderIsFound(t *testing.T) {
	many := func(n int) map[string]*figure { return map[string]*figure{"": {}, "platform/fact": {sources: n}} }
	said := map[string]string{"platform/fact": "because"}
	for _, tt := range []struct {
		folders map[string]*figure
		why     map[string]string
		found   int
	}{
		{many(manyFiles + 1), nil, 1},
		{many(manyFiles), nil, 0},
		{many(manyFiles + 1), said, 0},
		{many(manyFiles), said, 1},
		{map[string]*figure{"": {}}, said, 1},
	} {
		if got := crowds(tt.folders, tt.why); len(got) != tt.found {
			t.Errorf("got %v, want %d", got, tt.found)
		}
	}
}

func TestWhatIsCountedOfAFolder(t *testing.T) {
	body := "type Open struct{ A, b int; Open2 }\ntype shut struct{}\nfunc (Open) Do() {}\nfunc (shut) Do() {}\nconst A, b = 1, 2\n"
	tree, err := readTree(fakes(pkg("platform/fact").does(body), pkg("platform/fact/fact_test.go").does("type T struct{}\n")), module)
	if err != nil {
		t.Fatal(err)
	}
	g := tree.figures()["platform/fact"]
	if g.sources != 1 || g.tests != 1 || g.exported != 3 || g.median() != g.sourceLines {
		t.Errorf("got %+v; want one source, one test and three exported names: a type, its method and a constant", g)
	}
	if s := tree.structs(); s[0] != (wideStruct{"platform/fact.Open", 3}) || strings.HasSuffix(s[len(s)-1].name, ".T") {
		t.Errorf("got %v, want Open with three fields first, and no struct of a test", s)
	}
}
