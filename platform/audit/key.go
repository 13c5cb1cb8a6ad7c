package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Verifier is the public half of a key, as package note writes it:
// "<origin>+<hash>+<base64>". It is what a stranger needs.
type Verifier string

// A signingKey is the secret half with the public one.
type signingKey struct {
	note.Signer
	public Verifier
}

// String keeps the secret out of logs.
func (k signingKey) String() string { return string(k.public) }

var originForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,100}(/[a-z0-9][a-z0-9._-]{0,60}){0,4}$`)

// NewKey makes a key for a log. The origin names the log for ever, usually the
// host it belongs to and a path ("gavel.example.org/log"). secret goes into the
// settings, public to everyone.
func NewKey(origin string) (secret string, public Verifier, err error) {
	if !originForm.MatchString(origin) {
		return "", "", fault.New(fault.Invalid, "a log's origin looks like gavel.example.org/log, not %.60q", origin)
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, origin)
	if err != nil {
		return "", "", fmt.Errorf("make key: %w", err)
	}
	return skey, Verifier(vkey), nil
}

// parseSigner reads a secret key. Its errors do not quote it.
func parseSigner(secret string) (signingKey, error) {
	bad := fault.New(fault.Invalid, "the log's signing key is malformed").WithNext("make one: gavel audit key new")
	s, err := note.NewSigner(strings.TrimSpace(secret))
	if err != nil || !originForm.MatchString(s.Name()) {
		return signingKey{}, bad
	}
	v, err := publicHalf(secret)
	if err != nil {
		return signingKey{}, bad
	}
	return signingKey{Signer: s, public: v}, nil
}

// publicHalf derives the public key from a secret that package note has accepted.
func publicHalf(secret string) (Verifier, error) {
	parts := strings.SplitN(strings.TrimSpace(secret), "+", 5) // PRIVATE, KEY, name, hash, key
	key, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(key) != 1+ed25519.SeedSize {
		return "", fault.New(fault.Invalid, "not an Ed25519 key")
	}
	public, _ := ed25519.NewKeyFromSeed(key[1:]).Public().(ed25519.PublicKey)
	v, err := note.NewEd25519VerifierKey(parts[2], public)
	return Verifier(v), err
}

// A term is the time for which one key was in force: it signs the checkpoints
// that are larger than From, up to the next term's. Entry number From is the
// record that says so.
type term struct {
	From   int64
	Key    Verifier
	Record RecordID
}

func readTerms(ctx context.Context, q querier) ([]term, error) {
	const all = `select from_size, verifier, record_id from gavel_sys.log_key order by from_size`
	rows, _ := q.Query(ctx, all)
	terms, err := pgx.CollectRows(rows, pgx.RowToStructByPos[term])
	if err != nil {
		return nil, fmt.Errorf("read the log's keys: %w", err)
	}
	return terms, nil
}

// Keys are the verifiers of a log, each with the sizes it vouches for.
type Keys struct{ terms []term }

// ReadKeys reads the keys that the log itself names. Someone who does not trust
// the database compares them with the key they were given.
func ReadKeys(ctx context.Context, q querier) (Keys, error) {
	terms, err := readTerms(ctx, q)
	return Keys{terms}, err
}

// At is the key in force for a checkpoint of a size; empty where there is none.
func (k Keys) At(size int64) Verifier {
	var key Verifier
	for _, t := range k.terms {
		if t.From < size {
			key = t.Key
		}
	}
	return key
}

// Newest is the key in force now; empty for a log without entries.
func (k Keys) Newest() Verifier {
	if len(k.terms) == 0 {
		return ""
	}
	return k.terms[len(k.terms)-1].Key
}

// A keyChange is the body of a record of kind LogKey.
type keyChange struct {
	Key      Verifier `json:"key"`
	Previous Verifier `json:"previous,omitempty"`
	Vouched  bool     `json:"vouched"`            // the previous key signed the first checkpoint of the new one, too
	Accepted RecordID `json:"accepted,omitempty"` // where it did not: the operator's word
}

// wellFormed reports whether a key can verify at all.
func wellFormed(key Verifier) bool {
	_, err := note.NewVerifier(string(key))
	return err == nil
}

// PublicOf is the public half of a secret key: what a stranger is given.
func PublicOf(secret string) (Verifier, error) {
	k, err := parseSigner(secret)
	return k.public, err
}
