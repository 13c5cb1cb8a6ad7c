package inbound

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/seal"
)

// The purposes under which parts of a mail are sealed.
const (
	sealedRaw   = "mail_raw"
	sealedWords = "mail_in"
	sealedNote  = "mail_note"
)

const (
	maxAbout   = 30 // people
	mostAnHour = 20 // mails of one sender that are believed
)

// An Attachment is a file of a mail, without its name: its digest once it is
// evidence.
type Attachment struct {
	Type   string      `json:"type"`
	Size   int         `json:"size"`
	SHA256 blob.Digest `json:"sha256,omitzero"`
}

// keep stores a mail: its bytes first, then everything else in one transaction.
// What lies in the blob store when that fails is named by nothing but the index
// of seals, and opened by nobody; the next try uses it.
func (s *Store) keep(ctx context.Context, m *mail) error {
	if err := s.concerned(ctx, m); err != nil {
		return err
	}
	raw, err := s.sealBytes(ctx, m)
	if errors.Is(err, seal.ErrErased) { // it must not be lost, and is no longer about them
		m.about = []seal.Subject{m.self()}
		m.sender = seal.Subject{}
		m.wait(ReasonErased)
		raw, err = s.sealBytes(ctx, m)
	}
	if err != nil {
		return fmt.Errorf("seal its bytes: %w", err)
	}
	if m.files, err = s.takeFiles(ctx, m.org, m.mailKey(), m.verdict, m.letter, m.about[1:]); err != nil {
		return fmt.Errorf("keep its attachments: %w", err)
	}
	return s.c.DB.InOrg(ctx, m.org, func(tx pgx.Tx) error { return s.write(ctx, tx, m, raw) })
}

// self is the mail as a subject of its own: what a stranger sent is erased by
// its id.
func (m *mail) self() seal.Subject { return seal.Subject{Type: "mail", ID: m.id} }

// matter is what a part of the mail is sealed as: all parts under one key, so
// that whoever turns out to be concerned later is named for the whole.
func (m *mail) matter(purpose string) seal.Matter {
	return seal.Matter{Subjects: m.about, Conversation: m.id, Case: string(m.verdict.Place.Case), Purpose: purpose}
}

// wait turns a mail that would be believed into one that waits.
func (m *mail) wait(why Reason) {
	switch {
	case m.verdict.State != Accepted:
	case m.kind != letter.Written && (why == ReasonClosed || why == ReasonErased): // a bounce tells nobody anything any more
		m.verdict.State, m.verdict.Reason = Dropped, why
	default:
		m.verdict.State, m.verdict.Reason = Held, why
	}
}

// concerned finds whom a mail concerns: who wrote it, and whom its case is about.
func (s *Store) concerned(ctx context.Context, m *mail) error {
	m.about = []seal.Subject{m.self()}
	if m.sender != (seal.Subject{}) {
		m.about = append(m.about, m.sender)
	}
	if m.verdict.Place.Case == "" {
		return nil
	}
	about, err := s.c.Cases.Subjects(ctx, m.org, m.verdict.Place.Case)
	m.about = append(m.about, about[:min(len(about), maxAbout)]...)
	return err
}

// takeFiles keeps the attachments of a mail that is believed as evidence, sealed
// for whom they concern. Those of others stay inside the mail. One that cannot be
// kept by itself is in the mail too, and only its type is noted. once names the
// mail: the same one again keeps nothing twice.
func (s *Store) takeFiles(ctx context.Context, org identity.Org, once string, v Verdict, l letter.Letter,
	about []seal.Subject) ([]Attachment, error) {
	out := []Attachment{}
	for i, f := range l.Files {
		kept := Attachment{Type: f.Type, Size: len(f.Bytes)}
		if v.State == Accepted && v.Kind == letter.Written && len(f.Bytes) > 0 {
			snap, err := s.c.Evidence.Take(ctx, identity.Gavel(org), evidence.Receipt{Source: sourceName, Once: fmt.Sprintf("%s:%d", once,
				i),
				ContentType: f.Type, Subjects: about, Case: string(v.Place.Case)}, bytes.NewReader(f.Bytes))
			switch {
			case fault.Is(err, fault.TooLarge) || fault.Is(err, fault.Invalid):
			case err != nil:
				return nil, err
			default:
				kept.SHA256 = snap.SHA256
			}
		}
		out = append(out, kept)
	}
	return out, nil
}

// write is the transaction of a mail: that it was seen, its row, its record, and
// where it is believed its entry and the word to its case's workflow.
func (s *Store) write(ctx context.Context, tx pgx.Tx, m *mail, raw seal.Part) error {
	reused, err := s.markSeen(ctx, tx, m)
	if err != nil {
		return err
	}
	if reused && m.kind == letter.Written {
		m.wait(ReasonReused)
	}
	var of casefile.Case
	if m.verdict.Place.Case != "" {
		if of, err = casefile.Lock(ctx, tx, m.verdict.Place.Case); err != nil {
			return err
		}
		if err := s.doubts(ctx, tx, m, of); err != nil {
			return err
		}
	}
	envelope, err := s.sealWords(ctx, tx, m)
	if err != nil {
		return err
	}
	if err := s.insert(ctx, tx, m, envelope, raw); err != nil {
		return err
	}
	if m.verdict.State != Accepted {
		return nil
	}
	return s.enter(ctx, tx, of, entering{id: m.id, kind: m.kind, text: entryText(m.kind, wordsOf(m.letter)),
		by: author(m.org, m.kind, m.sender, m.id), about: m.about, at: s.now()})
}

// doubts are reasons to wait that only the case itself knows.
func (s *Store) doubts(ctx context.Context, tx pgx.Tx, m *mail, of casefile.Case) error {
	if of.State == casefile.Closed {
		m.wait(ReasonClosed)
	}
	if m.verdict.State != Accepted {
		return nil
	}
	// Each kind by itself: a flood of bounces must not keep a person's answer waiting.
	const count = `select count(*) from gavel.mail_in where org = $1 and sender = $2 and case_id = $3 and received_at > $4
		and state = 'accepted' and kind = $5`
	var n int
	err := tx.QueryRow(ctx, count, m.org, m.sender.String(), of.ID, s.now().Add(-time.Hour), m.kind).Scan(&n)
	if n >= mostAnHour {
		m.wait(ReasonTooMany)
	}
	return err
}

func (s *Store) sealWords(ctx context.Context, tx pgx.Tx, m *mail) (seal.Envelope, error) {
	plain, err := json.Marshal(wordsOf(m.letter))
	if err != nil {
		return seal.Envelope{}, err
	}
	return s.c.Vault.Seal(ctx, tx, m.org, m.matter(sealedWords), plain)
}

func (s *Store) insert(ctx context.Context, tx pgx.Tx, m *mail, words seal.Envelope, raw seal.Part) error {
	files, err := json.Marshal(m.files)
	if err != nil {
		return err
	}
	sender := ""
	if m.sender != (seal.Subject{}) {
		sender = m.sender.String()
	}
	const insert = `
		insert into gavel.mail_in (org, id, state, reason, kind, match, case_id, sender, message_id, via, sealed, raw_sha256, raw_size,
		files, received_at)
		values ($1, $2, $3, $4, $5, $6, nullif($7, ''), $8, $9, $10, $11, $12, $13, $14::text::jsonb, $15)`
	v, at := m.verdict, s.now()
	_, err = tx.Exec(ctx, insert, m.org, m.id, v.State, v.Reason, v.Kind, v.Match, v.Place.Case, sender, m.letter.MessageID, m.Via,
		words.Bytes(), raw.Ciphertext, len(m.Raw), string(files), at)
	if err != nil {
		return fmt.Errorf("insert a mail: %w", err)
	}
	body := map[string]any{"event": "received", "state": string(v.State), "reason": string(v.Reason), "kind": string(v.Kind),
		"match": string(v.Match),
		"raw":   raw, "words": words.Part()}
	if v.Place.Case != "" {
		body["case"] = string(v.Place.Case)
	}
	_, err = audit.Append(ctx, tx, audit.Record{At: at, Kind: RecordMail, Actor: identity.Gavel(m.org), Subject: m.id, Body: body})
	return err
}

// An entering is a mail that becomes an entry.
type entering struct {
	id    string
	kind  letter.Kind
	text  string
	by    identity.Actor
	about []seal.Subject
	at    time.Time
}

// enter puts a mail on its case, which is locked and open, and leaves word for
// its workflow.
func (s *Store) enter(ctx context.Context, tx pgx.Tx, of casefile.Case, e entering) error {
	kind := EntryMail
	if e.kind == letter.Bounced {
		kind = EntryBounce
	}
	_, done, err := casefile.Apply(ctx, tx, of.ID, casefile.Change{Key: entryKey(e.id), WaitingFor: of.WaitingFor, Subjects: e.about,
		Entry: casefile.Entry{Kind: kind, At: e.at, ActorKind: e.by.Kind, ActorID: e.by.ID, ActorName: e.by.Name, Text: e.text}})
	if err != nil || !done {
		return err
	}
	signal := Signal{Case: of.ID, Mail: e.id, Kind: letter.Written}
	if e.kind == letter.Bounced {
		signal.Kind = letter.Bounced
	}
	return s.c.Cases.Signal(ctx, tx, of, SignalName, signal)
}

// author is who an entry is by: a person known only by mail, or Gavel for what a
// mail server said.
func author(org identity.Org, kind letter.Kind, sender seal.Subject, id string) identity.Actor {
	if kind == letter.Bounced {
		return identity.Gavel(org)
	}
	who := "mail:" + id
	if sender != (seal.Subject{}) {
		who = "mail:" + sender.String()
	}
	return identity.Actor{Kind: identity.Person, ID: who, Name: "By mail", Org: org}
}
