package seal

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"regexp"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A KeyID is "key_" and a ULID. It names a data key and is no secret.
type KeyID string

var keyForm = regexp.MustCompile(`^key_[0-9A-HJKMNP-TV-Z]{26}$`)

// ErrTampered says that sealed bytes do not open under their key: they were
// changed, or were sealed as something else or for another organisation. Trying
// again will not help.
var ErrTampered = errors.New("sealed bytes are not what was sealed here")

// An Envelope is sealed content, safe to keep in a place that never changes:
//
//	"GVSL"  version 1  key id (30 bytes)  nonce (12 bytes)  ciphertext and tag
//
// The ciphertext holds the plaintext's SHA-256, its length, the plaintext, and
// zeros up to a multiple of 64, so that yes cannot be told from no by length
// once the key is gone. Organisation, key and purpose are bound to it.
type Envelope struct {
	raw []byte
	key KeyID
	sum blob.Digest // of raw; zero where nobody asked yet
}

// Part is how a record shows sealed content: the SHA-256 of the envelope's bytes
// and the key that opens it for as long as that key exists.
type Part = audit.Sealed

const (
	magic     = "GVSL\x01"
	keyIDLen  = len("key_") + 26
	headerLen = len(magic) + keyIDLen
	nonceLen  = 12
	tagLen    = 16
	innerLen  = sha256.Size + 4 // what stands before the plaintext
	padTo     = 64

	// MaxPlain is the most that is sealed in one piece, 32 MiB: it is held in
	// memory, since half a document that may be forged is of no use.
	MaxPlain    = 32 << 20
	maxEnvelope = headerLen + nonceLen + (innerLen+MaxPlain+padTo-1)/padTo*padTo + tagLen
)

// ParseEnvelope reads an envelope's bytes, which it keeps. It checks the form;
// whether the content is genuine is found out by opening it.
func ParseEnvelope(raw []byte) (Envelope, error) {
	switch {
	case len(raw) > maxEnvelope:
		return Envelope{}, fault.New(fault.TooLarge, "an envelope has at most %d bytes, not %d", maxEnvelope, len(raw))
	case len(raw) < headerLen+nonceLen+innerLen+tagLen || !bytes.HasPrefix(raw, []byte(magic)):
		return Envelope{}, fault.New(fault.Invalid, "these bytes are not sealed in a form we know")
	}
	key := string(raw[len(magic):headerLen])
	if !keyForm.MatchString(key) {
		return Envelope{}, fault.New(fault.Invalid, "these bytes do not say which key sealed them")
	}
	return Envelope{raw: raw, key: KeyID(key)}, nil
}

// Bytes is the envelope as it is kept. The caller must not change it.
func (e Envelope) Bytes() []byte { return e.raw }

// Key is the key that opens the envelope.
func (e Envelope) Key() KeyID { return e.key }

// Digest is the SHA-256 of the envelope's bytes: its address as a blob, and the
// object in the index.
func (e Envelope) Digest() blob.Digest {
	if e.sum == (blob.Digest{}) {
		return blob.Sum(e.raw)
	}
	return e.sum
}

// Part is the envelope as a record shows it.
func (e Envelope) Part() Part { return Part{Ciphertext: e.Digest(), Key: string(e.key)} }

// String is the part, for logs: an envelope is not secret, but it is long.
func (e Envelope) String() string {
	if e.key == "" {
		return "no envelope"
	}
	return "envelope " + e.Digest().String() + " under " + string(e.key)
}

// A binding is what an envelope is bound to beside its key.
type binding struct {
	org     identity.Org
	purpose string
}

func (b binding) with(key KeyID) []byte {
	return []byte(magic + string(b.org) + "\n" + string(key) + "\n" + b.purpose)
}

// enclose seals a plaintext of at most MaxPlain bytes.
func enclose(aead cipher.AEAD, b binding, key KeyID, plain []byte) Envelope {
	sum := sha256.Sum256(plain)
	inner := make([]byte, 0, (innerLen+len(plain)+padTo-1)/padTo*padTo)
	inner = append(inner, sum[:]...)
	inner = binary.BigEndian.AppendUint32(inner, uint32(len(plain)))
	inner = append(inner, plain...)
	inner = inner[:cap(inner)] // the rest is zeros

	raw := make([]byte, 0, headerLen+nonceLen+len(inner)+tagLen)
	raw = append(raw, magic...)
	raw = append(raw, key...)
	raw = aead.Seal(raw, nil, inner, b.with(key)) //nolint:gosec // the cipher draws its own nonce
	clear(inner)
	return Envelope{raw: raw, key: key, sum: blob.Sum(raw)}
}

// disclose opens an envelope, or says ErrTampered.
func disclose(aead cipher.AEAD, b binding, e Envelope) ([]byte, error) {
	forged := func() error {
		return fault.From(fault.Internal, ErrTampered, "%s does not open as %s of %s", e, b.purpose, b.org)
	}
	inner, err := aead.Open(nil, nil, e.raw[headerLen:], b.with(e.key))
	if err != nil || len(inner) < innerLen {
		return nil, forged()
	}
	size := int(binary.BigEndian.Uint32(inner[sha256.Size:]))
	if size > len(inner)-innerLen {
		return nil, forged()
	}
	plain := inner[innerLen : innerLen+size]
	if sha256.Sum256(plain) != [sha256.Size]byte(inner[:sha256.Size]) {
		return nil, forged()
	}
	return plain[:size:size], nil
}
