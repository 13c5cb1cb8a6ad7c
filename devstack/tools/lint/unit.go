package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// unit is what the go command asks to be looked at: one package.
type unit struct {
	dependency bool // looked at for the sake of its callers; nothing is reported
}

// openUnit reads which package is asked for, if one is: the go command also asks for
// the program's version and flags. Findings are kept in Go's cache as they were
// printed, so a package of ours has its files named from the checkout's root, which
// is the same in every checkout. The last of args becomes a file that says so.
func openUnit(args []string) (unit, error) {
	at := len(args) - 1
	if !strings.HasSuffix(args[at], ".cfg") {
		return unit{}, nil
	}
	text, err := os.ReadFile(args[at])
	if err != nil {
		return unit{}, err
	}
	var asked map[string]any // whatever else the go command says is handed on as it is
	if err := json.Unmarshal(text, &asked); err != nil {
		return unit{}, fmt.Errorf("read what to look at: %w", err)
	}
	dependency, _ := asked["VetxOnly"].(bool)
	root := checkoutOf(asked)
	if root == "" {
		return unit{dependency: dependency}, nil
	}
	for _, kind := range []string{"GoFiles", "NonGoFiles", "IgnoredFiles"} {
		nameFrom(root, asked[kind])
	}
	if args[at], err = write(args[at], asked); err != nil {
		return unit{}, err
	}
	return unit{dependency: dependency}, os.Chdir(root)
}

// checkoutOf is the root of the module that is being worked on, or nothing for a
// package of somebody else's: those have a version, or no module at all.
func checkoutOf(asked map[string]any) string {
	text := func(key string) string { s, _ := asked[key].(string); return s }
	module, dir := text("ModulePath"), text("Dir")
	if module == "" || text("ModuleVersion") != "" {
		return ""
	}
	path, _, _ := strings.Cut(text("ImportPath"), " [") // a package built for a test
	path = strings.TrimSuffix(path, "_test")
	below, ok := strings.CutPrefix(path, module)
	if !ok || !strings.HasSuffix(filepath.ToSlash(dir), below) {
		return ""
	}
	return strings.TrimSuffix(dir, filepath.FromSlash(below))
}

// nameFrom makes names of files below root relative to it. Others, which are
// generated while building, stay.
func nameFrom(root string, files any) {
	list, _ := files.([]any)
	for i, f := range list {
		name, _ := f.(string)
		if below, ok := strings.CutPrefix(name, root+string(filepath.Separator)); ok {
			list[i] = below
		}
	}
}

// write puts what is asked beside the file that asked it, in the go command's own
// folder for this package.
func write(beside string, asked map[string]any) (string, error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(beside, ".cfg") + ".here.cfg"
	return name, os.WriteFile(name, text, 0o600)
}
