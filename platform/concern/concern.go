// Package concern lets the person whom a case concerns read what was decided
// about them, and object, without an account.
//
// An officer makes a link (Store.Make) and chooses what it shows: a summary in
// their own words, and which facts and decisions. The link is signed, ends by
// itself and can be revoked; the database holds its secret as a digest. Whoever
// has it may read (Store.Open), which changes nothing, and object
// (Store.Object), once until somebody has answered (Store.Answer). An objection
// is an entry of the case; where that one is closed it opens a case of its own,
// so that somebody hears it.
//
// Read Link first, then Make, Open and Object. docs/design/concerned.md has the
// reasons.
package concern

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of links and objections; it builds on the cases'.
func Migrations() postgres.MigrationSet { return postgres.Embedded("concern", migrations) }

// The kinds of record this package adds to the log. Neither holds a word of what
// was said.
const (
	RecordLink      audit.Kind = "concern_link" // a link was made or revoked
	RecordObjection audit.Kind = "objection"    // somebody objected, or was answered
)

// Bounds of a link and of what is said over it.
const (
	MaxText      = 4_000 // characters of a summary, an objection, an answer
	MaxFacts     = 100
	MaxProposals = 50
	LeastLife    = time.Hour
	MostLife     = 366 * 24 * time.Hour
	mostLinks    = 50 // of a case, that still count
)

// act is what policy is asked about whoever makes a link or answers.
const act = "case.link"

// A Link is what the person concerned was given, without its secret.
type Link struct {
	ID        string // "link_" and a ULID
	Case      casefile.CaseID
	Summary   string    // casefile.ErasedText once erased
	Facts     []fact.ID // that it shows
	Proposals []string  // whose decisions it shows
	MadeBy    string    // actor id; not for the person concerned
	MadeAt    time.Time
	ExpiresAt time.Time
	RevokedAt *time.Time
	ErasedAt  *time.Time
}

// Good reports whether the link still opens anything.
func (l Link) Good(now time.Time) bool {
	return l.RevokedAt == nil && l.ErasedAt == nil && now.Before(l.ExpiresAt)
}

// An Objection is what the person concerned answered, and what they were told.
type Objection struct {
	ID         string // "obj_" and a ULID
	Link       string
	Case       casefile.CaseID // the one that hears it
	Text       string          // casefile.ErasedText once erased
	At         time.Time
	Answer     string // likewise; empty until somebody answered
	AnsweredAt *time.Time
	AnsweredBy string // actor id; not for the person concerned
	ErasedAt   *time.Time
}

// A signer seals a text that leaves and comes back, so that a forged one is known
// without asking the database.
type signer interface {
	SealText(purpose, plain string) (string, error)
	OpenText(purpose, sealed string) (string, error)
}

// A Config is what a Store needs. Nil Rules let nobody make a link.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules
	Cases *casefile.Store
	Keys  signer // signs links; one that is taken away makes its links useless
	// Theirs lists the facts of a case that the person concerned may see, by the
	// word of its application; false where it says nothing, and all may be chosen.
	// Nil says nothing of any case.
	Theirs func(ctx context.Context, one casefile.Case) (ids []fact.ID, said bool, err error)
}

// A Store keeps links and objections. It is safe for use by many goroutines.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	cases *casefile.Store
	keys  signer

	theirs func(ctx context.Context, one casefile.Case) ([]fact.ID, bool, error)
}

// New makes a store.
func New(c Config) (*Store, error) {
	if c.DB == nil || c.Cases == nil || c.Keys == nil {
		return nil, fault.New(fault.Internal, "links for people concerned need a database, cases and keys")
	}
	return &Store{db: c.DB, clock: c.Clock, rules: c.Rules, cases: c.Cases, keys: c.Keys, theirs: c.Theirs}, nil
}

// Theirs lists the facts of a case that a link may show; false where all may be
// chosen.
func (s *Store) Theirs(ctx context.Context, one casefile.Case) ([]fact.ID, bool, error) {
	if s.theirs == nil {
		return nil, false, nil
	}
	return s.theirs(ctx, one)
}

func (s *Store) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

// Person is who objects over a link: somebody, known by the link alone. They have
// no role and may do nothing else.
func Person(org identity.Org, link string) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "concerned:" + link, Name: "The person concerned", Org: org}
}

func newID(prefix string, at time.Time) string {
	return prefix + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String()
}

// digest is how a secret is kept: nobody can try 256 bits.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte("gavel concern link\x00" + secret))
	return sum[:]
}

// checkText refuses what is empty, too long or cannot be stored.
func checkText(what, text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", fault.New(fault.Invalid, "%s is empty", what).Because("field_empty")
	case n > MaxText:
		return "", fault.New(fault.TooLarge, "%s has %d characters; the most is %d", what, n, MaxText).
			Because("text_too_long", "n", strconv.Itoa(MaxText))
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", fault.New(fault.Invalid, "%s holds a character that cannot be stored", what).Because("text_unfit")
	}
	return text, nil
}
