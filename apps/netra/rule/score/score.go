// Package score makes of signals one number for a district, with its reasons: three layers, a composite, the band that
// people go by, a trend, and what each signal adds.
//
// Read Profile for the formulas, Of for scoring a list of signals, Score for scoring what a store has summed up,
// and Result for what comes out. A result accounts for all points of each layer; a district of which nothing
// was heard has no score, because silence is not safety.
package score

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A Status says whether there is a score, and why not.
type Status string

// The statuses.
const (
	Scored          Status = "scored"
	NoSignals       Status = "no_signals"       // nothing was heard in the window
	OnlyEnforcement Status = "only_enforcement" // only what the police did, which this profile leaves out
)

// None is the primary trigger of a district whose layers are all 0.
const None signal.Layer = "none"

// TopSignals is how many signals a result names over all layers.
const TopSignals = 3

// An Input is what is known of a district at a moment.
type Input struct {
	Window bucket.Window
	Layers map[signal.Layer]bucket.Totals // each layer's signals in the window
	All    bucket.Totals                  // each signal of the window once, whatever its layers
	Recent bucket.Totals                  // each once, in the 24 hours up to the moment
	Older  bucket.Totals                  // each once, in the 48 hours before those
}

// TrendWindows are the windows that a trend compares.
func TrendWindows(asOf time.Time) (recent, older bucket.Window) {
	const day = 24 * time.Hour
	return bucket.Window{AsOf: asOf, Span: day}, bucket.Window{AsOf: asOf.Add(-day), Span: 2 * day}
}

// A Result is the score of a district at a moment, with all it rests on.
type Result struct {
	Profile     string         `json:"profile"`
	ProfileHash string         `json:"profile_hash"`
	AsOf        time.Time      `json:"as_of"`
	WindowHours float64        `json:"window_hours"`
	Status      Status         `json:"status"`
	Score       Number         `json:"score"` // 0 to 100, not rounded
	Band        Band           `json:"band"`  // the higher of the next two
	ByScore     Band           `json:"band_by_score"`
	ByLayer     Band           `json:"band_by_layer"` // what the highest layer alone asks for
	Range       string         `json:"band_range"`
	Crossed     bool           `json:"crossed"` // it is in no lowest band
	Primary     signal.Layer   `json:"primary_trigger"`
	Secondary   []signal.Layer `json:"secondary_triggers"`
	Trend       Trend          `json:"trend"`
	Movement    Movement       `json:"movement"`
	Signals     int64          `json:"signal_count"`
	Layers      []LayerScore   `json:"layers"`
	Top         []Contribution `json:"top_contributing_signals"`
}

// A Scorer scores by one profile and thresholds. To score many districts takes one of it: the digest of the profile is worked out once.
type Scorer struct {
	profile    Profile
	thresholds Thresholds
	hash       string
}

// By is a scorer.
func By(p Profile, t Thresholds) Scorer { return Scorer{p, t, p.Hash()} }

// Score is the result of an input.
func Score(p Profile, t Thresholds, in Input) Result { return By(p, t).Score(in) }

// Score is the result of an input.
func (s Scorer) Score(in Input) Result {
	p, t := s.profile, s.thresholds
	r := Result{Profile: p.Name, ProfileHash: s.hash, AsOf: in.Window.AsOf, WindowHours: in.Window.Span.Hours(), Status: Scored,
		Signals: in.All.Signals(), Primary: None, Secondary: []signal.Layer{}, Top: []Contribution{}}
	r.Trend, r.Movement = p.trend(in.Recent, in.Older)
	counted := int64(0)
	for _, l := range signal.Layers() {
		layer := p.layer(l, in.Layers[l])
		counted += layer.Signals
		r.Layers = append(r.Layers, layer)
	}
	switch {
	case r.Signals == 0:
		r.Status = NoSignals
	case counted == 0:
		r.Status = OnlyEnforcement
	default:
		r.Score = Number{p.composite(r.Layers), true}
		r.ByScore = t.Band(r.Score.Value)
		r.ByLayer = p.byLayer(r.Layers)
	}
	r.Band = max(r.ByScore, r.ByLayer)
	r.Range = t.Range(r.Band)
	r.Crossed = r.Band > Baseline
	r.triggers()
	for _, l := range r.Layers {
		r.Top = append(r.Top, l.Contributions...)
	}
	sortContributions(r.Top)
	r.Top = r.Top[:min(len(r.Top), TopSignals)]
	return r
}

// byLayer is the highest band that a single layer asks for.
func (p Profile) byLayer(layers []LayerScore) (b Band) {
	for _, l := range layers {
		for _, f := range p.Floors {
			if l.Score >= f.Layer {
				b = max(b, f.Band)
			}
		}
	}
	return b
}

// triggers names the highest layer, and those at least half as high.
func (r *Result) triggers() {
	most := 0.0
	for _, l := range r.Layers {
		if l.Score > most {
			most, r.Primary = l.Score, l.Layer
		}
	}
	for _, l := range r.Layers {
		if l.Layer != r.Primary && l.Score > 0 && l.Score >= most/2 {
			r.Secondary = append(r.Secondary, l.Layer)
		}
	}
}

// Layer is the score of one layer.
func (r Result) Layer(l signal.Layer) LayerScore {
	i := slices.IndexFunc(r.Layers, func(x LayerScore) bool { return x.Layer == l })
	if i < 0 {
		return LayerScore{Layer: l}
	}
	return r.Layers[i]
}

// CrossedFrom reports whether a result is in a higher band than the one before it: what opens an alert.
func (r Result) CrossedFrom(previous Band) bool { return r.Band > previous }

// Of is the result of signals, one by one: for a file, and to hold the sums of a store against.
func Of(p Profile, t Thresholds, w bucket.Window, signals []signal.Signal) Result {
	all := make([]bucket.Row, len(signals))
	layers := map[signal.Layer][]bucket.Row{}
	for i, s := range signals {
		all[i] = bucket.RowOf(s)
		for _, l := range s.Layers {
			layers[l] = append(layers[l], all[i])
		}
	}
	recent, older := TrendWindows(w.AsOf)
	in := Input{Window: w, Layers: map[signal.Layer]bucket.Totals{}, All: bucket.Naive(w, p.RecencyFloor, all),
		Recent: bucket.Naive(recent, 0, all), Older: bucket.Naive(older, 0, all)}
	for l, rows := range layers {
		in.Layers[l] = bucket.Naive(w, p.RecencyFloor, rows)
	}
	return Score(p, t, in)
}
