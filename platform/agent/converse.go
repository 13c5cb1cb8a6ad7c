package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// Run is the id of a conversation's run, where it is Named.
func (c Conversation) Run() string { return runID(string(c.Input.Case), "", c.Task.Name) }

// Begin has a conversation begin, in the caller's transaction and on its word. Its run is known at once, and it is
// there once the first turn was taken.
func (c Conversation) Begin(ctx context.Context, tx pgx.Tx) (run string, err error) {
	c.Named, c.Input.Procedure = true, casefile.Procedure
	input, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	run = c.Run()
	return run, outbox.AddStart(ctx, tx, c.Input.Org, conversationID(c.Input.Org, run), outbox.Start{Workflow: ConverseName,
		Queue: casefile.General().App, Subject: string(c.Input.Case), Input: input})
}

// conversationID is the workflow of a conversation that was begun by its run's id.
func conversationID(org identity.Org, run string) string {
	return "conversation/" + string(org) + "/" + run
}

// mostSaid is how many steps of a conversation are read at once.
const mostSaid = 400

// Conversation is everything that was said in a run after a step, oldest first, on the caller's word: whether the reader may was
// asked before, of the caller's own act. Words about somebody who was erased cannot be opened any more.
func (s *Store) Conversation(ctx context.Context, org identity.Org, run string, after int) (all []Payload, err error) {
	if err := CheckRunID(run); err != nil {
		return nil, err
	}
	const some = `select seq from gavel.step where run_id = $1 and seq > $2 and kind = 'turn' order by seq limit $3`
	var seqs []int
	err = s.books.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, some, run, after, mostSaid)
		seqs, err = pgx.CollectRows(rows, pgx.RowTo[int])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("steps of %s: %w", run, err)
	}
	for _, seq := range seqs {
		p, err := s.payload(ctx, org, run, seq)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
