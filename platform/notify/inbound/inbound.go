// Package inbound takes in mail that people send us and brings it to its case.
//
// A mail comes over a signed webhook (Webhook) or out of a mailbox (package
// imap) and goes through Store.Receive: it is parsed and its kind told by its
// form alone (package letter), so that automatic answers, bounces, loops and
// lists are set aside before anything reads them; then it is matched to a case
// and judged (Rules), by code. What is believed becomes an entry of its case and
// word to the case's workflow, once. What is not waits for a person: List,
// Accept, Discard. Nothing is thrown away, and the same mail twice is one mail.
//
// Read Rules.Find and Rules.Judge first: they are the whole of what is decided,
// values in and values out. Then Store.Receive. docs/design/mail-in.md has the
// reasons.
package inbound

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"io"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of mail that came in. They build on those of
// casefile; using them also needs those of audit, seal, evidence, outbox and
// notify.
func Migrations() postgres.MigrationSet { return postgres.Embedded("inbound", migrations) }

// RecordMail is the kind of record this package adds to the log: a mail came in,
// and what a person decided about it. No word of the mail is in it.
const RecordMail audit.Kind = "mail_in"

// The kinds of entry that a mail makes on its case.
const (
	EntryMail   = "mail_received"
	EntryBounce = "mail_bounced"
)

// SignalName is how a case's workflow is told that a mail came in, with a Signal.
const SignalName = "mail"

// A Signal says that a mail is on record. A workflow tells a repeat by Mail, and
// one meant for an earlier case of the same key by Case.
type Signal struct {
	Case casefile.CaseID `json:"case"`
	Mail string          `json:"mail"`
	Kind letter.Kind     `json:"kind"` // letter.Written or letter.Bounced
}

// Source is the source under which attachments are kept as evidence. Whoever
// makes the evidence store gives it this.
func Source() evidence.Source {
	return evidence.Source{Name: sourceName, Title: "Attachments of mail", Licence: "as the person who sent it says", Personal: true,
		MaxBytes: letter.MaxFile}
}

const sourceName = "mail"

// A finder finds whose a mail is, across organisations.
type finder interface {
	Find(ctx context.Context, keys []string) ([]notify.Route, error)
}

// A keeper keeps attachments as evidence.
type keeper interface {
	Take(ctx context.Context, actor identity.Actor, rc evidence.Receipt, body io.Reader) (evidence.Snapshot, error)
}

// rules say who may do what.
type rules interface {
	May(a identity.Actor, act string) error
}

// A Config is what a Store needs.
type Config struct {
	DB       *postgres.DB
	System   *postgres.System // finds the case of a reference in a subject, and nothing else
	Clock    durable.Clock
	Policy   rules // who may look at what waits, and decide; nil: nobody
	Cases    *casefile.Store
	Vault    *seal.Vault
	Evidence keeper
	Routes   finder
	Post     *notify.Post // knows whom we wrote to; nil: every sender is a stranger
	Rules    Rules
	// Postmaster is the organisation that looks after mail which leads to none.
	Postmaster identity.Org
}

// A Store takes in mail and keeps it. It is safe for use by many goroutines.
type Store struct {
	c        Config
	attempts attempts
	room     chan struct{} // as many as bodies are read at a time
}

const maxBodies = 4 // of letter.MaxRaw bytes each, that are in memory at a time

// Room asks for a place to read a mail from outside into memory, of which there
// are few. It is left when the mail was taken; ok is false when there is none.
func (s *Store) Room() (leave func(), ok bool) {
	select {
	case s.room <- struct{}{}:
		return func() { <-s.room }, true
	default:
		return nil, false
	}
}

// New makes a store.
func New(c Config) (*Store, error) {
	switch {
	case c.DB == nil || c.System == nil || c.Cases == nil || c.Vault == nil || c.Evidence == nil || c.Routes == nil:
		return nil, fault.New(fault.Internal, "taking in mail needs a database, cases, a vault, evidence and routes")
	case c.Rules.Book.Inbound == "":
		return nil, fault.New(fault.Invalid, "taking in mail needs the domain that replies come to")
	}
	if _, err := identity.ParseOrg(string(c.Postmaster)); err != nil {
		return nil, fault.From(fault.Invalid, err, "taking in mail needs an organisation that looks after what leads to none")
	}
	return &Store{c: c, attempts: attempts{all: map[[sha256.Size]byte]attempt{}}, room: make(chan struct{}, maxBodies)}, nil
}

func (s *Store) now() time.Time { return s.c.Clock.Now().UTC().Truncate(time.Microsecond) }

func newID(at time.Time) string {
	return "min_" + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String()
}

// A Delivery is a mail as it reached us.
type Delivery struct {
	Via string // "webhook", "imap" or "import"
	Key string // the other side's own name for this delivery: the same one twice is one mail
	Raw []byte
	Cut bool // Raw is only the beginning: the rest was larger than is read
}

// A Receipt is what became of a delivery.
type Receipt struct {
	ID        string // of the mail; empty for a repeat
	Org       identity.Org
	Verdict   Verdict
	Duplicate bool // it was there already, and nothing was done
}
