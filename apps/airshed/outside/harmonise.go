package outside

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
)

// Parts are what the sources gave, to be put together. A part that is nil was not
// had, which is not the same as nothing found.
type Parts struct {
	Time     time.Time // when they were put together
	Stations []surge.Station
	Indices  *Indices
	Measured *Measured
	Fires    *FireAnswers
	Looks    *FireAnswers                  // of satellites that watch between the passes
	Known    fire.Constellation            // which satellites should have passed
	Place    func(p fire.Point) fire.Place // finds the state of a fire; nil leaves it open
	Share    *feed.Share
	Weather  *Weather
	Wind     *lake.Wind // that was handed in; it goes before the weather's
	Away     []error    // faults of sources that gave nothing; each is listed with what it costs
}

// Harmonise puts what the sources gave into one object of the lake. Air there must
// be; everything else may be missing, and is then listed as missing.
func Harmonise(p Parts) (*lake.Object, error) {
	o := &lake.Object{Time: p.Time.UTC().Truncate(time.Second)}
	if err := p.air(o); err != nil {
		return nil, err
	}
	if len(o.Air) == 0 {
		return nil, fault.New(fault.Unavailable, "there is no air to look at: %s", origin.Named(origin.DataGov).Without)
	}
	p.fires(o)
	if err := p.weather(o); err != nil {
		return nil, err
	}
	if s := p.Share; s != nil {
		if err := s.Check(); err != nil {
			return nil, err
		}
		o.Stubble = &lake.Stubble{Percent: s.Percent, Time: s.IssuedAt.UTC(), Issued: s.IssuedAt.UTC(), Valid: s.ValidDate,
			URL: s.SourceURL, SHA256: s.SHA256, Captured: s.CapturedBy}
	}
	p.sources(o)
	return o, nil
}

// air adds a row for every station and hour: measured concentrations with the
// index they make, and published sub-indices. Both may speak of the same hour;
// each says what it is.
func (p Parts) air(o *lake.Object) error {
	if p.Indices != nil {
		rows := lake.AirOf(p.Indices.Reports)
		for i := range rows {
			if s, ok := surge.Match(p.Stations, "", rows[i].Station, rows[i].Lat, rows[i].Lon); ok {
				rows[i].Site = s.Site
			}
		}
		o.Air = append(o.Air, rows...)
		o.Dropped = append(o.Dropped, drops(lake.AirPart, p.Indices.Dropped)...)
		if n := p.Indices.Disagree; n > 0 {
			o.Dropped = append(o.Dropped, lake.Drop{Part: lake.AirPart, Reason: "disagree", Count: n})
		}
	}
	if p.Measured == nil {
		return nil
	}
	all, err := aqi.Collect(p.Measured.Readings)
	if err != nil {
		return err
	}
	for _, h := range all {
		o.Air = append(o.Air, p.hours(h)...)
	}
	o.Dropped = append(o.Dropped, drops(lake.AirPart, p.Measured.Missed)...)
	return nil
}

// hours are the rows of one station's measured hours.
func (p Parts) hours(h aqi.Hours) []lake.Air {
	var out []lake.Air
	at := slices.IndexFunc(p.Stations, func(s surge.Station) bool { return s.Site == h.Site() })
	for i := range h.Length() {
		hour := h.First().Plus(i)
		a := lake.Air{Site: h.Site(), Time: hour.End().UTC(), Basis: lake.Measured}
		if at >= 0 {
			a.Station, a.Lat, a.Lon = p.Stations[at].Name, p.Stations[at].Lat, p.Stations[at].Lon
		}
		for _, of := range aqi.Pollutants() {
			if v := h.At(of, hour); v != aqi.None && of != aqi.Pb {
				a.Values = append(a.Values, lake.Value{Pollutant: of, Amount: v})
			}
		}
		if x := h.Index(hour); x.Known() {
			a.Index = x.Value
		}
		if len(a.Values) > 0 {
			out = append(out, a)
		}
	}
	return out
}

// drops are counts of what was left out, by reason in the order of their names.
func drops[R ~string](part string, counts map[R]int) []lake.Drop {
	var out []lake.Drop
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		if counts[why] > 0 {
			out = append(out, lake.Drop{Part: part, Reason: string(why), Count: counts[why]})
		}
	}
	return out
}

// fires adds every detection, sure or not: sifting is the analysis's.
func (p Parts) fires(o *lake.Object) {
	if p.Fires == nil {
		return
	}
	o.Fires = []lake.Fire{}
	o.Looked = lake.Span{From: p.Fires.From.UTC().Truncate(time.Second), To: p.Fires.To.UTC().Truncate(time.Second)}
	lost := map[fire.Reason]int{}
	for _, a := range p.Fires.Answers {
		for _, d := range fire.Locate(a.File.Detections, p.Place) {
			o.Fires = append(o.Fires, lake.FireOf(d))
		}
		for why, n := range a.File.Dropped {
			lost[why] += n
		}
	}
	p.looks(o, lost)
	o.Dropped = append(o.Dropped, drops(lake.FiresPart, lost)...)
}

// looks adds what was seen between the passes, which says nothing without them. Their
// source holds rows of satellites that nobody asked for.
func (p Parts) looks(o *lake.Object, lost map[fire.Reason]int) {
	if p.Looks == nil {
		return
	}
	for _, a := range p.Looks.Answers {
		for _, d := range fire.Locate(a.File.Detections, p.Place) {
			o.Fires = append(o.Fires, lake.FireOf(d))
		}
		lost[fire.Unreadable] += a.File.Dropped[fire.Unreadable]
	}
}

// weather adds the wind, and the cloud at the times satellites passed.
func (p Parts) weather(o *lake.Object) error {
	o.Wind = p.Wind
	if p.Weather == nil {
		return nil
	}
	var err error
	if o.Wind == nil {
		if o.Wind, err = p.Weather.Wind(); err != nil {
			return err
		}
	}
	if p.Fires == nil || len(p.Known.Sensors) == 0 {
		return nil
	}
	cover, err := p.Known.Cover(p.Fires.Detections(), p.Fires.From, p.Fires.To, nil)
	if err != nil {
		return err
	}
	var passes []time.Time
	for _, pass := range cover.Passes {
		at := pass.At().UTC().Truncate(time.Minute)
		if !slices.ContainsFunc(passes, at.Equal) {
			passes = append(passes, at)
		}
	}
	o.Cloud = p.Weather.Cloud(passes)
	return nil
}

// sources lists what was received, and what was not.
func (p Parts) sources(o *lake.Object) {
	if p.Indices != nil {
		note := ""
		if p.Indices.Moved {
			note = "the table changed while it was read: some rows may be missing"
		}
		o.Sources = append(o.Sources, listed(p.Indices.Snapshots, note)...)
	}
	if p.Measured != nil {
		o.Sources = append(o.Sources, listed(p.Measured.Snapshots, "")...)
	}
	if p.Fires != nil {
		note := ""
		if len(p.Fires.Without) > 0 {
			note = fmt.Sprintf("nothing is offered for %v", p.Fires.Without)
		}
		o.Sources = append(o.Sources, listed(p.Fires.Snapshots(), note)...)
	}
	if p.Looks != nil {
		o.Sources = append(o.Sources, listed(p.Looks.Snapshots(), "what was seen between the passes")...)
	}
	if w := p.Weather; w != nil {
		o.Sources = append(o.Sources,
			listed(w.Snapshots, fmt.Sprintf("model %s; its cells lie up to %.3f degrees from the places asked for", w.Model, w.Offset))...)
	}
	if s := p.Share; s != nil {
		o.Sources = append(o.Sources, lake.Source{Name: origin.Stubble, URL: s.SourceURL, SHA256: s.SHA256, Note: "entered by a person"})
	}
	for _, err := range p.Away {
		text, _ := fault.Words(err)
		name := "unknown"
		if a, ok := errors.AsType[*Away](err); ok {
			name = a.Source
		}
		o.Sources = append(o.Sources, lake.Source{Name: name, Note: "not had: " + text})
	}
}

// listedEach is how many answers of one source are listed one by one.
const listedEach = 40

// listed lists answers of a source. Many are listed as one, whose hash is that of
// their hashes in hex, in the order of their addresses, a line each.
func listed(snaps []Snapshot, note string) []lake.Source {
	var out []lake.Source
	for _, s := range snaps {
		l := s.Listed()
		l.Note = note
		out = append(out, l)
	}
	if len(out) <= listedEach {
		return out
	}
	slices.SortFunc(out, func(a, b lake.Source) int { return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.SHA256, b.SHA256)) })
	one := lake.Source{Name: out[0].Name, URL: out[0].URL}
	sum := sha256.New()
	for _, s := range out {
		fmt.Fprintln(sum, s.SHA256)
		one.Bytes += s.Bytes
		if s.Fetched.After(one.Fetched) {
			one.Fetched = s.Fetched
		}
	}
	one.SHA256 = hex.EncodeToString(sum.Sum(nil))
	one.Note = fmt.Sprintf("%d answers, the first by address shown; the hash is of their hashes, a line each", len(out))
	if note != "" {
		one.Note += "; " + note
	}
	return []lake.Source{one}
}
