package madeup

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// A Fire is one that burnt, seen or not. One made-up fire stands for the fields of
// a village.
type Fire struct {
	Lat, Lon float64
	State    int     // among the season's states
	From     float64 // hours since the season began
	Hours    float64 // it burns
	Power    float64 // MW
	Hidden   bool    // burns between the passes, where no satellite can see it
}

// Unseen is the share of fires that burn between the passes. Cloud, a pixel missed
// and the satellite that dies take more.
const Unseen = 0.4

// The passes over the land, in hours after midnight UTC: the two satellites follow
// each other by fifty minutes, half past one in the afternoon and in the night there.
const (
	afternoon = 7.6
	midnight  = 19.6
	behind    = 50.0 / 60
)

// atNight is the share of the fires that can be seen which burn at the night pass.
const atNight = 0.08

// How the harvest goes. The fires of a state then spread over its weeks with a
// deviation of some eight days and its greatest day is four or five times the mean
// one, as in published seasons.
const (
	between  = 50.0 // days between two harvests of a state
	early    = 10.0 // days that one of them is early or late, at most
	inStep   = 5.0  // days that a field is ahead of its state or behind it, at most
	always   = 0.05 // of a harvest's height that burns on any day
	restless = 0.35 // deviation of the logarithm of a state's day: rain, wind and feast days
)

// burn lights the fires. Every state has its harvests, each in its own weeks: that,
// and the wind, is why one state is ahead of the others.
func (s *Season) burn() {
	total := 0.0
	for _, st := range s.States {
		total += st.weight
	}
	for i, st := range s.States {
		d := cast(s.Plan.Seed, 5, uint64(i))
		days := make([]float64, s.Plan.Days)
		for day := range days {
			days[day] = math.Exp(restless*d.normal() - restless*restless/2)
		}
		dates := s.harvests(i)
		for _, f := range st.fields {
			heights := make([]float64, len(dates))
			for n, date := range dates {
				heights[n] = date + d.within(-inStep, inStep)
			}
			for day := range days {
				mean := float64(s.Plan.Fires) * st.weight / total / float64(len(st.fields)) * days[day] * s.Plan.rate(heights, day)
				for range d.poisson(mean) {
					s.Fires = append(s.Fires, light(s.spot(st, f, &d), i, day, &d))
				}
			}
		}
	}
	slices.SortStableFunc(s.Fires, func(a, b Fire) int { return cmp.Compare(a.From, b.From) })
}

// harvests are the days on which the harvests of a state are at their height. A longer
// season has the same ones, and more.
func (s *Season) harvests(state int) (out []float64) {
	d := cast(s.Plan.Seed, 9, uint64(state))
	for at := -between * d.share(); at < float64(s.Plan.Days)+between; at += between {
		out = append(out, at+d.within(-early, early))
	}
	return out
}

// rate is how much a field burns on a day, 1 on average.
func (p Plan) rate(heights []float64, day int) float64 {
	sum := always
	for _, h := range heights {
		off := (float64(day) - h) / p.Harvest
		sum += math.Exp(-off * off / 2)
	}
	return sum / (always + p.Harvest*math.Sqrt(2*math.Pi)/between)
}

func light(at Corner, i, day int, d *dice) Fire {
	f := Fire{Lat: at.Lat, Lon: at.Lon, State: i, Hours: d.within(1, 3.5), Power: 60 * math.Exp(0.7*d.normal()), Hidden: d.chance(Unseen)}
	midday := float64(24 * day)
	switch {
	case f.Hidden: // lit after the afternoon pass
		f.From = midday + afternoon + behind + d.within(0.5, 5)
	case d.chance(atNight):
		f.From = midday + midnight - f.Hours*d.share()
	default:
		f.From = midday + afternoon - f.Hours*d.share()
	}
	return f
}

// Dies is the day after which the second satellite delivers nothing any more.
func (p Plan) Dies() int { return p.Days * 11 / 20 }

// look has the satellites pass. A fire is seen by each that passes while it burns,
// unless cloud lies over it or the pixel is missed.
func (s *Season) look() {
	d := cast(s.Plan.Seed, 6)
	for _, f := range s.Fires {
		first, light := passOf(f)
		for n, satellite := range []fire.Satellite{"NOAA-20", "NOAA-21"} {
			pass := first + behind*float64(n)
			missed, strength := d.chance(0.12), math.Exp(0.4*d.normal())
			east, north := 0.15*d.normal(), 0.15*d.normal()
			switch {
			case f.Hidden || missed, n > 0 && (f.From+f.Hours < pass || pass > float64(24*s.Plan.Dies())), s.weather.overcast(f.Lat, f.Lon,
				pass):
				continue
			}
			at := moved(f.Lat, f.Lon, east, north)
			s.Seen = append(s.Seen, fire.Detection{At: fire.Point{Lat: five(at.Lat), Lon: five(at.Lon)}, Time: when(pass),
				Satellite:  satellite,
				Instrument: fire.VIIRS, Confidence: fire.Nominal, Percent: -1, Bright: 340, Background: 300, Scan: 0.4, Track: 0.4,
				FRP: math.Round(100*f.Power*strength) / 100, Light: light, Version: "2.0NRT"})
		}
	}
	slices.SortStableFunc(s.Seen, func(a, b fire.Detection) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.At.Lat, b.At.Lat), cmp.Compare(a.At.Lon, b.At.Lon))
	})
	for i := range s.Seen {
		s.Seen[i].Line = i + 2
	}
}

// five rounds to five decimals, as places come in the files.
func five(v float64) float64 { return math.Round(1e5*v) / 1e5 }

// passOf is the first satellite's pass a fire that can be seen burns at.
func passOf(f Fire) (hour float64, light fire.Light) {
	day := 24 * math.Floor(f.From/24)
	if f.From-day+f.Hours >= midnight {
		return day + midnight, fire.Night
	}
	return day + afternoon, fire.Day
}

// Detections are what the satellites delivered of some time, the end not included.
func (s *Season) Detections(from, to time.Time) []fire.Detection {
	var out []fire.Detection
	for _, d := range s.Seen {
		if !d.Time.Before(from) && d.Time.Before(to) {
			out = append(out, d)
		}
	}
	return out
}
