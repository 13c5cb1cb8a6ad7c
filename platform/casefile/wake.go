package casefile

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Wake says where a case's workflow is, and how it is begun anew should its last
// run have come to a bad end: what a package must know that leaves word for it
// in the outbox.
func (s *Store) Wake(c Case) (id string, again outbox.Start, err error) {
	again, err = s.start(c)
	return workflowID(c), again, err
}

// WakeSignalName is the signal that only wakes: what has happened is in the record.
const WakeSignalName = "wake"

// A WakeSignal names the case that is to look at its record.
type WakeSignal struct {
	Case CaseID `json:"case"`
}

// Rouse has a case look at its record: something has happened that it may not know
// of.
func (s *Store) Rouse(ctx context.Context, tx pgx.Tx, c Case) error {
	return s.Signal(ctx, tx, c, WakeSignalName, WakeSignal{c.ID})
}

// Signal leaves word for a case's workflow, in the caller's transaction. The body
// names the case, by which the engine's side knows a repeat. A case that has ended
// is told too: who must not checks its state first.
func (s *Store) Signal(ctx context.Context, tx pgx.Tx, c Case, name string, body any) error {
	input, err := json.Marshal(body)
	if err != nil {
		return err
	}
	to, again, err := s.Wake(c)
	if err != nil {
		return err
	}
	return outbox.AddSignal(ctx, tx, c.Org, to, outbox.Signal{Name: name, Input: input, Start: again})
}

// Lost reports whether a subject of a workflow is a case that the record does not
// have: the database was restored, and the engine was not. It is for outbox.Engine.
func Lost(sys *postgres.System) func(ctx context.Context, subject string) (bool, error) {
	return func(ctx context.Context, subject string) (bool, error) {
		if !strings.HasPrefix(subject, idPrefix) {
			return false, nil
		}
		tag, err := sys.Exec(ctx, `select 1 from gavel.case where id = $1`, subject)
		return err == nil && tag.RowsAffected() == 0, err
	}
}
