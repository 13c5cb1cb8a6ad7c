package mind

import (
	"context"
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/tool"
)

// mostFigures bounds how many numbers one answer shows.
const mostFigures = 2000

// optionsIn is what the first design calls options.
type optionsIn struct {
	Scenarios   []string `json:"scenarios,omitempty"`
	Years       []int    `json:"years,omitempty"`
	TopN        int      `json:"top_n,omitempty" jsonschema:"At most so many numbers of each kind; 0 for all."`
	IncludeRows bool     `json:"include_rows,omitempty" jsonschema:"Show the cells of the table, too."`
	MaxRows     int      `json:"max_rows,omitempty" jsonschema:"At most so many cells; 0 for 200."`
}

type dataIn struct {
	Chart   string    `json:"chart_id" jsonschema:"A chart of the section, as category/id."`
	Options optionsIn `json:"options,omitempty"`
}

// dataOut is a chart's summary. Its names are the first design's, with a token for each number.
type dataOut struct {
	Chart       string           `json:"chart_id"`
	Columns     []string         `json:"columns"`
	RowCount    int              `json:"row_count"`
	Dimensions  []string         `json:"dimensions"`
	Measure     string           `json:"measure"`
	MeasureType string           `json:"measure_type"`
	Scenarios   []string         `json:"scenarios"`
	Units       []string         `json:"units"`
	Figures     []wording.Figure `json:"figures"`
	Rows        []wording.Figure `json:"rows"`
	Insights    []insight        `json:"key_insights"`
	Notes       []string         `json:"notes"`
}

// An insight is a sentence that holds, with its tokens.
type insight struct {
	Rule string `json:"rule_id"`
	Text string `json:"text_template"`
}

func (m *Mind) data(ctx context.Context, e tool.Env, in dataIn) (dataOut, error) {
	return at(ctx, m, e, func(g *ground) (dataOut, error) {
		ch, err := g.its(in.Chart)
		if err != nil {
			return dataOut{}, err
		}
		if ch.Summary == nil {
			return dataOut{}, fault.New(fault.NotFound, "of chart %s only what the sections below say may be cited", ch.Key)
		}
		s := ch.Summary
		out := dataOut{Chart: ch.Key, Columns: orNone(s.Schema.Columns), RowCount: s.RowCount, Dimensions: orNone(s.Body.Dimensions),
			Measure: s.Body.Measure, MeasureType: s.Body.MeasureType, Scenarios: orNone(s.Body.Scenarios), Units: orNone(s.Body.Units),
			Figures: []wording.Figure{}, Rows: []wording.Figure{}, Insights: []insight{}, Notes: orNone(s.Body.Notes)}
		for _, i := range s.Body.Insights {
			out.Insights = append(out.Insights, insight{i.Rule, i.Template})
		}
		if out.Figures, err = figures(ch, in.Options); err != nil {
			return out, err
		}
		if in.Options.IncludeRows {
			out.Rows = rows(g.bench, ch.Key, in.Options)
		}
		return out, nil
	})
}

// figures are the numbers of a chart's summary, as far as they are asked for.
func figures(ch *wording.Chart, o optionsIn) ([]wording.Figure, error) {
	body := ch.Summary.Body
	all, err := wording.Figures("", map[string]any{"baseline": body.Baseline, "across": body.Across, "targets": body.Targets})
	if err != nil {
		return nil, err
	}
	for _, name := range body.Scenarios {
		if len(o.Scenarios) > 0 && !slices.Contains(o.Scenarios, name) {
			continue
		}
		more, err := wording.Figures(name, body.ByScenario[name])
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	kinds := map[string]int{}
	out := []wording.Figure{}
	for _, f := range all {
		if len(o.Years) > 0 && f.Year != 0 && !slices.Contains(o.Years, f.Year) {
			continue
		}
		kind := fmt.Sprint(f.What, f.Scenario)
		if kinds[kind]++; o.TopN > 0 && kinds[kind] > o.TopN || len(out) == mostFigures {
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// rows are the cells of a chart's table.
func rows(b *wording.Bench, chart string, o optionsIn) []wording.Figure {
	out := []wording.Figure{}
	most := 200
	if o.MaxRows > 0 {
		most = min(o.MaxRows, mostFigures)
	}
	for _, f := range b.Book.Newest() {
		ids := f.Subject.IDs
		if f.Kind != fact.Observed || ids[summary.ChartID] != chart || len(out) == most ||
			len(o.Scenarios) > 0 && !slices.Contains(o.Scenarios, ids[summary.ScenarioID]) {
			continue
		}
		one := wording.FigureOf("cell", f)
		_, _ = fmt.Sscan(ids[fact.YearID], &one.Year) // 0 where a cell is of no year
		if len(o.Years) == 0 || slices.Contains(o.Years, one.Year) {
			out = append(out, one)
		}
	}
	return out
}

type figuresOut struct {
	Chart   string           `json:"chart_id"`
	Figures []wording.Figure `json:"figures"`
}

// summed is a chart of the section that may be cited as a whole.
func (g *ground) summed(name string) (*wording.Chart, error) {
	ch, err := g.its(name)
	if err == nil && ch.Summary == nil {
		err = fault.New(fault.NotFound, "of chart %s only what the sections below say may be cited", ch.Key)
	}
	return ch, err
}

func (m *Mind) compare(ctx context.Context, e tool.Env, in chartIn) (figuresOut, error) {
	return at(ctx, m, e, func(g *ground) (out figuresOut, err error) {
		ch, err := g.summed(in.Chart)
		if err != nil {
			return out, err
		}
		body := ch.Summary.Body
		all, err := wording.Figures("", map[string]any{"baseline": body.Baseline, "across": body.Across, "targets": body.Targets})
		return figuresOut{ch.Key, append([]wording.Figure{}, all[:min(len(all), mostFigures)]...)}, err
	})
}

type trendIn struct {
	Chart    string `json:"chart_id" jsonschema:"A chart of the section, as category/id."`
	Scenario string `json:"scenario"`
	Series   string `json:"series,omitempty" jsonschema:"One series; left out, all."`
}

func (m *Mind) trend(ctx context.Context, e tool.Env, in trendIn) (figuresOut, error) {
	return at(ctx, m, e, func(g *ground) (out figuresOut, err error) {
		ch, err := g.summed(in.Chart)
		if err != nil {
			return out, err
		}
		s, ok := ch.Summary.Body.ByScenario[in.Scenario]
		if !ok {
			return out, fault.New(fault.NotFound, "chart %s has no scenario %.80q", ch.Key, in.Scenario)
		}
		all, err := wording.Figures(in.Scenario, s)
		out = figuresOut{ch.Key, []wording.Figure{}}
		for _, f := range all {
			if len(out.Figures) < mostFigures && (in.Series == "" || f.Of == in.Series) {
				out.Figures = append(out.Figures, f)
			}
		}
		return out, err
	})
}
