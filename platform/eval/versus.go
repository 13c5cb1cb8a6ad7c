package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/eval/rule/compare"
	"github.com/gavelhq/gavel/platform/fault"
)

// Evaluator is the digest of what a set counts and how: two results that were scored in
// different ways are not compared. The name has its application's: "poolpatrol/shift".
func (s Set) Evaluator(name string) (string, error) {
	text, err := json.Marshal(struct {
		Name, Scoring string
		Metrics       []Metric
	}{name, s.Scoring, s.Metrics})
	if err != nil {
		return "", fault.From(fault.Internal, err, "the digest of what set %s counts", name)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Tags are what slices are made of: the words and truths in a case's metadata.
func (c Case) Tags() map[string]string {
	var all map[string]any
	if json.Unmarshal(c.Metadata, &all) != nil {
		return nil // metadata may be anything, or nothing
	}
	out := map[string]string{}
	for name, v := range all {
		switch v := v.(type) {
		case string:
			out[name] = v
		case bool:
			out[name] = fmt.Sprint(v)
		}
	}
	return out
}

// An Item is what one case scored.
type Item struct {
	ID     string             `json:"id"`
	Tags   map[string]string  `json:"tags,omitempty"`
	Scores map[string]float64 `json:"scores"` // by metric, from 0 to 1
}

// A Side is a result that is compared.
type Side struct {
	compare.Side
	Items []Item
}

// Side is the report as one that is compared.
func (r Report) Side(name string) Side {
	return Side{Side: compare.Side{Name: name, Dataset: r.Dataset.Name + " " + r.Dataset.Version, Digest: r.Dataset.SHA256,
		Evaluator: r.Evaluator, Repeats: 1, Subject: r.Subject, Route: r.Model}, Items: r.Items}
}

// An Axis is a metric by which two results are compared.
type Axis struct {
	Name string
	Less bool // less of it is better
}

// Axes are the metrics that are shares: a number of things says nothing about which is
// better.
func Axes(metrics []Metric) []Axis {
	var out []Axis
	for _, m := range metrics {
		if !m.Count {
			out = append(out, Axis{m.Name, m.Goal != nil && m.Goal.Most})
		}
	}
	return out
}

// Axes are those of a report.
func (r Report) Axes() []Axis {
	var out []Axis
	for _, m := range r.Metrics {
		if !m.Count {
			out = append(out, Axis{m.Name, m.Less})
		}
	}
	return out
}

// A Comparison is what each metric comes to, or why there is none.
type Comparison struct {
	Before, After string
	Not           []compare.Why
	Results       []compare.Result
}

// Versus compares two results, metric by metric, case by case.
func Versus(axes []Axis, before, after Side) Comparison {
	c := Comparison{Before: before.Name, After: after.Name, Not: compare.Unlike(before.Side, after.Side)}
	if len(c.Not) > 0 {
		return c
	}
	was := map[string]Item{}
	for _, i := range before.Items {
		was[i.ID] = i
	}
	for _, a := range axes {
		var pairs []compare.Item
		for _, i := range after.Items {
			x, in := was[i.ID].Scores[a.Name]
			y, both := i.Scores[a.Name]
			if !in || !both {
				continue
			}
			if a.Less { // a score is what is left
				x, y = 1-x, 1-y
			}
			pairs = append(pairs, compare.Item{Case: i.ID, Tags: i.Tags, Before: x, After: y})
		}
		if len(pairs) > 0 {
			c.Results = append(c.Results, compare.Of(a.Name, pairs))
		}
	}
	if len(c.Results) == 0 {
		c.Not = []compare.Why{compare.NoCommonItem}
	}
	return c
}

// Worse are the parts that got worse, by metric, so that a release is stopped.
func (c Comparison) Worse() map[string][]compare.Part {
	out := map[string][]compare.Part{}
	for _, r := range c.Results {
		if parts := r.Gate(); len(parts) > 0 {
			out[r.Metric] = parts
		}
	}
	return out
}

// Refusal says why there is no comparison; empty where there is one.
func (c Comparison) Refusal() string {
	var why []string
	for _, w := range c.Not {
		why = append(why, w.Words())
	}
	if len(why) == 0 {
		return ""
	}
	return "Not comparable because " + strings.Join(why, "; and ") + "."
}

// Sentence is the verdict on a metric in words, or why there is none.
func (c Comparison) Sentence(metric string) string {
	for _, r := range c.Results {
		if r.Metric == metric {
			return r.Sentence(c.Before, c.After)
		}
	}
	if no := c.Refusal(); no != "" {
		return no
	}
	return "Not comparable because " + compare.NoCommonItem.Words() + "."
}
