package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of people, sessions, tokens and devices.
func Migrations() postgres.MigrationSet { return postgres.Embedded("signin", migrations) }

// The kinds of record this package puts on the log.
const (
	RecordSignIn audit.Kind = "sign_in" // somebody was let in, or a sign-in was ended by somebody else
	RecordToken  audit.Kind = "token"   // a machine's token was issued or revoked
	RecordDevice audit.Kind = "device"  // a device was paired or revoked
	RecordShift  audit.Kind = "shift"   // a guard's shift was opened or ended
	RecordViewAs audit.Kind = "view_as" // an administrator began or ceased to look as another role does
)

// A clock says what time it is: the installation's scaled one.
type clock interface{ Now() time.Time }

// rules say who may do what, and what a token can be good for.
type rules interface {
	May(a identity.Actor, act string) error
	Scopes() []string
	CheckScope(scope string) error
}

// A StoreConfig is what a Store is made from; what may be nil says so.
type StoreConfig struct {
	DB    *postgres.DB
	Clock clock
	Rules rules
	// Wall is the clock on the wall. Codes live by it: a person types them, and
	// nobody types faster because a demonstration's days are short. Nil: as Clock.
	Wall clock
	// Withdraw takes back what a program, by its actor's id, has asked people for
	// and waits. It may be called again. Nil: programs ask for nothing.
	Withdraw func(ctx context.Context, org identity.Org, program string) error
}

// A Store keeps people, their sessions, machines' tokens and devices. Every
// secret in it is a digest. It is safe for concurrent use.
type Store struct {
	db    *postgres.DB
	clock clock
	wall  clock
	rules rules

	withdraw func(ctx context.Context, org identity.Org, program string) error
}

// NewStore makes a store.
func NewStore(cfg StoreConfig) *Store {
	if cfg.Wall == nil {
		cfg.Wall = cfg.Clock
	}
	return &Store{db: cfg.DB, clock: cfg.Clock, wall: cfg.Wall, rules: cfg.Rules, withdraw: cfg.Withdraw}
}

// now is the time as the database keeps it.
func (s *Store) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

// typing is the time by which codes live.
func (s *Store) typing() time.Time { return s.wall.Now().UTC().Truncate(time.Microsecond) }

// text checks what a person typed: trimmed, of 1 to most characters, one line.
func text(what, typed string, most int) (string, error) {
	typed = strings.TrimSpace(typed)
	switch {
	case typed == "":
		return "", fault.New(fault.Invalid, "%s is missing", what).Because("field_empty")
	case !utf8.ValidString(typed) || strings.ContainsFunc(typed, unicode.IsControl):
		return "", fault.New(fault.Invalid, "%s holds a character that cannot be shown", what).Because("text_unfit")
	case utf8.RuneCountInString(typed) > most:
		return "", fault.New(fault.TooLarge, "%s has over %d characters", what, most).Because("text_too_long", "n", strconv.Itoa(most))
	}
	return typed, nil
}

// onRecord puts what an actor did on the log, in the transaction that does it.
func onRecord(ctx context.Context, tx pgx.Tx, kind audit.Kind, who identity.Actor, at time.Time, subject string, body any) error {
	_, err := audit.Append(ctx, tx, audit.Record{At: at, Kind: kind, Actor: who, Subject: subject, Body: body})
	return err
}

// An event is the body of most records here: what was done to the record's
// subject. Reasons are words and stay in their tables; the log has a digest.
type event struct {
	Event  string   `json:"event"`
	How    string   `json:"how,omitempty"`
	Roles  []string `json:"roles,omitempty"`
	Scopes []string `json:"scopes,omitempty"`
	Role   string   `json:"role,omitempty"`
	Person string   `json:"person,omitempty"`
	Device string   `json:"device,omitempty"`
	Until  string   `json:"until,omitempty"`
	Reason string   `json:"reason_sha256,omitempty"`
}

func salted(salt []byte, reason string) string {
	sum := sha256.Sum256(append(salt[:len(salt):len(salt)], reason...))
	return hex.EncodeToString(sum[:])
}

func newSalt() []byte {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // documented never to fail
	return salt
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func roleNames(roles []identity.Role) []string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	return names
}

func rolesOf(names []string) []identity.Role {
	roles := make([]identity.Role, len(names))
	for i, n := range names {
		roles[i] = identity.Role(n)
	}
	return roles
}
