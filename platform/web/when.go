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

// clockLabel is the time of day with its zone: "14:02 IST".
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

// A Clock is how a due time is shown.
type Clock struct {
	Text  string
	Class string // empty, soon or late
	Icon  string
}

// soonAfter is how near a due time must be for the clock to say so.
const soonAfter = time.Hour

// Due says how a due time stands to now: "due 17:30", "in 20 min", "3 h late".
func (p *Page) Due(due time.Time) Clock {
	left := due.Sub(p.Now)
	switch {
	case left < 0:
		return Clock{Text: p.T("clock.late", "time", p.Moment(due), "span", p.Span(-left)), Class: "late", Icon: "late"}
	case left < soonAfter:
		return Clock{Text: p.T("clock.soon", "time", p.Moment(due), "span", p.Span(left)), Class: "soon", Icon: "clock"}
	default:
		return Clock{Text: p.T("clock.due", "time", p.Moment(due)), Icon: "clock"}
	}
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
