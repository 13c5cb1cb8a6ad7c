package score

import (
	"slices"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// Without is the result if one of the heaviest signals had not been heard. Sums fade as a whole, so what it weighs is taken off and
// nothing has to be added up again. The trend stays as it is: it compares days, not signals.
func Without(p Profile, t Thresholds, in Input, id string) Result {
	out := in
	var gone *bucket.Weighed
	out.Layers = map[signal.Layer]bucket.Totals{}
	for l, totals := range in.Layers {
		if x := find(totals, id); x != nil {
			gone, totals = x, less(totals, *x)
		}
		out.Layers[l] = totals
	}
	if gone != nil {
		out.All = less(in.All, *gone)
	}
	return Score(p, t, out)
}

// find is a signal among the heaviest.
func find(t bucket.Totals, id string) *bucket.Weighed {
	for _, top := range t.Top {
		if i := slices.IndexFunc(top, func(x bucket.Weighed) bool { return x.ID == id }); i >= 0 {
			return &top[i]
		}
	}
	return nil
}

// less is totals without one signal that they count.
func less(t bucket.Totals, x bucket.Weighed) bucket.Totals {
	c := x.Class
	t.Count[c]--
	t.Severity[c] -= int64(x.Severity)
	t.Weight[c] = max(t.Weight[c]-x.Now, 0)
	if t.Count[c] == 0 {
		t.Weight[c] = 0 // what is left is rounding
	}
	t.Top[c] = slices.DeleteFunc(slices.Clone(t.Top[c]), func(o bucket.Weighed) bool { return o.ID == x.ID })
	return t
}
