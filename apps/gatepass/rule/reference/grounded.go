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

// Said reports whether a name stands in what the person wrote, however it is spelled: its words side by side, in one message. Of Ravi
// Kumar and Rekha Iyer nobody is Ravi Iyer.
func Said(name string, said []string) bool {
	words := slices.Sorted(slices.Values(names(name)))
	return len(words) > 0 && !unsaid(name, said) && slices.ContainsFunc(said, func(text string) bool {
		in := names(text)
		for i := 0; i+len(words) <= len(in); i++ {
			if slices.Equal(slices.Sorted(slices.Values(in[i:i+len(words)])), words) {
				return true
			}
		}
		return false
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
// and adds none. What says how many keeps the words beside it: of "3 laptops, back by 5" nobody wrote "5 laptops".
func Wrote(text string, said []string) bool {
	words, in := names(text), make([][]string, len(said))
	for i, one := range said {
		in[i] = names(one)
	}
	for i, w := range words {
		from, to := i, i+1
		if counted(w) {
			from, to = max(0, i-1), min(len(words), i+2)
		}
		if !slices.ContainsFunc(in, func(message []string) bool { return runs(words[from:to], message) }) {
			return false
		}
	}
	return len(words) > 0 && !unsaid(text, said)
}

// runs reports whether words stand in a message one after the other.
func runs(words, message []string) bool {
	for i := 0; i+len(words) <= len(message); i++ {
		if slices.Equal(message[i:i+len(words)], words) {
			return true
		}
	}
	return false
}
