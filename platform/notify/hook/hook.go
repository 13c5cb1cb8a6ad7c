// Package hook tells other people's servers what happens, in the form of Standard
// Webhooks.
//
// Somebody registers an address and the kinds of event it is told of
// (Store.Register); the secret that signs is shown once. A webhook then follows the
// log: for each record of its kinds a message is queued (Courier.follow), which
// holds the kind, the time and an id, and no words. A Courier in any server sends
// messages, again and again over three days where it must, with the same id each
// time, and keeps what was answered. An address that takes nothing for that long
// is turned off and its owner told.
//
// No message goes to an address inside: that is checked when it is registered
// (target.go) and again on every connection, after the name was looked up
// (dial.go).
//
// Read Webhook and Message first, then follow.go, then courier.go.
// docs/design/webhooks.md has the reasons.
package hook

import (
	"context"
	"crypto/rand"
	"embed"
	"net/netip"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of webhooks; it builds on the log's.
func Migrations() postgres.MigrationSet { return postgres.Embedded("hook", migrations) }

// Record is the kind of record about a webhook itself. No webhook is told of it.
const Record audit.Kind = "webhook"

// TestKind is the kind of a message that somebody sent to try the address.
const TestKind = "webhook_test"

// Bounds.
const (
	MaxHooks    = 50  // of an organisation
	MaxTitle    = 120 // characters
	MaxReason   = 2_000
	MaxAttempts = 60 // of one message, those that people asked for included
	MaxPage     = 200
	Keep        = 30 * 24 * time.Hour // of messages that have come to an end, with their answers
	// MaxWaiting is how many messages wait for one webhook. Beyond that the rest
	// waits in the log, where it is anyway.
	MaxWaiting = 1_000
)

// A State is whether a webhook is sent to.
type State string

// The states.
const (
	On     State = "on"
	Off    State = "off"    // by a person
	Failed State = "failed" // by us: it took nothing for as long as we try
)

// A Webhook is an address that is told what happens.
type Webhook struct {
	ID         string // "hook_" and a ULID
	URL        string
	Title      string
	Kinds      []string
	State      State
	Reason     string // of the last change, for people
	Owner      string // actor id of who registered it and is told of trouble
	MadeAt     time.Time
	ChangedAt  time.Time
	Version    int64
	LastOKAt   *time.Time
	LastFailAt *time.Time
	Waiting    int64      // messages on their way
	Broken     int64      // that were given up
	OldUntil   *time.Time // when the secret before this one ceases to sign; nil where there is none
}

// Host is where it leads, without what may be secret in its path.
func (w Webhook) Host() string { return hostOf(w.URL) }

// Shown is the address for who may not change it: without its path.
func (w Webhook) Shown() string {
	scheme, _, _ := strings.Cut(w.URL, ":")
	return scheme + "://" + w.Host() + "/…"
}

// A MessageState is how far a message is.
type MessageState string

// The states of a message.
const (
	Waiting   MessageState = "waiting"
	Delivered MessageState = "delivered"
	GivenUp   MessageState = "failed"
	Dropped   MessageState = "dropped" // its webhook was off when it would have gone
)

// A Message is one event for one webhook.
type Message struct {
	ID       string // "msg_" and a ULID; the receiver tells repeats by it
	Kind     string
	Subject  string // the id of what it is about
	At       time.Time
	QueuedAt time.Time
	DueAt    time.Time // of one that waits
	State    MessageState
	Attempts int
	EndedAt  *time.Time
	Status   int    // of the last answer; 0 where there was none
	Fault    string // of the last try; empty where it went well
}

// An Attempt is one try to send a message.
type Attempt struct {
	N      int
	At     time.Time
	Took   time.Duration
	Status int    // 0: no answer
	Fault  string // FaultInside and those after it, or empty
	Answer string // the beginning of it, at most MaxAnswer bytes
	By     string // actor id of who asked for it; empty: the schedule did
}

// A Notice says that a webhook was turned off because it took nothing.
type Notice struct {
	Org     identity.Org
	Owner   string // actor id
	Webhook string
	Title   string
	Host    string
	Fault   string // of the last try
	Since   time.Time
}

// A sealer keeps a secret that must be had again, bound to what it is for.
type sealer interface {
	SealText(purpose, plain string) (string, error)
	OpenText(purpose, sealed string) (string, error)
}

// A Config is what a Store needs: DB and Keys must be there. Nil Rules let nobody
// register anything.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules
	Keys  sealer
	// Loopback lets webhooks lead to this machine, over plain http too. It is for
	// tests and demonstrations; other addresses inside stay refused.
	Loopback bool
	// Lookup finds the addresses of a name, when a webhook is registered; nil asks
	// the machine's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Tell leaves word for the owner of a webhook that was turned off, in the
	// transaction that does it. Nil leaves none beside the record and the pages.
	Tell func(ctx context.Context, tx pgx.Tx, n Notice) error
}

// A Store keeps webhooks. It is safe for use by many goroutines.
type Store struct{ Config }

// New makes a store.
func New(c Config) *Store {
	if c.Lookup == nil {
		c.Lookup = lookup
	}
	return &Store{c}
}

func (s *Store) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Microsecond) }

var (
	hookForm    = regexp.MustCompile(`^hook_[0-9A-HJKMNP-TV-Z]{26}$`)
	messageForm = regexp.MustCompile(`^msg_[0-9A-HJKMNP-TV-Z]{26}$`)
)

func newID(prefix string, at time.Time) string {
	return prefix + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String()
}

func noSuchHook(id string) error {
	return fault.New(fault.NotFound, "no webhook is called %.60q", id).WithNext("see which there are: gavel webhook list")
}

func noSuchMessage(id string) error {
	return fault.New(fault.NotFound, "the webhook has no message %.60q; those that came to an end are kept for %d days", id,
		int(Keep.Hours()/24))
}

// checkText trims a text and refuses what is empty, too long or cannot be stored.
func checkText(what, text string, most int) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", fault.New(fault.Invalid, "%s is missing", what)
	case utf8.RuneCountInString(text) > most:
		return "", fault.New(fault.TooLarge, "%s has over %d characters", what, most)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", fault.New(fault.Invalid, "%s holds a character that cannot be stored", what)
	}
	return text, nil
}
