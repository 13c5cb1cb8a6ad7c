package bucket

import (
	"cmp"
	"slices"
)

// Kept is how many of the heaviest signals of each class a bucket names.
const Kept = 3

// Top is the heaviest signals of a bucket. Two that fade at one rate keep their order for ever, so the heaviest
// of a window are among the heaviest of its buckets. Where a floor holds they no longer fade, and the order
// is that of their plain weights: both are kept.
type Top struct {
	Fading [Classes][]Row // by what they weigh at any one time
	Plain  [Classes][]Row // by what they weighed when they were new
}

func (t *Top) add(r Row) {
	t.Fading[r.Class] = keep(t.Fading[r.Class], r, byFading)
	t.Plain[r.Class] = keep(t.Plain[r.Class], r, byPlain)
}

func (t *Top) has(id string) bool {
	is := func(r Row) bool { return r.ID == id }
	for c := range Classes {
		if slices.ContainsFunc(t.Fading[c], is) || slices.ContainsFunc(t.Plain[c], is) {
			return true
		}
	}
	return false
}

// byFading puts first what weighs more at any one time, then the newer, then by id, so that the order is one.
func byFading(a, b Row) int {
	fade := Rate * b.At.Sub(a.At).Hours()
	return cmp.Or(cmp.Compare(b.Weight*exp(fade), a.Weight), b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
}

func byPlain(a, b Row) int {
	return cmp.Or(cmp.Compare(b.Weight, a.Weight), b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
}

// keep adds a row to a list in order that holds at most Kept.
func keep(list []Row, r Row, order func(a, b Row) int) []Row {
	at, _ := slices.BinarySearchFunc(list, r, order)
	if at == Kept {
		return list
	}
	list = slices.Insert(list, at, r)
	return list[:min(len(list), Kept)]
}
