package devstack

import (
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/gavelhq/gavel/platform/fault"
)

// module is Gavel's own.
const module = "github.com/gavelhq/gavel"

// A ground is where a stack is used.
type ground struct {
	home   string // root of the module: the checkout, or that of an application of one's own
	source string // root of the checkout, from which the parts are built
}

// Checkout finds the checkout of Gavel around a folder, or the one that the module around
// it has its Gavel from.
func Checkout(folder string) (string, error) {
	g, err := groundAt(folder)
	return g.source, err
}

// groundHere is the ground around the working folder.
func groundHere() (ground, error) {
	here, err := os.Getwd()
	if err != nil {
		return ground{}, fault.From(fault.Internal, err, "find the working folder")
	}
	return groundAt(here)
}

// groundAt looks upwards for a module that is Gavel's, or that replaces it with a
// checkout. Other modules, as those under devstack/tools, are passed over.
func groundAt(here string) (ground, error) {
	for dir := here; ; dir = filepath.Dir(dir) {
		switch source, ok := sourceOf(dir); {
		case ok:
			return ground{home: dir, source: source}, nil
		case dir == filepath.Dir(dir):
			return ground{}, fault.New(fault.NotFound, "%s is not in a checkout of Gavel", here).
				WithNext("change to the checkout, or name the data folder with --dir")
		}
	}
}

// sourceOf is the checkout that a module has its Gavel from.
func sourceOf(dir string) (string, bool) {
	mod, ok := readModule(dir)
	if !ok {
		return "", false
	}
	if mod.Module.Mod.Path == module {
		return dir, true
	}
	for _, r := range mod.Replace {
		if r.Old.Path != module || r.New.Version != "" {
			continue
		}
		source := r.New.Path
		if !filepath.IsAbs(source) {
			source = filepath.Join(dir, source)
		}
		own, ok := readModule(source)
		return source, ok && own.Module.Mod.Path == module
	}
	return "", false
}

// readModule reads the go.mod of a folder that has one.
func readModule(dir string) (*modfile.File, bool) {
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	mod, err := modfile.Parse(name, text, nil)
	return mod, err == nil && mod.Module != nil
}

// CacheDir is where built tools and installed packages are kept, outside of any checkout.
func CacheDir() (string, error) {
	if dir := os.Getenv("GAVEL_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir() // XDG_CACHE_HOME, else ~/.cache
	if err != nil {
		return "", fault.From(fault.Invalid, err, "find a folder for built tools").
			WithNext("set GAVEL_CACHE to a folder")
	}
	return filepath.Join(dir, "gavel"), nil
}
