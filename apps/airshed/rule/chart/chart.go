// Package chart draws an episode: the map of stations, fires and the way of the air,
// the curves hour by hour, and the shares with their ranges.
//
// Values go in, text comes out: an SVG, its legend, what must be said beside it, and
// the tables that say the same for whoever does not see pictures. Read Map, Series
// and Shares; Drawing is what each returns. Words are the caller's: see MapLabels,
// SeriesLabels and SharesLabels.
//
// A drawing has no style and no script of its own, because the pages forbid both:
// colours come by class from chart.css. Whatever colour tells is told by shape,
// line or words too. No boundary of a state or country is ever drawn; a graticule
// is. What belongs to one hour stands in elements with the attribute data-hour,
// which counts from the hour of Look.Zero, so that a script can follow a cursor
// through map, curves and tables at once; without the script all of it is visible.
//
// The same values give the same bytes. Names from outside are escaped where they
// are written, and there is no other way to write.
package chart

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// What is drawn at most. What lies beyond is counted, and said in the notes.
const (
	MaxFires    = analysis.MaxDrawn // the strongest
	MaxStations = 200
	MaxPaths    = 48  // twice the hours of a window
	MaxPoints   = 121 // of one path: five days
	MaxHours    = 720 // of curves: the last
	MaxShares   = 40  // the first
)

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
	Name    string // for addresses and files: stations, paths, way, fires, hours, shares
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
	Zone   *time.Location // of all times; nil is India's
	Zero   time.Time      // when the hour called 0 begins; zero: the last hour of the curves
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

func (l Look) width() float64 {
	if l.Width == 0 {
		return Wide
	}
	return float64(min(max(l.Width, minWidth), maxWidth))
}

func (l Look) narrow() bool { return l.width() < Middle }

// id is a name that no other drawing of the page has.
func (l Look) id(part string) string {
	var own []rune
	for _, c := range l.ID {
		if len(own) < 40 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-') {
			own = append(own, c)
		}
	}
	return "ch-" + string(own) + "-" + part
}

// zero is when the hour called 0 begins.
func (l Look) zero(p analysis.Picture) time.Time {
	switch {
	case !l.Zero.IsZero():
		return l.Zero
	case len(p.Series) > 0:
		return p.Series[len(p.Series)-1].From
	case len(p.Corridor) > 0:
		return p.Corridor[len(p.Corridor)-1].Arrives.Truncate(time.Hour)
	case len(p.Fires) > 0:
		return p.Fires[len(p.Fires)-1].Time.Truncate(time.Hour)
	}
	return time.Time{}
}

func (l Look) zone() *time.Location {
	if l.Zone == nil {
		return aqi.India()
	}
	return l.Zone
}

// svg begins a drawing and names it for whoever does not see it.
func (l Look) svg(kind string, height float64, title, desc string) *canvas {
	c := &canvas{}
	class := "chart " + kind
	if l.Class != "" {
		class += " " + plain(l.Class)
	}
	name, more := l.id("t"), l.id("d")
	c.start("svg", "class", class, "viewBox", "0 0 "+whole(l.width())+" "+whole(height), "role", "img", "aria-labelledby", name+" "+more)
	c.named("title", name, title)
	c.named("desc", more, desc)
	return c
}
