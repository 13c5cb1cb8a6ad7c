package bucket

import (
	"cmp"
	"slices"
	"time"
)

// Totals is what the signals of a window come to at its end, by class.
type Totals struct {
	Weight   [Classes]float64 // with recency, before the way they point
	Count    [Classes]int64
	Severity [Classes]int64
	Top      [Classes][]Weighed // the heaviest, in order
}

// A Weighed is a signal with what it weighs at the end of a window.
type Weighed struct {
	Row
	Now float64
}

// Signals is how many signals there are.
func (t Totals) Signals() (n int64) {
	for _, c := range t.Count {
		n += c
	}
	return n
}

// Beyond is what is counted in a window and not in a shorter one with the same end: signals and their severities, which are exact.
func (t Totals) Beyond(shorter Totals) (out Totals) {
	for c := range out.Count {
		out.Count[c], out.Severity[c] = t.Count[c]-shorter.Count[c], t.Severity[c]-shorter.Severity[c]
	}
	return out
}

// AddBucket counts a bucket that lies in a piece of a window.
func (t *Totals) AddBucket(w Window, floor Floor, p Piece, b Bucket) {
	t.AddCells(LeftOf(w, floor, p, b.Start), &b.Cells)
	t.AddTop(w, floor, p, &b.Top)
}

// Left is what is left of a bucket's sums at the end of a window: of the fading one, or of the plain one where recency is at its floor.
type Left struct{ fading, plain float64 }

// LeftOf is what is left of a bucket that begins at a time and lies in a piece of a window.
func LeftOf(w Window, floor Floor, p Piece, start time.Time) Left {
	if p.AtFloor {
		return Left{plain: float64(floor)}
	}
	return Left{fading: floor.unbound(w.AsOf.Sub(start))}
}

// AddCells counts the sums of a bucket of which so much is left.
func (t *Totals) AddCells(left Left, cells *[Classes]Cell) {
	for c := range cells {
		cell := &cells[c]
		if cell.Count == 0 {
			continue
		}
		t.Count[c] += cell.Count
		t.Severity[c] += cell.Severity
		t.Weight[c] += left.fading*cell.Fading.Float() + left.plain*cell.Plain.Float()
	}
}

// AddTop puts the heaviest of a bucket that lies in a piece of a window among the heaviest.
func (t *Totals) AddTop(w Window, floor Floor, p Piece, top *Top) {
	for c := range Classes {
		if p.AtFloor {
			t.weigh(top.Plain[c], func(Row) float64 { return float64(floor) })
		} else {
			t.weigh(top.Fading[c], func(r Row) float64 { return floor.unbound(w.AsOf.Sub(r.At)) })
		}
	}
}

// unbound is recency without its floor: a bucket's start may be older than all that is in it.
func (Floor) unbound(age time.Duration) float64 { return exp(-Rate * age.Hours()) }

// AddRow counts a signal that lies in a window.
func (t *Totals) AddRow(w Window, floor Floor, r Row) {
	recency := floor.Recency(w.AsOf.Sub(r.At))
	t.CountRow(r, recency)
	t.weigh([]Row{r}, func(Row) float64 { return recency })
}

// CountRow counts a signal of which so much is left, without remembering whether it is among the heaviest.
func (t *Totals) CountRow(r Row, recency float64) {
	t.Weight[r.Class] += r.Weight * recency
	t.Count[r.Class]++
	t.Severity[r.Class] += int64(r.Severity)
}

// weigh puts rows, the heaviest first, among the heaviest.
func (t *Totals) weigh(rows []Row, recency func(Row) float64) {
	for _, r := range rows {
		list := t.Top[r.Class]
		x := Weighed{r, r.Weight * recency(r)}
		at, _ := slices.BinarySearchFunc(list, x, heavier)
		if at == Kept {
			return // those after it weigh less
		}
		list = slices.Insert(list, at, x)
		t.Top[r.Class] = list[:min(len(list), Kept)]
	}
}

// heavier orders by weight, then the newer first, then by id.
func heavier(a, b Weighed) int {
	return cmp.Or(cmp.Compare(b.Now, a.Now), b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
}

// Naive is the totals of a window by adding up each signal: what buckets must come to.
func Naive(w Window, floor Floor, rows []Row) (t Totals) {
	for _, r := range rows {
		if w.Holds(r.At) {
			t.AddRow(w, floor, r)
		}
	}
	return t
}
