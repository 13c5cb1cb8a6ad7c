package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Farthest bounds every coordinate: what lies beyond is off any picture.
const Farthest = 99_999

// Decimals is a coordinate with so many decimals, never an odd zero or no number.
func Decimals(v float64, n int) string {
	if math.IsNaN(v) {
		v = 0
	}
	s := strconv.FormatFloat(min(max(v, -Farthest), Farthest), 'f', n, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// Tenths is how a coordinate is written.
func Tenths(v float64) string { return Decimals(v, 1) }

// Whole is how a coordinate is written that needs no more than its pixel.
func Whole(v float64) string { return Decimals(v, 0) }

// Figure is a number for people: with so many decimals and a true minus.
func Figure(v float64, n int) string { return strings.Replace(Decimals(v, n), "-", "−", 1) }

// Count is how many, with Indian grouping: 1,23,456.
func Count(n int) string {
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

// Finite reports whether all of some numbers are numbers.
func Finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// rounder is the largest of 1, 2 and 5 times a power of ten that is not above v.
func rounder(v float64) float64 {
	if !Finite(v) || v <= 0 {
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

// HourOf is in which hour a moment lies, counted from when the hour 0 begins.
func HourOf(t, zero time.Time) int { return int(math.Floor(t.Sub(zero).Hours())) }

// HourName is the value of data-hour of the hour in which a moment lies.
func (l Look) HourName(t time.Time) string { return strconv.Itoa(HourOf(t, l.Zero)) }

// Moment is "13 Nov 18:30" in the zone of the drawing; its label says the zone once.
func (l Look) Moment(t time.Time) string { return l.Day(t) + " " + l.Clock(t) }

// Clock is "18:30".
func (l Look) Clock(t time.Time) string { return t.In(l.zone()).Format("15:04") }

// Day is "13 Nov", or "13-11" where the months have no names.
func (l Look) Day(t time.Time) string {
	t = t.In(l.zone())
	if name := l.Months[t.Month()-1]; name != "" {
		return strconv.Itoa(t.Day()) + " " + name
	}
	return t.Format("02-01")
}

// ZoneName is IST, or UTC+03 where the zone has no letters.
func (l Look) ZoneName(t time.Time) string {
	name := t.In(l.zone()).Format("MST")
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return "UTC" + name
	}
	return name
}
