package api

import (
	"context"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

// A CellBody is one answer of the table of who may do what.
type CellBody struct {
	Name   string `json:"name" doc:"Of the act or the tool."`
	Kind   string `json:"kind" enum:"act,tool"`
	Words  string `json:"words"`
	Who    string `json:"who" doc:"A role, or a token's scope."`
	Answer string `json:"answer"`
}

type listCellsInput struct {
	Paging
	Who  string `query:"who" maxLength:"100" doc:"Only this column."`
	Kind string `query:"kind" enum:"act,tool"`
}

// cells lists the table as rows, for spreadsheets. It comes all at once.
func (s *Policy) cells(_ context.Context, who identity.Actor, in *listCellsInput, _ string, _ int) ([]CellBody, string, error) {
	return cellsOf(s.Rules.Table(who.Org, agent.PolicyTools(s.Tools)...), in.Who, in.Kind), "", nil
}

// cellsOf are the cells of a table; who and kind narrow them, empty for all.
func cellsOf(t policy.Table, who, kind string) []CellBody {
	out := []CellBody{}
	for _, row := range t.Rows {
		if kind != "" && row.Kind != kind {
			continue
		}
		for i, c := range row.Cells {
			if who == "" || t.Who[i] == who {
				out = append(out, CellBody{Name: row.Name, Kind: row.Kind, Words: row.Words, Who: t.Who[i], Answer: c.String()})
			}
		}
	}
	return out
}
