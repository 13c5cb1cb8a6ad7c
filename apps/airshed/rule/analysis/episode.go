package analysis

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// Analyse answers one episode of the board by one of the methods.
func (d *Dataset) Analyse(key surge.Key, by Method) (Analysis, error) {
	f, err := d.episode(key)
	if err != nil {
		return Analysis{}, err
	}
	e, track := f.Episode, d.air.trackOf(f.Episode.Site)
	a := Analysis{
		Version: Version, At: d.found.At, Key: key, Station: track.Station(), Episode: e, Surge: d.surge(e), Control: rounded(f.Control),
		Ages: d.ages, Inputs: d.inputs, Rules: d.rules.versions(by),
	}
	a.Station.Faces, a.Station.Near = orEmpty(a.Station.Faces), orEmpty(a.Station.Near)
	a.Episode.Surging = orEmpty(a.Episode.Surging)
	var at []plume.Hour
	at, a.Window = hours(track, e)
	if by == Demands {
		a.Attribution, err = d.attribute(a.Station, at, f.Control)
	} else {
		a.Attribution, a.Whose, err = d.statements(track, e, at)
	}
	if err != nil {
		return Analysis{}, err
	}
	if a.Fires, err = d.seen(d.rules.way(at)); err != nil {
		return Analysis{}, err
	}
	a.Attribution.doubt(a.Fires)
	a.Stubble = d.stubble(a)
	if a.Legacy, err = d.legacy(a); err != nil {
		return Analysis{}, err
	}
	a.Have = seedmethod.Sources{Air: true, Fires: a.Fires.Available, Stubble: a.Stubble.Available}
	a.Score = d.rules.Seed.Score(a.Have, a.Legacy.Count)
	a.Beside = d.beside(a)
	a.Gaps = orEmpty(slices.DeleteFunc(append(d.commonGaps(), d.gaps(a)...), func(g Gap) bool { return !g.Code.costs(by) }))
	a.Warnings = orEmpty(append(d.commonWarnings(), d.warnings(a)...))
	return a, nil
}

// Run answers all episodes of the board by one of the methods.
func (d *Dataset) Run(by Method) (Board, []Analysis, error) {
	var out []Analysis
	for _, key := range d.Keys() {
		a, err := d.Analyse(key, by)
		if err != nil {
			return Board{}, nil, err
		}
		out = append(out, a)
	}
	return d.Board(), out, nil
}

// asGiven is what must stand beside concentrations whose basis the file keeps to
// itself.
const asGiven = "as the file gives it; whether of an hour or a day is not said"

// surge is the worst of an episode.
func (d *Dataset) surge(e surge.Episode) Surge {
	s := Surge{Index: e.PeakIndex, Time: e.PeakIndexAt.End().UTC()}
	s.Category, _ = aqi.CategoryOf(e.PeakIndex)
	if e.Basis == surge.Concentration {
		for _, p := range d.air.hours[e.Site].Index(e.PeakIndexAt).Parts {
			switch p.Pollutant {
			case aqi.PM25:
				s.PM25 = ptr(p.Mean.Float(), tenths)
			case aqi.PM10:
				s.PM10 = ptr(p.Mean.Float(), tenths)
			}
		}
		if e.PeakPM25 >= 0 {
			s.Peak = ptr(e.PeakPM25.Float(), tenths)
		}
		return s
	}
	row, ok := d.air.rowAt(e.Site, e.PeakIndexAt)
	if !ok {
		return s
	}
	if v := row.Of(aqi.PM25); v >= 0 {
		s.PM25 = ptr(v.Float(), tenths)
	}
	if v := row.Of(aqi.PM10); v >= 0 {
		s.PM10 = ptr(v.Float(), tenths)
	}
	s.Derived = row.Derived
	switch {
	case row.Derived:
		s.Label = aqi.DerivedLabel
	case row.Basis == lake.AsGiven && (s.PM25 != nil || s.PM10 != nil):
		s.Label = asGiven
	}
	return s
}

// label is what must stand beside the count in a circle.
const label = "legacy radius count of the first design: it knows no wind and no hour, and nothing is attributed with it"

// legacy counts as the first design did.
func (d *Dataset) legacy(a Analysis) (Legacy, error) {
	c, err := d.rules.Seed.Circle(fire.Point{Lat: a.Station.Lat, Lon: a.Station.Lon}, a.Surge.Time, d.fires.legacy)
	return Legacy{Count: c, Surge: d.rules.Seed.Surge(float64(a.Surge.Index)), At: a.Surge.Time, Label: label}, err
}

// oddBy is how far a given index may lie below the one its own PM2.5 stands for
// before it is said.
const oddBy = 5

// indexWarnings say that a row contradicts itself: the index is the greatest of its
// parts, and cannot be less than one.
func (d *Dataset) indexWarnings(a Analysis) []Warning {
	row, ok := d.air.rowAt(a.Episode.Site, a.Episode.PeakIndexAt)
	pm := row.Of(aqi.PM25)
	if !ok || pm < 0 || row.Basis != lake.AsGiven {
		return nil
	}
	part, err := aqi.Of(aqi.PM25, pm)
	if err != nil || part.Rounded() <= row.Index+oddBy {
		return nil
	}
	return []Warning{{IndexOdd, fmt.Sprintf("PM2.5 of %s µg/m³ over a day stands for an index of %d; the row says %d", pm, part.Rounded(),
		row.Index)}}
}
