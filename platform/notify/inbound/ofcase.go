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
