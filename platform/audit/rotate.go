package audit

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// keyTurn makes the record that puts this sequencer's key in force, where it is
// not yet, and says who signs it in: the new key and, where we were given it,
// the one before. A key that was in force before does not come back: its holder
// is a server that was not told of the change.
func (s *Sequencer) keyTurn(ctx context.Context, tx pgx.Tx, head tlog.Tree) (*waiting, []note.Signer, error) {
	keys, err := ReadKeys(ctx, tx)
	if err != nil || keys.Newest() == s.key.public {
		return nil, nil, err
	}
	for _, t := range keys.terms {
		if t.Key == s.key.public {
			return nil, nil, fault.New(fault.Conflict, "this server signs with a key of the log that is no longer in force").
				WithNext("give it the present key, or make a new one: gavel audit key new")
		}
	}
	signers := []note.Signer{s.key}
	change := keyChange{Key: s.key.public, Previous: keys.Newest()}
	if s.previous != nil && s.previous.public == change.Previous {
		change.Vouched = true
		signers = append(signers, s.previous)
	}
	w, err := s.recordKey(ctx, tx, head, change)
	return w, signers, err
}

func (s *Sequencer) recordKey(ctx context.Context, tx pgx.Tx, head tlog.Tree, change keyChange) (*waiting, error) {
	rec := Record{At: s.now(), Kind: LogKey, Actor: identity.Gavel(Installation), Subject: "log", Body: change}
	id, args, err := rec.row()
	if err != nil {
		return nil, err
	}
	const add = `insert into gavel.record (org, id, at, kind, app, actor_kind, actor_id, subject, json)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	if _, err := tx.Exec(ctx, add, args...); err != nil {
		return nil, fmt.Errorf("record the log's key: %w", err)
	}
	const begin = `insert into gavel_sys.log_key (from_size, verifier, record_id) values ($1, $2, $3)`
	if _, err := tx.Exec(ctx, begin, head.N, change.Key, id); err != nil {
		return nil, fmt.Errorf("put the log's key in force: %w", err)
	}
	text, _ := args[len(args)-1].(string)
	return &waiting{Installation, id, Leaf([]byte(text))}, nil
}
