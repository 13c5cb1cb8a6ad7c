package chart

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A canvas is SVG being written. Names of elements and attributes are literals of
// this package; every value and text is escaped here.
type canvas struct {
	out  strings.Builder
	open []string
}

// start opens an element; attrs are names and values by turns. An attribute whose
// value is empty is left out. Values that are words from outside come through plain.
func (c *canvas) start(name string, attrs ...string) {
	c.tag(name, attrs)
	c.out.WriteString(">")
	c.open = append(c.open, name)
}

// void writes an element without content.
func (c *canvas) void(name string, attrs ...string) {
	c.tag(name, attrs)
	c.out.WriteString("/>")
}

func (c *canvas) tag(name string, attrs []string) {
	c.out.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] != "" {
			c.out.WriteString(" " + attrs[i] + `="` + html.EscapeString(attrs[i+1]) + `"`)
		}
	}
}

// end closes the element opened last.
func (c *canvas) end() {
	last := len(c.open) - 1
	c.out.WriteString("</" + c.open[last] + ">")
	c.open = c.open[:last]
}

// words writes an element that holds only text, or nothing where there is none.
func (c *canvas) words(name, text string, attrs ...string) {
	if text == "" {
		return
	}
	c.tag(name, attrs)
	c.out.WriteString(">" + escaped(text) + "</" + name + ">")
}

// named writes a title or desc that is referred to: an empty one too.
func (c *canvas) named(name, id, text string) {
	c.tag(name, []string{"id", id})
	c.out.WriteString(">" + escaped(text) + "</" + name + ">")
}

// text writes words into the picture. anchor is empty for words that begin at x.
func (c *canvas) text(class string, x, y float64, anchor, s string) {
	c.words("text", s, "class", class, "x", tenths(x), "y", tenths(y), "text-anchor", anchor)
}

// line writes a path.
func (c *canvas) line(class, d string) { c.void("path", "class", class, "d", d) }

// rect writes a rectangle.
func (c *canvas) rect(class string, x, y, w, h float64, attrs ...string) {
	c.void("rect", append([]string{"class", class, "x", tenths(x), "y", tenths(y), "width", tenths(w), "height", tenths(h)}, attrs...)...)
}

// done closes what is open.
func (c *canvas) done() SVG {
	for len(c.open) > 0 {
		c.end()
	}
	return SVG(c.out.String())
}

// Where words stand from the point they are given.
const (
	atMiddle = "middle"
	atEnd    = "end"
)

// maxText bounds one piece of text, in characters.
const maxText = 400

// escaped is s as it may stand in text and in quotes, without characters that XML
// does not have, that steer a terminal, or that turn the direction of writing.
func escaped(s string) string { return html.EscapeString(plain(s)) }

func plain(s string) string {
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

// short is s cut to so many characters, with a mark where it was cut.
func short(s string, most int) string {
	s = plain(s)
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

// fill puts values in the place of names in braces: names and values by turns.
func fill(s string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// wide is about how wide a text is drawn, in parts of the view box. Signs above and
// below letters take no room.
func wide(s string, size float64) float64 {
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
