package chart

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Canvas is SVG being written. Names of elements and attributes are literals in
// code; every value and text is escaped here.
type Canvas struct {
	out  strings.Builder
	open []string
}

// Start opens an element; attrs are names and values by turns. An attribute whose
// value is empty is left out. Values that are words from outside come through Plain.
func (c *Canvas) Start(name string, attrs ...string) {
	c.tag(name, attrs)
	c.out.WriteString(">")
	c.open = append(c.open, name)
}

// Void writes an element without content.
func (c *Canvas) Void(name string, attrs ...string) {
	c.tag(name, attrs)
	c.out.WriteString("/>")
}

func (c *Canvas) tag(name string, attrs []string) {
	c.out.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] != "" {
			c.out.WriteString(" " + attrs[i] + `="` + html.EscapeString(attrs[i+1]) + `"`)
		}
	}
}

// End closes the element opened last.
func (c *Canvas) End() {
	last := len(c.open) - 1
	c.out.WriteString("</" + c.open[last] + ">")
	c.open = c.open[:last]
}

// Words writes an element that holds only text, or nothing where there is none.
func (c *Canvas) Words(name, text string, attrs ...string) {
	if text == "" {
		return
	}
	c.tag(name, attrs)
	c.out.WriteString(">" + escaped(text) + "</" + name + ">")
}

// named writes a title or desc that is referred to: an empty one too.
func (c *Canvas) named(name, id, text string) {
	c.tag(name, []string{"id", id})
	c.out.WriteString(">" + escaped(text) + "</" + name + ">")
}

// Text writes words into the picture. anchor is empty for words that begin at x.
func (c *Canvas) Text(class string, x, y float64, anchor, s string) {
	c.Words("text", s, "class", class, "x", Tenths(x), "y", Tenths(y), "text-anchor", anchor)
}

// Line writes a path.
func (c *Canvas) Line(class, d string) { c.Void("path", "class", class, "d", d) }

// Rect writes a rectangle.
func (c *Canvas) Rect(class string, x, y, w, h float64, attrs ...string) {
	c.Void("rect", append([]string{"class", class, "x", Tenths(x), "y", Tenths(y), "width", Tenths(w), "height", Tenths(h)}, attrs...)...)
}

// Done closes what is open.
func (c *Canvas) Done() SVG {
	for len(c.open) > 0 {
		c.End()
	}
	return SVG(c.out.String())
}

// Where words stand from the point they are given.
const (
	AtMiddle = "middle"
	AtEnd    = "end"
)

// maxText bounds one piece of text, in characters.
const maxText = 400

// escaped is s as it may stand in text and in quotes, without characters that XML
// does not have, that steer a terminal, or that turn the direction of writing.
func escaped(s string) string { return html.EscapeString(Plain(s)) }

// Plain is words without characters that XML does not have, that steer a terminal or that
// turn the direction of writing, and not longer than a piece of text may be.
func Plain(s string) string {
	n := 0
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\r' || c == '\t':
			c = ' '
		case c == utf8.RuneError || unicode.IsControl(c) || c == 0xFFFE || c == 0xFFFF:
			return -1
		case c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069 || c == 0x200E || c == 0x200F || c == 0x061C:
			return -1
		}
		if n++; n > maxText {
			return -1
		}
		return c
	}, s)
}

// Short is s cut to so many characters, with a mark where it was cut.
func Short(s string, most int) string {
	s = Plain(s)
	if most < 2 { // not even a letter and the mark
		return ""
	}
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	cut := []rune(s)[:most-1]
	for len(cut) > 0 && unicode.IsMark(cut[len(cut)-1]) { // a sign without its letter is no letter
		cut = cut[:len(cut)-1]
	}
	return strings.TrimRight(string(cut), " ,") + "…"
}

// Fill puts values in the place of names in braces: names and values by turns.
func Fill(s string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// TextWidth is about how wide a text is drawn, in parts of the view box. Signs above and
// below letters take no room.
func TextWidth(s string, size float64) float64 {
	n := 0.0
	for _, c := range s {
		switch {
		case unicode.IsMark(c):
		case c >= 0x0900 && c <= 0x097F:
			n += 0.72
		default:
			n += 0.58
		}
	}
	return n * size
}
