package score

import (
	"math"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A LayerScore is a layer with all of its points accounted for.
type LayerScore struct {
	Layer      signal.Layer `json:"layer"`
	Score      float64      `json:"score"`      // 0 to 10
	Escalation float64      `json:"escalation"` // what it would be without relief
	Relief     float64      `json:"relief"`     // what stabilising signals took off: Escalation - Score
	Signals    int64        `json:"signals"`    // that count in it
	Excluded   int64        `json:"excluded"`   // that were left out: the police's own
	// Contributions are the heaviest signals. Their points and those of Others add up to Score.
	Contributions []Contribution `json:"contributions"`
	Others        Others         `json:"others"`
	Printed       Printed        `json:"printed"` // Score as it is printed
}

// A Contribution is what one signal adds to a layer.
type Contribution struct {
	ID      string       `json:"event_id"`
	Layer   signal.Layer `json:"layer"`
	Weight  float64      `json:"weight"`  // with recency and the way it points
	Points  float64      `json:"points"`  // its part of Score, with its sign
	Relief  float64      `json:"relief"`  // its part of the layer's relief, 0 or less; shown apart, in no sum of points
	Printed Printed      `json:"printed"` // Points as they are printed, so that what is printed adds up, too
}

// Others is what all signals that are not named add together.
type Others struct {
	Signals int64   `json:"signals"`
	Points  float64 `json:"points"`
	Relief  float64 `json:"relief"`
	Printed Printed `json:"printed"`
}

// up and down are what a layer's signals weigh together, by the way they point.
type sums struct {
	up, down float64 // both at least 0
	counted  int64
	excluded int64
}

// layer is the score of a layer whose signals come to totals.
func (p Profile) layer(l signal.Layer, t bucket.Totals) LayerScore {
	var s sums
	for c := range bucket.Class(bucket.Classes) {
		f, counted := p.factor(l, c)
		if !counted {
			s.excluded += t.Count[c]
			continue
		}
		s.counted += t.Count[c]
		if w := f * t.Weight[c]; w > 0 {
			s.up += w
		} else {
			s.down -= w
		}
	}
	out := LayerScore{Layer: l, Signals: s.counted, Excluded: s.excluded}
	out.Escalation, out.Score = p.levels(s)
	out.Relief = out.Escalation - out.Score
	p.account(&out, s, t)
	return out
}

// levels is a layer without relief, and with it.
func (p Profile) levels(s sums) (escalation, score float64) {
	if s.counted == 0 || s.up == 0 {
		return 0, 0
	}
	if p.Mean {
		n := float64(s.counted)
		return min(Full*s.up/n, Full), min(max(Full*(s.up-s.down)/n, 0), Full)
	}
	e := Full * (1 - math.Exp(-s.up/p.Saturation))
	return e, e * (1 - min(p.MostRelief, s.down/(s.up+s.down)))
}

// linear reports whether a layer is the plain sum of what its signals weigh: a mean that no end of the scale cut.
func (p Profile) linear(l LayerScore, s sums) bool {
	raw := Full * (s.up - s.down) / float64(max(s.counted, 1))
	return p.Mean && 0 < raw && raw < Full && l.Score > 0
}

// account divides a layer's points among its signals. Where it is linear each has its own, with its sign. Where it is not,
// those that escalate share the score by their weights, and those that stabilise share the relief, apart.
func (p Profile) account(l *LayerScore, s sums, t bucket.Totals) {
	share := func(weight float64) (points, relief float64) {
		switch {
		case p.linear(*l, s):
			return Full * weight / float64(s.counted), 0
		case weight > 0 && s.up > 0:
			return l.Score * (weight / s.up), 0
		case weight < 0 && s.down > 0:
			return 0, -l.Relief * (-weight / s.down)
		}
		return 0, 0
	}
	for c := range bucket.Class(bucket.Classes) {
		f, counted := p.factor(l.Layer, c)
		if !counted || f == 0 {
			continue
		}
		for _, top := range t.Top[c] {
			x := Contribution{ID: top.ID, Layer: l.Layer, Weight: f * top.Now}
			x.Points, x.Relief = share(x.Weight)
			l.Contributions = append(l.Contributions, x)
		}
	}
	relief := -l.Relief
	if p.linear(*l, s) {
		relief = 0 // it is in the points
	}
	l.rest(relief)
	l.print()
}

// rest keeps the heaviest signals and puts what the others add into one; relief is all that is to be divided apart.
func (l *LayerScore) rest(relief float64) {
	sortContributions(l.Contributions)
	l.Contributions = l.Contributions[:min(len(l.Contributions), bucket.Kept)]
	l.Others = Others{Signals: l.Signals - int64(len(l.Contributions)), Points: l.Score, Relief: relief}
	for _, c := range l.Contributions {
		l.Others.Points -= c.Points
		l.Others.Relief -= c.Relief
	}
	if math.Abs(l.Others.Points) < 1e-12 { // what is left is rounding
		l.Others.Points = 0
	}
	if math.Abs(l.Others.Relief) < 1e-12 {
		l.Others.Relief = 0
	}
}
