package reference

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
)

// Grounded reports whether a number comes from somewhere: the person wrote it, a tool answered with it, or it is the pass that is spoken
// of. A call with any other is not made, because a model made it up.
func Grounded(n number.Number, said []string, s Scene) bool {
	wrote := slices.ContainsFunc(said, func(text string) bool { return slices.Contains(number.Find(text), n) })
	answered := slices.ContainsFunc(s.all(), func(r Ref) bool { return r.Number == n })
	return n != "" && (wrote || answered || n == s.Memory.CurrentPassNumber)
}

// Said reports whether a name stands in what the person wrote, however it is spelled: every word of it, in one message.
func Said(name string, said []string) bool {
	words := names(name)
	return len(words) > 0 && slices.ContainsFunc(said, func(text string) bool {
		in := names(text)
		return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(in, w) })
	})
}

// GroundedID is Grounded for a pass that is named by its id.
func GroundedID(id string, said []string, s Scene) bool {
	wrote := slices.ContainsFunc(said, func(text string) bool {
		return slices.Contains(idForm.FindAllString(strings.ToLower(text), -1), id)
	})
	answered := slices.ContainsFunc(s.all(), func(r Ref) bool { return r.ID == id })
	return id != "" && (wrote || answered || id == s.Memory.CurrentPassID)
}

// written are the passes whose numbers stand in a text.
func written(text string) []Ref {
	var out []Ref
	for _, n := range number.Find(number.Fold(text)) {
		out = append(out, Ref{Number: n})
	}
	return out
}

// Wrote reports whether every word of a text is the person's own, whichever message it stands in: a model may choose and order their words,
// and adds none.
func Wrote(text string, said []string) bool {
	words := names(text)
	in := names(strings.Join(said, " "))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(in, w) })
}
