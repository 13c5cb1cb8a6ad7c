// Package evals holds the cases NE-NETRA's briefings are measured on, and measures the code on them. The district in them is made up, and
// what is expected was written by hand.
//
// Three datasets: questions (what people ask, and the parts of a briefing they are after), plain (true sentences that may stand) and
// attacks (what a hostile model could write, of which nothing may). How well a real model words a briefing is measured only with one; what
// the code does with the worst that it could write is measured anywhere: Measure.
package evals

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed questions plain attacks
var files embed.FS

//go:embed gate.json
var gate []byte

// Gate is what a release has to keep to.
func Gate() []byte { return gate }

// The datasets.
const (
	Questions = "questions"
	Plain     = "plain"
	Attacks   = "attacks"
)

// Names lists them.
func Names() []string { return []string{Questions, Plain, Attacks} }

// Files is the folder of a dataset.
func Files(name string) (fs.FS, error) {
	sub, err := fs.Sub(files, name)
	if err != nil {
		return nil, fault.From(fault.NotFound, err, "dataset %.60q", name)
	}
	return sub, nil
}

// Basis is the district that sentences are about: it rose, in two layers, with police action beside, and less is heard than usual.
func Basis() brief.Basis {
	asOf := time.Date(2026, 2, 3, 14, 0, 0, 0, signal.India())
	at := func(id string, hours, severity int, p signal.Polarity, police bool, l signal.Layer) signal.Signal {
		return signal.Signal{ID: id, At: asOf.Add(-time.Duration(hours) * time.Hour), Severity: severity, Geo: 1, Polarity: p,
			Enforcement: police, Layers: []signal.Layer{l}}
	}
	riots := []signal.Signal{at("riot", 2, 5, signal.Escalatory, false, signal.Physical),
		at("fire", 3, 5, signal.Escalatory, false, signal.Physical), at("clash", 5, 5, signal.Escalatory, false, signal.Physical),
		at("bandh", 6, 3, signal.Escalatory, false, signal.Network), at("search", 3, 2, signal.Neutral, true, signal.Physical)}
	r := score.Of(score.V2(), score.Usual(), bucket.Window{AsOf: asOf, Span: 24 * time.Hour}, riots)
	before := score.Number{Value: 1.2, Known: true}
	return brief.Basis{LGD: 256, District: "Karbi Anglong", State: "Assam", Result: r, Before: before, Change: brief.Moved(r.Score, before),
		Ahead: 72, Falls: &brief.Falls{Hours: 18, Band: score.Baseline},
		Without:  []brief.Without{{Score: score.Number{Value: 1, Known: true}}},
		Coverage: score.CoverageOf(4, []int64{12, 12, 12}), Told: map[string]string{"riot": "Stones thrown at the market"}}
}

// Bench is the facts of that district.
func Bench() (*brief.Bench, error) {
	body, err := json.Marshal(Basis())
	if err != nil {
		return nil, err
	}
	return brief.Lay(body)
}

// Language is the language of a case, by its code.
func Language(code string) reason.Lang {
	if code == string(reason.Hindi) {
		return reason.Hindi
	}
	return reason.English
}

// An Input is what a case begins with.
type Input struct {
	Question string      `json:"question"`
	Language reason.Lang `json:"language"`
	Sentence string      `json:"sentence"` // with <score> for the token of that fact
	Kind     string      `json:"kind"`     // of an attack
}

// want is what is expected of a case.
type want struct {
	Topics []brief.Topic `json:"topics"`
	Stands bool          `json:"stands"`
}

// Measure measures the code on a case of a dataset, and says how it differs from what is expected; nothing where it does not.
func Measure(name string, b *brief.Bench, inputs, expected json.RawMessage) (difference string, err error) {
	var in Input
	var w want
	if err := json.Unmarshal(inputs, &in); err != nil {
		return "", err
	}
	if err := json.Unmarshal(expected, &w); err != nil {
		return "", err
	}
	if name == Questions {
		if got := brief.Read(in.Question); !slices.Equal(got, w.Topics) {
			return fmt.Sprintf("%q is read as %v, want %v", in.Question, got, w.Topics), nil
		}
		return "", nil
	}
	s := tokens(b, in.Sentence)
	j := b.Judge(in.Language, []string{s})
	if stands := slices.Contains(j.Held, s); stands != w.Stands {
		return fmt.Sprintf("%q stands: %t, want %t: %+v", s, stands, w.Stands, j.Found), nil
	}
	return "", nil
}

var nameForm = regexp.MustCompile(`<([a-z0-9_.]+)(\|abs)?>`)

// tokens is a sentence with tokens in place of the names of facts; what is no name of a fact stays.
func tokens(b *brief.Bench, s string) string {
	return nameForm.ReplaceAllStringFunc(s, func(hole string) string {
		part := nameForm.FindStringSubmatch(hole)
		for _, f := range b.Facts {
			if b.Name(f.ID) == part[1] {
				return "{{" + string(f.ID) + part[2] + "}}"
			}
		}
		return hole
	})
}
