package airshed

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema airshed. It builds on the organisations'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(Name, migrations) }

// StoreConfig is what a Store stands on.
type StoreConfig struct {
	DB       *postgres.DB
	Clock    durable.Clock
	Rules    *policy.Rules   // nil refuses everything
	Evidence *evidence.Store // nil: nothing can be kept, and nothing is scanned
	Cases    *casefile.Store // nil: episodes get no cases
}

// A Store is what was looked at and found. What it shows or changes for somebody it
// asks the rules about first.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	kept  *evidence.Store
	cases *casefile.Store
}

// NewStore makes a store.
func NewStore(c StoreConfig) *Store {
	return &Store{db: c.DB, clock: c.Clock, rules: c.Rules, kept: c.Evidence, cases: c.Cases}
}

// keeps refuses what needs bytes to be kept where none are.
func (s *Store) keeps() error {
	if s.kept == nil {
		return fault.New(fault.Unavailable, "this installation keeps no evidence, and nothing is analysed that cannot be shown later").
			WithNext("set GAVEL_SEAL_KEYS and GAVEL_BLOB_URL")
	}
	return nil
}

// A place is where a list goes on: after the thing of that moment and id. The zero
// place is its beginning.
type place struct {
	at time.Time
	id string
}

// String is the place as a token of a page; empty for the beginning.
func (p place) String() string {
	if p.at.IsZero() {
		return ""
	}
	return p.at.UTC().Format(time.RFC3339Nano) + " " + p.id
}

// parsePlace reads what String writes.
func parsePlace(token string) (place, error) {
	if token == "" {
		return place{}, nil
	}
	moment, id, _ := strings.Cut(token, " ")
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil || id == "" || len(id) > 100 || web.Plain(id) != nil {
		return place{}, fault.New(fault.Invalid, "the list has no page that begins there").WithNext("begin the list anew")
	}
	return place{at, id}, nil
}

// moment is the place's for a query: none at the beginning.
func (p place) moment() *time.Time {
	if p.at.IsZero() {
		return nil
	}
	return &p.at
}

// bytesOf reads bytes that were kept, of which there are at most so many.
func (s *Store) bytesOf(ctx context.Context, org identity.Org, d blob.Digest, most int64) ([]byte, error) {
	r, err := s.kept.Open(ctx, org, d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(body)) > most {
		err = fault.New(fault.TooLarge, "%s has more than %d bytes", d, most)
	}
	return body, err
}

// newID is a prefix and eight hexadecimal digits. Four billion are few: whoever
// stores one has a unique constraint.
func newID(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%X", prefix, b)
}
