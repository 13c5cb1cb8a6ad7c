// Package notify writes to people: letters to those a case is about, and word to
// our own staff that something waits for them.
//
// A mail is a row before it is sent (Post.Queue), in the transaction of whatever
// authorised it, with a Message-ID of its own. A Sender takes it to a Sink, which
// is an SMTP server or a service with an API. A letter about a case is an act, by
// its own id: claimed, carried out once, and ended as done, failed or unknown.
// Between the end of the data and the server's answer nobody can say whether a
// mail has arrived; then the other side is asked where it can be asked, and a
// person where it cannot. A mail is never simply sent again.
//
// Read Letter and Post.Queue first, then Sink and Sender. docs/design/mail.md has
// the reasons. A mail never decides anything: the links in it open pages that ask
// for a sign-in and a button.
package notify

import (
	"context"
	"embed"
	"errors"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of mails, their routes and what people want to be
// told. It builds on the cases', the acts' and the seals'.
func Migrations() postgres.MigrationSet { return postgres.Embedded("notify", migrations) }

// A State is how far a mail has come.
type State string

// The states. The last three are ends, and stay.
const (
	Queued        State = "queued"        // on its way to the mail server, or held by a pause
	Sending       State = "sending"       // somebody is, or was, handing it over
	Sent          State = "sent"          // the mail server has taken it
	Undeliverable State = "undeliverable" // it was not sent, for certain
	Unknown       State = "unknown"       // it may have been sent; nobody can say
)

// A Mail is one as it stands, without what it says and whom it goes to: that is
// sealed (Post.Open).
type Mail struct {
	ID         string // "mail_" and a ULID
	Org        identity.Org
	Case       casefile.CaseID // empty for word to our own staff
	Kind       string
	Recipient  string // the opaque id of the person, "rider:R-7"
	Thread     string
	MessageID  string // without brackets
	ReplyTo    string
	InReplyTo  string
	References []string
	Language   string
	Automatic  bool
	Because    string
	State      State
	Tries      int
	Reason     string
	QueuedAt   time.Time
	EndedAt    *time.Time
	ErasedAt   *time.Time
}

// A Content is what of a mail concerns somebody: it is sealed, and opened by who
// sends it.
type Content struct {
	Address string `json:"address"`
	Name    string `json:"name,omitempty"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html,omitempty"`
}

// A Message is a mail as a sink gets it.
type Message struct {
	Key        string // the mail's id: what the other side may tell a repeat by
	MessageID  string // without brackets
	From       string // as the settings have it: "Transport cell <cell@example.org>"
	To         Address
	ReplyTo    string // may be empty
	InReplyTo  string // may be empty
	References []string
	Language   string
	Date       time.Time
	Subject    string
	Text       string
	HTML       string // may be empty
}

// An Address is a mailbox and the name people know it by.
type Address struct{ Name, Mailbox string }

// AutoSubmitted is the value of the Auto-Submitted header of everything we send:
// no machine should answer it (RFC 3834).
const AutoSubmitted = "auto-generated"

// A Sink takes mails to where they are read. Send returns nil when the other side
// has answered for the mail, and a *Failure that says what became of it when it
// has not; any other error counts as not knowing. It obeys its context.
type Sink interface {
	Send(ctx context.Context, m Message) error
}

// An Asker is a sink that can be asked whether it has a mail. "No" is believed a
// while after the connection broke, when nothing can be on its way any more.
type Asker interface {
	Has(ctx context.Context, messageID string) (bool, error)
}

// A Repeater is a sink that tells a repeat by the message's key, and for how long
// it does: until then a mail may be handed over again.
type Repeater interface {
	RepeatsFor() time.Duration
}

// A Fate is what became of a mail that a sink did not answer for.
type Fate uint8

// The fates. The zero value promises least.
const (
	Unsure Fate = iota // it may have been taken
	Later              // it was not taken; it may be, later
	Never              // it was not taken and will not be
)

// A Failure says what became of a mail.
type Failure struct {
	Fate  Fate
	Words string // the other side's, or ours about it; for the case, never for logs
	Err   error  // for logs: no address, no word of the mail
}

// Error is the cause without the other side's words, which may name somebody.
func (f *Failure) Error() string {
	said := [...]string{"it is not known whether the mail was taken", "the mail was not taken yet", "the mail was refused"}[f.Fate]
	if f.Err != nil {
		return said + ": " + f.Err.Error()
	}
	return said
}

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

// fateOf reads a sink's answer.
func fateOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Fate: Unsure, Words: "The mail server could not be talked to to the end.", Err: err}
}

// subjectOf reads the person a mail goes to.
func (m Mail) subjectOf() (seal.Subject, error) { return seal.ParseSubject(m.Recipient) }

// References is the value of the References header for some message ids.
func References(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "<" + strings.Join(ids, "> <") + ">"
}
