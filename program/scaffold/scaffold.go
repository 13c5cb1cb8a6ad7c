// Package scaffold makes an application of one's own: examples/hello under another name.
//
// The example is a module of its own, and no file of another module can be embedded. So
// hello.txtar is a copy of it, and a test keeps it one: `go test ./program/scaffold -update`
// writes it anew. Read Files first.
package scaffold

import (
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/gavelhq/gavel/platform/fault"
)

// module is Gavel's own.
const module = "github.com/gavelhq/gavel"

//go:embed hello.txtar
var hello []byte

// An Origin is where an application has its Gavel from: a checkout, or a released version.
type Origin struct {
	Checkout string // its folder, absolute; empty for a version
	Version  string // "v1.2.0"
}

// String is the origin as people write it.
func (o Origin) String() string {
	if o.Checkout != "" {
		return o.Checkout
	}
	return module + "@" + o.Version
}

// Files are the files of an application, by their paths with slashes.
func Files(name string, from Origin) (map[string][]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	called := strings.NewReplacer("hello", name, "Hello", strings.ToUpper(name[:1])+name[1:], "HELLO", strings.ToUpper(name))
	all := map[string][]byte{}
	for file, text := range unpack(hello) {
		renamed := []byte(called.Replace(string(text)))
		if path.Ext(file) == ".go" {
			neat, err := format.Source(renamed) // a longer name may need another line
			if err != nil {
				return nil, fmt.Errorf("format %s: %w", file, err)
			}
			renamed = neat
		}
		all[called.Replace(file)] = renamed
	}
	mod, err := pointAt(all["go.mod"], from)
	all["go.mod"] = mod
	return all, err
}

// Module is the import path of an application of that name, until its owner gives it
// another.
func Module(name string) string { return "example.com/" + name }

// pointAt has a go.mod take Gavel from somewhere else.
func pointAt(text []byte, from Origin) ([]byte, error) {
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, fmt.Errorf("read the example's go.mod: %w", err)
	}
	if from.Checkout != "" {
		err = mod.AddReplace(module, "", from.Checkout, "")
	} else if err = mod.DropReplace(module, ""); err == nil {
		err = mod.AddRequire(module, from.Version)
	}
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "take Gavel from %s", from)
	}
	mod.Cleanup()
	return mod.Format()
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]{1,19}$`)

// used are words that a name may not be, because the files use them or the parts keep
// them: packages that are imported beside the application, schemas and queues of the
// platform's, and what SQL reserves.
var used = strings.Fields(`
	identity main os program programtest strings testing wait
	gavel general platform public ref
	all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
	concurrently constraint create cross current default deferrable desc distinct do else end except false fetch for foreign
	freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
	localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references
	returning right select similar some symmetric table tablesample then to trailing true union unique user using variadic
	verbose when where window with`)

// CheckName refuses a name that no application can have.
func CheckName(name string) error {
	const next = "use 2 to 20 lower-case letters and digits, a letter first: permits"
	if !nameForm.MatchString(name) {
		return fault.New(fault.Invalid, "%.40q is no name for an application", name).WithNext(next)
	}
	if token.IsKeyword(name) || slices.Contains(used, name) {
		return fault.New(fault.Invalid, "an application cannot be called %s: the word has a meaning already", name).WithNext(next)
	}
	return nil
}

// unpack reads an archive: before each file a line with its path, as package txtar of the
// Go project has it.
func unpack(archive []byte) map[string][]byte {
	all := map[string][]byte{}
	file := ""
	for line := range strings.Lines(string(archive)) {
		if found, is := marked(line); is {
			file = found
			all[file] = []byte{}
		} else if file != "" {
			all[file] = append(all[file], line...)
		}
	}
	return all
}

// pack writes an archive. A file that could not be told from the marks is refused.
func pack(files map[string][]byte) ([]byte, error) {
	var out []byte
	for _, file := range slices.Sorted(maps.Keys(files)) {
		text := string(files[file])
		for line := range strings.Lines(text) {
			if _, is := marked(line); is {
				return nil, fault.New(fault.Invalid, "%s has a line that looks like a mark: %q", file, line)
			}
		}
		if !strings.HasSuffix(text, "\n") {
			return nil, fault.New(fault.Invalid, "%s does not end with a line's end", file)
		}
		out = fmt.Appendf(out, "-- %s --\n%s", file, text)
	}
	return out, nil
}

// marked is the path that a mark names.
func marked(line string) (file string, is bool) {
	inner, begins := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
	inner, ends := strings.CutSuffix(inner, " --")
	return inner, begins && ends && inner != ""
}
