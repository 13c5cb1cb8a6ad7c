package madeup

import (
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// posts finds the stations a particle is at.
type posts struct {
	stations []surge.Station
	near     [][]int // by node: the stations that can be within reach of its square
}

func (s *Season) posts() posts {
	p := posts{near: make([][]int, nodeRows*nodeCols)}
	for _, c := range s.Cities {
		p.stations = append(p.stations, c.Stations...)
	}
	const about = reachKm + 25 // and the size of a square
	for n := range p.near {
		lat, lon := floor+step*float64(n/nodeCols), left+step*float64(n%nodeCols)
		for i, st := range p.stations {
			if earth.Distance(lat, lon, st.Lat, st.Lon) < about {
				p.near[n] = append(p.near[n], i)
			}
		}
	}
	return p
}

// add counts a particle for the stations it is within reach of.
func (p posts) add(found [][]float64, q particle, depth float64) {
	n, ok := nodeOf(q.lat, q.lon)
	if !ok {
		return
	}
	const area = math.Pi * reachKm * reachKm * 1e6 // m²
	for _, i := range p.near[n.at] {
		st := &p.stations[i]
		if earth.Distance(float64(q.lat), float64(q.lon), st.Lat, st.Lon) <= reachKm {
			found[i][q.state] += float64(q.mass) / (area * depth)
		}
	}
}

// The city's own air, in µg/m³. There is so much of it because smoke is the smaller
// part of a city's particles: of Delhi's 7 to 11 % in the mean of a season by published
// figures, and 22 to 38 % on the worst day. The mean over the cities is within that; the
// worst day of most is above it.
const (
	clean    = 76.0 // at noon of a windy day
	nightly  = 44.0 // more in the shallow air of the night
	calmDirt = 50.0 // more where there is hardly any wind
)

// soil makes the air that is nobody's smoke: the city's own dirt, more of it at one
// border station of each city, which stands beside a works of its own.
func (s *Season) soil() {
	for c, city := range s.Cities {
		for i, st := range city.Stations {
			d := cast(s.Plan.Seed, 8, uint64(c), uint64(i))
			works := st.Role == surge.Border && i == c%borderSites // another side in each city
			s.dirt = append(s.dirt, s.own(st, works, &d))
		}
	}
}

// own is the dirt of one station by the hour. Works run for some days and stop.
func (s *Season) own(st surge.Station, works bool, d *dice) []float64 {
	out := make([]float64, s.Hours())
	run := 0.0
	for h := range out {
		if works && h%24 == 0 {
			run = 0.75*run + 0.66*d.normal()
		}
		t := float64(h) + 0.5
		u, v := s.weather.at(st.Lat, st.Lon, t)
		dark := 1 - daylight(t)
		out[h] = clean + nightly*dark + calmDirt*math.Exp(-math.Hypot(u[0], v[0])/2)
		if works && run > 0.5 {
			out[h] += 130 * run * (0.4 + 0.6*dark)
		}
	}
	return out
}

// Readings are what the stations of a city measured in some hours, the last not
// included: fine particles with noise, and beside them the pollutants without which
// there is no index. Some hours are missing.
func (s *Season) Readings(city int, from, to time.Time) ([]aqi.Reading, error) {
	first := 0
	for c := range city {
		first += len(s.Cities[c].Stations)
	}
	lo, hi := max(0, int(since(from))), min(s.Hours(), int(since(to)))
	var out []aqi.Reading
	for i, st := range s.Cities[city].Stations {
		for h := lo; h < hi; h++ {
			d := cast(s.Plan.Seed, 10, uint64(first+i), uint64(h)) // an hour reads the same whoever asks
			if d.chance(0.03) {
				continue
			}
			at, err := aqi.HourFrom(when(float64(h)))
			if err != nil {
				return nil, err
			}
			pm := (s.dirt[first+i][h] + total(s.smoke[first+i][h])) * (1 + 0.08*d.normal())
			pm = min(max(1, pm+3*d.normal()), 2000)
			for _, r := range []struct {
				of    aqi.Pollutant
				value float64
			}{{aqi.PM25, pm}, {aqi.PM10, 1.2*pm + 35}, {aqi.NO2, d.within(20, 50)}, {aqi.SO2, d.within(8, 15)}} {
				amount, err := aqi.AmountOf(math.Round(10*r.value) / 10)
				if err != nil {
					return nil, err
				}
				out = append(out, aqi.Reading{Site: st.Site, Hour: at, Pollutant: r.of, Amount: amount})
			}
		}
	}
	return out, nil
}

func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// A Truth is what fires brought to a station in some hours.
type Truth struct {
	States []float64 // µg/m³ on average, in the order of the season's states
	Smoke  float64   // their sum
	Other  float64   // what came from no fire
}

// First is the state that brought most, and its share of all the smoke.
func (t Truth) First() (state int, share float64) {
	for i, v := range t.States {
		if v > t.States[state] {
			state = i
		}
	}
	if t.Smoke == 0 {
		return -1, 0
	}
	return state, t.States[state] / t.Smoke
}

// Truth is what really came to a station in some hours, whether they were measured
// or not.
func (s *Season) Truth(site aqi.Site, hours []time.Time) (Truth, bool) {
	t, n := Truth{States: make([]float64, len(s.States))}, 0
	place, ok := s.place(site)
	for _, at := range hours {
		h := int(math.Floor(since(at)))
		if !ok || h < 0 || h >= s.Hours() {
			return Truth{}, false
		}
		for i, v := range s.smoke[place][h] {
			t.States[i] += v
		}
		t.Other += s.dirt[place][h]
		n++
	}
	for i := range t.States {
		t.States[i] /= float64(n)
		t.Smoke += t.States[i]
	}
	t.Other /= float64(n)
	return t, n > 0
}

func (s *Season) place(site aqi.Site) (int, bool) {
	n := 0
	for _, c := range s.Cities {
		for _, st := range c.Stations {
			if st.Site == site {
				return n, true
			}
			n++
		}
	}
	return 0, false
}
