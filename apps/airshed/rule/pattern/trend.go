package pattern

import (
	"math"
	"slices"
	"time"
)

// A Trend is by how much the episodes of a season grew or fell from one year to the next: the
// median of what each two seasons of a kind say, and the range that it lies in at 95 %. A
// range on both sides of nought is no trend. Years without any episode are not known to have
// been watched, and are left out.
type Trend struct {
	Kind     Kind
	From, To int     // the first year and the last
	Seasons  int     // that were counted
	Slope    float64 // episodes a year more, to 0.1
	Low      float64 // 2.5 % lie below
	High     float64 // 2.5 % lie above
}

// Settled reports whether the range lies on one side of nought.
func (t Trend) Settled() bool { return t.Low > 0 || t.High < 0 }

// leastSeasons is with how many a range can be given: with fewer the least and the greatest of
// all slopes would lie within it.
const leastSeasons = 6

// trends are those of the kinds that have enough seasons, the season of a moment left out.
func trends(all []Season, now time.Time) (out []Trend) {
	year, kind := seasonOf(now)
	for _, k := range []Kind{Paddy, Wheat, Rest} {
		var over []Season
		for _, s := range all {
			if s.Kind == k && (s.Year != year || s.Kind != kind) {
				over = append(over, s)
			}
		}
		if len(over) >= leastSeasons {
			out = append(out, trend(k, over))
		}
	}
	return out
}

// trend is Sen's slope, and the range of it by Kendall's test.
func trend(k Kind, all []Season) Trend {
	t := Trend{Kind: k, From: all[0].Year, To: all[0].Year, Seasons: len(all)}
	var slopes []float64
	for i, a := range all {
		t.From, t.To = min(t.From, a.Year), max(t.To, a.Year)
		for _, b := range all[:i] {
			slopes = append(slopes, float64(a.Episodes-b.Episodes)/float64(a.Year-b.Year))
		}
	}
	slices.Sort(slopes)
	n := float64(len(all))
	c := 1.96 * math.Sqrt(n*(n-1)*(2*n+5)/18)
	pairs := float64(len(slopes))
	t.Slope = tenth((slopes[(len(slopes)-1)/2] + slopes[len(slopes)/2]) / 2)
	t.Low, t.High = tenth(ranked(slopes, (pairs-c)/2)), tenth(ranked(slopes, (pairs+c)/2+1))
	return t
}

// ranked is the value of a rank from 1 on, between two where the rank lies between.
func ranked(sorted []float64, rank float64) float64 {
	rank = min(max(rank, 1), float64(len(sorted)))
	below := int(math.Floor(rank))
	above := min(below+1, len(sorted))
	part := rank - float64(below)
	return sorted[below-1]*(1-part) + sorted[above-1]*part
}

func tenth(v float64) float64 { return math.Round(v*10)/10 + 0 } // -0 is 0
