package analysis

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// notLooked stands where there is no count that a statement could be about.
const notLooked = "No data about fires came. That says nothing about whether anything burnt."

// seen is the fires while air was on its way.
func (d *Dataset) seen(way plume.Span) (Fires, error) {
	f := Fires{Available: d.from.Fires != nil, Statement: notLooked, Stage: NoRows}
	f.Unusable, f.Dropped, f.Masked = []Tally{}, []Tally{}, []Tally{}
	f.Satellites, f.Used, f.Mixed, f.States = []fire.Count{}, []fire.Satellite{}, []fire.Satellite{}, []StateFires{}
	if !f.Available {
		return f, nil
	}
	s := d.fires
	in := s.between(way.From, way.To)
	f.From, f.To = way.From, way.To
	f.Rows, f.Elsewhere, f.DayOnly, f.Kept, f.InTime = s.rows, s.elsewhere, s.dayOnly, len(s.sifted.Kept), len(in)
	f.Unusable, f.Dropped, f.Masked = tallies(s.unusable), tallies(s.sifted.Dropped), tallies(s.sifted.Masked)
	f.Disagreed, f.RowPlaced = s.disagreed, s.rowPlaced
	for _, k := range in {
		if d.rules.Unsure != nil && d.rules.Unsure(k.At) {
			f.Unsure++
		}
	}
	f.counts(d.rules.Satellites, in)
	c, err := d.expected(way).Cover(s.raw, way.From, way.To.Add(time.Nanosecond), d.cloud())
	if err != nil {
		return f, err
	}
	c.To = way.To // to the last moment, that included
	f.Statement = c.Statement()
	f.Coverage = &Coverage{From: c.From, To: c.To, Sums: c.Sums(), Passes: orEmpty(c.Passes)}
	f.Coverage.Sums.MeanCloud = round(f.Coverage.Sums.MeanCloud, hundredths)
	for i := range f.Coverage.Passes {
		f.Coverage.Passes[i].Cloud = round(f.Coverage.Passes[i].Cloud, hundredths)
	}
	return f, nil
}

// counts fills in what was counted by satellite and by state.
func (f *Fires) counts(known fire.Constellation, in []fire.Detection) {
	final := 0
	for _, n := range known.Count(in) {
		if n.Detections == 0 {
			continue
		}
		n.FRP, n.Power = round(n.FRP, tenths), round(n.Power, tenths)
		f.Satellites, f.Used = append(f.Satellites, n), append(f.Used, n.Satellite)
		if n.Final > 0 && n.Final < n.Detections {
			f.Mixed = append(f.Mixed, n.Satellite)
		}
		final += n.Final
	}
	switch {
	case len(in) == 0:
	case final == 0:
		f.Stage = Preliminary
	case final == len(in):
		f.Stage = Final
	default:
		f.Stage = Both
	}
	for _, s := range known.ByState(in) {
		f.States = append(f.States, StateFires{State: named(s.Place).State, Detections: s.Detections, Power: round(s.Power, tenths)})
	}
}

// expected is the satellites whose passes are looked for: those one asks on these
// days, and those whose rows came.
func (d *Dataset) expected(way plume.Span) fire.Constellation {
	out := fire.Constellation{Version: d.rules.Satellites.Version}
	first, last := d.rules.Satellites.Wanted(fire.IndianDay(way.From)), d.rules.Satellites.Wanted(fire.IndianDay(way.To))
	for _, s := range d.rules.Satellites.Sensors {
		_, asked := first.Sensor(s.Satellite)
		_, asked2 := last.Sensor(s.Satellite)
		came := slices.ContainsFunc(d.fires.raw, func(r fire.Detection) bool { return r.Satellite == s.Satellite })
		if asked || asked2 || came {
			out.Sensors = append(out.Sensors, s)
		}
	}
	return out
}

// cloudWithin is how far from a pass a figure of cloud may be.
const cloudWithin = time.Hour

// cloud is the mean cloud over all places for which there is a figure near a
// moment; nil where there are none at all.
func (d *Dataset) cloud() fire.Cloud {
	rows := d.from.Cloud
	if len(rows) == 0 {
		return nil
	}
	return func(at time.Time) (float64, bool) {
		sum, n := 0.0, 0
		for _, c := range rows {
			if c.Time.Sub(at).Abs() <= cloudWithin {
				sum += c.Fraction
				n++
			}
		}
		if n == 0 {
			return 0, false
		}
		return sum / float64(n), true
	}
}
