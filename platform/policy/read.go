package policy

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// apart sorts the files of a folder by set.
func apart(folder string, files []File) map[string][]File {
	sets := map[string][]File{}
	for _, f := range files {
		set, name, _ := setOf(folder + "/" + f.Name)
		sets[set] = append(sets[set], File{Name: name, Text: f.Text})
	}
	return sets
}

// setOf is the set that a file belongs to, and its name there. The platform's
// policies are all on acts and have one folder.
func setOf(path string) (set, name string, ok bool) {
	set, name, ok = strings.Cut(path, "/")
	if file, acts := strings.CutPrefix(path, actsOf(set)+"/"); acts && set != Own {
		return actsOf(set), file, true
	}
	return set, name, ok
}

// folders are the files of the sets that an override replaces.
func folders(override fs.FS) (map[string][]File, error) {
	found := map[string][]File{}
	if override == nil {
		return found, nil
	}
	entries, err := fs.ReadDir(override, ".")
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the folder of policies cannot be read").
			WithNext("look at GAVEL_POLICIES: gavel config list")
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		info, err := fs.Stat(override, name)
		if err != nil {
			return nil, fault.From(fault.Invalid, err, "%.80s cannot be read", name)
		}
		if !info.IsDir() {
			if strings.EqualFold(path.Ext(name), cedarExt) {
				return nil, misplaced(name)
			}
			continue
		}
		sub, err := fs.Sub(override, name)
		if err != nil {
			return nil, fault.From(fault.Invalid, err, "%s cannot be read", name)
		}
		sets, err := replacing(name, sub)
		if err != nil {
			return nil, inSet(name, err)
		}
		maps.Copy(found, sets)
	}
	if len(found) == 0 { // a folder that was not mounted must not widen what people may do
		return nil, fault.New(fault.Invalid, "the folder of policies holds none").
			WithNext("put them in %s/ or in a folder named like an application, or take GAVEL_POLICIES out of the settings", Own)
	}
	return found, nil
}

// replacing are the sets that a folder of an override replaces: that of the acts
// where it has a folder acts, that of the tools where it has other files or nothing
// at all, which is refused later.
func replacing(name string, folder fs.FS) (map[string][]File, error) {
	files, err := readFiles(folder)
	if err != nil {
		return nil, err
	}
	sets := apart(name, files)
	if info, err := fs.Stat(folder, actsFolder); err == nil && info.IsDir() && name != Own {
		sets[actsOf(name)] = append([]File{}, sets[actsOf(name)]...)
	}
	if len(sets) == 0 {
		sets[name] = []File{}
	}
	return sets, nil
}

func misplaced(name string) error {
	return fault.New(fault.Invalid, "%.80s: a policy stands in a folder: %s/ for the platform's own, or one named like an application",
		name, Own)
}

// cedarExt is how the name of a file of policies ends.
const cedarExt = ".cedar"

// readFiles reads the .cedar files of a folder, wherever they lie in it. What is
// hidden is left alone: there mounted folders keep their own copies. What looks
// like policies and would be passed over is refused: a forbid that is not read
// forbids nothing.
func readFiles(from fs.FS) ([]File, error) {
	files := []File{}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fault.From(fault.Invalid, err, "%s cannot be read", name)
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || strings.HasPrefix(d.Name(), "."):
			return nil
		case leadsToFolder(from, name, d):
			return fault.New(fault.Invalid, "%.80s leads to another folder, which is not followed", name).
				WithNext("put the files themselves there")
		case path.Ext(name) != cedarExt && strings.EqualFold(path.Ext(name), cedarExt):
			return fault.New(fault.Invalid, "%.80s: the name of a file of policies ends in %s, in small letters", name, cedarExt)
		case path.Ext(name) != cedarExt:
			return nil
		case len(files) == MaxFiles:
			return fault.New(fault.TooLarge, "more than %d policy files", MaxFiles)
		}
		text, err := readFile(from, name)
		files = append(files, File{Name: name, Text: text})
		return err
	})
	return files, err
}

// leadsToFolder reports whether an entry is a link to a folder. A link to a file
// is read like one: that is how mounted settings come.
func leadsToFolder(from fs.FS, name string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := fs.Stat(from, name)
	return err == nil && info.IsDir()
}

// readFile reads a little more than a file may hold, so that a longer one is
// refused and never read whole.
func readFile(from fs.FS, name string) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "%s cannot be read", name)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "%s cannot be read", name)
	}
	return text, nil
}

// ReadOverride reads the files of a folder that would override policies, each
// named with the folder of its set, as Replace takes them.
func ReadOverride(override fs.FS) ([]File, error) {
	found, err := folders(override)
	if err != nil {
		return nil, err
	}
	var all []File
	for _, set := range slices.Sorted(maps.Keys(found)) {
		if len(found[set]) == 0 {
			return nil, empty(set)
		}
		for _, f := range found[set] {
			all = append(all, File{Name: set + "/" + f.Name, Text: f.Text})
		}
	}
	return all, nil
}
