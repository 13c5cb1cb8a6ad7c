package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Gate reports the parts that got worse: all items, or a slice of them. A release with one
// is stopped.
func (r Result) Gate() []Part {
	var out []Part
	if r.All.Verdict() == Worse {
		out = append(out, r.All)
	}
	for _, p := range r.Slices {
		if p.Verdict() == Worse {
			out = append(out, p)
		}
	}
	return out
}

// Sentence is the verdict in words: what changed, by how much, how sure that is, and where
// to look.
func (r Result) Sentence(before, after string) string {
	var b strings.Builder
	switch p := r.All; p.Verdict() {
	case Better:
		fmt.Fprintf(&b, "%s is better than %s in %s: %s", after, before, r.Metric, p.figures())
	case Worse:
		fmt.Fprintf(&b, "%s is worse than %s in %s: %s", after, before, r.Metric, p.figures())
	default:
		fmt.Fprintf(&b, "No difference between %s and %s is shown in %s: %s", before, after, r.Metric, p.figures())
	}
	for _, p := range r.Slices {
		if p.Verdict() == Worse {
			fmt.Fprintf(&b, " Worse where %s is %s: %s", p.Tag, p.Value, p.figures())
		}
	}
	switch n := len(r.Regressions); n {
	case 0:
	case 1:
		b.WriteString(" 1 item got worse.")
	default:
		fmt.Fprintf(&b, " %d items got worse.", n)
	}
	return b.String()
}

func (p Part) figures() string {
	return fmt.Sprintf("%s points (95 %%: %s to %s, %d paired items, p = %s).", Points(p.By), Points(p.Change.Low), Points(p.Change.High),
		p.Items, Probability(p.P))
}

// Points is a difference of shares in points, with its sign: "+3.1", "−0.4", "0.0".
func Points(share float64) string {
	tenths := math.Round(share * 1000)
	switch {
	case tenths > 0:
		return "+" + strconv.FormatFloat(tenths/10, 'f', 1, 64)
	case tenths < 0:
		return "−" + strconv.FormatFloat(-tenths/10, 'f', 1, 64)
	}
	return "0.0"
}

// Probability is one with three places; below that it says so.
func Probability(p float64) string {
	if p < 0.001 {
		return "under 0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// The rule by which a cheaper model may take a dearer one's place.
const (
	SwapItems = 300  // at least
	SwapDrop  = 0.02 // less than this
)

// A Swap is whether the second side may take the first one's place because it is cheaper.
type Swap struct {
	May  bool
	Why  string
	Safe bool // the whole interval of the difference is above −2 points, not the estimate alone
}

// MaySwap applies the rule: cheaper, at least 300 paired items, less than two points lost,
// and no part that got worse. Costs are of one case, in the same unit.
func (r Result) MaySwap(costBefore, costAfter float64) Swap {
	s := Swap{Safe: r.All.Change.Low > -SwapDrop}
	switch {
	case costAfter >= costBefore:
		s.Why = "it is not cheaper"
	case r.All.Items < SwapItems:
		s.Why = fmt.Sprintf("%d paired items are too few to decide on two points: %d are needed", r.All.Items, SwapItems)
	case r.All.By <= -SwapDrop:
		s.Why = fmt.Sprintf("it loses %s points", strings.TrimPrefix(Points(r.All.By), "−"))
	case len(r.Gate()) > 0:
		s.Why = "a part of the cases got worse, and not by chance"
	default:
		s.May, s.Why = true, "it is cheaper, and less than two points are lost"
	}
	return s
}
