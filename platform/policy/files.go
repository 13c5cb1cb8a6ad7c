package policy

import (
	"cmp"
	"slices"
)

// Files are the files that the set was parsed from, in order of name: what its
// digest is of. A nil Set has none.
func (s *Set) Files() []File {
	if s == nil {
		return nil
	}
	return slices.Clone(s.files)
}

// DigestOf is the digest that a set of these files has, whether or not this
// program would still parse them: who checks an old answer needs no more.
func DigestOf(files ...File) string {
	return digest(slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Name, b.Name) }))
}
