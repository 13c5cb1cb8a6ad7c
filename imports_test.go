package gavel_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the import path of this repository.
const module = "github.com/gavelhq/gavel"

// TestArrows promises that no package of the repository imports or uses what
// the architecture keeps from it. It parses the files itself: a test that runs
// the go command instead is cached, and passes when it should not.
func TestArrows(t *testing.T) {
	found, err := checkImports(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestArrowsLookAtTheWholeTree promises that TestArrows cannot pass by having
// read nothing, or by having walked past a layer.
func TestArrowsLookAtTheWholeTree(t *testing.T) {
	tree, err := readTree(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", "cmd/gavel", "program", "platform/casefile", "platform/postgres", "platform/postgres/postgrestest",
		"platform/fault"} {
		if len(tree.folders[dir]) == 0 {
			t.Errorf("no Go file was read in %s", dir)
		}
	}
	for dir := range tree.folders {
		if strings.HasPrefix(dir, "devstack/tools") {
			t.Errorf("%s is a module of its own and was read", dir)
		}
	}
}

// A fake is one package of a made-up tree: its folder, or its file where the
// name matters, and its imports. An import that begins with ./ is our own.
type fake struct {
	at      string
	imports []string
	body    string
}

func pkg(at string, imports ...string) fake { return fake{at: at, imports: imports} }

func (f fake) does(body string) fake { f.body = body; return f }

// fakes writes made-up packages as a file system.
func fakes(all ...fake) fs.FS {
	out := fstest.MapFS{"go.mod": {Data: []byte("module " + module + "\n")}}
	for _, f := range all {
		name := f.at
		if path.Ext(name) != ".go" {
			name = path.Join(name, path.Base(f.at)+".go")
		}
		var src strings.Builder
		noun := strings.Trim(path.Base(path.Dir(name)), "._")
		noun = cmp.Or(noun, "gavel")
		fmt.Fprintf(&src, "// Package %s is made up.\npackage %s\n\n", noun, noun)
		for _, imp := range f.imports {
			alias, p, ok := strings.Cut(imp, " ")
			if !ok {
				alias, p = "", imp
			}
			if own, ok := strings.CutPrefix(p, "./"); ok {
				p = module + "/" + own
			}
			fmt.Fprintf(&src, "import %s %q\n", alias, p)
		}
		src.WriteString(f.body)
		out[name] = &fstest.MapFile{Data: []byte(src.String())}
	}
	return out
}

// broken is the sorted names of the rules a made-up tree breaks.
func broken(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	found, err := checkImports(fsys, module)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.rule.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A twin is a forbidden tree beside the allowed one nearest to it.
type twin struct {
	name      string
	rules     string // the rules the forbidden tree breaks, in order, with spaces between
	forbidden []fake
	allowed   []fake
}

// TestEachForbiddenImportIsRefused promises that every rule refuses what it is
// for, by its own name, and lets the nearest honest thing pass.
func TestEachForbiddenImportIsRefused(t *testing.T) {
	proved := map[string]bool{}
	for _, tt := range twins() {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := strings.Join(broken(t, fakes(tt.forbidden...)), " "), tt.rules; got != want {
				t.Errorf("forbidden tree broke %q, want %q", got, want)
			}
			if got := broken(t, fakes(tt.allowed...)); len(got) != 0 {
				t.Errorf("allowed tree broke %v, want nothing", got)
			}
		})
		for _, name := range strings.Fields(tt.rules) {
			proved[name] = true
		}
	}
	for _, r := range allRules() {
		if !proved[r.name] {
			t.Errorf("no made-up tree proves that rule %s refuses anything", r.name)
		}
	}
}

// TestEveryUpwardImportIsRefused promises the order of the layers pair by pair,
// in production files and in tests alike.
func TestEveryUpwardImportIsRefused(t *testing.T) {
	stairs := []string{"platform/fault", "platform/blob", "platform/audit", "platform/tool", "platform/api", "platform", "apps/netra",
		"program", "cmd/gavel"}
	for i, from := range stairs {
		for j, to := range stairs {
			if i == j {
				continue
			}
			for _, name := range []string{"apps.go", "apps_test.go"} {
				got := broken(t, fakes(pkg(path.Join(from, name), "./"+to)))
				upwards := j > i
				if slices.Contains(got, "layers") != upwards {
					t.Errorf("%s in %s importing %s broke %v; want the rule layers broken: %v", name, from, to, got, upwards)
				}
			}
		}
	}
}

// TestAFindingSaysWhatToDo promises that whoever breaks a rule is told where,
// what, which rule, and the way out.
func TestAFindingSaysWhatToDo(t *testing.T) {
	found, err := checkImports(fakes(pkg("platform/blob", "fmt", "./platform/casefile")), module)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("got %d findings, want 1: %v", len(found), found)
	}
	got := found[0].String()
	for _, want := range []string{
		"platform/blob/blob.go:5:",
		"imports " + module + "/platform/casefile (pipes → records)",
		"rule layers:",
		"instead: ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the finding does not say %q:\n%s", want, got)
		}
	}
	for _, r := range allRules() {
		if r.says == "" || r.instead == "" {
			t.Errorf("rule %q lacks its sentence or its way out", r.name)
		}
	}
}

// TestNestedModulesAreNotOurs promises that a module inside the repository,
// testdata and hidden folders are left alone.
func TestNestedModulesAreNotOurs(t *testing.T) {
	for _, at := range []string{"devstack/tools/lint/x.go", "platform/fault/testdata/x.go", ".dev/x.go", "_old/x.go"} {
		fsys := fakes(pkg(at, "./apps/netra")).(fstest.MapFS)
		fsys["devstack/tools/lint/go.mod"] = &fstest.MapFile{Data: []byte("module x\n")}
		if got := broken(t, fsys); len(got) != 0 {
			t.Errorf("%s broke %v, want it not to be read", at, got)
		}
	}
}

// TestUnparsedSourceIsAnError promises that a file the checker cannot read
// does not pass unseen.
func TestUnparsedSourceIsAnError(t *testing.T) {
	fsys := fstest.MapFS{"platform/fault/fault.go": {Data: []byte("packge fault")}}
	if _, err := checkImports(fsys, module); err == nil {
		t.Error("got no error for a file that does not parse")
	}
}
