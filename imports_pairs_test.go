package gavel_test

import (
	"maps"
	"os"
	"slices"
	"testing"
)

// pairsMost is how many pairs of platform folders may import each other. The compiler
// refuses a circle of packages, not one of folders; in such a pair neither can be
// understood, or moved, without the other.
const pairsMost = 0

// TestPlatformFoldersHardlyImportEachOther promises that the folders of the platform
// have an order. What is left is printed.
func TestPlatformFoldersHardlyImportEachOther(t *testing.T) {
	tree, err := readTree(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	pairs := tree.pairs()
	for _, p := range pairs {
		t.Logf("platform/%s and platform/%s import each other: %s and %s", p.one, p.other, p.there, p.back)
	}
	if len(pairs) > pairsMost {
		t.Errorf("%d pairs of platform folders import each other, want at most %d: move what one needs of the other down, or up to who "+
			"needs both", len(pairs), pairsMost)
	}
}

func TestAPairOfFoldersIsFound(t *testing.T) {
	tree, err := readTree(fakes(
		pkg("platform/audit", "./platform/fault"),
		pkg("platform/audit/bundle", "./platform/act"),
		pkg("platform/act", "./platform/audit"),
		pkg("platform/fault/fault_test.go", "./platform/audit"), // a test is no arrow
	), module)
	if err != nil {
		t.Fatal(err)
	}
	want := pair{"act", "audit", "platform/act/act.go", "platform/audit/bundle/bundle.go"}
	if got := tree.pairs(); len(got) != 1 || got[0] != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A pair is two folders of the platform that import each other, with a file for each way.
type pair struct{ one, other, there, back string }

// pairs finds them, by the files that are no tests nor helpers of tests.
func (t *tree) pairs() []pair {
	type arrow struct{ from, to string }
	arrows := map[arrow]string{}
	for _, f := range t.files {
		if f.test || f.at.helper || f.at.part == "" || f.at.layer >= apps {
			continue
		}
		for _, imp := range f.imports {
			if imp.ours && imp.to.part != "" && imp.to.layer < apps && imp.to.part != f.at.part {
				arrows[arrow{f.at.part, imp.to.part}] = f.path
			}
		}
	}
	var all []pair
	for a := range maps.Keys(arrows) {
		if back, ok := arrows[arrow{a.to, a.from}]; ok && a.from < a.to {
			all = append(all, pair{a.from, a.to, arrows[a], back})
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return slices.Compare([]string{a.one, a.other}, []string{b.one, b.other}) })
	return all
}
