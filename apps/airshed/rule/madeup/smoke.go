package madeup

import (
	"math"
	"sync"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// How smoke behaves. The numbers are not those of whoever traces it back.
const (
	walkKm   = 6.6  // of the random walk to each side in an hour: 6,000 m²/s
	fadeHour = 60.0 // in which deposition takes all but 1/e
	lifeHour = 96   // after which a particle is let go
	reachKm  = 10.0 // of a station: its air is what lies within
	// strength is µg of PM2.5 for a MW burning an hour, over the fires of a day: the same
	// smoke, however many fires it is dealt out to. It is many times nature's, for a
	// few hundred made-up fires stand for the many thousand of a real autumn, and such
	// that smoke is as large a part of the cities' particles as published (see clean).
	strength = 1.5e14
)

// A particle is a piece of smoke.
type particle struct {
	lat, lon float32
	mass     float32 // µg
	age      int16   // hours
	level    uint8
	state    uint8
	chance   dice
}

// smoke is what arrived at one station, by hour and state, in µg/m³.
type smoke [][]float64

// chunks is how many pieces the particles are dealt into. It does not depend on the
// machine, or sums would come out otherwise on another.
const chunks = 8

// A flight is the particles of one chunk on their way, and what of them is at
// stations in the hour at hand.
type flight struct {
	particles []particle
	found     [][]float64 // by station and state
}

// blow carries the smoke of every fire on, hour by hour.
func (s *Season) blow() {
	post := s.posts()
	for range post.stations {
		s.smoke = append(s.smoke, make(smoke, s.Hours()))
	}
	flights := make([]flight, chunks)
	for i := range flights {
		for range post.stations {
			flights[i].found = append(flights[i].found, make([]float64, len(s.States)))
		}
	}
	draw := newPainter(s.weather)
	now, then := newBreeze(), newBreeze()
	draw.paint(now, 0)
	next := 0
	for hour := range s.Hours() {
		draw.paint(then, float64(hour+1))
		first := next
		for next < len(s.Fires) && s.Fires[next].From < float64(hour+1) {
			next++
		}
		var wait sync.WaitGroup
		for i := range flights {
			wait.Go(func() {
				flights[i].release(s, i, first, next)
				flights[i].carry(hour, now, then, post)
			})
		}
		wait.Wait()
		s.gather(hour, flights)
		now, then = then, now
	}
}

// release lets go the particles of the fires lit in this hour. A fire's particles
// are all let go at once and wait, with an age below zero, until the whole hour after
// their own moment of the burning: half an hour late on average, because what is found
// at the end of an hour counts for all of it and is half an hour early.
func (f *flight) release(s *Season, chunk, first, next int) {
	for i := first; i < next; i++ {
		if i%chunks != chunk {
			continue
		}
		b := s.Fires[i]
		d := cast(s.Plan.Seed, 7, uint64(i))
		mass := b.Power * b.Hours * strength / float64(s.Plan.Fires*s.Plan.Particles)
		for range s.Plan.Particles {
			p := particle{lat: float32(b.Lat), lon: float32(b.Lon), mass: float32(mass), state: uint8(b.State), chance: dice(d.bits())}
			p.age = -int16(math.Ceil(b.From - math.Floor(b.From) + d.share()*b.Hours))
			if up := d.share(); up > 0.9 {
				p.level = 2
			} else if up > 0.4 {
				p.level = 1
			}
			f.particles = append(f.particles, p)
		}
	}
}

// carry moves every particle on by an hour and finds out which are at a station.
func (f *flight) carry(hour int, now, then *breeze, post posts) {
	sun := daylight(float64(hour) + 0.5)
	up, down := exchange(sun)
	deep := mixing(float64(hour+1)) >= thick(0)+thick(1)
	fade := float32(math.Exp(-1 / fadeHour))
	kept := f.particles[:0]
	for _, p := range f.particles {
		p.age++
		if p.age <= 0 {
			kept = append(kept, p)
			continue
		}
		if p.age > lifeHour || !p.move(now, then) {
			continue
		}
		p.mass *= fade
		p.rise(up, down)
		if p.level == 0 || deep && p.level == 1 {
			depth := thick(0)
			if deep {
				depth += thick(1)
			}
			post.add(f.found, p, depth)
		}
		kept = append(kept, p)
	}
	f.particles = kept
}

// move carries a particle by the wind and by chance; false where it left the land.
func (p *particle) move(now, then *breeze) bool {
	const perDegree = earth.RadiusKM * earth.Radians
	const kmh = 3.6
	a, ok := nodeOf(p.lat, p.lon)
	if !ok {
		return false
	}
	l := p.level
	u, v := a.of(now.u[l]), a.of(now.v[l])
	cos := now.cos[a.at/nodeCols]
	b, ok := nodeOf(p.lat+v*kmh/perDegree, p.lon+u*kmh/(perDegree*cos))
	if !ok {
		return false
	}
	u, v = (u+b.of(then.u[l]))/2, (v+b.of(then.v[l]))/2
	x, y := p.chance.pair()
	p.lat += (v*kmh + walkKm*float32(y)) / perDegree
	p.lon += (u*kmh + walkKm*float32(x)) / (perDegree * cos)
	return true
}

// exchange is the chances in an hour to rise from each level and to sink from it. As
// much goes up as down where smoke is evenly spread through the mixed layer, so that
// is where it ends up, by day within hours; by night the lower two hardly meet. The
// highest is met only while the mixed layer reaches into it, and as far as it does.
func exchange(sun float64) (up, down [levels]float64) {
	down[1] = 0.005 + 0.25*sun
	up[0] = down[1] * thick(1) / thick(0)
	if reached := min(mixed(sun)-thick(0)-thick(1), thick(2)); reached > 0 {
		down[2] = 0.12 * sun
		up[1] = down[2] * reached / thick(1)
	}
	return up, down
}

func (p *particle) rise(up, down [levels]float64) {
	switch x := p.chance.share(); {
	case x < up[p.level]:
		p.level++
	case x > 1-down[p.level]:
		p.level--
	}
}

// gather puts what all flights found in an hour together, in their order.
func (s *Season) gather(hour int, flights []flight) {
	for station := range s.smoke {
		sum := make([]float64, len(s.States))
		for i := range flights {
			for state, v := range flights[i].found[station] {
				sum[state] += v
			}
			clear(flights[i].found[station])
		}
		s.smoke[station][hour] = sum
	}
}
