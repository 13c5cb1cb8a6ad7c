package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"net/mail"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

const mailColumns = `id, org, coalesce(case_id, ''), kind, recipient, thread, message_id, reply_to, in_reply_to, refs, language, automatic, because,
	state, tries, reason, queued_at, ended_at, erased_at`

func byKey(ctx context.Context, tx pgx.Tx, org identity.Org, key string) (m Mail, found bool, err error) {
	rows, _ := tx.Query(ctx, `select `+mailColumns+` from gavel.mail where org = $1 and key = $2`, org, key)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Mail])
	if err != nil || len(all) == 0 {
		return Mail{}, false, err
	}
	return all[0], true, nil
}

// MostListed is how many mails of a case are listed.
const MostListed = 200

// OfCase lists the newest mails of a case, newest first. Whether the reader may
// read the case was asked before; whom the mails went to, and what they say, is
// not in the list.
func (p *Post) OfCase(ctx context.Context, org identity.Org, id casefile.CaseID) (all []Mail, err error) {
	err = p.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		all, err = OfCaseIn(ctx, tx, org, id)
		return err
	})
	return all, err
}

// OfCaseIn is Post.OfCase in the caller's transaction.
func OfCaseIn(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID) ([]Mail, error) {
	const list = `select ` + mailColumns + ` from gavel.mail where org = $1 and case_id = $2 order by queued_at desc, id desc limit $3`
	rows, _ := tx.Query(ctx, list, org, id, MostListed)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Mail])
	if err != nil {
		return nil, fmt.Errorf("list mails of %s: %w", id, err)
	}
	return all, nil
}

// Get reads a mail. One of another organisation is not found.
func (p *Post) Get(ctx context.Context, org identity.Org, id string) (m Mail, err error) {
	err = p.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		m, _, err = read(ctx, tx, org, id)
		return err
	})
	return m, err
}

// read reads a mail and what is sealed of it.
func read(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (m Mail, sealed []byte, err error) {
	rows, _ := tx.Query(ctx, `select `+mailColumns+`, sealed from gavel.mail where org = $1 and id = $2`, org, id)
	type row struct {
		Mail
		Sealed []byte
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err == nil && len(all) == 0 {
		err = fault.New(fault.NotFound, "no mail is called %.60q", id)
	}
	if err != nil {
		return Mail{}, nil, err
	}
	return all[0].Mail, all[0].Sealed, nil
}

// Open reads what a mail says and whom it goes to, in the caller's transaction:
// ErrErased of package seal where the recipient was erased.
func (p *Post) Open(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (Mail, Content, error) {
	m, raw, err := read(ctx, tx, org, id)
	if err != nil {
		return Mail{}, Content{}, err
	}
	envelope, err := seal.ParseEnvelope(raw)
	if err != nil {
		return m, Content{}, fmt.Errorf("mail %s: %w", id, err)
	}
	plain, err := p.vault.Open(ctx, tx, org, sealedAs, envelope)
	if err != nil {
		return m, Content{}, fmt.Errorf("open mail %s: %w", id, err)
	}
	var c Content
	if err := json.Unmarshal(plain, &c); err != nil {
		return m, Content{}, fmt.Errorf("open mail %s: what was sealed is no mail", id) // the cause would quote it
	}
	return m, c, nil
}

// message is a mail as a sink gets it.
func (p *Post) message(m Mail, c Content) Message {
	return Message{Key: m.ID, MessageID: m.MessageID, From: p.from, To: Address{Name: c.Name, Mailbox: c.Address}, ReplyTo: m.ReplyTo,
		InReplyTo: m.InReplyTo, References: m.References, Language: m.Language, Date: m.QueuedAt, Subject: c.Subject, Text: c.Text,
		HTML: c.HTML}
}

// validFrom reports whether something is an address with or without a name.
func validFrom(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && len(s) <= 320 && ValidMailbox(a.Address)
}
