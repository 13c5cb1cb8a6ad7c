package madeup

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
)

// marshal writes what is known to be plain.
func marshal(v any) []byte {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("madeup: plain values cannot fail to encode: " + err.Error())
	}
	return b
}

// typed is an array as Plotly writes most of them: bytes in base64 (T13).
type typed struct {
	DType string `json:"dtype"`
	BData string `json:"bdata"`
}

func floats(values []Value) typed {
	var b []byte
	for _, v := range values {
		f := float64(v.Cents) / 100
		if v.Empty {
			f = math.NaN()
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return typed{"f8", base64.StdEncoding.EncodeToString(b)}
}

func ints(values []int) typed {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return typed{"i4", base64.StdEncoding.EncodeToString(b)}
}

// list is an array as Plotly writes a few of them.
func list(values []Value) []any {
	out := make([]any, len(values))
	for i, v := range values {
		if !v.Empty {
			out[i] = json.Number(Decimal(v.Cents))
		}
	}
	return out
}

type object = map[string]any

// figure is the chart as Plotly keeps it: a facet for each scenario, a trace for each series.
func (r Run) figure(c Chart, plain bool) []byte {
	var traces []object
	facets := r.Scenarios
	if c.NoScen {
		facets = []string{"all"}
	}
	for n, scenario := range facets {
		axis := "x"
		if n > 0 {
			axis = "x" + strconv.Itoa(n+1)
		}
		if c.Long {
			traces = append(traces, bars(c, scenario, axis))
			continue
		}
		for _, s := range c.Series {
			if s.Scenario != scenario {
				continue
			}
			t := object{"type": "scatter", "name": s.Label, "legendgroup": s.Label, "stackgroup": "one",
				"xaxis": axis, "x": ints(r.Years), "y": floats(s.Values)}
			if plain {
				t["x"], t["y"] = r.Years, list(s.Values)
			}
			traces = append(traces, t)
		}
	}
	var notes []object
	for _, f := range facets {
		notes = append(notes, object{"text": "<b>" + f + "</b>", "showarrow": false})
	}
	return marshal(object{"data": traces, "layout": object{
		"title": object{"text": "<b>" + c.Title + "</b>"}, "yaxis": object{"title": object{"text": c.Unit}},
		"xaxis": object{"title": object{"text": "Year"}}, "annotations": notes, "showlegend": true,
	}})
}

// bars is a waterfall. The last label is a zero with a sign (T14).
func bars(c Chart, scenario, axis string) object {
	var names, measures, labels []string
	var values []Value
	for _, s := range c.Series {
		if s.Scenario == scenario {
			names, measures = append(names, s.Label), append(measures, "relative")
			values = append(values, s.Values[0])
			labels = append(labels, strconv.FormatInt(int64(math.Round(float64(s.Values[0].Cents)/100)), 10))
		}
	}
	labels[len(labels)-1] = "-0"
	return object{"type": "waterfall", "name": scenario, "x": names, "y": floats(values), "measure": measures, "text": labels,
		"xaxis": axis, "orientation": "v"}
}

// specs is plot_specs.json: one object after the other, which is no JSON document. One chart has none, six have no chart.
func (r Run) specs() []byte {
	var out []byte
	put := func(s object) { out = append(append(out, marshal(s)...), '\n') }
	for i, c := range r.Charts {
		if !c.noSpec {
			put(c.spec(i))
		}
	}
	for _, title := range []string{
		"Electricity generation by fuel", "Wind lulls", "Peak demand", "Water use", "Jobs by region", "Air quality",
	} {
		c := Chart{Category: "unused", Title: title, Column: "category", Unit: "PJ"}
		put(c.spec(0))
	}
	return out
}

func (c Chart) spec(i int) object {
	unit := c.Unit
	if c.specUnit != "" {
		unit = c.specUnit
	}
	if unit[0] == '[' {
		unit = ""
	}
	final := 2050
	if c.finalYear > 0 {
		final = c.finalYear
	}
	group := []string{"scen", c.Column, "year", "unit"}
	if i%3 == 0 {
		group = append(group, "commodity_fuel0") // which the table does not have
	}
	s := object{"title": c.Title, "category": c.Category, "groupby": group, "filter": "varbl == 'production'", "facet_col": "scen",
		"colour_col": c.Column,
		"x_col":      "year", "y_col": "val", "aggfunc": "sum", "unit_col": "unit", "si_unit": unit, "unit_multiplier": 1,
		"yaxis_title": unit, "xaxis_title": "Year", "base_year": BaseYear, "final_year": final, "csv_precision": 2,
		"fill_missing_years": false, "top_n": nil, "category_significance_threshold": json.Number("0.001"), "project": "harbour",
		"raster_width": 1200, "facet_spacing": json.Number("0.05"), "interpolate_to_years": []int{2030, 2040, 2050}}
	if c.Total != "" {
		s["total_category_name"] = c.Total
	}
	if c.Targets != nil {
		points := object{}
		for name, years := range c.Targets {
			values := object{}
			for y, v := range years {
				values[y] = json.Number(v)
			}
			points[name] = values
		}
		s["extra_points"] = points
	}
	return s
}
