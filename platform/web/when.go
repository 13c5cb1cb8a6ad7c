package web

import (
	"fmt"
	"strings"
	"time"
)

// ZoneLabel names the zone of a moment as people write it: "IST", or "UTC+03"
// where the zone has no letters of its own.
func ZoneLabel(t time.Time) string {
	label := t.Format("MST")
	if strings.HasPrefix(label, "+") || strings.HasPrefix(label, "-") {
		return "UTC" + label
	}
	return label
}

// clockLabel is the time of day with its zone: "14:02 IST". A page puts the day before it
// in its own language.
func clockLabel(t time.Time) string { return t.Format("15:04 ") + ZoneLabel(t) }

// Zone is the label of the page's zone.
func (p *Page) Zone() string { return ZoneLabel(p.Now) }

// Day is a moment's date in the page's zone: "14 Nov" in the year of the page,
// "14-11-2025" otherwise.
func (p *Page) Day(t time.Time) string {
	t = t.In(p.Org.Zone)
	if t.Year() != p.Now.Year() {
		return t.Format("02-01-2006")
	}
	return fmt.Sprintf("%d %s", t.Day(), p.T(fmt.Sprintf("month.%02d", int(t.Month()))))
}

// Moment is date and time in the page's zone, the zone not repeated: "14 Nov 21:04".
func (p *Page) Moment(t time.Time) string { return p.Day(t) + " " + t.In(p.Org.Zone).Format("15:04") }

// Left is how long it takes until a moment of the page's clock, on the watch of whoever
// reads: where that clock is fast, an hour passes in seconds. It is zero once the moment
// has come.
func (p *Page) Left(until time.Time) time.Duration {
	return max(p.Lasts(until.Sub(p.Now)), 0)
}

// Lasts is how long a time of the page's clock takes on the reader's own watch.
func (p *Page) Lasts(d time.Duration) time.Duration { return time.Duration(float64(d) / p.speed()) }

// Passes is how much time passes on the page's clock while d passes on the reader's watch.
func (p *Page) Passes(d time.Duration) time.Duration { return time.Duration(float64(d) * p.speed()) }

// Fast reports whether the page's clock is not the one on the wall.
func (p *Page) Fast() bool { return p.speed() != 1 }

func (p *Page) speed() float64 { return p.site.cfg.Speed }

// months are the names that Day has for them, as clock.js takes them.
func (p *Page) months() string {
	names := make([]string, 12)
	for i := range names {
		names[i] = p.T(fmt.Sprintf("month.%02d", i+1))
	}
	return strings.Join(names, "|")
}

// A Clock is how a due time is shown.
type Clock struct {
	Text  string
	Class string // empty, soon or late
	Icon  string
	at    time.Time
	time  string // as it stands in the text
}

// soonAfter is how near a due time must be for the clock to say so.
const soonAfter = time.Hour

// Due says how a due time stands to now: "due 17:30", "in 20 min", "3 h late".
func (p *Page) Due(due time.Time) Clock {
	left := due.Sub(p.Now)
	c := Clock{Icon: "clock", at: due, time: p.Moment(due)}
	switch {
	case left < 0:
		c.Text, c.Class, c.Icon = p.T("clock.late", "time", c.time, "span", p.Span(-left)), "late", "late"
	case left < soonAfter:
		c.Text, c.Class = p.T("clock.soon", "time", c.time, "span", p.Span(left)), "soon"
	default:
		c.Text = p.T("clock.due", "time", c.time)
	}
	return c
}

// Span is a length of time in its largest whole unit: "20 min", "3 h", "5 d".
func (p *Page) Span(d time.Duration) string {
	switch {
	case d < time.Hour:
		return p.T("span.minutes", "n", fmt.Sprint(max(1, int(d.Minutes()))))
	case d < 48*time.Hour:
		return p.T("span.hours", "n", fmt.Sprint(int(d.Hours())))
	default:
		return p.T("span.days", "n", fmt.Sprint(int(d.Hours()/24)))
	}
}
