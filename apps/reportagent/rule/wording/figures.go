package wording

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Figure is a number as a model is shown it: what it is, what it says, and the token that cites it.
type Figure struct {
	What     string `json:"what"` // its name in the summary: total_reduction, series.end
	Of       string `json:"of"`   // the series, where it is of one
	Scenario string `json:"scenario"`
	Year     int    `json:"year"` // 0: of none
	Value    string `json:"value"`
	Unit     string `json:"unit"`
	Token    string `json:"token"`
}

// FigureOf is a fact as a figure.
func FigureOf(what string, f fact.Fact) Figure {
	return Figure{What: what, Of: strings.Join(f.Subject.Names.EN, ", "), Scenario: f.Subject.IDs["scenario"], Value: f.Value, Unit: f.Unit,
		Token: "{{" + string(f.ID) + "}}"}
}

// Figures are the numbers in a part of a summary, in the order of their names.
func Figures(scenario string, part any) ([]Figure, error) {
	text, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return gather(Figure{Scenario: scenario}, v), nil
}

// gather walks a part of a summary: whatever names a fact is a figure, and what stands around it says of what.
func gather(f Figure, v any) (out []Figure) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			out = append(out, gather(f, one)...)
		}
	case map[string]any:
		if name, ok := v["name"].(string); ok {
			f.Of = name
		}
		if year, ok := v["year"].(json.Number); ok {
			n, _ := year.Int64() // it was written from an int
			f.Year = int(n)
		}
		if id, ok := v["fact"].(string); ok {
			value, _ := v["value"].(json.Number)
			f.Unit, _ = v["unit"].(string)
			f.Value, f.Token = value.String(), "{{"+id+"}}"
			return append(out, f)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := f
			if below.What != "" {
				below.What += "."
			}
			below.What += key
			out = append(out, gather(below, v[key])...)
		}
	}
	return out
}
