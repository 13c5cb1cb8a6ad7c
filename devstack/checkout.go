package devstack

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/platform/fault"
)

// checkout finds the root of the checkout around the working folder. The tool
// modules under devstack/tools are passed over: theirs are other modules.
func checkout() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fault.From(fault.Internal, err, "find the working folder")
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module github.com/gavelhq/gavel\n")) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fault.New(fault.NotFound, "%s is not in a checkout of Gavel", here).
				WithNext("change to the checkout, or name the data folder with --dir")
		}
	}
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
