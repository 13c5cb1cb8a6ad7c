package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// nearby is how far, in units of the grid, a corner of one shape may lie from a
// side of another that should have it: about 50 metres. The source's countries
// lack some corners in which borders of their neighbours' states end.
const nearby = 50

// A side is a straight piece of border, its smaller end first.
type side struct{ a, b point }

func sideOf(a, b point) (s side, turned bool) {
	if less(b, a) {
		return side{b, a}, true
	}
	return side{a, b}, false
}

func less(a, b point) bool { return a.x < b.x || a.x == b.x && a.y < b.y }

func compare(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) }

// Faces are the shapes on both sides of a line that runs from a to b, by their
// number; 0 is no shape at all.
type faces struct{ left, right int }

// stitch gives a side the corners of other shapes that lie on it, so that both
// have the same sides afterwards.
func stitch(shapes []shape) {
	uses := map[side]int{}
	for _, s := range shapes {
		for _, r := range s.rings {
			for i, p := range r {
				e, _ := sideOf(p, r[(i+1)%len(r)])
				uses[e]++
			}
		}
	}
	var loose []corner // of sides that nobody shares
	for i, s := range shapes {
		for _, r := range s.rings {
			for j, p := range r {
				next, _ := sideOf(p, r[(j+1)%len(r)])
				last, _ := sideOf(r[(j+len(r)-1)%len(r)], p)
				if uses[next] == 1 || uses[last] == 1 {
					loose = append(loose, corner{p, i})
				}
			}
		}
	}
	slices.SortStableFunc(loose, func(a, b corner) int { return compare(a.at, b.at) })
	for i := range shapes {
		for j, r := range shapes[i].rings {
			shapes[i].rings[j] = withCorners(r, i, loose, uses)
		}
	}
}

type corner struct {
	at point
	of int
}

// withCorners is a ring with what others have on its unshared sides, each corner
// once, on the side it is nearest to.
func withCorners(r ring, of int, loose []corner, uses map[side]int) ring {
	type place struct {
		side int
		off  float64
	}
	best := map[point]place{}
	for i, p := range r {
		q := r[(i+1)%len(r)]
		if e, _ := sideOf(p, q); uses[e] != 1 {
			continue
		}
		from, _ := slices.BinarySearchFunc(loose, min(p.x, q.x)-nearby, func(c corner, x int32) int { return cmp.Compare(c.at.x, x) })
		for _, c := range loose[from:] {
			if c.at.x > max(p.x, q.x)+nearby {
				break
			}
			d := off(c.at, p, q)
			if known, ok := best[c.at]; c.of != of && d <= nearby && (!ok || d < known.off) {
				best[c.at] = place{i, d}
			}
		}
	}
	for _, p := range r {
		delete(best, p)
	}
	on := make([][]point, len(r))
	for p, at := range best {
		on[at.side] = append(on[at.side], p)
	}
	var out ring
	for i, p := range r {
		slices.SortFunc(on[i], func(a, b point) int { return cmp.Or(cmp.Compare(away(a, p), away(b, p)), compare(a, b)) })
		out = append(append(out, p), on[i]...)
	}
	return out
}

func away(a, b point) float64 { return math.Hypot(float64(a.x-b.x), float64(a.y-b.y)) }

// off is how far c is from the piece between a and b.
func off(c, a, b point) float64 {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	cx, cy := float64(c.x-a.x), float64(c.y-a.y)
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = max(0, min(1, (cx*dx+cy*dy)/l))
	}
	return math.Hypot(cx-t*dx, cy-t*dy)
}

// A line is a stretch of border between the same two shapes, or the shore of one.
// It ends where three meet, or in its own first point.
type line struct {
	shapes *[]shape
	faces
	points []point
}

// join makes lines of the shapes' sides.
func join(shapes []shape) ([]line, error) {
	sides, err := sidesOf(shapes)
	if err != nil {
		return nil, err
	}
	next := map[point][]point{}
	for e := range sides {
		next[e.a] = append(next[e.a], e.b)
		next[e.b] = append(next[e.b], e.a)
	}
	starts := slices.SortedFunc(maps.Keys(next), compare)
	for _, p := range starts {
		slices.SortFunc(next[p], compare)
	}
	var lines []line
	walk := func(p, q point) {
		e, turned := sideOf(p, q)
		f, there := sides[e]
		if !there {
			return // walked already, from the other end
		}
		if turned {
			f = faces{f.right, f.left}
		}
		l := line{&shapes, f, []point{p, q}}
		delete(sides, e)
		for len(next[q]) == 2 && q != p {
			to := next[q][0]
			if e, _ = sideOf(q, to); !has(sides, e) {
				to = next[q][1]
				e, _ = sideOf(q, to)
			}
			if !has(sides, e) {
				break
			}
			delete(sides, e)
			l.points, q = append(l.points, to), to
		}
		lines = append(lines, l)
	}
	for _, meeting := range []bool{true, false} {
		for _, p := range starts {
			if (len(next[p]) != 2) == meeting {
				for _, q := range next[p] {
					walk(p, q)
				}
			}
		}
	}
	return lines, nil
}

func has(sides map[side]faces, e side) bool { _, ok := sides[e]; return ok }

// sidesOf says for every side what lies left and right of it. Sides with the same
// shape on both are dropped. Two shapes on one side would overlap.
func sidesOf(shapes []shape) (map[side]faces, error) {
	sides := map[side]faces{}
	for i, s := range shapes {
		for _, r := range s.rings {
			for j, p := range r {
				e, turned := sideOf(p, r[(j+1)%len(r)])
				f := sides[e]
				at := &f.left
				if turned {
					at = &f.right
				}
				if *at != 0 {
					return nil, fmt.Errorf("%s %s lies over shape %d at %v", s.Country, s.State, *at, p)
				}
				*at = i + 1
				sides[e] = f
			}
		}
	}
	maps.DeleteFunc(sides, func(_ side, f faces) bool { return f.left == f.right })
	return sides, nil
}
