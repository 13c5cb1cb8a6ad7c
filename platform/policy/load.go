package policy

import (
	"embed"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed policies/*.cedar
var policyFiles embed.FS

// Load reads the policies that are built in and those of the applications. A
// folder of the override replaces a set as a whole: platform/*.cedar the
// platform's own, <app>/*.cedar an application's. Override may be nil.
//
// It refuses, with file and line, whatever Parse and ParseActs refuse, and an
// override that is no help: one that holds nothing, a folder without policies, or
// of an application that there is not, or under which nobody may do anything.
func Load(override fs.FS, apps map[string]fs.FS) (*Rules, error) {
	built, err := fs.Sub(policyFiles, "policies")
	if err != nil {
		return nil, err
	}
	sets := map[string]fs.FS{Own: built}
	for app, from := range apps {
		sets[app] = from
	}
	replaced, err := folders(override)
	if err != nil {
		return nil, err
	}
	texts := map[string][]File{}
	for name, from := range sets {
		if from == nil {
			texts[name] = nil
			continue
		}
		if texts[name], err = readFiles(from); err != nil {
			return nil, inSet(name, err)
		}
	}
	return assemble(texts, replaced)
}

// Replace are the same rules with other files, each named with the folder of the
// set it belongs to, as an override's are; a set of which there is one is
// replaced as a whole.
func (r *Rules) Replace(files ...File) (*Rules, error) {
	now, next := map[string][]File{}, map[string][]File{}
	for _, name := range r.Sets() {
		now[name] = r.Set(name).Files()
	}
	for _, f := range files {
		set, name, ok := strings.Cut(f.Name, "/")
		if !ok {
			return nil, misplaced(f.Name)
		}
		next[set] = append(next[set], File{Name: name, Text: f.Text})
	}
	return assemble(now, next)
}

// assemble parses the sets there are, with some of them replaced.
func assemble(sets, replaced map[string][]File) (*Rules, error) {
	for _, name := range slices.Sorted(maps.Keys(replaced)) {
		if _, known := sets[name]; !known {
			return nil, fault.New(fault.Invalid, "%.60s/: no application is called so", name).
				WithNext("there are the folders %s", strings.Join(slices.Sorted(maps.Keys(sets)), ", "))
		}
		if len(replaced[name]) == 0 {
			return nil, empty(name)
		}
	}
	r := &Rules{apps: map[string]*Set{}}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		files, other := replaced[name]
		if !other {
			files = sets[name]
		}
		set, err := parseSet(name, files)
		if err != nil {
			return nil, err
		}
		if name == Own {
			r.acts, r.byAct = set, set.byAct()
		} else {
			r.apps[name] = set
		}
	}
	return r, r.useful()
}

func empty(set string) error {
	return fault.New(fault.Invalid, "%.60s/: has no .cedar file, and would refuse everything", set).
		WithNext("remove the folder to keep the policies that are built in")
}

func parseSet(name string, files []File) (*Set, error) {
	parse := Parse
	if name == Own {
		parse = ParseActs
	}
	if files == nil {
		return nil, nil
	}
	set, err := parse(files...)
	if err != nil {
		return nil, inSet(name, err)
	}
	return set, nil
}

// byAct sorts the policies by act, so that a question meets only those that could
// speak to it: what is false for an act whoever asks decides nothing about it.
// Every request asks a few times, and most policies are about other acts.
func (s *Set) byAct() map[string]*Set {
	all := map[string]*Set{}
	for _, a := range Acts() {
		v := view{action: do, anyRole: true, known: map[string]string{"act": a.Name}}
		some := *s
		some.policies = nil
		for _, p := range s.policies {
			if !v.policy(p.form).isFalse() {
				some.policies = append(some.policies, p)
			}
		}
		all[a.Name] = &some
	}
	return all
}

// inSet names the set beside the file.
func inSet(name string, err error) error {
	text, next := fault.Words(err)
	return fault.From(fault.KindOf(err), err, "policies of %s: %s", name, text).WithNext("%s", next)
}

// useful refuses rules under which nobody could work.
func (r *Rules) useful() error {
	if slices.ContainsFunc(Acts(), func(a Act) bool { return len(r.Holders(a.Name)) > 0 }) {
		return nil
	}
	return fault.New(fault.Invalid, "the policies of %s let no role do anything; nobody could work", Own).
		WithNext("start from a copy of the ones that are built in: gavel policy files")
}

// folders are the files of the sets that an override replaces.
func folders(override fs.FS) (map[string][]File, error) {
	found := map[string][]File{}
	if override == nil {
		return found, nil
	}
	entries, err := fs.ReadDir(override, ".")
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the folder of policies cannot be read").WithNext("look at GAVEL_POLICIES: gavel config list")
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
		if found[name], err = readFiles(sub); err != nil {
			return nil, inSet(name, err)
		}
	}
	if len(found) == 0 { // a folder that was not mounted must not widen what people may do
		return nil, fault.New(fault.Invalid, "the folder of policies holds none").
			WithNext("put them in %s/ or in a folder named like an application, or take GAVEL_POLICIES out of the settings", Own)
	}
	return found, nil
}

func misplaced(name string) error {
	return fault.New(fault.Invalid, "%.80s: a policy stands in a folder: %s/ for the platform's own, or one named like an application", name, Own)
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
			return fault.New(fault.Invalid, "%.80s leads to another folder, which is not followed", name).WithNext("put the files themselves there")
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
