// Package outbox carries what was committed in PostgreSQL to the engine, at
// least once.
//
// Whoever opens a case or decides a proposal adds a Message in the same
// transaction. A Dispatcher in any server process delivers it and deletes the
// row. If the engine is away the rows wait, people go on working, and the
// engine catches up when it is back. Receivers tell repeats by id.
package outbox

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the outbox's table.
func Migrations() postgres.MigrationSet { return postgres.Embedded("outbox", migrations) }

// A Lane keeps people's decisions apart from new work, which may come by the
// thousand.
type Lane string

// The lanes. Only starts are held to a rate.
const (
	Decisions Lane = "decision"
	Starts    Lane = "start"
)

// A Start asks the engine to begin a workflow. Subject is the id of the thing
// the workflow is for: a second start for the same subject is a repeat, one for
// another subject waits until the workflow's id is free.
//
// Anew, if set, names why a workflow is begun anew from the record whatever the
// engine has of it: the id of a recovery. Its run is ended, if there is one. A
// second start of the same Anew is a repeat.
type Start struct {
	Workflow string          `json:"workflow"`
	Queue    string          `json:"queue"`
	Subject  string          `json:"subject"`
	Input    json.RawMessage `json:"input"`
	Anew     string          `json:"anew,omitempty"`
}

// A Signal tells a running workflow something. The workflow must be able to
// tell a repeat, and a signal meant for an earlier run under the same id, by
// what Input holds; two signals to one workflow may arrive in either order.
// Start begins the workflow anew if its last run came to a bad end.
type Signal struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Start Start           `json:"start"`
}

// AddStart adds a start to the caller's transaction.
func AddStart(ctx context.Context, tx pgx.Tx, org identity.Org, workflowID string, s Start) error {
	return add(ctx, tx, org, Starts, "start", workflowID, s)
}

// AddSignal adds a signal to the caller's transaction, in the lane of people's
// decisions.
func AddSignal(ctx context.Context, tx pgx.Tx, org identity.Org, workflowID string, s Signal) error {
	return add(ctx, tx, org, Decisions, "signal", workflowID, s)
}

func add(ctx context.Context, tx pgx.Tx, org identity.Org, lane Lane, kind, target string, payload any) error {
	body, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("outbox message for %s: %w", target, err)
	}
	const insert = `insert into gavel.outbox (org, lane, kind, target, payload) values ($1, $2, $3, $4, $5)`
	if _, err := tx.Exec(ctx, insert, org, lane, kind, target, body); err != nil {
		return fmt.Errorf("add outbox message for %s: %w", target, err)
	}
	return nil
}

// A message is one row on its way.
type message struct {
	ID       int64
	Lane     Lane
	Kind     string
	Target   string
	Payload  []byte
	Attempts int
}
