package inbound

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// MostOfCase bounds what OfCase reads.
const MostOfCase = 1000

// OfCase are the mails that came to a case and were believed, are held, or were believed no
// more, in the order they came: in the caller's transaction, for the case's own code.
func OfCase(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID) ([]Mail, error) {
	const known = mailColumns + `where org = $1 and case_id = $2 and state in ('accepted', 'held', 'discarded') order by id limit $3`
	rows, _ := tx.Query(ctx, known, org, id, MostOfCase)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Mail])
	if err != nil {
		return nil, fmt.Errorf("mails that came to %s: %w", id, err)
	}
	return all, nil
}

// OfCases are the mails that came to some cases and were believed or are held, with what
// servers and mail programs report of letters (delivered, opened), in the order they came.
// Whether the reader may read the cases was asked before; what the mails say is not in it.
func (s *Store) OfCases(ctx context.Context, org identity.Org, ids []casefile.CaseID) (all []Mail, err error) {
	const known = mailColumns + `where org = $1 and case_id = any($2)
		and (state in ('accepted', 'held') or state = 'dropped' and kind in ('delivered', 'receipt')) order by id limit $3`
	err = s.c.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, known, org, ids, MostOfCase)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Mail])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("mails that came to cases: %w", err)
	}
	return all, nil
}

// Said is what is new in a mail that came to a case and was believed, as the case's history
// has it; empty where nobody may know it any more.
func (s *Store) Said(ctx context.Context, org identity.Org, m Mail) (text string, err error) {
	err = s.c.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		text, err = NewText(ctx, tx, m)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return text, err
}

// NewText is what is new in a mail that came to a case and was believed.
func NewText(ctx context.Context, tx pgx.Tx, m Mail) (text string, err error) {
	err = tx.QueryRow(ctx, `select body from gavel.case_entry where case_id = $1 and key = $2`, m.Case, entryKey(m.ID)).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.New(fault.NotFound, "nothing that was written in %s is left", m.ID)
	}
	return text, err
}

// entryKey is the key of the entry that holds the words of a mail.
func entryKey(mail string) string { return "mail_in:" + mail }
