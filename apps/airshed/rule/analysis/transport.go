package analysis

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// Reasons for no attribution that plume cannot know: no rows about fires came at all,
// or those that came cannot be weighed. plume's own are for fires that can.
const (
	FiresUnknown   plume.Code = "fires_missing"
	FiresUnweighed plume.Code = "fires_unweighed"
)

// means is what a share is a share of.
const means = "share of the influence of the fires that satellites saw where the air came from; not a share of the PM2.5 in the air"

// hours are the hours whose air is followed back: those the highest index speaks of,
// each in its middle and with its PM2.5 for a weight. Where hourly concentrations
// are not known all count alike.
func hours(t surge.Track, e surge.Episode) ([]plume.Hour, Window) {
	w := Window{From: e.PeakIndexAt.Plus(1 - aqi.Day).Start().UTC(), To: e.PeakIndexAt.End().UTC(), Of: aqi.Day, Weighting: ByPM25}
	var out []plume.Hour
	for _, h := range t.Window(e.PeakIndexAt) {
		if h.PM25 > 0 {
			out = append(out, plume.Hour{Time: middle(h.Hour), PM25: h.PM25.Float()})
		}
	}
	if len(out) == 0 {
		w.Weighting = Equally
		for i := 1 - aqi.Day; i <= 0; i++ {
			out = append(out, plume.Hour{Time: middle(e.PeakIndexAt.Plus(i)), PM25: 1})
		}
	}
	w.Hours = len(out)
	return out, w
}

func middle(h aqi.Hour) time.Time { return h.Start().Add(30 * time.Minute).UTC() }

// way is the time the air of some hours was followed through.
func (r Rules) way(hours []plume.Hour) plume.Span {
	return plume.Span{From: hours[0].Time.Add(-time.Duration(r.Plume.Hours) * time.Hour), To: hours[len(hours)-1].Time}
}

// control is a comparison as the verdict wants it.
func control(c surge.Comparison) plume.Control {
	return plume.Control{Known: c.Verdict != surge.Unjudged, Difference: c.Difference}
}

// index makes an index of fires that count.
func (d *Dataset) index(kept []fire.Detection) (*plume.Index, error) {
	fires := make([]plume.Fire, len(kept))
	places := make(map[plume.Point]plume.Place, len(kept))
	for i, k := range kept {
		at := plume.Point{Lat: k.At.Lat, Lon: k.At.Lon}
		fires[i] = plume.Fire{At: at, Time: k.Time, FRP: d.rules.Satellites.Power(k), Night: k.Light == fire.Night}
		if _, again := places[at]; !again {
			places[at] = named(k.Place)
		}
	}
	area := plume.Everywhere()
	if d.grid != nil {
		area = plume.Reach(d.grid.Shape())
	}
	return plume.NewIndex(d.rules.Plume, fires, area, func(p plume.Point) plume.Place { return places[p] })
}

// shiftReach is how far the null test shifts the days of fires, and a day for how
// long they burn.
const shiftReach = 11 * 24 * time.Hour

// attribute asks whose smoke arrived in some hours.
func (d *Dataset) attribute(s surge.Station, at []plume.Hour, c surge.Comparison) (Attribution, error) {
	x, err := d.shared, error(nil)
	switch way := d.rules.way(at); {
	case d.grid == nil:
		x, err = d.index(nil)
	case x == nil:
		x, err = d.index(d.fires.between(way.From.Add(-shiftReach), way.To.Add(shiftReach)))
	}
	if err != nil {
		return Attribution{}, err
	}
	q := plume.Question{At: plume.Point{Lat: s.Lat, Lon: s.Lon}, Hours: at, Control: control(c), Seen: d.looked}
	p, err := x.Attribute(q, d.grid)
	if err != nil {
		return Attribution{}, err
	}
	return d.show(p), nil
}

// show is an attribution as it is printed.
func (d *Dataset) show(p plume.Attribution) Attribution {
	a := Attribution{
		Verdict: p.Verdict, Conclusive: p.Verdict == plume.Conclusive, Reasons: orEmpty(p.Reasons),
		States: shares(p.States), Districts: shares(p.Districts), Members: len(p.Members), Of: plume.Members,
		Agreed: p.Agreed, Needed: d.rules.Plume.Agree, Levels: levels(p.Members), Transport: orEmpty(p.Transport), Mixing: p.Mixing,
		Edge: p.Edge, Null: d.null(p.Null), Means: means,
	}
	a.Calm = Calm{Known: p.Calm.Known, Speed: round(p.Calm.Speed, plume.SpeedDecimals), Hours: d.rules.Plume.Run, Until: p.Calm.Until.UTC(),
		Below: d.rules.Plume.Calm}
	a.Edge.Shortest, a.Edge.Unseen = round(a.Edge.Shortest, hundredths), round(a.Edge.Unseen, tenths)
	if len(a.States) > 0 {
		a.First = a.States[0].State
	}
	if d.from.Fires == nil {
		a.Verdict, a.Conclusive = plume.Unattributed, false
		a.Reasons = slices.DeleteFunc(a.Reasons, func(r plume.Reason) bool { return r.Code == plume.NoFires })
		a.Reasons = append(a.Reasons, plume.Reason{Code: FiresUnknown, Text: "no data about fires came: no attribution is made"})
	}
	return a
}

// doubt takes back that no fire was seen where rows about fires came and none of them
// can be weighed: that says something about the rows and nothing about the land.
func (a *Attribution) doubt(f Fires) {
	none := f.DayOnly
	for _, t := range f.Unusable {
		none += t.Count
	}
	for i, r := range a.Reasons {
		if r.Code == plume.NoFires && f.InTime == 0 && none > 0 {
			a.Reasons[i] = plume.Reason{Code: FiresUnweighed,
				Text: "rows about fires came, and none of these hours can be weighed: they lack an hour, a known satellite, a power or " +
					"a confidence"}
		}
	}
}

func shares(ranges []plume.Range) []Share {
	out := []Share{}
	for _, r := range ranges {
		out = append(out, Share{State: r.State, District: r.District, Low: percent(r.Low), Median: percent(r.Median),
			High: percent(r.High), Default: percent(r.Default), First: r.First})
	}
	return out
}

func percent(share float64) float64 { return plume.Percent(share) }

// levels are the levels that members have, from the ground upwards.
func levels(members []plume.Member) []wind.Level {
	out := []wind.Level{}
	for _, m := range members {
		if !slices.Contains(out, m.Level) {
			out = append(out, m.Level)
		}
	}
	return out
}

// mostEnriched is where the enrichment ends: beyond it there is next to nothing to
// compare with, and the figure means no more.
const mostEnriched = 1000

func (d *Dataset) null(n plume.Null) Null {
	out := Null{Method: n.Method, Cut: n.Cut, Rank: n.Rank, Of: plume.Shifts + 1, Needed: d.rules.Plume.Rank,
		Enrichment: round(min(n.Enrichment, mostEnriched), hundredths)}
	switch n.Method {
	case plume.ByDates:
		out.Why = "fires were looked for on all the days that are compared"
	case plume.ByTurns:
		out.Why = "fires of the days before and after are not all known, so the wind was turned instead"
	default:
		out.Of = 0
	}
	return out
}
