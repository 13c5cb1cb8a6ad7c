package analysis

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// MaxDrawn bounds the fires of a picture; the strongest are drawn.
const MaxDrawn = 2000

// A Picture is what the map and the curves of an episode are drawn from. Nothing in
// it is a finding: the analysis has those.
type Picture struct {
	Key      surge.Key  `json:"key"`
	Series   []Hourly   `json:"series"`   // from two days before the window to the end of the episode
	Corridor []Passage  `json:"corridor"` // one for each hour of the window; empty without wind
	Fires    []Sighting `json:"fires"`    // while the air was on its way, the earliest first
	NotDrawn int        `json:"fires_not_drawn"`
}

// An Hourly is one hour of the curves; null is not known.
type Hourly struct {
	From     time.Time `json:"from"`
	PM25     *float64  `json:"pm25"`
	Index    *int      `json:"aqi"`      // of the 24 hours up to its end
	Interior *float64  `json:"interior"` // median PM2.5 of the stations inside the city
	Surging  bool      `json:"surging"`
}

// A Passage is the way the air of one hour came, by the default wind.
type Passage struct {
	Arrives time.Time  `json:"arrives"`
	Weight  float64    `json:"weight"` // of the hour in the window, 0 to 1, to 0.0001
	Cut     bool       `json:"cut"`    // the wind was not known any further
	Points  []Waypoint `json:"points"` // an hour apart, from the station backwards
}

// A Waypoint is where the air was so many hours earlier.
type Waypoint struct {
	Lat   float64 `json:"latitude"` // to 0.001
	Lon   float64 `json:"longitude"`
	Width float64 `json:"width_km"` // by how much the place is uncertain, to 0.1
}

// A Sighting is one fire that counts.
type Sighting struct {
	At        fire.Point     `json:"at"`
	Time      time.Time      `json:"time"`
	Satellite fire.Satellite `json:"satellite"`
	Light     fire.Light     `json:"light"`
	FRP       float64        `json:"frp_mw"`
	State     string         `json:"state"`
	District  string         `json:"district,omitempty"`
}

// Picture is what one episode of the board is drawn from.
func (d *Dataset) Picture(key surge.Key) (Picture, error) {
	f, err := d.episode(key)
	if err != nil {
		return Picture{}, err
	}
	track := d.air.trackOf(f.Episode.Site)
	at, _ := hours(track, f.Episode)
	p := Picture{Key: key, Series: d.curve(track, f), Corridor: d.corridor(track.Station(), at)}
	way := d.rules.way(at)
	p.Fires, p.NotDrawn = drawn(d.fires.between(way.From, way.To))
	return p, nil
}

// maxCurve bounds the hours of a curve.
const maxCurve = 24 * 30

// curve is the hours around an episode.
func (d *Dataset) curve(t surge.Track, f surge.Found) []Hourly {
	out := []Hourly{}
	e := f.Episode
	for h := min(e.Start, e.PeakIndexAt.Plus(1-aqi.Day)).Plus(-2 * aqi.Day); h <= e.Last && len(out) < maxCurve; h = h.Plus(1) {
		x := Hourly{From: h.Start().UTC(), Surging: slices.Contains(e.Surging, h)}
		if v := t.PM25(h); v >= 0 {
			x.PM25 = ptr(v.Float(), tenths)
		}
		if v := t.Index(h); v >= 0 {
			x.Index = &v
		}
		var inside []aqi.Amount
		for _, site := range f.Control.Controls {
			if v := d.air.hours[site].At(aqi.PM25, h); v >= 0 {
				inside = append(inside, v)
			}
		}
		if slices.Sort(inside); len(inside) > 0 {
			x.Interior = ptr((inside[(len(inside)-1)/2]+inside[len(inside)/2]).Float()/2, tenths)
		}
		out = append(out, x)
	}
	return out
}

// corridor follows the air of some hours back through the default wind.
func (d *Dataset) corridor(s surge.Station, at []plume.Hour) []Passage {
	out := []Passage{}
	var levels []wind.Level
	for _, l := range []wind.Level{wind.M100, wind.P925} {
		if d.grid.Has(l) {
			levels = append(levels, l)
		}
	}
	if len(levels) == 0 {
		return out
	}
	field, _ := d.grid.Field(levels...)
	total := 0.0
	for _, h := range at {
		total += h.PM25
	}
	for _, h := range at {
		t := d.rules.Plume.Back(field, nil, plume.Point{Lat: s.Lat, Lon: s.Lon}, h.Time)
		out = append(out, Passage{Arrives: h.Time, Weight: round(h.PM25/total, 4), Cut: t.Edge, Points: d.rules.waypoints(t)})
	}
	return out
}

// waypoints are the points of a track, an hour apart.
func (r Rules) waypoints(t plume.Track) []Waypoint {
	out := []Waypoint{}
	const hourly = int(time.Hour / plume.Step)
	for i := 0; i < len(t.Spots); i += hourly {
		p := t.Spots[i]
		out = append(out, Waypoint{Lat: round(p.At.Lat, 3), Lon: round(p.At.Lon, 3),
			Width: round(math.Hypot(r.Plume.Width, r.Plume.Growth*p.Path), tenths)})
	}
	return out
}

// drawn is the strongest fires in order of time, and how many there are besides.
func drawn(in []fire.Detection) (out []Sighting, more int) {
	if len(in) > MaxDrawn {
		in = slices.Clone(in)
		slices.SortStableFunc(in, func(a, b fire.Detection) int { return cmp.Compare(b.FRP, a.FRP) })
		in, more = in[:MaxDrawn], len(in)-MaxDrawn
		slices.SortStableFunc(in, func(a, b fire.Detection) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Line, b.Line)) })
	}
	out = []Sighting{}
	for _, k := range in {
		p := named(k.Place)
		out = append(out, Sighting{At: k.At, Time: k.Time, Satellite: k.Satellite, Light: k.Light, FRP: round(k.FRP, tenths),
			State: p.State, District: p.District})
	}
	return out, more
}
