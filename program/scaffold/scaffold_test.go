package scaffold

import (
	"bytes"
	"flag"
	"go/format"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/gavelhq/gavel/platform/fault"
)

var update = flag.Bool("update", false, "rewrite the archive")

const example = "../../examples/hello"

// exampleFiles are the files of the example, without what its builds leave there.
func exampleFiles(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(example), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".dev" || name == "bin"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		all[name], err = os.ReadFile(path.Join(example, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheArchiveIsTheExample promises that there is one source: what `gavel new app` writes
// is what stands in examples/hello and is tested there.
func TestTheArchiveIsTheExample(t *testing.T) {
	want, err := pack(exampleFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("hello.txtar", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(hello, want) {
		t.Error("hello.txtar is not examples/hello; run: go test ./program/scaffold -update")
	}
}

// TestAnApplicationHasItsNameAndNothingOfTheExamples promises that the name is everywhere,
// in every form, and that what is written is formatted.
func TestAnApplicationHasItsNameAndNothingOfTheExamples(t *testing.T) {
	from := Origin{Checkout: "/src/gavel"}
	for _, name := range []string{"permits", "ab", "agreementsofusage9"} {
		files, err := Files(name, from)
		if err != nil {
			t.Fatal(err)
		}
		own := name + "/" + name
		for _, want := range []string{"main.go", "go.mod", "go.sum", ".gitignore", own + ".go", own + "_test.go"} {
			if len(files[want]) == 0 {
				t.Errorf("%s has no %s", name, want)
			}
		}
		for file, text := range files {
			if strings.Contains(strings.ToLower(file+string(text)), "hello") {
				t.Errorf("%s: %s still says hello", name, file)
			}
			if path.Ext(file) != ".go" {
				continue
			}
			if neat, err := format.Source(text); err != nil || !bytes.Equal(neat, text) {
				t.Errorf("%s: %s is not formatted: %v", name, file, err)
			}
		}
	}
}

// TestAnApplicationHasItsGavelFromWhereItIsTold promises a go.mod that leads to the
// checkout, or to a version and no checkout.
func TestAnApplicationHasItsGavelFromWhereItIsTold(t *testing.T) {
	for _, tt := range []struct {
		from              Origin
		replaced, version string
	}{
		{Origin{Checkout: "/src/gavel"}, "/src/gavel", "v0.0.0"},
		{Origin{Version: "v1.2.0"}, "", "v1.2.0"},
	} {
		files, err := Files("permits", tt.from)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := modfile.Parse("go.mod", files["go.mod"], nil)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == module })
		if mod.Module.Mod.Path != Module("permits") || at < 0 || mod.Require[at].Mod.Version != tt.version {
			t.Errorf("%s: got\n%s", tt.from, files["go.mod"])
		}
		replaced := ""
		for _, r := range mod.Replace {
			replaced += r.New.Path
		}
		if replaced != tt.replaced {
			t.Errorf("%s: it is replaced with %q, want %q", tt.from, replaced, tt.replaced)
		}
	}
}

// TestABadNameIsRefused promises that nothing is written that could not be built.
func TestABadNameIsRefused(t *testing.T) {
	for _, name := range []string{"", "a", "Permits", "per-mits", "per_mits", "1permits", "permits/x", "../x", strings.Repeat("a", 21),
		"func", "order", "user", "gavel", "main", "пермит"} {
		if err := CheckName(name); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v, want it refused", name, err)
		}
		if files, err := Files(name, Origin{Version: "v1.0.0"}); err == nil {
			t.Errorf("%q: %d files were made", name, len(files))
		}
	}
}

// TestAnArchiveComesBackAsItWas promises that no file is lost or changed on the way, and
// that what could not be told apart is refused.
func TestAnArchiveComesBackAsItWas(t *testing.T) {
	files := map[string][]byte{"a/b.go": []byte("package b\n"), "z": []byte("-- \n--\n"), "empty line": []byte("\n")}
	archive, err := pack(files)
	if err != nil {
		t.Fatal(err)
	}
	back := unpack(archive)
	if len(back) != len(files) {
		t.Errorf("got %d files, want %d", len(back), len(files))
	}
	for name, text := range files {
		if !bytes.Equal(back[name], text) {
			t.Errorf("%s: got %q, want %q", name, back[name], text)
		}
	}
	for _, bad := range []string{"no end", "-- x --\n"} {
		if _, err := pack(map[string][]byte{"a": []byte(bad)}); err == nil {
			t.Errorf("%q was packed", bad)
		}
	}
}
