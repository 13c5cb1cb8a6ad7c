// Package ducktest builds the program that answers questions about raw tables, for tests and benches. It is a module of its own, with
// C++ in it: from nothing it takes a minute or two, and from Go's cache a second.
package ducktest

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gavelhq/gavel/apps/reportagent/outside/duck"
)

// Build builds it into a folder, and is its path.
func Build(folder string) (string, error) {
	root, err := checkout()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, duck.Name)
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir, cmd.Stderr = filepath.Join(root, "cmd", duck.Name), os.Stderr
	return path, cmd.Run()
}

// checkout is the folder above this one that has the program's source.
func checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "cmd", duck.Name, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}
