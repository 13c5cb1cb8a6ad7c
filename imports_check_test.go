package gavel_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// checkImports reads the module under fsys and finds every broken arrow.
func checkImports(fsys fs.FS, module string) ([]finding, error) {
	t, err := readTree(fsys, module)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, f := range t.files {
		found = append(found, t.checkFile(f)...)
	}
	for _, dir := range slices.Sorted(maps.Keys(t.folders)) {
		if placeOf(dir).rules {
			found = append(found, t.checkReach(dir)...)
		}
	}
	return found, nil
}

func (t *tree) checkFile(f *file) []finding {
	var found []finding
	if f.at.layer == nowhere && !f.at.root {
		found = append(found, finding{f.path, "stands in " + path.Dir(f.path), ruleNamed("known-place")})
	}
	for _, imp := range f.imports {
		for _, r := range slices.Concat(importRules, roomRules) {
			if r.broken(f, imp) {
				found = append(found, finding{fmt.Sprintf("%s:%d", f.path, imp.line), describe(f, imp), r.rule})
			}
		}
	}
	for _, r := range useRules {
		if !r.applies(f) {
			continue
		}
		for _, pkg := range slices.Sorted(maps.Keys(r.members)) {
			for _, use := range t.uses(f, pkg, r.members[pkg]...) {
				use.rule = r.rule
				found = append(found, use)
			}
		}
	}
	return found
}

// describe says an import and, for our own packages, between which layers.
func describe(f *file, imp imported) string {
	if !imp.ours {
		return "imports " + imp.path
	}
	return fmt.Sprintf("imports %s (%s → %s)", imp.path, f.at.layer, imp.to.layer)
}

// checkReach follows what a rule package imports through our own packages, and
// finds every import on the way that does more than compute. What the package
// imports itself is pure-code's business.
func (t *tree) checkReach(dir string) []finding {
	var found []finding
	seen := map[string]bool{dir: true}
	var follow func(dir string, chain []string)
	follow = func(at string, chain []string) {
		for _, f := range t.folders[at] {
			if f.test {
				continue
			}
			for _, imp := range f.imports {
				if len(chain) > 1 && impure(imp) {
					found = append(found, finding{
						file: dir,
						what: "reaches " + imp.path + " through " + strings.Join(append(chain[1:len(chain):len(chain)], f.path), " → "),
						rule: reachRule,
					})
				}
				if imp.ours && !seen[imp.to.dir] {
					seen[imp.to.dir] = true
					follow(imp.to.dir, append(chain[:len(chain):len(chain)], imp.to.dir))
				}
			}
		}
	}
	follow(dir, []string{dir})
	return found
}

// allRules lists every rule of the arrows.
func allRules() []rule {
	all := []rule{reachRule}
	for _, r := range slices.Concat(importRules, roomRules) {
		all = append(all, r.rule)
	}
	for _, r := range useRules {
		all = append(all, r.rule)
	}
	return all
}

func ruleNamed(name string) rule {
	all := allRules()
	return all[slices.IndexFunc(all, func(r rule) bool { return r.name == name })]
}
