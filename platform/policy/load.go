package policy

import (
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed policies/*.cedar
var policyFiles embed.FS

// A Source is what an application brings: the acts it declares, and .cedar files.
// Those in the folder acts say who may do them, the others who may call its tools.
type Source struct {
	Acts  []Act
	Files fs.FS // nil refuses everything
}

// Load reads the policies that are built in and those of the applications. A
// folder of the override replaces a set as a whole: platform/*.cedar the
// platform's own, <app>/*.cedar those on an application's tools,
// <app>/acts/*.cedar those on its acts. Override may be nil.
//
// It refuses, with file and line, whatever Parse refuses, acts that there are not or that
// are not an application's to declare, policies of it that name another's, and an
// override that is no help: one that holds nothing, a folder without policies, or
// of an application that there is not, or under which nobody may do anything.
func Load(override fs.FS, apps map[string]Source) (*Rules, error) {
	built, err := fs.Sub(policyFiles, "policies")
	if err != nil {
		return nil, err
	}
	replaced, err := folders(override)
	if err != nil {
		return nil, err
	}
	own, err := readFiles(built)
	if err != nil {
		return nil, inSet(Own, err)
	}
	acts, texts := map[string][]Act{Own: Acts()}, map[string][]File{Own: own}
	for _, app := range slices.Sorted(maps.Keys(apps)) {
		files, err := apps[app].read(app)
		if err != nil {
			return nil, err
		}
		maps.Copy(texts, files)
		if len(apps[app].Acts) > 0 {
			acts[actsOf(app)] = slices.Clone(apps[app].Acts)
		}
	}
	return assemble(acts, texts, replaced)
}

// read reads an application's files, by set: that of its tools is always among
// them, that of its acts if it declares any.
func (s Source) read(app string) (map[string][]File, error) {
	if app == Own {
		return nil, fault.New(fault.Invalid, "no application may be called %s", Own)
	}
	if err := checkActs(app, s.Acts); err != nil {
		return nil, err
	}
	sets := map[string][]File{app: nil}
	if len(s.Acts) > 0 {
		sets[actsOf(app)] = nil
	}
	if s.Files == nil {
		return sets, nil
	}
	files, err := readFiles(s.Files)
	if err != nil {
		return nil, inSet(app, err)
	}
	maps.Copy(sets, apart(app, files))
	if len(s.Acts) == 0 && len(sets[actsOf(app)]) > 0 {
		return nil, actless(app)
	}
	return sets, nil
}

func actless(app string) error {
	return fault.New(fault.Invalid, "%.60s/: application %.60s declares no acts", actsOf(app), app)
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
		set, name, ok := setOf(f.Name)
		if !ok {
			return nil, misplaced(f.Name)
		}
		next[set] = append(next[set], File{Name: name, Text: f.Text})
	}
	return assemble(r.acts, now, next)
}

// assemble parses the sets there are, with some of them replaced. Acts are those
// that a set decides; one of tools has none.
func assemble(acts map[string][]Act, sets, replaced map[string][]File) (*Rules, error) {
	for _, name := range slices.Sorted(maps.Keys(replaced)) {
		if _, known := sets[name]; !known {
			if _, known := sets[appOf(name)]; known {
				return nil, actless(appOf(name))
			}
			return nil, fault.New(fault.Invalid, "%.60s/: no application is called so", name).
				WithNext("there are the folders %s", strings.Join(slices.Sorted(maps.Keys(sets)), ", "))
		}
		if len(replaced[name]) == 0 {
			return nil, empty(name)
		}
	}
	r := &Rules{acts: acts, sets: map[string]*Set{}, byAct: map[string]ruled{}}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		files, other := replaced[name]
		if !other {
			files = sets[name]
		}
		set, err := parseSet(name, acts[name], files)
		if err != nil {
			return nil, err
		}
		r.sets[name] = set
		for _, a := range acts[name] {
			r.byAct[a.Name] = ruled{a, name, set.about(a.Name)}
		}
	}
	return r, r.useful()
}

func empty(set string) error {
	return fault.New(fault.Invalid, "%.60s/: has no .cedar file, and would refuse everything", set).
		WithNext("remove the folder to keep the policies that are built in")
}

func parseSet(name string, acts []Act, files []File) (*Set, error) {
	if files == nil {
		return nil, nil
	}
	speaks := ofTools
	switch {
	case name == Own:
		speaks = ofActs("", acts)
	case len(acts) > 0:
		speaks = ofActs(" of "+appOf(name), acts)
	}
	set, err := speaks.parse(files...)
	if err != nil {
		return nil, inSet(name, err)
	}
	return set, nil
}

// about are the policies that could speak to an act, so that a question meets no
// others: what is false for an act whoever asks decides nothing about it. Every
// request asks a few times, and most policies are about other acts.
func (s *Set) about(act string) *Set {
	if s == nil {
		return nil
	}
	v := view{action: do, anyRole: true, known: map[string]string{"act": act}}
	some := *s
	some.policies = nil
	for _, p := range s.policies {
		if !v.policy(p.form).isFalse() {
			some.policies = append(some.policies, p)
		}
	}
	return &some
}

// inSet names the set beside the file.
func inSet(name string, err error) error {
	text, next := fault.Words(err)
	return fault.From(fault.KindOf(err), err, "policies of %s: %s", name, text).WithNext("%s", next)
}

// useful refuses rules under which nobody could work. An application's acts do not
// count: who may do those and cannot read a case is locked out all the same, and
// an institution may close an application.
func (r *Rules) useful() error {
	if slices.ContainsFunc(r.acts[Own], func(a Act) bool { return len(r.Holders(a.Name)) > 0 }) {
		return nil
	}
	return fault.New(fault.Invalid, "the policies of %s let no role do anything; nobody could work", Own).
		WithNext("start from a copy of the ones that are built in: gavel policy files")
}
