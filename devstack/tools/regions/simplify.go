package main

import (
	"fmt"
	"math"
	"slices"
)

// How far a simplified line may be from the source's, in km. Near Delhi it is far
// below the error of the source, so that simplifying costs nothing there.
const (
	homeKM   = 0.05
	indiaKM  = 0.1
	abroadKM = 1.0
)

// A unit of the grid, in km, along a meridian.
const unitKM = 6371.0088 * math.Pi / 180 / perDegree

// home is the land whose fires the case is about: Punjab, Haryana, Delhi, the
// west of Uttar Pradesh and what surrounds them.
func home(p point) bool {
	return p.x > 73.0*perDegree && p.x < 80.5*perDegree && p.y > 26.5*perDegree && p.y < 33.0*perDegree
}

// tolerance is how far from p the line may go.
func (l line) tolerance(p point) float64 {
	switch {
	case !l.indian():
		return abroadKM
	case home(p):
		return homeKM
	}
	return indiaKM
}

func (l line) indian() bool {
	for _, n := range []int{l.left, l.right} {
		if n > 0 && (*l.shapes)[n-1].State != "" {
			return true
		}
	}
	return false
}

// simplify leaves out points that matter less than the tolerance. Where that would
// make two lines touch, those two are done again with half of it, until none do.
func simplify(lines []line) ([]line, error) {
	if hit := crossings(lines); len(hit) > 0 {
		return nil, fmt.Errorf("%d lines of the source cross, the first at %v", len(hit), lines[hit[0]].points[0])
	}
	share := slices.Repeat([]float64{1}, len(lines))
	for range 40 {
		out := make([]line, len(lines))
		for i, l := range lines {
			out[i] = l
			out[i].points = l.thin(share[i])
		}
		hit := crossings(out)
		if len(hit) == 0 {
			return out, nil
		}
		for _, i := range hit {
			share[i] /= 2
			if share[i] < 1e-4 {
				share[i] = 0
			}
		}
	}
	return nil, fmt.Errorf("lines still touch after 40 rounds")
}

// thin is the line with fewer points: Douglas and Peucker's way. A closed line is
// cut at the point farthest from its first, and keeps at least three corners.
func (l line) thin(share float64) []point {
	n := len(l.points)
	keep := make([]bool, n)
	keep[0], keep[n-1] = true, true
	if l.points[0] != l.points[n-1] {
		l.split(keep, 0, n-1, share)
	} else {
		far := l.farthest(0, n-1)
		keep[far] = true
		l.split(keep, 0, far, share)
		l.split(keep, far, n-1, share)
		if kept(keep) < 4 {
			far = l.widest(0, far, n-1)
			keep[far] = true
		}
	}
	var out []point
	for i, p := range l.points {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

func kept(keep []bool) (n int) {
	for _, k := range keep {
		if k {
			n++
		}
	}
	return n
}

// farthest is the point between from and to that is farthest from the first.
func (l line) farthest(from, to int) int {
	best, at := -1.0, from+1
	for i := from + 1; i < to; i++ {
		if d := away(l.points[i], l.points[from]); d > best {
			best, at = d, i
		}
	}
	return at
}

// widest is the point farthest from the chord between from and far.
func (l line) widest(from, far, to int) int {
	best, at := -1.0, from
	for i := from + 1; i < to; i++ {
		if d := off(l.points[i], l.points[from], l.points[far]); i != far && d > best {
			best, at = d, i
		}
	}
	return at
}

// split keeps what is too far from the chord between two kept points.
func (l line) split(keep []bool, from, to int, share float64) {
	worst, at := 0.0, -1
	for i := from + 1; i < to; i++ {
		p := l.points[i]
		if over := kilometres(p, l.points[from], l.points[to]) / max(l.tolerance(p)*share, 1e-9); over > worst {
			worst, at = over, i
		}
	}
	if worst <= 1 {
		return
	}
	keep[at] = true
	l.split(keep, from, at, share)
	l.split(keep, at, to, share)
}

// kilometres is how far c is from the piece between a and b.
func kilometres(c, a, b point) float64 {
	k := math.Cos(float64(c.y) / perDegree * math.Pi / 180)
	ax, ay := float64(a.x-c.x)*k, float64(a.y-c.y)
	dx, dy := float64(b.x-a.x)*k, float64(b.y-a.y)
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = max(0, min(1, -(ax*dx+ay*dy)/l))
	}
	return math.Hypot(ax+t*dx, ay+t*dy) * unitKM
}
