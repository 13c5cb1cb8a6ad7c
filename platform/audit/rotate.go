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
// not yet, and says who signs it in: the new key and the one before, or the new
// one alone where an operator has put on record that it may. A key that nobody
// answers for belongs to a server with the wrong settings, and would lock out all
// the others for good. A key that was in force before does not come back: its
// holder is a server that was not told of the change.
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
	switch {
	case change.Previous == "": // the first
	case s.previous != nil && s.previous.public == change.Previous:
		change.Vouched = true
		signers = append(signers, s.previous)
	default:
		if change.Accepted, err = s.accepted(ctx, tx, change); err != nil {
			return nil, nil, err
		}
	}
	w, err := s.recordKey(ctx, tx, head, change)
	return w, signers, err
}

// accepted is the record by which an operator let this server's key in.
func (s *Sequencer) accepted(ctx context.Context, tx pgx.Tx, change keyChange) (RecordID, error) {
	all, err := acceptances(ctx, tx)
	if err != nil {
		return "", err
	}
	id, ok := all[Acceptance{Key: change.Key, Previous: change.Previous}]
	if !ok {
		return "", fault.New(fault.Conflict, "this server signs with %s, and nobody vouches for it: the log's key is %s", change.Key,
			change.Previous).
			WithNext("give it the log's key; to change keys, set GAVEL_LOG_KEY_PREVIOUS to the one before, or see docs/runbook/log-key.md")
	}
	return id, nil
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
