package episode

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A pair is one picture drawn for a desk and for a phone.
type pair struct{ wide, phone chart.Drawing }

// pictures are the drawings of an episode's page.
type pictures struct {
	lost   error         // why there is no map and there are no curves; the rest of the page stands
	air    pair          // the map, as far as fires were
	whole  []chart.Table // of the map, all the way
	series pair
	shares pair
	member []chart.Table // every calculation, by the second method
	cursor cursor
}

// A cursor is the hours that a reader can move through.
type cursor struct {
	first  int      // hours from the peak's; the first of labels
	labels []string // one for each hour
}

// A tableView is a table of the page.
type tableView struct{ chart.Table }

// maxShown is how many rows of a table stand on the page; its file has all of them.
const maxShown = 300

// short is the first rows of a table.
func (t tableView) short() chart.Table {
	out := t.Table
	out.Rows = out.Rows[:min(len(out.Rows), maxShown)]
	return out
}

// tables are what the drawings show, in figures, those of the wide ones.
func (s pictures) tables() (out []tableView) {
	for _, t := range slices.Concat(s.series.wide.Tables, s.shares.wide.Tables, s.member, s.whole) {
		out = append(out, tableView{t})
	}
	return out
}

// draw makes the drawings. A map that cannot be made takes nothing else of the page
// with it.
func (g *Pages) draw(ctx context.Context, p *web.Page, actor identity.Actor, v episodeView) (s pictures) {
	shares := slices.Clone(v.a.Attribution.States)
	for i := range shares {
		shares[i].State = v.words.State(shares[i].State)
	}
	of := looks{page: p, zero: v.a.Episode.PeakIndexAt.Start()}
	shares = shares[:min(len(shares), picture.MaxShares)]
	labels := sharesLabels(p)
	labels.Means = v.by(labels.Means, p.T("air.shares.means.whose"))
	s.shares = of.pair("shares", func(l chart.Look) chart.Drawing {
		return picture.Shares(shares, picture.SharesOptions{Look: l, Labels: labels, Each: v.each(len(shares))})
	})
	s.member = v.members(p)
	var d survey.Drawable
	scan, err := g.Store.Scan(ctx, actor, v.answer.Scan)
	if err == nil {
		d, err = g.surveyor.Picture(ctx, actor.Org, scan, v.a.Key)
	}
	if err != nil {
		s.lost = err
		return s
	}
	d.Fires = slices.Clone(d.Fires)
	for i := range d.Fires {
		d.Fires[i].State = v.words.State(d.Fires[i].State)
	}
	s.whole = picture.Map(d.Picture, mapOptions(p, v, d, of.look("whole", "", chart.Wide))).Tables
	near, hours := nearer(d.Picture, v.a.Station)
	s.air = of.pair("map", func(l chart.Look) chart.Drawing { return picture.Map(near, mapOptions(p, v, d, l)) })
	if hours > 0 {
		s.air.wide.Notes = append(s.air.wide.Notes, p.T("air.map.nearer", "n", strconv.Itoa(hours),
			"all", strconv.Itoa(longest(d.Picture))))
	}
	s.series = of.pair("hours", func(l chart.Look) chart.Drawing { return picture.Series(d.Picture, seriesOptions(p, v, l)) })
	s.cursor = of.cursor(d.Picture)
	return s
}

// looks make the look of every drawing of a page.
type looks struct {
	page *web.Page
	zero time.Time
}

func (l looks) look(id, class string, width int) chart.Look {
	out := chart.Look{ID: id, Class: class, Width: width, Zone: l.page.Org.Zone, Zero: l.zero}
	for i := range out.Months {
		out.Months[i] = l.page.T(fmt.Sprintf("month.%02d", i+1))
	}
	return out
}

func (l looks) pair(id string, draw func(chart.Look) chart.Drawing) pair {
	return pair{draw(l.look(id+"-w", "wide-only", chart.Wide)), draw(l.look(id+"-p", "phone-only", chart.Phone))}
}

// maxCursor bounds the hours of a cursor: those of the curves, and of the way the air
// came before them.
const maxCursor = picture.MaxHours + picture.MaxPoints

// cursor is every hour between the first and the last that anything drawn belongs to.
func (l looks) cursor(p analysis.Picture) (c cursor) {
	first, last := 0, 0
	add := func(t time.Time) {
		h := int(t.Sub(l.zero).Hours())
		first, last = min(first, h), max(last, h)
	}
	for _, h := range p.Series {
		add(h.From)
	}
	for _, f := range p.Fires {
		add(f.Time)
	}
	first = max(first, last-maxCursor)
	c.first = first
	for h := first; h <= last; h++ {
		c.labels = append(c.labels, l.page.Moment(l.zero.Add(time.Duration(h)*time.Hour)))
	}
	return c
}

// Bounds of what a map shows around a station: at least so many km, and of the way of
// the air at least so many hours.
const (
	leastKM    = 150
	leastHours = 12
)

// nearer is a picture whose ways end where there are hardly any fires: of 20 fires 19
// lie nearer, and beyond them the band would only make the rest small. hours is how
// much of the ways is left; 0: all of it. What is cut off stays in the tables.
func nearer(p analysis.Picture, at surge.Station) (out analysis.Picture, hours int) {
	if len(p.Fires) == 0 {
		return p, 0
	}
	here := fire.Point{Lat: at.Lat, Lon: at.Lon}
	var km []float64
	for _, f := range p.Fires {
		km = append(km, fire.Distance(here, f.At))
	}
	slices.Sort(km)
	reach := max(1.1*km[(len(km)-1)*19/20], leastKM)
	out = p
	out.Corridor = slices.Clone(p.Corridor)
	for i, way := range out.Corridor {
		n := slices.IndexFunc(way.Points, func(w analysis.Waypoint) bool { return fire.Distance(here, pointOf(w)) > reach })
		if n = max(n, leastHours+1); n >= len(way.Points) || fire.Distance(here, pointOf(way.Points[len(way.Points)-1])) <= reach {
			continue
		}
		out.Corridor[i].Points, out.Corridor[i].Cut = way.Points[:n], false
		hours = max(hours, n-1)
	}
	return out, hours
}

func pointOf(w analysis.Waypoint) fire.Point { return fire.Point{Lat: w.Lat, Lon: w.Lon} }

// longest is how many hours the longest way was followed.
func longest(p analysis.Picture) (hours int) {
	for _, way := range p.Corridor {
		hours = max(hours, len(way.Points)-1)
	}
	return hours
}

func mapOptions(p *web.Page, v episodeView, d survey.Drawable, l chart.Look) picture.MapOptions {
	o := picture.MapOptions{Look: l, Satellites: lookedAt(v.a), Labels: mapLabels(p)}
	for _, n := range d.Around {
		n.Name = v.words.Station(n.Name)
		o.Stations = append(o.Stations, picture.Station{Station: n.Station, PM25: n.PM25, Silent: n.Left})
	}
	return o
}

// lookedAt are the satellites whose passes were looked for, in the order of their
// first.
func lookedAt(a analysis.Analysis) (out []fire.Satellite) {
	if a.Fires.Coverage == nil {
		return nil
	}
	for _, pass := range a.Fires.Coverage.Passes {
		if !slices.Contains(out, pass.Satellite) {
			out = append(out, pass.Satellite)
		}
	}
	return out
}

func seriesOptions(p *web.Page, v episodeView, l chart.Look) picture.SeriesOptions {
	rule := surge.Standard()
	return picture.SeriesOptions{Look: l, Station: v.words.Station(v.a.Station.Name), HourlyAbove: rule.Hourly.Float(),
		IndexAbove: rule.Index, Labels: seriesLabels(p),
		Episode: chart.Span{From: v.a.Episode.Start.Start(), To: v.a.Episode.Last.End()}, Window: chart.Span{From: v.a.Window.From,
			To: v.a.Window.To}}
}

// joined are the labels of a cursor in an attribute.
func (c cursor) joined() string { return strings.Join(c.labels, "|") }

// last is the last hour of a cursor.
func (c cursor) last() int { return c.first + len(c.labels) - 1 }
