// Package seal keeps personal data out of places that never change, by putting
// it there only sealed, and erases it by destroying the keys.
//
// A log entry, a blob, a transcript or an exported bundle cannot be blanked: its
// hash is what proves it. So whatever in it says something about a person is
// encrypted (AES-256-GCM) under a key that belongs to that person, or to the
// conversation, and an index says which objects hold whose data. Vault.Erase
// destroys every key listed for a subject; the bytes stay, their hashes stay
// true, and nobody can read them.
//
// Read Matter first, which decides the key; then Vault.Seal, Vault.Open and
// Vault.Erase. Tables that people work with hold personal columns in plain;
// the packages that own them register an Eraser, which blanks its rows in the
// same transaction. docs/design/personal-data.md says what erasure reaches and
// what it does not.
package seal

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of keys, holds and erasures. Erasing also needs
// those of package audit.
func Migrations() postgres.MigrationSet { return postgres.Embedded("seal", migrations) }

// A Config says what a vault works with.
type Config struct {
	DB      *postgres.DB
	Blobs   *blob.Store // for SealBlob and OpenBlob; may be nil without them
	Masters Masters
	Now     func() time.Time // the installation's clock
	Erasers []Eraser         // run in this order
	Rules   rules            // who may erase, hold, look and move keys; nil: nobody
}

// rules say who may do what.
type rules interface {
	May(a identity.Actor, act string) error
}

// A Vault seals, opens and erases. It is safe for use by many goroutines and
// holds no data key longer than one call: the database is asked each time, so
// that an erasure is in force everywhere the moment it is committed.
type Vault struct {
	db      *postgres.DB
	blobs   *blob.Store
	masters Masters
	now     func() time.Time
	erasers []Eraser
	rules   rules
}

// New makes a vault.
func New(c Config) (*Vault, error) {
	switch {
	case c.DB == nil || c.Now == nil:
		return nil, fault.New(fault.Internal, "a vault needs a database and a clock")
	case len(c.Masters.ring) == 0:
		return nil, fault.New(fault.Invalid, "no master key is set")
	}
	if err := checkErasers(c.Erasers); err != nil {
		return nil, err
	}
	return &Vault{db: c.DB, blobs: c.Blobs, masters: c.Masters, now: c.Now, erasers: c.Erasers, rules: c.Rules}, nil
}

// may asks policy whether an actor may do an act.
func (v *Vault) may(a identity.Actor, act string) error {
	if v.rules == nil {
		return fault.New(fault.Refused, "nobody may do this: no policies are set up")
	}
	return v.rules.May(a, act)
}

// Seal encrypts plain under the matter's key, which is made at first need, and
// puts it into the index, all in the caller's transaction. The caller keeps the
// envelope in the same transaction, so that a rollback undoes both; what is to
// lie in the blob store goes through SealBlob. A subject who was erased, and a
// conversation that was, is refused: ErrErased.
func (v *Vault) Seal(ctx context.Context, tx pgx.Tx, org identity.Org, m Matter, plain []byte) (Envelope, error) {
	if err := m.check(); err != nil {
		return Envelope{}, err
	}
	if len(plain) > MaxPlain {
		return Envelope{}, fault.New(fault.TooLarge, "at most %d bytes are sealed in one piece, not %d", MaxPlain, len(plain))
	}
	key, raw, err := v.keyFor(ctx, tx, org, m)
	if err != nil {
		return Envelope{}, err
	}
	aead, err := newAEAD(raw)
	clear(raw)
	if err != nil {
		return Envelope{}, fmt.Errorf("use key %s: %w", key, err)
	}
	e := enclose(aead, binding{org, m.Purpose}, key, plain)
	return e, v.index(ctx, tx, org, m, e)
}

// index says that an object holds the subjects' data.
func (v *Vault) index(ctx context.Context, tx pgx.Tx, org identity.Org, m Matter, e Envelope) error {
	const insert = `
		insert into gavel.sealed (org, object, subject, key, purpose, case_id, at)
		select $1, $2, subject, $3, $4, $5, $6 from unnest($7::text[]) subject`
	_, err := tx.Exec(ctx, insert, org, e.Digest(), e.key, m.Purpose, m.Case, v.now(), m.names())
	if err != nil {
		return fmt.Errorf("index sealed object: %w", err)
	}
	return nil
}

// An Opening is one of the things OpenAll opened, or why it did not.
type Opening struct {
	Plain []byte
	Err   error
}

// Open decrypts an envelope of the organisation, as what it was sealed as. One
// whose key is destroyed is ErrErased, and its words say since when. One of
// another organisation is not found.
func (v *Vault) Open(ctx context.Context, tx pgx.Tx, org identity.Org, purpose string, e Envelope) ([]byte, error) {
	opened, err := v.OpenAll(ctx, tx, org, purpose, []Envelope{e})
	if err != nil {
		return nil, err
	}
	return opened[0].Plain, opened[0].Err
}

// OpenAll is Open for many envelopes at the price of one: the keys are read in
// one statement. What cannot be opened does not stop the rest.
func (v *Vault) OpenAll(ctx context.Context, tx pgx.Tx, org identity.Org, purpose string, es []Envelope) ([]Opening, error) {
	ids := map[KeyID]bool{}
	for _, e := range es {
		ids[e.key] = true
	}
	rows, err := readKeys(ctx, tx, org, ids)
	if err != nil {
		return nil, err
	}
	ready := map[KeyID]cipher.AEAD{}
	opened := make([]Opening, len(es))
	for i, e := range es {
		aead, err := v.ready(ready, rows, e.key)
		if err != nil {
			opened[i].Err = err
			continue
		}
		opened[i].Plain, opened[i].Err = disclose(aead, binding{org, purpose}, e)
	}
	return opened, nil
}

// ready unwraps a key once per call.
func (v *Vault) ready(done map[KeyID]cipher.AEAD, rows map[KeyID]keyRow, id KeyID) (cipher.AEAD, error) {
	if aead := done[id]; aead != nil {
		return aead, nil
	}
	row, known := rows[id]
	if !known {
		return nil, fault.New(fault.NotFound, "no key called %.40q is yours", id)
	}
	raw, err := v.unwrap(row)
	if err != nil {
		return nil, err
	}
	aead, err := newAEAD(raw)
	clear(raw)
	if err != nil {
		return nil, fmt.Errorf("use key %s: %w", id, err)
	}
	done[id] = aead
	return aead, nil
}

// newID is a prefix and a ULID of the time.
func newID(prefix string, at time.Time) string {
	return prefix + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String()
}
