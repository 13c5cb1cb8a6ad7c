package form

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// The bounds of a difference: more is counted, not listed.
const (
	maxChanges = 200
	maxGrid    = 250_000 // comparisons of one list or text; beyond, it is compared in order
)

// A Difference is what one value has and another has not.
type Difference struct {
	Changes []Change
	More    int // changes beyond those listed
}

// A Change is one place that differs.
type Change struct {
	Path   []Step
	Was    Side
	Now    Side
	Pieces []Piece // where both sides are texts: what went and what came; may be empty
}

// A Step leads into a value: by a member's name, or by a row's number, counted
// from one in the value that has it.
type Step struct {
	Name string
	Row  int
}

// A Side is a place in one of the two values: its text as a person reads it.
type Side struct {
	Is   Presence
	Type string // the JSON type
	Text string
}

// A Piece is a run of words of a text.
type Piece struct {
	Op   Op
	Text string
}

// An Op is what became of a piece.
type Op string

// The ops.
const (
	Same Op = "same"
	Gone Op = "gone"
	Came Op = "came"
)

// Diff compares two values. It is empty only if they are the same value.
func Diff(before, after json.RawMessage) (Difference, error) {
	_, was, err := decode(before)
	if err != nil {
		return Difference{}, err
	}
	_, now, err := decode(after)
	if err != nil {
		return Difference{}, err
	}
	var d Difference
	d.compare(nil, was, now)
	return d, nil
}

func (d *Difference) compare(path []Step, was, now any) {
	if compact(was) == compact(now) {
		return
	}
	switch w := was.(type) {
	case map[string]any:
		if n, ok := now.(map[string]any); ok {
			d.members(path, w, n)
			return
		}
	case []any:
		if n, ok := now.([]any); ok {
			d.rows(path, w, n)
			return
		}
	}
	d.add(path, side(was), side(now))
}

func (d *Difference) members(path []Step, was, now map[string]any) {
	names := slices.Sorted(maps.Keys(was))
	for name := range now {
		if _, both := was[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := append(slices.Clone(path), Step{Name: name})
		w, in := was[name]
		n, still := now[name]
		switch {
		case in && still:
			d.compare(at, w, n)
		case in:
			d.add(at, side(w), Side{Is: Out})
		default:
			d.add(at, Side{Is: Out}, side(n))
		}
	}
}

// rows compares lists so that a row that went does not make all rows after it
// look changed.
func (d *Difference) rows(path []Step, was, now []any) {
	at := func(row int) []Step { return append(slices.Clone(path), Step{Row: row + 1}) }
	for _, gap := range gaps(texts(was), texts(now)) {
		for gap.was < gap.wasEnd && gap.now < gap.nowEnd {
			d.compare(at(gap.now), was[gap.was], now[gap.now])
			gap.was++
			gap.now++
		}
		for ; gap.was < gap.wasEnd; gap.was++ {
			d.add(at(gap.was), side(was[gap.was]), Side{Is: Out})
		}
		for ; gap.now < gap.nowEnd; gap.now++ {
			d.add(at(gap.now), Side{Is: Out}, side(now[gap.now]))
		}
	}
}

func texts(rows []any) []string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = compact(row)
	}
	return all
}

func (d *Difference) add(path []Step, was, now Side) {
	if len(d.Changes) == maxChanges {
		d.More++
		return
	}
	c := Change{Path: path, Was: was, Now: now}
	if was.Type == "string" && now.Type == "string" {
		c.Pieces = pieces(was.Text, now.Text)
	}
	d.Changes = append(d.Changes, c)
}

func side(v any) Side {
	s := Side{Is: In, Type: typeOf(v)}
	switch v := v.(type) {
	case nil:
		s.Is = Null
	case string:
		s.Text = v
	default:
		s.Text = pretty(v)
	}
	return s
}

// A gap is a stretch of two lists between rows that are the same in both.
type gap struct{ was, wasEnd, now, nowEnd int }

// gaps finds the stretches that differ, by the longest list of rows that both
// have in the same order.
func gaps(was, now []string) []gap {
	head := 0
	for head < len(was) && head < len(now) && was[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(now)-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	was, now = was[head:len(was)-tail], now[head:len(now)-tail]
	var all []gap
	i, j := 0, 0
	for _, m := range common(was, now) {
		if i < m[0] || j < m[1] {
			all = append(all, gap{head + i, head + m[0], head + j, head + m[1]})
		}
		i, j = m[0]+1, m[1]+1
	}
	if i < len(was) || j < len(now) {
		all = append(all, gap{head + i, head + len(was), head + j, head + len(now)})
	}
	return all
}

// common lists the places of the longest common part of two lists; none where
// finding it would take too long.
func common(was, now []string) [][2]int {
	if len(was)*len(now) > maxGrid || len(was) == 0 || len(now) == 0 {
		return nil
	}
	width := len(now) + 1
	best := make([]int, (len(was)+1)*width)
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if was[i] == now[j] {
				best[i*width+j] = best[(i+1)*width+j+1] + 1
			} else {
				best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1])
			}
		}
	}
	var all [][2]int
	for i, j := 0, 0; i < len(was) && j < len(now); {
		switch {
		case was[i] == now[j]:
			all = append(all, [2]int{i, j})
			i, j = i+1, j+1
		case best[(i+1)*width+j] >= best[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return all
}

// pieces compares two texts word by word. Read without what came it is the first
// text, without what went the second.
func pieces(was, now string) []Piece {
	w, n := split(was), split(now)
	var all []Piece
	put := func(op Op, parts []string) {
		if text := strings.Join(parts, ""); text != "" {
			all = append(all, Piece{op, text})
		}
	}
	i := 0
	for _, g := range gaps(w, n) {
		put(Same, w[i:g.was])
		put(Gone, w[g.was:g.wasEnd])
		put(Came, n[g.now:g.nowEnd])
		i = g.wasEnd
	}
	put(Same, w[i:])
	return all
}

// split cuts a text into words and what stands between them.
func split(text string) []string {
	var all []string
	start, space := 0, false
	for i, r := range text {
		if is := unicode.IsSpace(r); is != space && i > start {
			all = append(all, text[start:i])
			start = i
		}
		space = unicode.IsSpace(r)
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}
