package agenttest

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/tool"
)

// A Stamp is a word with the status of its case, which is the record's to say: the tools
// stamp and courier take it (Config.Bound). No agent has them unless a test gives it one.
type Stamp struct {
	Word   string `json:"word" jsonschema:"a word"`
	Status Status `json:"status,omitempty"`
	Case   string `json:"case" inject:"case"`
}

// A Status is how a case stands.
type Status string

// JSONSchema says that nobody writes it.
func (Status) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true}
}

// bindStatus puts the case's status in. A word that the record does not know is refused.
func bindStatus(ctx context.Context, tx pgx.Tx, e tool.Env, in Stamp) (Stamp, error) {
	if in.Word == "unheard" {
		return in, fault.New(fault.Conflict, "nobody has heard of it").WithNext("say something else")
	}
	err := tx.QueryRow(ctx, `select status from gavel.case where id = $1`, e.Case).Scan(&in.Status)
	return in, err
}

// stamp leaves the word and the status on the case.
func (y *Yard) stamp(ctx context.Context, tx pgx.Tx, e tool.Env, in Stamp) (Told, error) {
	return y.enrol(ctx, tx, e, Word{Word: in.Word + " " + string(in.Status), Case: in.Case})
}

// courier takes both outside.
func (y *Yard) courier(ctx context.Context, e tool.Env, in Stamp) (Told, error) {
	return y.send("courier")(ctx, e, Word{Word: in.Word + " " + string(in.Status), Case: in.Case})
}
