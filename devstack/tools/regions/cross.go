package main

import (
	"maps"
	"slices"
)

// cell is the size, in units, of the squares in which sides are compared: half a
// degree.
const cell = perDegree / 2

type piece struct {
	line int
	a, b point
}

// crossings lists the lines that touch another, or themselves, anywhere but in an
// end that both have.
func crossings(lines []line) []int {
	squares := map[[2]int32][]piece{}
	for i, l := range lines {
		for j := 1; j < len(l.points); j++ {
			p := piece{i, l.points[j-1], l.points[j]}
			for x := floor(min(p.a.x, p.b.x)); x <= floor(max(p.a.x, p.b.x)); x++ {
				for y := floor(min(p.a.y, p.b.y)); y <= floor(max(p.a.y, p.b.y)); y++ {
					squares[[2]int32{x, y}] = append(squares[[2]int32{x, y}], p)
				}
			}
		}
	}
	hit := map[int]bool{}
	for _, in := range squares {
		for i, p := range in {
			for _, q := range in[:i] {
				if p != q && touch(p, q) {
					hit[p.line], hit[q.line] = true, true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(hit))
}

func floor(v int32) int32 {
	if v < 0 {
		return -((-v + cell - 1) / cell)
	}
	return v / cell
}

// turn is positive where a, b, c turns left, and exact.
func turn(a, b, c point) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(b.y-a.y)*int64(c.x-a.x)
}

// touch reports whether two pieces have a point in common that is not an end of
// both, or lie on each other.
func touch(p, q piece) bool {
	if max(p.a.x, p.b.x) < min(q.a.x, q.b.x) || max(q.a.x, q.b.x) < min(p.a.x, p.b.x) ||
		max(p.a.y, p.b.y) < min(q.a.y, q.b.y) || max(q.a.y, q.b.y) < min(p.a.y, p.b.y) {
		return false
	}
	for _, m := range [][4]point{{p.a, p.b, q.a, q.b}, {p.a, p.b, q.b, q.a}, {p.b, p.a, q.a, q.b}, {p.b, p.a, q.b, q.a}} {
		if m[0] == m[2] { // a common end: they touch elsewhere only if they run the same way
			return m[1] == m[3] || turn(m[0], m[1], m[3]) == 0 && ahead(m[0], m[1], m[3])
		}
	}
	a, b := turn(p.a, p.b, q.a), turn(p.a, p.b, q.b)
	c, d := turn(q.a, q.b, p.a), turn(q.a, q.b, p.b)
	return opposite(a, b) && opposite(c, d) || between(a, p, q.a) || between(b, p, q.b) || between(c, q, p.a) || between(d, q, p.b)
}

func opposite(a, b int64) bool { return a > 0 && b < 0 || a < 0 && b > 0 }

// ahead reports whether b and c lie in the same direction from a.
func ahead(a, b, c point) bool {
	return int64(b.x-a.x)*int64(c.x-a.x)+int64(b.y-a.y)*int64(c.y-a.y) > 0
}

// between reports whether c, whose turn is given, lies on the piece.
func between(t int64, p piece, c point) bool {
	return t == 0 && c.x >= min(p.a.x, p.b.x) && c.x <= max(p.a.x, p.b.x) && c.y >= min(p.a.y, p.b.y) && c.y <= max(p.a.y, p.b.y)
}
