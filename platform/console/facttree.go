package console

import "github.com/gavelhq/gavel/platform/fact"

// A branch is a fact in a formula tree with what it rests on.
type branch struct {
	fact.Fact
	inputs []*branch
	above  bool // its own inputs are shown at an earlier place
	cut    int  // inputs that are left out
}

// maxShown bounds the inputs drawn under one fact; a sum of a thousand readings
// is a list, not a picture.
const maxShown = 50

// grow makes the tree of a fact from all that it rests on. A fact that stands in
// it twice is opened once, so the tree is never larger than the list.
func grow(root fact.Fact, basis []fact.Fact) *branch {
	byRef := map[fact.Ref]fact.Fact{}
	for _, f := range basis {
		byRef[f.Ref()] = f
	}
	opened := map[fact.Ref]bool{}
	var open func(f fact.Fact) *branch
	open = func(f fact.Fact) *branch {
		b := &branch{Fact: f}
		if f.Calc == nil {
			return b
		}
		if opened[f.Ref()] {
			b.above = true
			return b
		}
		opened[f.Ref()] = true
		for i, in := range f.Calc.Inputs {
			if i == maxShown {
				b.cut = len(f.Calc.Inputs) - maxShown
				break
			}
			if input, ok := byRef[in]; ok {
				b.inputs = append(b.inputs, open(input))
			}
		}
		return b
	}
	return open(root)
}
