package mind

import (
	"context"
	"encoding/base64"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// The tools. Their names are the first design's.
const (
	toolContext    = "get_section_context"
	toolWrite      = "write_section_draft"
	toolCategories = "list_chart_categories"
	toolCharts     = "list_charts"
	toolOfSection  = "get_section_charts"
	toolData       = "get_chart_data"
	toolImage      = "get_chart_image"
	toolSpec       = "get_plot_spec"
	toolDerive     = "derive"
	toolCompare    = "compare_scenarios"
	toolTrend      = "trend_summary"
	toolSQL        = "sql_query"
)

func toolNames() []string {
	return []string{toolContext, toolWrite, toolCategories, toolCharts, toolOfSection, toolData, toolImage, toolSpec, toolDerive,
		toolCompare, toolTrend, toolSQL}
}

// mostPicture bounds a picture: in base64 it must fit into a tool's result.
const mostPicture = 720 << 10

// Tools are what the writer may ask. They look at the one report, and the one run, that its task is about.
func (m *Mind) Tools() []tool.Tool {
	analysts := []identity.Role{identity.Analyst}
	is := func(name, line string, effect tool.Effect) tool.Tool {
		return tool.Tool{App: store.Name, Name: name, Line: line, Effect: effect, Gate: tool.Off, Roles: analysts, Deciders: analysts,
			OutsideText: true, MaxResult: tool.LargestResult}
	}
	return []tool.Tool{
		tool.Reads(is(toolContext, "Show a section: title, instructions, current draft, what reviewers noted.", tool.Read), m.context),
		tool.Finds(tool.Writes(is(toolWrite, "Hand in the text of the section you are at. Code checks it and says what does not hold.",
			tool.Write),
			m.write), m.findWrite),
		tool.Reads(is(toolCategories, "List the categories of charts.", tool.Read), m.categories),
		tool.Reads(is(toolCharts, "List charts, of a category or of a section.", tool.Read), m.charts),
		tool.Reads(is(toolOfSection, "List the charts that a section is written from, the most important first.", tool.Read), m.ofSection),
		tool.Reads(is(toolData, "Show the computed summary of a chart, each number with its token.", tool.Read), m.data),
		tool.Reads(is(toolImage, "Show the picture of a chart. Its numbers cannot be cited.", tool.Read), m.image),
		tool.Reads(is(toolSpec, "Show how a chart was made.", tool.Read), m.spec),
		tool.Finds(tool.Writes(is(toolDerive, "Have a number computed from facts of one chart, and get its token.", tool.Write), m.derive),
			m.findDerive),
		tool.Reads(is(toolCompare, "Show how the scenarios of a chart compare, each number with its token.", tool.Read), m.compare),
		tool.Reads(is(toolTrend, "Show how the series of a chart move in a scenario, each number with its token.", tool.Read), m.trend),
		tool.Finds(tool.Writes(is(toolSQL, "Ask a raw table of the run in SQL, and get a token for each number of the answer.", tool.Write),
			m.sql), m.findSQL),
	}
}

// at does something with the ground of a call.
func at[Out any](ctx context.Context, m *Mind, e tool.Env, do func(g *ground) (Out, error)) (out Out, err error) {
	err = m.store.In(ctx, e.Org, func(tx pgx.Tx) error {
		g, err := m.ground(ctx, tx, e)
		if err != nil {
			return err
		}
		out, err = do(g)
		return err
	})
	return out, err
}

type sectionIn struct {
	Section string `json:"section_id" jsonschema:"A section of the report."`
}

type chartIn struct {
	Chart string `json:"chart_id" jsonschema:"A chart of the section, as category/id."`
}

// A meta is what is known of a chart.
type meta struct {
	Chart      string   `json:"chart_id"`
	Title      string   `json:"title"`
	Category   string   `json:"category"`
	Dimensions []string `json:"dimensions"`
	Scenarios  []string `json:"scenarios"`
	Units      []string `json:"units"`
	Citable    bool     `json:"citable"`
}

func metaOf(ch *catalogue.Chart) meta {
	return meta{Chart: ch.Key, Title: ch.Title, Category: ch.Category, Dimensions: orNone(ch.Dimensions), Scenarios: orNone(ch.Scenarios),
		Units: orNone(ch.Units), Citable: ch.Citable()}
}

func orNone(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}

func metasOf(all []*wording.Chart) []meta {
	out := []meta{}
	for _, ch := range all {
		out = append(out, metaOf(ch.Chart))
	}
	return out
}

type categoriesOut struct {
	Categories []string `json:"categories"`
}

func (m *Mind) categories(ctx context.Context, e tool.Env, _ struct{}) (categoriesOut, error) {
	return at(ctx, m, e, func(g *ground) (categoriesOut, error) { return categoriesOut{orNone(g.cat.Categories)}, nil })
}

type chartsIn struct {
	Category string `json:"category,omitempty"`
	Section  string `json:"section_id,omitempty"`
}

type chartsOut struct {
	Charts []meta `json:"charts"`
}

// mostListed bounds a list of charts.
const mostListed = 500

func (m *Mind) charts(ctx context.Context, e tool.Env, in chartsIn) (chartsOut, error) {
	return at(ctx, m, e, func(g *ground) (chartsOut, error) {
		out := chartsOut{[]meta{}}
		if in.Section != "" && in.Section != g.section.ID {
			return out, fault.New(fault.NotFound, "you are at section %s: ask about its charts", g.section.ID)
		}
		all := g.cat.In(in.Category)
		for i := range all {
			if len(out.Charts) < mostListed && (in.Section == "" || g.bench.Chart(all[i].Key) != nil) {
				out.Charts = append(out.Charts, metaOf(&all[i]))
			}
		}
		return out, nil
	})
}

func (m *Mind) ofSection(ctx context.Context, e tool.Env, in sectionIn) (chartsOut, error) {
	return at(ctx, m, e, func(g *ground) (chartsOut, error) {
		if in.Section != g.section.ID {
			return chartsOut{[]meta{}}, fault.New(fault.NotFound, "you are at section %s: ask about its charts", g.section.ID)
		}
		return chartsOut{metasOf(g.bench.Charts)}, nil
	})
}

// its is a chart of the section.
func (g *ground) its(name string) (*wording.Chart, error) {
	ch, err := g.cat.Find(name)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(g.bench.Charts, func(c *wording.Chart) bool { return c.Key == ch.Key }); i >= 0 {
		return g.bench.Charts[i], nil
	}
	return nil, fault.New(fault.NotFound, "section %s is not written from chart %s", g.section.ID,
		ch.Key).WithNext("ask for its charts with %s",
		toolOfSection)
}

type imageOut struct {
	Media  string `json:"media_type"`
	Base64 string `json:"base64"`
	Note   string `json:"note"`
}

func (m *Mind) image(ctx context.Context, e tool.Env, in chartIn) (imageOut, error) {
	return at(ctx, m, e, func(g *ground) (imageOut, error) {
		ch, err := g.its(in.Chart)
		if err != nil {
			return imageOut{}, err
		}
		if ch.PNG == "" {
			return imageOut{}, fault.New(fault.NotFound, "chart %s has no picture", ch.Key)
		}
		body, err := m.desk.File(ctx, e.Org, g.data.Pack, inRoot(g.cat, ch.PNG), mostPicture)
		return imageOut{"image/png", base64.StdEncoding.EncodeToString(body), "Numbers read from a picture cannot be cited."}, err
	})
}

func inRoot(c *catalogue.Catalogue, name string) string {
	if c.Root == "." || c.Root == "" {
		return name
	}
	return c.Root + "/" + name
}

type specOut struct {
	Spec string `json:"plot_spec"`
}

func (m *Mind) spec(ctx context.Context, e tool.Env, in chartIn) (specOut, error) {
	return at(ctx, m, e, func(g *ground) (specOut, error) {
		ch, err := g.its(in.Chart)
		if err != nil || ch.Spec == nil {
			return specOut{}, err
		}
		return specOut{string(ch.Spec.Raw)}, nil
	})
}
