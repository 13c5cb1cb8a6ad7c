package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// farthest bounds every coordinate: what lies beyond is off any picture.
const farthest = 99_999

// decimals is a coordinate with so many decimals, never an odd zero or no number.
func decimals(v float64, n int) string {
	if math.IsNaN(v) {
		v = 0
	}
	s := strconv.FormatFloat(min(max(v, -farthest), farthest), 'f', n, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// tenths and whole are how coordinates are written.
func tenths(v float64) string { return decimals(v, 1) }
func whole(v float64) string  { return decimals(v, 0) }

// figure is a number for people: with so many decimals and a true minus.
func figure(v float64, n int) string { return strings.Replace(decimals(v, n), "-", "−", 1) }

// count is how many, with Indian grouping: 1,23,456.
func count(n int) string {
	text := strconv.Itoa(max(n, 0))
	if len(text) <= 3 {
		return text
	}
	head, tail := text[:len(text)-3], text[len(text)-3:]
	for len(head) > 2 {
		head, tail = head[:len(head)-2], head[len(head)-2:]+","+tail
	}
	return head + "," + tail
}

// finite reports whether all of some numbers are numbers.
func finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// rounder is the largest of 1, 2 and 5 times a power of ten that is not above v.
func rounder(v float64) float64 {
	if !finite(v) || v <= 0 {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2} {
		if m*p <= v {
			return m * p
		}
	}
	return p
}

// hourOf is in which hour a moment lies, counted from when the hour 0 begins.
func hourOf(t, zero time.Time) int { return int(math.Floor(t.Sub(zero).Hours())) }

// moment is "13 Nov 18:30" in the zone of the drawing; its label says the zone once.
func (l Look) moment(t time.Time) string { return l.day(t) + " " + l.clock(t) }

func (l Look) clock(t time.Time) string { return t.In(l.zone()).Format("15:04") }

// day is "13 Nov", or "13-11" where the months have no names.
func (l Look) day(t time.Time) string {
	t = t.In(l.zone())
	if name := l.Months[t.Month()-1]; name != "" {
		return strconv.Itoa(t.Day()) + " " + name
	}
	return t.Format("02-01")
}

// zoneName is IST, or UTC+03 where the zone has no letters.
func (l Look) zoneName(t time.Time) string {
	name := t.In(l.zone()).Format("MST")
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return "UTC" + name
	}
	return name
}
