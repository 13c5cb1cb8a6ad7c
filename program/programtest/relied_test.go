package programtest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/gavelhq/gavel/program/programtest" // so that no answer of this test outlives a change of what it is about
)

var update = flag.Bool("update", false, "rewrite the list of what a module relies on")

const (
	gavel   = "github.com/gavelhq/gavel"
	example = "../../examples/hello"
	list    = "testdata/relied-on.golden"
)

// TestWhatAModuleReliesOnIsThere promises that no exported name that the example uses goes
// away or changes its type unseen: docs/design/stability.md says how long they stay. Those
// who have written an application of their own use the same.
func TestWhatAModuleReliesOnIsThere(t *testing.T) {
	packages := compiled(t)
	used := map[string]bool{}
	for _, p := range packages {
		if strings.HasPrefix(p.ImportPath, "example.com/hello") && !strings.HasSuffix(p.ImportPath, ".test") {
			maps.Copy(used, relied(t, p, packages))
		}
	}
	got := strings.Join(slices.Sorted(maps.Keys(used)), "\n") + "\n"
	if *update {
		if err := os.WriteFile(list, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(want)) {
		if !used[strings.TrimSuffix(line, "\n")] {
			t.Errorf("a module of somebody's may rely on this, and it is gone or has changed: %s", line)
		}
	}
	if got != string(want) {
		t.Errorf("%s is not current; run: go test ./program/programtest -update, and read the diff", list)
	}
}

// A listed is a package as the go command lists it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
	Error                   *struct{ Err string }
}

// compiled are the example's packages, its tests and everything below them, compiled as
// the source is now. In a workspace with the checkout nothing is compiled twice.
func compiled(t *testing.T) map[string]listed {
	t.Helper()
	work := filepath.Join(t.TempDir(), "go.work")
	text := "go 1.26.0\n"
	for _, dir := range []string{"../..", example} {
		at, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("use %q\n", at)
	}
	if err := os.WriteFile(work, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-e", "-export", "-deps", "-test", "-json=ImportPath,Dir,Export,GoFiles,ImportMap,Error", "./...")
	cmd.Dir, cmd.Env = example, append(cmd.Environ(), "GOWORK="+work)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("compile the example: %v\n%s", err, said.String())
	}
	all := map[string]listed{}
	for each := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := each.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Error != nil {
			t.Errorf("the example does not compile: %s", p.Error.Err)
		}
		all[p.ImportPath] = p
	}
}

// relied is what one package uses of Gavel, each with its type.
func relied(t *testing.T, p listed, packages map[string]listed) map[string]bool {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		return os.Open(packages[path].Export)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		t.Errorf("%s: %v", p.ImportPath, err)
	}
	used := map[string]bool{}
	short := func(p *types.Package) string { return p.Name() }
	for _, o := range info.Uses {
		_, named := o.(*types.PkgName)
		if named || o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), gavel+"/") {
			continue
		}
		where := strings.TrimPrefix(o.Pkg().Path(), gavel+"/")
		used[where+": "+types.ObjectString(shown(o), short)] = true
	}
	return used
}

// shown is an object as the list has it: of a type only that it is there, because its
// fields and methods are listed where they are used.
func shown(o types.Object) types.Object {
	if t, ok := o.(*types.TypeName); ok {
		return types.NewTypeName(token.NoPos, t.Pkg(), t.Name(), nil)
	}
	if f, ok := o.(*types.Func); ok {
		return f.Origin()
	}
	return o
}
