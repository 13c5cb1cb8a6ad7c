package notify

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Config is what a Post needs.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Vault *seal.Vault
	Book  address.Book
	From  string // "Transport cell <cell@example.org>" or a mailbox alone
}

// A Post keeps mails. It is safe for use by many goroutines.
type Post struct {
	db    *postgres.DB
	clock durable.Clock
	vault *seal.Vault
	book  address.Book
	from  string
}

// New makes a post.
func New(c Config) (*Post, error) {
	switch {
	case c.DB == nil || c.Vault == nil:
		return nil, fault.New(fault.Internal, "a post needs a database and a vault")
	case !address.ValidDomain(c.Book.Domain):
		return nil, fault.New(fault.Invalid, "mail needs a domain of ours for the ids of its messages")
	case !validFrom(c.From):
		return nil, fault.New(fault.Invalid, "mail needs an address that it comes from")
	}
	return &Post{db: c.DB, clock: c.Clock, vault: c.Vault, book: c.Book, from: c.From}, nil
}

// The purposes of what is sealed, and the names in the record of a mail's act.
const (
	sealedAs = "mail"
	toolName = "send_mail"
	callName = "send"
)

// The kinds of entry that mails leave on their case.
const (
	EntryQueued        = "mail_queued"
	EntrySent          = "mail_sent"
	EntryUndeliverable = "mail_undeliverable"
	EntryUnknown       = "mail_unknown"
)

// Automatic mails that a thread gets at most, and in what time.
const (
	mostAutomatic   = 3
	automaticWithin = 24 * time.Hour
)

// Queue writes a letter down in the transaction of whatever authorises it: the
// mail with its Message-ID, the ways back to it, its act, an entry of the case and
// their records. The same key again is the mail that is there. by is who
// authorises it, and whether they may was asked before: Because says where.
//
// Faults: TooMany for one automatic mail too many in a thread; ErrErased of
// package seal for somebody who was erased.
func (p *Post) Queue(ctx context.Context, tx pgx.Tx, by identity.Actor, l Letter) (Mail, error) {
	if l.Thread == "" {
		l.Thread = l.To.String()
	}
	if err := l.check(); err != nil {
		return Mail{}, err
	}
	var of casefile.Case
	if l.Case != "" {
		var err error
		if of, err = casefile.Lock(ctx, tx, l.Case); err != nil {
			return Mail{}, fmt.Errorf("queue mail %s: %w", l.Key, err)
		}
		l.Subject = tagged(l.Subject, of.Ref)
	} else if l.To.Type != casefile.Staff {
		return Mail{}, fault.New(fault.Refused, "mail %s: only our own staff is written to without a case", l.Key)
	}
	if there, found, err := byKey(ctx, tx, by.Org, l.Key); err != nil || found {
		if err == nil && (there.Recipient != l.To.String() || there.Case != l.Case) {
			return Mail{}, fault.New(fault.Conflict, "mail %s is there, to somebody else or about another case", l.Key)
		}
		return there, err
	}
	m, err := p.draft(ctx, tx, by.Org, of, l)
	if err != nil {
		return Mail{}, fmt.Errorf("queue mail %s: %w", l.Key, err)
	}
	if err := p.write(ctx, tx, by, of, l, m); err != nil {
		return Mail{}, fmt.Errorf("queue mail %s: %w", l.Key, err)
	}
	return m, nil
}

// draft is the mail that a letter becomes.
func (p *Post) draft(ctx context.Context, tx pgx.Tx, org identity.Org, of casefile.Case, l Letter) (Mail, error) {
	now := p.clock.Now().UTC().Truncate(time.Microsecond)
	earlier, automatic, err := threadSoFar(ctx, tx, org, l, now.Add(-automaticWithin))
	if err != nil {
		return Mail{}, err
	}
	if l.Automatic && automatic >= mostAutomatic {
		return Mail{}, fault.New(fault.TooMany, "%d mails that nobody looked at have gone to this thread within a day", automatic).
			WithNext("let a person approve the next one")
	}
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	m := Mail{ID: "mail_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String(), Org: org, Case: l.Case, Kind: l.Kind,
		Recipient: l.To.String(),
		Thread:    l.Thread, MessageID: address.Bare(address.NewMessageID(p.book.Domain, random)), Language: l.Language,
		Automatic: l.Automatic, Because: l.Because, State: Queued, QueuedAt: now}
	m.References, m.InReplyTo = chain(earlier, l.InReplyTo)
	if l.Case != "" {
		m.ReplyTo = p.book.Reply(string(org), string(of.ID), of.Ref)
	}
	return m, nil
}

// threadSoFar is the ids of a thread's mails, oldest first, and how many of them
// were automatic since a moment.
func threadSoFar(ctx context.Context, tx pgx.Tx, org identity.Org, l Letter, since time.Time) (ids []string, automatic int, err error) {
	if l.Case == "" {
		return nil, 0, nil
	}
	const count = `select count(*) from gavel.mail where org = $1 and case_id = $2 and thread = $3 and automatic and queued_at > $4`
	if err := tx.QueryRow(ctx, count, org, l.Case, l.Thread, since).Scan(&automatic); err != nil {
		return nil, 0, err
	}
	const first, latest = `select message_id, queued_at, id from gavel.mail where org = $1 and case_id = $2 and thread = $3
		order by queued_at, id limit 1`,
		`select message_id, queued_at, id from gavel.mail where org = $1 and case_id = $2 and thread = $3 order by queued_at desc, id desc
			limit 20`
	rows, _ := tx.Query(ctx, `select message_id from ((`+first+`) union (`+latest+`)) t order by queued_at, id`, org, l.Case, l.Thread)
	ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return ids, automatic, err
}

// write puts a mail and everything that comes with it into the transaction.
func (p *Post) write(ctx context.Context, tx pgx.Tx, by identity.Actor, of casefile.Case, l Letter, m Mail) error {
	plain, err := json.Marshal(Content{Address: l.Address, Name: l.Name, Subject: l.Subject, Text: l.Text, HTML: l.HTML})
	if err != nil {
		return err
	}
	envelope, err := p.vault.Seal(ctx, tx, m.Org, seal.Matter{Subjects: []seal.Subject{l.To}, Case: string(l.Case), Purpose: sealedAs},
		plain)
	if err != nil {
		return err
	}
	args, err := json.Marshal(map[string]string{"mail": m.ID, "message_id": m.MessageID, "sealed_sha256": envelope.Digest().String()})
	if err != nil {
		return err
	}
	var b pgx.Batch
	const insert = `
		insert into gavel.mail (org, id, key, case_id, kind, recipient, thread, message_id, reply_to, in_reply_to, refs, language,
		automatic,
			because, sealed, args_sha256, queued_at)
		values ($1, $2, $3, nullif($4, ''), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`
	b.Queue(insert, m.Org, m.ID, l.Key, m.Case, m.Kind, m.Recipient, m.Thread, m.MessageID, m.ReplyTo, m.InReplyTo, m.References,
		m.Language, m.Automatic,
		m.Because, envelope.Bytes(), act.Digest(args), m.QueuedAt)
	if m.Case != "" {
		addRoutes(&b, m)
		if err := plan(&b, by, of, m, args); err != nil {
			return err
		}
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil || m.Case == "" {
		return err
	}
	return enter(ctx, tx, m, EntryQueued, mark(m), m.QueuedAt)
}

// plan adds the act of a mail, and the record that lets it run: it was authorised
// with what queued it, and nobody is asked a second time.
func plan(b *pgx.Batch, by identity.Actor, of casefile.Case, m Mail, args []byte) error {
	digest := act.Digest(args)
	record, err := audit.AppendLater(b, audit.Record{At: m.QueuedAt, Kind: audit.Policy, App: of.App, Actor: by, Subject: m.ID,
		Body: map[string]any{
			"case": string(m.Case), "because": m.Because, "calls": []map[string]any{{"call": callName, "tool": toolName,
				"args_sha256": digest, "verdict": "act",
				"policy": map[string]any{"call": true, "unattended": true}}}}})
	if err != nil {
		return err
	}
	return act.PlanLater(b, m.Org, act.Plan{Key: m.ID, Case: string(m.Case), Run: m.ID, Call: callName, App: of.App, Tool: toolName,
		Effect: act.Outside,
		Args:   args, ArgsSHA256: digest, PolicyRecord: string(record), At: m.QueuedAt, By: by})
}

// mark is how people call a mail: the front of its Message-ID, and what it is.
func mark(m Mail) string {
	mark, _, _ := address.ParseMessageID(m.MessageID)
	return mark + " (" + m.Kind + ") to " + m.Recipient
}

// enter adds what became of a mail to its case, which an erasure of the recipient
// takes again. A closed case takes no more entries; its list of mails says it.
func enter(ctx context.Context, tx pgx.Tx, m Mail, kind, text string, at time.Time) error {
	to, err := m.subjectOf()
	if err != nil {
		return err
	}
	of, err := casefile.Lock(ctx, tx, m.Case)
	if err != nil || of.State == casefile.Closed {
		return err
	}
	g := identity.Gavel(m.Org)
	_, _, err = casefile.Apply(ctx, tx, m.Case, casefile.Change{Key: kind + ":" + m.ID, WaitingFor: of.WaitingFor,
		Subjects: []seal.Subject{to},
		Entry:    casefile.Entry{Kind: kind, At: at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name, Text: text}})
	return err
}
