package inbound

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/seal"
)

// The acts policy is asked about.
const (
	actRead   = "mail.read"
	actDecide = "mail.decide"
)

// A Mail is one that came in, without its words: those are sealed (Store.Words).
type Mail struct {
	ID         string // "min_" and a ULID
	State      State
	Reason     Reason
	Kind       letter.Kind
	Match      Match
	Case       casefile.CaseID // empty if none is known
	Sender     string          // the opaque id of whom it is from; empty for a stranger
	MessageID  string
	Via        string
	Raw        blob.Digest
	RawSize    int64
	Files      []Attachment
	ReceivedAt time.Time
	DecidedAt  *time.Time
	DecidedBy  string
	Note       string
	ErasedAt   *time.Time
}

const mailColumns = `select id, state, reason, kind, match, coalesce(case_id, ''), sender, message_id, via, raw_sha256, raw_size, files,
	received_at, decided_at, decided_by, note, erased_at from gavel.mail_in `

// A Query narrows a list of mails.
type Query struct {
	States []State         // empty for those that wait for a person
	Case   casefile.CaseID // empty for all
	Before string          // page token: taken in before this one
	Limit  int             // 1 to 200; zero means 50
}

// List reads mails that came in, newest first. It needs the act mail.read.
func (s *Store) List(ctx context.Context, actor identity.Actor, q Query) (all []Mail, err error) {
	if err := s.may(actor, actRead); err != nil {
		return nil, err
	}
	if len(q.States) == 0 {
		q.States = []State{Held, Quarantined}
	}
	switch {
	case q.Limit == 0:
		q.Limit = 50
	case q.Limit < 0 || q.Limit > 200:
		return nil, fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", q.Limit)
	}
	const page = mailColumns + `where org = $1 and state = any($2) and ($3 = '' or case_id = $3) and ($4 = '' or id < $4) order by id desc
		limit $5`
	err = s.c.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, actor.Org, q.States, q.Case, q.Before, q.Limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Mail])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list mails: %w", err)
	}
	return all, nil
}

// Words reads what a mail says and who sent it. It needs the act mail.read:
// ErrErased of package seal for one that was erased.
func (s *Store) Words(ctx context.Context, actor identity.Actor, id string) (m Mail, w Words, err error) {
	if err := s.may(actor, actRead); err != nil {
		return Mail{}, Words{}, err
	}
	err = s.c.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if m, err = one(ctx, tx, actor.Org, id, ""); err != nil {
			return err
		}
		w, err = s.open(ctx, tx, actor.Org, id)
		return err
	})
	return m, w, err
}

// Raw reads a mail as it came. It needs the act mail.read.
func (s *Store) Raw(ctx context.Context, actor identity.Actor, id string) (raw []byte, err error) {
	if err := s.may(actor, actRead); err != nil {
		return nil, err
	}
	var m Mail
	err = s.c.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		m, err = one(ctx, tx, actor.Org, id, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.c.Vault.OpenBlob(ctx, actor.Org, sealedRaw, m.Raw)
}

func (s *Store) may(a identity.Actor, act string) error {
	if s.c.Policy == nil {
		return fault.New(fault.Refused, "nobody may do this: no policies are set up")
	}
	return s.c.Policy.May(a, act)
}

func one(ctx context.Context, tx pgx.Tx, org identity.Org, id, lock string) (Mail, error) {
	rows, _ := tx.Query(ctx, mailColumns+`where org = $1 and id = $2 `+lock, org, id)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Mail])
	if err == nil && len(found) == 0 {
		err = fault.New(fault.NotFound, "no mail is called %.60q", id)
	}
	if err != nil {
		return Mail{}, err
	}
	return found[0], nil
}

func (s *Store) open(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (w Words, err error) {
	var raw []byte
	if err := tx.QueryRow(ctx, `select sealed from gavel.mail_in where org = $1 and id = $2`, org, id).Scan(&raw); err != nil {
		return w, err
	}
	envelope, err := seal.ParseEnvelope(raw)
	if err != nil {
		return w, fmt.Errorf("mail %s: %w", id, err)
	}
	plain, err := s.c.Vault.Open(ctx, tx, org, sealedWords, envelope)
	if err != nil {
		return w, fmt.Errorf("open mail %s: %w", id, err)
	}
	if json.Unmarshal(plain, &w) != nil {
		return w, fault.New(fault.Internal, "mail %s: what was sealed are no words", id) // the cause would quote them
	}
	return w, nil
}

// Accept has a person say that a mail is to be believed, and to which case it
// belongs; an empty case means the one it was matched to. It then is an entry of
// that case as if it had been believed at once. It needs the act mail.decide and
// can be done once.
func (s *Store) Accept(ctx context.Context, actor identity.Actor, id string, to casefile.CaseID, note string) (Mail, error) {
	note, err := s.checkDecision(actor, note)
	if err != nil {
		return Mail{}, err
	}
	m, raw, err := s.undecided(ctx, actor, id, to)
	if err != nil {
		return Mail{}, err
	}
	about, err := s.c.Cases.Subjects(ctx, actor.Org, m.Case)
	if err != nil {
		return Mail{}, err
	}
	about = append([]seal.Subject{{Type: "mail", ID: id}}, about[:min(len(about), maxAbout)]...)
	sender, err := m.sender()
	if err != nil {
		return Mail{}, err
	}
	// whoever wrote it is concerned, also where the case is not about them
	if sender != (seal.Subject{}) && !slices.Contains(about, sender) {
		about = append(about, sender)
	}
	l := letter.Parse(raw)
	kind := m.Kind
	if kind != letter.Bounced {
		kind = letter.Written
	}
	verdict := Verdict{State: Accepted, Kind: kind, Place: Place{actor.Org, m.Case}}
	if m.Files, err = s.takeFiles(ctx, actor.Org, id, verdict, l, about); err != nil {
		return Mail{}, fmt.Errorf("keep the attachments of %s: %w", id, err)
	}
	err = s.c.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return s.accept(ctx, tx, actor, &m, kind, about, note) })
	return m, err
}

// undecided reads a mail that somebody is about to accept into a case.
func (s *Store) undecided(ctx context.Context, actor identity.Actor, id string, to casefile.CaseID) (m Mail, raw []byte, err error) {
	err = s.c.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		m, err = one(ctx, tx, actor.Org, id, "")
		return err
	})
	if err != nil {
		return Mail{}, nil, err
	}
	if err := m.waits(); err != nil {
		return Mail{}, nil, err
	}
	if to != "" {
		m.Case = to
	}
	if m.Case == "" {
		return Mail{}, nil, fault.New(fault.Invalid, "say to which case the mail belongs")
	}
	raw, err = s.c.Vault.OpenBlob(ctx, actor.Org, sealedRaw, m.Raw)
	return m, raw, err
}

// sender is whom a mail is from; zero for a stranger.
func (m Mail) sender() (seal.Subject, error) {
	if m.Sender == "" {
		return seal.Subject{}, nil
	}
	return seal.ParseSubject(m.Sender)
}

// waits refuses what was decided already.
func (m Mail) waits() error {
	if m.DecidedAt != nil || m.State == Accepted {
		return fault.New(fault.Conflict, "mail %s was decided already: %s", m.ID, m.State)
	}
	return nil
}

func (s *Store) accept(ctx context.Context, tx pgx.Tx, actor identity.Actor, m *Mail, kind letter.Kind, about []seal.Subject,
	note string) error {
	now, err := one(ctx, tx, actor.Org, m.ID, "for update")
	if err != nil {
		return err
	}
	if err := now.waits(); err != nil {
		return err
	}
	of, err := casefile.Lock(ctx, tx, m.Case)
	if err != nil {
		return err
	}
	if of.State == casefile.Closed {
		return fault.New(fault.Conflict, "case %s is closed; nothing more can be added", of.Ref)
	}
	w, err := s.open(ctx, tx, actor.Org, m.ID)
	if err != nil {
		return err
	}
	// Whom the case is about is from now on concerned by the whole of the mail.
	_, err = s.c.Vault.Seal(ctx, tx, actor.Org, seal.Matter{Subjects: about, Conversation: m.ID, Case: string(m.Case), Purpose: sealedNote},
		[]byte(note))
	if err != nil {
		return err
	}
	sender, err := m.sender()
	if err != nil {
		return err
	}
	if err := s.decide(ctx, tx, actor, m, Accepted, note); err != nil {
		return err
	}
	return s.enter(ctx, tx, of, entering{id: m.ID, kind: kind, text: entryText(kind, w), by: author(actor.Org, kind, sender, m.ID),
		about: about, at: *m.DecidedAt})
}

// Discard has a person say that a mail is nothing. Its bytes stay, sealed. It
// needs the act mail.decide and can be done once.
func (s *Store) Discard(ctx context.Context, actor identity.Actor, id, note string) (m Mail, err error) {
	if note, err = s.checkDecision(actor, note); err != nil {
		return Mail{}, err
	}
	err = s.c.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if m, err = one(ctx, tx, actor.Org, id, "for update"); err != nil {
			return err
		}
		if err := m.waits(); err != nil {
			return err
		}
		return s.decide(ctx, tx, actor, &m, Discarded, note)
	})
	return m, err
}

const maxNote = 2000 // characters

func (s *Store) checkDecision(actor identity.Actor, note string) (string, error) {
	if err := s.may(actor, actDecide); err != nil {
		return "", err
	}
	note = strings.TrimSpace(note)
	if n := utf8.RuneCountInString(note); n > maxNote || !utf8.ValidString(note) || strings.ContainsRune(note, 0) {
		return "", fault.New(fault.Invalid, "a note has at most %d characters", maxNote)
	}
	return note, nil
}

// decide writes a person's decision into the row and the log.
func (s *Store) decide(ctx context.Context, tx pgx.Tx, actor identity.Actor, m *Mail, state State, note string) error {
	files, err := json.Marshal(m.Files)
	if err != nil {
		return err
	}
	at := s.now()
	m.State, m.DecidedAt, m.DecidedBy, m.Note = state, &at, actor.ID, note
	const update = `update gavel.mail_in set state = $3, case_id = nullif($4, ''), files = $5::text::jsonb, decided_at = $6,
		decided_by = $7, note = $8
		where org = $1 and id = $2`
	if _, err := tx.Exec(ctx, update, actor.Org, m.ID, state, m.Case, string(files), at, actor.ID, note); err != nil {
		return fmt.Errorf("decide about mail %s: %w", m.ID, err)
	}
	body := map[string]any{"event": string(state)}
	if m.Case != "" {
		body["case"] = string(m.Case)
	}
	_, err = audit.Append(ctx, tx, audit.Record{At: at, Kind: RecordMail, Actor: actor, Subject: m.ID, Body: body})
	return err
}
