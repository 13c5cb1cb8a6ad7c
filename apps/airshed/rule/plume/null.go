package plume

import (
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A Method is how the null test makes the world otherwise.
type Method string

// The methods.
const (
	ByDates Method = "fire dates shifted" // by 3 to 10 days, earlier and later
	ByTurns Method = "wind turned"        // by the seventeenths of a circle
)

// A Null tells how special the influence of the fires is: whether the same air
// would have met as much fire on other days, or from elsewhere.
type Null struct {
	Method     Method    `json:"method,omitempty"` // empty: there was no test
	Observed   float64   `json:"observed"`
	Others     []float64 `json:"others"`     // Shifts of them, in the order of the shifts
	Rank       int       `json:"rank"`       // 1 is the greatest; one as great as the observed counts as greater
	Enrichment float64   `json:"enrichment"` // observed over the median of the others; 0 where that is 0
	Cut        int       `json:"cut"`        // tracks of the turned wind that came to where it is not known
}

// shiftDays are the days by which fires are shifted.
func shiftDays() []int {
	var out []int
	for d := 3; d <= 10; d++ {
		out = append(out, -d, d)
	}
	slices.Sort(out)
	return out
}

// null compares the influence on the default tracks with others. Shifted dates are
// the better test, but fires must have been looked for on all those days; days yet
// to come are not, and then the wind is turned instead.
func (x *Index) null(q Question, g *wind.Grid, f wind.Field, tracks []Track) Null {
	n := Null{Method: ByDates, Observed: x.influence(q, tracks, 0)}
	way := q.way(x.policy)
	for _, d := range shiftDays() {
		if !q.Seen.Covers(Span{way.From.AddDate(0, 0, -d), way.To.AddDate(0, 0, -d)}) {
			n.Method = ByTurns
		}
	}
	if n.Method == ByDates {
		for _, d := range shiftDays() {
			n.Others = append(n.Others, x.influence(q, tracks, d*24))
		}
	} else if !x.turn(&n, q, g, f, tracks) {
		return Null{Cut: n.Cut}
	}
	n.rank()
	return n
}

// turn compares with turned winds. A turned track may leave the grid sooner than the
// observed one and would then weigh less for no other reason, so the tracks of an
// hour are all followed only as far back as the shortest of them. It is false where
// less than half of the observed influence lies within that: a test of the rest
// would not be one of what was found.
func (x *Index) turn(n *Null, q Question, g *wind.Grid, f wind.Field, tracks []Track) bool {
	sets := [][]Track{slices.Clone(tracks)}
	for i := range Shifts {
		turned := x.tracks(q, f.Turned(float64(i+1)*360/(Shifts+1)), mixing(g), q.At)
		for _, t := range turned {
			if t.Edge {
				n.Cut++
			}
		}
		sets = append(sets, turned)
	}
	for hour := range tracks {
		least := len(tracks[hour].Spots)
		for _, set := range sets {
			least = min(least, len(set[hour].Spots))
		}
		for _, set := range sets {
			set[hour].Spots = set[hour].Spots[:least]
		}
	}
	whole := n.Observed
	n.Observed = x.influence(q, sets[0], 0)
	for _, set := range sets[1:] {
		n.Others = append(n.Others, x.influence(q, set, 0))
	}
	return 2*n.Observed >= whole
}

func (n *Null) rank() {
	n.Rank = 1
	for _, o := range n.Others {
		if o >= n.Observed {
			n.Rank++
		}
	}
	sorted := slices.Sorted(slices.Values(n.Others))
	if median := Quantile(sorted, 0.5); median > 0 {
		n.Enrichment = n.Observed / median
	}
}

// influence is the weight of all fires on some tracks, for the default window.
func (x *Index) influence(q Question, tracks []Track, later int) float64 {
	t := x.newTally()
	t.total = true
	x.addAll(t, q, tracks, later)
	return t.influence()
}

// A Calm is how still the air was: the least mean speed at 10 m at the station over
// so many hours in a row of the surge.
type Calm struct {
	Known bool      `json:"known"`
	Speed float64   `json:"speed"` // m/s
	Until time.Time `json:"until"` // the last of those hours
}

// calm looks at every run of hours within the surge; a surge shorter than a run is
// looked at with the hours before it. Hours without wind are left out of the mean,
// but half a run must be known.
func (p Policy) calm(q Question, g *wind.Grid) (c Calm) {
	f, ok := g.Field(wind.M10)
	if !ok {
		return Calm{}
	}
	last := q.Hours[len(q.Hours)-1].Time
	end := q.Hours[0].Time.Add(time.Duration(p.Run-1) * time.Hour)
	if end.After(last) {
		end = last
	}
	for ; !end.After(last); end = end.Add(time.Hour) {
		sum, n := 0.0, 0
		for h := range p.Run {
			if u, v, ok := f.At(q.At.Lat, q.At.Lon, wind.Hours(end)-float64(h)); ok {
				sum += math.Hypot(u, v)
				n++
			}
		}
		if speed := sum / float64(n); 2*n >= p.Run && (!c.Known || speed < c.Speed) {
			c = Calm{true, speed, end}
		}
	}
	return c
}
