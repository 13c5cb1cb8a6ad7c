package gavel_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A said is one piece of text that people read.
type said struct {
	file  string // path from the root of the module
	where string // the message's key, or the line
	text  string
	hindi bool
	short bool // its sentences are held to their length
}

// at is where somebody finds the text.
func (s said) at() string { return s.file + ": " + s.where }

// saidBy gathers what people read: messages, literals of the code, README and guides.
func saidBy(fsys fs.FS, module string) ([]said, error) {
	all, err := saidInFiles(fsys)
	if err != nil {
		return nil, err
	}
	t, err := readTree(fsys, module)
	if err != nil {
		return nil, err
	}
	for _, f := range t.files {
		if !f.test && !underAny(f.path, unsaid) {
			all = append(all, saidInCode(t.fset, f)...)
		}
	}
	return all, nil
}

// underAny reports whether a file stands in one of the folders.
func underAny(file string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return file == dir || strings.HasPrefix(file, dir+"/") })
}

// saidInFiles reads the message files, README and the guides.
func saidInFiles(fsys fs.FS) ([]said, error) {
	var all []said
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || underAny(name, unsaid):
			return nil
		case path.Base(path.Dir(name)) == "messages" && path.Ext(name) == ".json":
			found, err := saidInMessages(fsys, name)
			all = append(all, found...)
			return err
		case name == "README.md" || path.Dir(name) == "docs/guide" && path.Ext(name) == ".md":
			found, err := saidInDocument(fsys, name)
			all = append(all, found...)
			return err
		}
		return nil
	})
	return all, err
}

// saidInMessages are the messages of one file, by key.
func saidInMessages(fsys fs.FS, name string) ([]said, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	words := map[string]string{}
	if err := json.Unmarshal(text, &words); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var all []said
	for _, key := range slices.Sorted(maps.Keys(words)) {
		kept := slices.ContainsFunc(keptKeys, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		all = append(all, said{name, key, words[key], path.Base(name) == "hi.json", !kept})
	}
	return all, nil
}

// saidInDocument are the paragraphs of a document, without its code. Their sentences may
// be longer: who reads a guide has sat down to it.
func saidInDocument(fsys fs.FS, name string) ([]said, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	var all []said
	line, code := 1, false
	for part := range strings.SplitSeq(string(text), "\n\n") {
		fences := strings.Count(part, "```")
		if !code && fences == 0 {
			all = append(all, said{file: name, where: strconv.Itoa(line), text: joined(part)})
		}
		code = code != (fences%2 == 1)
		line += strings.Count(part, "\n") + 2
	}
	return all, nil
}

// joined is a text whose lines were broken to fit, as one line.
func joined(text string) string { return strings.Join(strings.Fields(text), " ") }

// saidInCode are the literals of a file that people may meet. The sentences of reasons, and of
// everything a command says, are held to their length.
func saidInCode(fset *token.FileSet, f *file) []said {
	terminal := strings.HasPrefix(f.path, "program/") || strings.Contains(f.path, "/cli/")
	skip, reasons := map[ast.Node]bool{}, map[ast.Node]bool{}
	var all []said
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			skip[n.Tag] = true
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Example" {
				return false
			}
		case *ast.CallExpr:
			if isCall(n, "strings", "Fields") {
				return false // a list of names
			}
			if isReason(n) {
				for _, arg := range n.Args {
					reasons[arg] = true
				}
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || skip[n] || err != nil || !strings.Contains(text, " ") || sqlForm.MatchString(text) ||
				exampleForm.MatchString(text) {
				return true
			}
			where := strconv.Itoa(fset.Position(n.Pos()).Line)
			for part := range strings.SplitSeq(withoutTags(text), "\n\n") {
				all = append(all, said{f.path, where, joined(part), false, (terminal || reasons[n]) && !f.generated})
			}
		}
		return true
	})
	return all
}

// sqlForm is how what the database reads begins.
var sqlForm = regexp.MustCompile(`(?i)^\s*(select|insert|update|delete|with|create|alter|from|where|notify|listen|set|lock|values|join|left join|union|and|order by)\b`)

// exampleForm is how examples of a command begin.
var exampleForm = regexp.MustCompile(`^\s+gavel `)

var tagForm = regexp.MustCompile(`<[^>]*>`)

func withoutTags(text string) string { return tagForm.ReplaceAllString(text, " ") }

// isReason reports whether a call gives a fault its words.
func isReason(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "WithNext" || isCall(call, "fault", "New") || isCall(call, "fault", "From")
}

// isCall reports whether a call is one of a package's function.
func isCall(call *ast.CallExpr, pkg, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	of, ok := sel.X.(*ast.Ident)
	return ok && of.Name == pkg
}
