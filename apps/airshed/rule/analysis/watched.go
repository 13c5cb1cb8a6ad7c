package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// A Between is what satellites that watch from one place saw between the passes. It weighs
// in the shares of the second method, in place of fires that nobody saw, and is nothing
// else: no pass, no count of fires, no better data, and no part of whether smoke mattered.
type Between struct {
	fire.Watched

	From       time.Time        `json:"from"` // while the air was on its way
	To         time.Time        `json:"to"`
	InTime     int              `json:"in_time"`  // fires then, that no pass saw
	Unusable   int              `json:"unusable"` // rows that cannot be weighed
	Last       time.Time        `json:"last"`     // look at anything, of the file
	Satellites []fire.Satellite `json:"satellites"`
	States     []BetweenState   `json:"states"` // in time, the most first
}

// A BetweenState is the fires of one state that only watching satellites saw.
type BetweenState struct {
	State string    `json:"state"`
	Fires int       `json:"fires"`
	Looks int       `json:"looks"`
	Power float64   `json:"power_mw"` // of the strongest look at each, to 0.1 MW
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// A watching is what watching satellites saw, of a whole object.
type watching struct {
	fire.Watched

	raw      []fire.Detection
	unusable int
}

// take takes a row of a satellite that watches. Such a row is no detection: nothing but
// what is in this file makes anything of it.
func (w *watching) take(look fire.Detection, usable bool) {
	if usable {
		w.raw = append(w.raw, look)
	} else {
		w.unusable++
	}
}

// look makes a look of a row.
func (r Rules) look(f lake.Fire, by fire.Watcher, line int) (d fire.Detection, usable bool) {
	d = fire.Detection{
		Line: line,
		At:   fire.Point{Lat: f.Lat, Lon: f.Lon}, Time: f.Time.UTC(), Satellite: by.Satellite, Instrument: by.Instrument,
		Bright: f.Bright, Scan: f.Scan, Track: f.Track, FRP: f.FRP, Light: light(f), Version: f.Version,
		Place: fire.Place{State: plain(f.State)},
	}
	if d.Scan == 0 || d.Track == 0 {
		d.Scan, d.Track = by.Scan, by.Track
	}
	percent, ok := percentOf(f.Confidence)
	d.Percent, d.Confidence = percent, by.Class(percent)
	if r.Places != nil {
		d.Place = r.Places(d.At)
	}
	return d, ok && !f.DayOnly && f.FRP > 0
}

// watch makes fires of the looks, once those that passes saw are known.
func (d *Dataset) watch(s *sightings) {
	if len(s.watched.raw)+s.watched.unusable == 0 {
		return
	}
	d.rules.watched = true
	s.watched.Watched = d.rules.Fire.Watched(s.watched.raw, d.rules.Watch, s.sifted.Kept, d.rules.Mask)
}

// spells is the watched fires that burnt from one moment to another.
func (w watching) spells(from, to time.Time) (out []fire.Spell) {
	for _, k := range w.Kept {
		if !k.Time.Before(from) && k.Time.Before(to) {
			out = append(out, k)
		}
	}
	return out
}

// watchedFires is what weighs of them. They burnt when they were seen: no pass came at a
// set hour, so that the shorter time on both sides of it is allowed for, as by night.
func (d *Dataset) watchedFires(from, to time.Time) (out []likelihood.Fire) {
	for _, k := range d.fires.watched.spells(from, to) {
		f := plume.Fire{At: plume.Point{Lat: k.At.Lat, Lon: k.At.Lon}, Time: k.Time, FRP: d.rules.Watch.Power(k.Detection), Night: true}
		out = append(out, likelihood.Fire{Fire: f, State: named(k.Place).State, Between: true})
	}
	return out
}

// between is what the answer says of them; nothing where nobody watched.
func (d *Dataset) between(from, to time.Time) *Between {
	w := d.fires.watched
	if !d.rules.watched {
		return nil
	}
	in := w.spells(from, to)
	b := &Between{Watched: w.Watched, From: from.UTC(), To: to.UTC(), InTime: len(in), Unusable: w.unusable,
		Satellites: []fire.Satellite{}, States: []BetweenState{}}
	for _, look := range w.raw {
		if !slices.Contains(b.Satellites, look.Satellite) {
			b.Satellites = append(b.Satellites, look.Satellite)
		}
		if look.Time.After(b.Last) {
			b.Last = look.Time
		}
	}
	slices.Sort(b.Satellites)
	for _, k := range in {
		state := named(k.Place).State
		i := slices.IndexFunc(b.States, func(s BetweenState) bool { return s.State == state })
		if i < 0 {
			i = len(b.States)
			b.States = append(b.States, BetweenState{State: state, First: k.First})
		}
		s := &b.States[i]
		s.Fires++
		s.Looks += k.Looks
		s.Power += d.rules.Watch.Power(k.Detection)
		if k.First.Before(s.First) {
			s.First = k.First
		}
		if k.Last.After(s.Last) {
			s.Last = k.Last
		}
	}
	for i := range b.States {
		b.States[i].Power = round(b.States[i].Power, tenths)
	}
	slices.SortFunc(b.States, func(a, c BetweenState) int {
		return cmp.Or(cmp.Compare(c.Fires, a.Fires), cmp.Compare(a.State, c.State))
	})
	return b
}
