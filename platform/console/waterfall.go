package console

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/web"
)

// A bar is one line of a waterfall: a turn, an act, a wait or a run below.
type bar struct {
	kind     string // turn, act, wait or child
	name     string
	note     string // how it ended, where that is not well
	from, to time.Time
	open     bool // still going on: to is now
	seq      int
}

// busy reports whether something was being done, rather than waited for. An act
// that has not ended may not have begun, and then it is waited for too.
func (b bar) busy() bool { return b.kind != "wait" && !(b.kind == "act" && b.open) }

// bars are the lines of some steps, which come newest first, oldest line first.
func bars(p *web.Page, steps []agent.Step) []bar {
	var all []bar
	for _, s := range slices.Backward(steps) {
		end := s.At.Add(s.Took)
		one := bar{kind: "turn", name: p.T("fall.turn", "n", strconv.Itoa(s.Seq)), from: s.At, to: end, seq: s.Seq}
		if s.State == agent.Failed || s.State == agent.OutOfBudget {
			one.note = p.T("run.state." + string(s.State))
		}
		all = append(all, one)
		for _, c := range s.Calls {
			all = append(all, callBars(p, s, c, end)...)
		}
	}
	return all
}

func callBars(p *web.Page, s agent.Step, c agent.StepCall, end time.Time) (all []bar) {
	add := func(kind, word, note string, from time.Time, to *time.Time) {
		// a page that stands still looks the same
		b := bar{kind: kind, name: p.T("fall.line."+word, "tool", toolWords(p, c)), note: note, from: from, seq: s.Seq, open: to == nil,
			to: p.Now.Truncate(time.Minute)}
		if to != nil {
			b.to = *to
		}
		if b.to.Before(b.from) {
			b.to = b.from
		}
		all = append(all, b)
	}
	if w := c.Proposal; w != nil {
		add("wait", "wait", "", end, w.EndedAt)
	}
	if a := c.Act; a != nil {
		note := ""
		if a.State == "failed" || a.State == "unknown" {
			note = p.T("story.act." + string(a.State))
		}
		from := a.PlannedAt
		if a.NotBefore != nil && a.NotBefore.After(from) {
			add("wait", "undo", "", from, a.NotBefore)
			from = *a.NotBefore
		}
		if from.Before(p.Now) || a.EndedAt != nil {
			add("act", "act", note, from, a.EndedAt)
		}
	}
	if d := c.Child; d != nil {
		add("child", "child", "", d.StartedAt, d.EndedAt)
	}
	return all
}

// A fall is a waterfall laid out: lines, squeezed gaps and marks of time, in the
// units of its drawing.
type fall struct {
	width, height int
	lines         []line
	gaps          []gap
	marks         []mark
}

type line struct {
	bar
	y    int
	x, w float64
}

type gap struct {
	x, w float64
	span time.Duration
}

type mark struct {
	x  float64
	at time.Time
}

// A shape is how a waterfall is drawn: wide, with names at the left, or narrow,
// with names above.
type shape struct {
	width, left, row int
	above            bool
}

var (
	wideShape  = shape{width: 640, left: 176, row: 26}
	phoneShape = shape{width: 330, left: 8, row: 38, above: true}
)

// Measures of a drawing.
const (
	fallTop   = 26   // room for the marks of time
	fallRight = 16.0 // room after the last bar
	gapWidth  = 34.0
	leastBar  = 3.0
	leastGap  = 2 * time.Second // shorter idle times are drawn as they are
)

// lay lays bars out. Times in which nothing was done, and somebody was only
// waited for, are squeezed to one width, so that what was done can be told.
func lay(all []bar, s shape) fall {
	f := fall{width: s.width, height: fallTop + len(all)*s.row + 8}
	if len(all) == 0 {
		return f
	}
	spans := worked(all)
	room := float64(s.width-s.left) - fallRight
	idle := min(gapWidth, room*0.5/float64(max(1, len(spans)-1)))
	var total time.Duration
	for _, sp := range spans {
		total += sp.to.Sub(sp.from)
	}
	scale := (room - idle*float64(len(spans)-1)) / max(1, float64(total))
	x := float64(s.left)
	for i := range spans {
		spans[i].x = x
		f.marks = append(f.marks, mark{x, spans[i].from})
		x += float64(spans[i].to.Sub(spans[i].from)) * scale
		if i+1 < len(spans) {
			f.gaps = append(f.gaps, gap{x, idle, spans[i+1].from.Sub(spans[i].to)})
			x += idle
		}
	}
	f.thin()
	for i, b := range all {
		from, to := place(spans, scale, idle, b.from), place(spans, scale, idle, b.to)
		y := fallTop + i*s.row
		f.lines = append(f.lines, line{bar: b, y: y, x: min(from, float64(s.width)-leastBar-2), w: max(leastBar, to-from)})
	}
	return f
}

// thin leaves out marks that would stand on each other or beyond the edge.
func (f *fall) thin() {
	const apart, wide = 66.0, 56.0
	kept := f.marks[:0]
	for _, m := range f.marks {
		if m.x > float64(f.width)-wide {
			break
		}
		if len(kept) == 0 || m.x-kept[len(kept)-1].x >= apart {
			kept = append(kept, m)
		}
	}
	f.marks = kept
}

// A worked span is a time without a long idle gap, and where it is drawn.
type span struct {
	from, to time.Time
	x        float64
}

// worked joins the times in which something was done; the last reaches to now
// where something is still waited for.
func worked(all []bar) []span {
	var spans []span
	last := all[0].to
	for _, b := range all {
		if b.busy() {
			spans = append(spans, span{from: b.from, to: b.to})
		}
		if b.to.After(last) {
			last = b.to
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var joined []span
	for _, s := range spans {
		if n := len(joined); n > 0 && s.from.Sub(joined[n-1].to) < leastGap {
			if s.to.After(joined[n-1].to) {
				joined[n-1].to = s.to
			}
			continue
		}
		joined = append(joined, s)
	}
	if n := len(joined); n > 0 && last.Sub(joined[n-1].to) >= leastGap { // somebody is waited for
		joined = append(joined, span{from: last, to: last})
	}
	return joined
}

// place is where a moment is drawn. One inside a squeezed gap is drawn in it, in
// proportion.
func place(spans []span, scale, idle float64, at time.Time) float64 {
	i, inside := slices.BinarySearchFunc(spans, at, func(s span, t time.Time) int { return s.from.Compare(t) })
	if !inside {
		i--
	}
	if i < 0 {
		return spans[0].x
	}
	s := spans[i]
	end := s.x + float64(s.to.Sub(s.from))*scale
	if !at.After(s.to) {
		return s.x + float64(at.Sub(s.from))*scale
	}
	if i+1 == len(spans) {
		return end
	}
	share := float64(at.Sub(s.to)) / max(1, float64(spans[i+1].from.Sub(s.to)))
	return end + idle*min(1, share)
}

// number writes a coordinate.
func number(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func whole(n int) string { return strconv.Itoa(n) }

// letter is the kind of a line in one letter, beside its colour.
func letter(p *web.Page, kind string) string { return p.T("fall.letter." + kind) }

// fallClass is the class of a line's bar.
func fallClass(b bar) string {
	class := "wf-" + b.kind
	if b.note != "" {
		class += " bad"
	}
	return class
}

// clipName cuts a name to what fits beside the bars.
func clipName(name string, most int) string {
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

// waits counts the squeezed gaps and how long they were together.
func (f fall) waits() (n int, together time.Duration) {
	for _, g := range f.gaps {
		together += g.span
	}
	return len(f.gaps), together
}

// longest is the gaps that are labelled: the others are too narrow for words.
func (f fall) longest(most int) []gap {
	all := slices.Clone(f.gaps)
	slices.SortFunc(all, func(a, b gap) int { return cmp.Compare(b.span, a.span) })
	return all[:min(len(all), most)]
}
