package mind

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/tool"
)

// Writer is the agent that words sections.
const Writer = "report_writer"

// Agents are the Report Agent's.
func (m *Mind) Agents() []agent.Spec {
	return []agent.Spec{{App: store.Name, Name: Writer, Role: "a writer of reports on energy models",
		Goal: "word one section so that an energy analyst can put their name under it",
		Instructions: `Every number is computed already. Look the charts of the section up, choose what matters for its instructions,
and hand the text in with write_section_draft.

Never type a number, in figures or in words: put the token of a fact in its place, as {{F12}}, or {{F12|abs}} after "falls by".
The value appears there with its unit. Every sentence cites at least one fact, and facts of one chart only.
Name the scenario, and the series, in the clause that cites their fact. Say "rises" and "falls" as the sign says.
Write "most", "all" or "only" where a rank or a total says so. Mention every scenario of the section's charts.
Write plain sentences: no headings, lists, links or comments. Recommend nothing, forecast nothing, and name no cause.

If you need another number, ask for it with derive. What no chart has may be in a raw table: ask it with sql_query. A picture shows a chart, but no number may be read from it.

Code checks what you hand in. It tells you what does not hold, three times.
Put that right and hand the whole text in again. Then it drops what still does not hold.
When the text is accepted, answer with one line.`,
		Tools: toolNames(), Answer: writerAnswer, Route: casework.Route, Budget: agent.Budget{Calls: 24, Tokens: 400_000}, Brief: m.brief}}
}

// writerAnswer is the form of its answer. Nothing depends on it.
var writerAnswer = json.RawMessage(`{"type":"object","properties":{"note":{"type":"string","maxLength":500}},"required":["note"],"additionalProperties":false}`)

// brief tells the writer which section it is at. Titles and what the sections below say were written elsewhere.
func (m *Mind) brief(ctx context.Context, e tool.Env) (agent.Brief, error) {
	var g *ground
	err := m.store.In(ctx, e.Org, func(tx pgx.Tx) (err error) {
		g, err = m.ground(ctx, tx, e)
		return err
	})
	if err != nil {
		return agent.Brief{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Word section %s of report %s.\n", g.section.ID, g.report.ID)
	if g.doc.Instructions != "" {
		fmt.Fprintf(&b, "Instructions for the whole report: %s\n", g.doc.Instructions)
	}
	fmt.Fprintf(&b, "Instructions for the section: %s\n", g.section.Instructions)
	told, err := json.Marshal(map[string]any{"title": g.section.Title, "charts": metasOf(g.bench.Charts), "scenarios": g.bench.Scenarios(),
		"sections_below": g.bench.Told, "raw_tables": casework.RawNames(g.cat)})
	return agent.Brief{Parts: []agent.Said{{Text: b.String()}, {Text: string(told), Outside: true}}}, err
}
