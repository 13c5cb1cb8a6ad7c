package console

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/web"
)

// A Verdict is what code found, with how sure it is and what it rests on. An
// application's case has one (Part), and the document of a proposal may carry
// one as its member "verdict".
type Verdict struct {
	Label       string     `json:"label"` // a word of the application's: "likely"
	Confidence  Confidence `json:"confidence"`
	For         []string   `json:"for,omitempty"` // evidence and facts by name: "E3", "F17"
	Against     []string   `json:"against,omitempty"`
	Unknown     []string   `json:"unknown,omitempty"`
	WouldChange string     `json:"would_change,omitempty"` // what would change it, said by code: the end of a sentence
	Rule        string     `json:"rule_version,omitempty"`
}

// A Confidence is how sure code is of a verdict: a point, and the range it lies
// in.
type Confidence struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Scale Scale   `json:"scale"`
}

// A Scale is what a confidence is measured on.
type Scale string

// The scales.
const (
	Share     Scale = "share" // 0 to 1
	OneToFive Scale = "1-5"
	NoScale   Scale = "none" // how sure it is was not measured
)

// ends are the ends of a scale; false where there is nothing to draw.
func (s Scale) ends() (low, high float64, ok bool) {
	switch s {
	case Share:
		return 0, 1, true
	case OneToFive:
		return 1, 5, true
	}
	return 0, 0, false
}

// readVerdict is the verdict of a proposal's document; nil where it has none, or
// one that is none.
func readVerdict(text json.RawMessage) *Verdict {
	var v Verdict
	if len(text) == 0 || json.Unmarshal(text, &v) != nil || v.Label == "" {
		return nil
	}
	return &v
}

// words is the label as people read it.
func (v Verdict) words(p *web.Page) string { return upperFirst(p.Word("verdict.label.", v.Label)) }

// measured reports whether there is a point to show.
func (c Confidence) measured() bool {
	low, high, ok := c.Scale.ends()
	return ok && c.Value >= low && c.Value <= high
}

// ranged reports whether there is a range around the point.
func (c Confidence) ranged() bool {
	return c.measured() && c.Low <= c.Value && c.Value <= c.High && c.Low < c.High
}

// number writes a value of a scale: two decimals of a share, as it is otherwise.
func (c Confidence) number(v float64) string {
	if c.Scale == Share {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// span is the range as people read it: "0.64–0.87"; empty where there is none.
func (c Confidence) span() string {
	if !c.ranged() {
		return ""
	}
	return c.number(c.Low) + "–" + c.number(c.High)
}

// said is the confidence in words, for those who do not see the drawing.
func (c Confidence) said(p *web.Page) string {
	switch {
	case c.ranged():
		return p.T("verdict.range", "value", c.number(c.Value), "low", c.number(c.Low), "high", c.number(c.High))
	case c.measured():
		return c.number(c.Value)
	}
	return p.T("verdict.unmeasured")
}

// Where the drawing of a confidence stands in its box of 90 by 14.
const (
	trackFrom = 2.0
	trackTo   = 88.0
)

// x is where a value lies on the track.
func (c Confidence) x(v float64) float64 {
	low, high, _ := c.Scale.ends()
	v = math.Min(math.Max(v, low), high)
	return trackFrom + (v-low)/(high-low)*(trackTo-trackFrom)
}

// length writes a length of a drawing.
func length(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }
