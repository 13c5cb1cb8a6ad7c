// Package chart draws figures for people: curves over time, ranges side by side, a small
// map and a map of tiles, each with its legend, with what must be said beside it, and with the tables that say
// the same for whoever does not see pictures.
//
// Values go in, text comes out. Read Drawing, which is what a picture and all that belongs to
// it is, then Canvas, which writes it. Plot lays hours on a drawing, Ranges draws from the
// least to the most, Frame lays a part of the globe on one. Words are the caller's.
//
// A drawing has no style and no script of its own, because the pages forbid both: colours
// come by class from chart.css, and whoever draws marks of their own brings the rules for
// them. Whatever colour tells is told by shape, line or words too. No boundary of a state or
// country is ever drawn; a graticule is. What belongs to one hour stands in elements with the
// attribute data-hour, which counts from the hour of Look.Zero, so that a script can follow a
// cursor through map, curves and tables at once; without the script all of it is visible.
//
// The same values give the same bytes. Names from outside are escaped where they are written,
// and there is no other way to write.
package chart

import "time"

// An SVG is one whole svg element. All text in it is escaped: it may be put into a
// page as it is.
type SVG string

// A Drawing is a picture and all that belongs to it.
type Drawing struct {
	SVG    SVG
	Legend []Entry
	Notes  []string // what must stand beside the picture, in sentences; not escaped
	Tables []Table  // what it shows, in figures
}

// An Entry is one line of a legend.
type Entry struct {
	Mark SVG // 16 by 16, hidden from readers of the screen
	Text string
}

// A Table says in figures what a picture shows. Its texts are not escaped.
type Table struct {
	Name    string // for addresses and files: hours, shares
	Title   string
	Columns []Column
	Rows    []Row
}

// A Column is the head of a column.
type Column struct {
	Title string
	Num   bool // its values are numbers
}

// A Row is one row of a table.
type Row struct {
	Hour  string // the value of its data-hour; empty where it belongs to no hour
	Cells []string
}

// A Look is what all drawings are told.
type Look struct {
	// ID sets the drawings of one page apart: letters, digits and hyphens, others
	// are left out. Two drawings of one page must not have the same.
	ID     string
	Class  string         // beside the classes of its own, such as wide-only
	Width  int            // of the view box; 0 is Wide. Below Middle it is laid out for a phone
	Zone   *time.Location // of all times; nil is UTC
	Zero   time.Time      // when the hour called 0 begins; who draws decides what zero means
	Months [12]string     // in short, from January; where one is empty it is written as a number
}

// The usual widths, and the bounds of any.
const (
	Phone    = 330
	Middle   = 480
	Wide     = 680
	minWidth = 240
	maxWidth = 1600
)

// Breadth is the width of the view box, within bounds.
func (l Look) Breadth() float64 {
	if l.Width == 0 {
		return Wide
	}
	return float64(min(max(l.Width, minWidth), maxWidth))
}

// Narrow reports whether it is laid out for a phone.
func (l Look) Narrow() bool { return l.Breadth() < Middle }

// PartID is a name that no other drawing of the page has.
func (l Look) PartID(part string) string {
	var own []rune
	for _, c := range l.ID {
		if len(own) < 40 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-') {
			own = append(own, c)
		}
	}
	return "ch-" + string(own) + "-" + part
}

func (l Look) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}

// Begin begins a drawing and names it for whoever does not see it.
func (l Look) Begin(kind string, height float64, title, desc string) *Canvas {
	return l.beginAs("img", kind, height, title, desc)
}

// beginAs begins a drawing in a role: one that holds links is a group, because of a picture nothing inside is read aloud.
func (l Look) beginAs(role, kind string, height float64, title, desc string) *Canvas {
	c := &Canvas{}
	class := "chart " + kind
	if l.Class != "" {
		class += " " + Plain(l.Class)
	}
	name, more := l.PartID("t"), l.PartID("d")
	c.Start("svg", "class", class, "viewBox", "0 0 "+Whole(l.Breadth())+" "+Whole(height), "role", role, "aria-labelledby", name+" "+more)
	c.named("title", name, title)
	c.named("desc", more, desc)
	return c
}
