// Package evidence keeps what a case rests on: snapshots of bytes as they were
// received, the evidence people put on a case, and the facts read and computed
// from it.
//
// Nothing here changes once it is written. Read Store.Take, which receives
// bytes; Store.Put, which lays them on a case; Store.Record and Store.Derive,
// which enter facts under the numbering rules of fact.Book; and Store.Check,
// which says whether a fact still follows from its bytes or its inputs. A fact
// that was read is checked against the bytes before it is let in.
//
// The subpackages only compute: selector finds a value in bytes, reperform does
// all facts of a case again, also from a bundle and without this package.
// docs/design/facts.md has the reasons.
package evidence

import (
	"context"
	"embed"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of snapshots, evidence and facts. They build on
// those of casefile; using them also needs those of audit and, for personal
// data, seal.
func Migrations() postgres.MigrationSet { return postgres.Embedded("evidence", migrations) }

// A Config says what a store works with.
type Config struct {
	DB      *postgres.DB
	Blobs   *blob.Store
	Clock   durable.Clock
	Rules   rules       // which people may add to a case; nil: none
	Vault   *seal.Vault // for sources with personal data; without it they are refused
	Sources []Source    // those of the applications; Given is always there
	Code    string      // names the program that computes, for every computed fact: a version
}

// rules say who may do what.
type rules interface {
	May(a identity.Actor, act string) error
}

// A Store keeps evidence. It is safe for use by many goroutines.
type Store struct {
	db      *postgres.DB
	blobs   *blob.Store
	clock   durable.Clock
	rules   rules
	vault   *seal.Vault
	sources map[string]Source
	order   []string // of the sources, as they were given
	code    string
}

// New makes a store.
func New(c Config) (*Store, error) {
	if c.DB == nil || c.Blobs == nil {
		return nil, fault.New(fault.Internal, "keeping evidence needs a database and a blob store")
	}
	if c.Code == "" || len(c.Code) > 100 {
		return nil, fault.New(fault.Internal, "keeping evidence needs the name of the program that computes, up to 100 characters")
	}
	s := &Store{db: c.DB, blobs: c.Blobs, clock: c.Clock, rules: c.Rules, vault: c.Vault, sources: map[string]Source{}, code: c.Code}
	for _, src := range append([]Source{Given()}, c.Sources...) {
		if err := src.check(); err != nil {
			return nil, err
		}
		if _, twice := s.sources[src.Name]; twice {
			return nil, fault.New(fault.Internal, "two sources are called %s", src.Name)
		}
		if src.Personal && c.Vault == nil {
			return nil, fault.New(fault.Internal, "source %s has personal data, and there is no vault to seal it", src.Name)
		}
		s.sources[src.Name] = src
		s.order = append(s.order, src.Name)
	}
	return s, nil
}

// mayKeep refuses actors who may not add to the record. What an agent or a
// program may do was asked of the policy before it came here; a person is asked
// about here too, because pages call this without a policy.
func (s *Store) mayKeep(a identity.Actor) error {
	if a.Kind != identity.Person && a.Known() {
		return nil
	}
	if s.rules == nil {
		return fault.New(fault.Refused, "nobody may do this: no policies are set up")
	}
	return s.rules.May(a, "evidence.add")
}

// openCase locks an open case for a writer, so that numbers are given one after
// another. Readers, and rows that refer to the case, do not wait.
func openCase(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (waitingFor string, err error) {
	const lock = `select ref, state, waiting_for from gavel.case where id = $1 for no key update`
	var ref string
	var state casefile.State
	err = tx.QueryRow(ctx, lock, id).Scan(&ref, &state, &waitingFor)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", fault.New(fault.NotFound, "no case is called %.60q", id)
	case err != nil:
		return "", err
	case state == casefile.Closed:
		return "", fault.New(fault.Conflict, "case %s is closed; nothing more can be added", ref)
	}
	return waitingFor, nil
}

// checkText refuses text that is too long or cannot be stored. most counts
// characters.
func checkText(what, s string, most int) (string, error) {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n > most {
		return "", fault.New(fault.TooLarge, "%s has %d characters; the most is %d", what, n, most)
	}
	if !storable(s) {
		return "", fault.New(fault.Invalid, "%s holds a character that cannot be stored", what)
	}
	return s, nil
}

func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
