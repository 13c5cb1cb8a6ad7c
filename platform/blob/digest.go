package blob

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Digest is the SHA-256 of some bytes and so their address. Its written form
// is 64 lower-case hex digits everywhere: JSON, SQL, addresses and file names.
// The zero Digest means "none"; no known bytes have it.
type Digest [sha256.Size]byte

// Sum is the digest of data.
func Sum(data []byte) Digest { return sha256.Sum256(data) }

// Parse reads a digest's written form and accepts no other: one digest has one
// spelling, so that it can be compared as text.
func Parse(s string) (Digest, error) {
	var d Digest
	if len(s) != hex.EncodedLen(len(d)) {
		return Digest{}, fault.New(fault.Invalid, "a digest has 64 hex digits, not %d characters", len(s))
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil || d.String() != s {
		return Digest{}, fault.New(fault.Invalid, "a digest is written in lower-case hex digits only")
	}
	return d, nil
}

// String is the written form: 64 lower-case hex digits, safe in a URL.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d is no digest at all.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText is the written form, so that JSON carries it as a string.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is Parse.
func (d *Digest) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Value stores the written form in a text column.
func (d Digest) Value() (driver.Value, error) { return d.String(), nil }

// Scan reads the written form from a text column. NULL is refused: scan into a
// *Digest where a column may hold none.
func (d *Digest) Scan(src any) error {
	switch text := src.(type) {
	case string:
		return d.UnmarshalText([]byte(text))
	case []byte:
		return d.UnmarshalText(text)
	default:
		return fault.New(fault.Invalid, "a digest is read from text, not from %T", src)
	}
}

// key is where a blob lies in its backend. Two levels of folders keep each
// below a few thousand entries at a hundred million blobs.
func (d Digest) key() string {
	hex := d.String()
	return "blobs/" + hex[:2] + "/" + hex[2:4] + "/" + hex
}
