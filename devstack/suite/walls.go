package suite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// walls are the tests that guard who may do what, what nobody may alter, and what
// nothing may pass without a person: by the names of their files and packages, so that
// whoever adds one beside them need not know of this list. One that fails now and then
// is a wall with a hole.
var walls = regexp.MustCompile(`(^|/)(authz|walls?|tamper|gates?|attack)[^/]*_test\.go$|/platform/(policy|act|seal|identity|taint)(/|$)|/platform/bundle/`)

// guardsAWall reports whether a test does.
func guardsAWall(t test) (bool, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", t.pkg).Output()
	if err != nil {
		return false, fmt.Errorf("find the folder of %s: %w", t.pkg, err)
	}
	file, err := fileOf(strings.TrimSpace(string(dir)), t.name)
	return walls.MatchString(t.pkg+"/"+file) || strings.Contains(t.name, "Tamper"), err
}

// fileOf is the file of a folder in which a test stands; empty where in none.
func fileOf(dir, name string) (string, error) {
	byFile, err := testsByFile(dir)
	for file, names := range byFile {
		for _, n := range names {
			if n == name {
				return file, err
			}
		}
	}
	return "", err
}

// testsByFile are the names of the tests of a folder, by the file they stand in.
func testsByFile(dir string) (map[string][]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", dir, err)
	}
	all := map[string][]string{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read the tests of %s: %w", file, err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && isTest.MatchString(f.Name.Name) && f.Name.Name != "TestMain" {
				all[filepath.Base(file)] = append(all[filepath.Base(file)], f.Name.Name)
			}
		}
	}
	return all, nil
}

var isTest = regexp.MustCompile(`^(Test|Fuzz|Example)([A-Z_]|$)`)
