package plume

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// What an index may hold. A world day of detections is some 200,000.
const (
	MaxFires  = 1_000_000
	MaxSpan   = 60 * 24 * time.Hour // from the first fire to the last
	MaxPlaces = 10_000              // districts of the world's states that burn at once are far fewer
	MaxFRP    = 100_000             // MW of one pixel; the greatest ever seen are a tenth of it
)

// An Index holds fires so that the ones near a track are found quickly. It is not
// changed once made, and may be shared.
//
// For every hour it holds the fires that burn in it, in cells of eight sizes. Where
// the air's position is uncertain by sigma, fires within a cell of sigma/5 or less
// are taken together at the middle of their power; beyond 4 sigma the cells are twice
// as wide; and fires farther than 7 sigma, where the weight is below 3·10⁻¹¹ of the
// nearest, are left out. Where the air moves less than sigma/2 in an hour, two points
// stand for the four steps of it. Burn windows are exact to the step.
//
// For fires that lie apart this comes within 10⁻³ of the formula, for crowded ones
// within 5 % for every level and burn window and within 1 % over all of them. A cell
// knows how far its fires lie apart and not in which direction: two at opposite corners
// of one, in line with the wind and 3 sigma off, come out 4 % too low, and across the
// wind 4 % too high. Few lie so: of 6,226 random crowds two were more than 2 % off, the
// worst by 2.6 %, and over all levels and windows none by more than 0.4 %.
//
// A fire takes some kilobytes where it lies alone, much less in a crowd. Nothing is seen
// across the 180th meridian.
type Index struct {
	policy  Policy
	places  []Place
	first   int    // the hour of the first slot, since 1970
	slots   []slot // by hour
	exp     [decays]float32
	count   int
	outside int
}

// sizes of cells, in degrees. Twice as wide each: a coarse cell is four fine ones.
var sizes = [...]float64{0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6}

const (
	kmPerDegree = earth.RadiusKM * radians
	fineSizes   = 4 // of the sizes, from the first, are for steps
	coarseFrom  = 2 // the sizes from here on are for whole hours
	perSigma    = 5 // cells to a sigma, at least
	perHour     = 2 // an hour's way is this small a part of a sigma where two points stand for it
	middling    = 4 // sigmas beyond which cells are twice as wide
	cut         = 7 // sigmas beyond which fires are left out
	farthest    = cut * cut / 2.0
	decays      = 2048 // more than 64 times that, and a power of two
)

// An Area is a piece of the earth between two parallels and two meridians.
type Area struct{ South, North, West, East float64 }

// Everywhere is the whole earth.
func Everywhere() Area { return Area{-90, 90, -180, 180} }

// Reach is the area that a wind grid can tell of, and five degrees more: air that is
// followed to the edge may have been beyond it.
func Reach(s wind.Shape) Area {
	const more = 5
	return Area{
		s.South - more, s.South + s.DLat*float64(s.Rows-1) + more,
		s.West - more, s.West + s.DLon*float64(s.Cols-1) + more,
	}
}

func (a Area) holds(p Point) bool {
	return p.Lat >= a.South && p.Lat <= a.North && p.Lon >= a.West && p.Lon <= a.East
}

// NewIndex puts the fires of an area in order. where says in which state each lies;
// it is asked once a fire. The index is for one policy, because that says how long
// fires burn.
func NewIndex(p Policy, fires []Fire, in Area, where func(Point) Place) (*Index, error) {
	if len(fires) > MaxFires {
		return nil, fault.New(fault.TooLarge, "%d fires: at most %d at once", len(fires), MaxFires)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	var inside []Fire
	for _, f := range fires {
		if err := f.check(); err != nil {
			return nil, err
		}
		if in.holds(f.At) {
			inside = append(inside, f)
		}
	}
	slices.SortFunc(inside, earlier)
	if n := len(inside); n > 0 && inside[n-1].Time.Sub(inside[0].Time) > MaxSpan {
		return nil, fault.New(fault.TooLarge, "fires of more than %d days", int(MaxSpan.Hours()/24))
	}
	x := &Index{policy: p, exp: decayTable(), count: len(inside), outside: len(fires) - len(inside)}
	ids, err := x.name(inside, where)
	if err != nil {
		return nil, err
	}
	x.build(inside, ids)
	return x, nil
}

// earlier puts fires in an order that depends on nothing but themselves, so that
// sums do not depend on the order they came in.
func earlier(a, b Fire) int {
	night := func(f Fire) int {
		if f.Night {
			return 1
		}
		return 0
	}
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.At.Lat, b.At.Lat), cmp.Compare(a.At.Lon, b.At.Lon),
		cmp.Compare(a.FRP, b.FRP), cmp.Compare(night(a), night(b)))
}

func (f Fire) check() error {
	switch {
	case !f.At.Valid():
		return fault.New(fault.Invalid, "a fire at %v, %v: not on the map", f.At.Lat, f.At.Lon)
	case !(f.FRP >= 0 && f.FRP <= MaxFRP):
		return fault.New(fault.Invalid, "a fire of %v MW: 0 to %d", f.FRP, MaxFRP)
	case f.Time.Year() < 1971 || f.Time.Year() > 2200:
		return fault.New(fault.Invalid, "a fire of the year %d", f.Time.Year())
	}
	return nil
}

// name looks up where every fire lies. Places are numbered by name.
func (x *Index) name(fires []Fire, where func(Point) Place) ([]uint16, error) {
	number := map[Place]uint16{}
	at := make([]Place, len(fires))
	for i, f := range fires {
		at[i] = where(f.At)
		if _, known := number[at[i]]; !known {
			number[at[i]] = 0
			x.places = append(x.places, at[i])
		}
	}
	if len(x.places) > MaxPlaces {
		return nil, fault.New(fault.TooLarge, "fires in %d districts: at most %d", len(x.places), MaxPlaces)
	}
	slices.SortFunc(x.places, comparePlaces)
	for i, p := range x.places {
		number[p] = uint16(i)
	}
	ids := make([]uint16, len(fires))
	for i, p := range at {
		ids[i] = number[p]
	}
	return ids, nil
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.District, b.District))
}

// Fires is how many fires the index holds, and how many lay outside its area.
func (x *Index) Fires() (inside, outside int) { return x.count, x.outside }

// decayTable is e to the minus i/64, as far as the cut goes and beyond.
func decayTable() (out [decays]float32) {
	for i := range out {
		out[i] = float32(math.Exp(-float64(i) / 64))
	}
	return out
}

// decay is e to the minus a, for a from 0 to farthest: a table and two terms, right
// to one part in ten million. Numbers around 1.5·2²³ have no room for fractions: what
// is added to it and taken away again is rounded, and stands in its lowest bits.
func (x *Index) decay(a float32) float32 {
	const round = 3 << 22
	at := a*64 + round
	r := (at-round)/64 - a
	return x.exp[math.Float32bits(at)%decays] * (1 + r*(1+r*0.5))
}
