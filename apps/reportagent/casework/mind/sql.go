package mind

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/tool"
)

// mostSQLRows is how many rows a question may have answered.
const mostSQLRows = 50

type sqlIn struct {
	View string `json:"view" jsonschema:"The raw table, as the brief names it."`
	SQL  string `json:"sql" jsonschema:"One SELECT over that table. No files, no settings, no other tables."`
	Unit string `json:"unit,omitempty" jsonschema:"Of the numbers, as the table has it."`
	Rows int    `json:"max_rows,omitempty" jsonschema:"At most so many rows; 50 at most."`
}

type sqlOut struct {
	SQL     string     `json:"sql"` // as it was understood
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Tokens  [][]string `json:"tokens"` // by row and column: what cites the number; empty where nothing does
	More    bool       `json:"more"`
}

// sql asks a raw table, and notes the answer: its numbers have the same tokens in every turn. It is refused by who answers where it is no
// plain SELECT, and says so where nobody here can answer.
func (m *Mind) sql(ctx context.Context, tx pgx.Tx, e tool.Env, in sqlIn) (out sqlOut, err error) {
	g, err := m.ground(ctx, tx, e)
	if err != nil {
		return out, err
	}
	rows := mostSQLRows
	if in.Rows > 0 {
		rows = min(in.Rows, mostSQLRows)
	}
	asked := wording.Asked{Unit: store.Cut(in.Unit, 40), Formulas: len(g.asked)}
	asked.View, asked.Answer, err = m.desk.AskRaw(ctx, e.Org, g.data, in.View, in.SQL, rows)
	if fault.Is(err, fault.Unavailable) { // trying again would not help the writer: it is told, and goes on without
		words, next := fault.Words(err)
		return out, fault.New(fault.Conflict, "%s", words).WithNext("%s", cmp.Or(next, "write from the charts"))
	}
	if err != nil {
		return out, err
	}
	asked.View.File = "" // where it lay is nobody's business
	facts, err := g.bench.Answer(asked)
	if err != nil {
		return out, err
	}
	out = sqlOut{SQL: asked.Answer.SQL, Columns: []string{}, Rows: [][]string{}, Tokens: [][]string{}, More: asked.Answer.More}
	for _, c := range asked.Answer.Columns {
		out.Columns = append(out.Columns, c.Name)
	}
	for n, row := range asked.Answer.Rows {
		words, tokens := make([]string, len(row)), make([]string, len(row))
		for i, text := range row {
			if text != nil {
				words[i] = *text
			}
			tokens[i] = tokenOf(facts[n][i])
		}
		out.Rows, out.Tokens = append(out.Rows, words), append(out.Tokens, tokens)
	}
	return out, m.store.AddQuestion(ctx, tx, e.Org, g.wording.Task, len(g.questions)+1, asked)
}

// cited are the questions whose answers are among some facts: an auditor asks them again.
func (g *ground) cited(facts []fact.Fact) (out []query.Kept) {
	for _, q := range g.questions {
		k := query.Kept{View: q.View.Name, SHA256: q.View.SHA256, SQL: q.Answer.SQL}
		if slices.ContainsFunc(facts, k.Answers) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func tokenOf(f *fact.Fact) string {
	if f == nil {
		return ""
	}
	return "{{" + string(f.ID) + "}}"
}

// findSQL is what people would read, if policy had them asked about a question.
func (m *Mind) findSQL(ctx context.Context, tx pgx.Tx, e tool.Env, _ sqlIn) (finding.Finding, error) {
	g, err := m.ground(ctx, tx, e)
	if err != nil {
		return finding.Finding{}, err
	}
	return g.found(finding.Words{En: "a raw table is asked", Hi: "कच्ची तालिका से प्रश्न"},
		finding.Words{En: "An agent asks a raw table for numbers.", Hi: "एजेंट कच्ची तालिका से संख्याएँ माँगता है।"}), nil
}
