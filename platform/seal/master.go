package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Masters are the keys under which data keys are wrapped. They come from the
// installation's settings and never lie in the database: who has only the
// database, or only a backup of it, opens nothing. The first wraps; all unwrap.
//
// To rotate, put a new one first on every server, run Vault.Rewrap, and remove
// the old one once Usage shows that nothing is wrapped under it. Destroying the
// old one then also ends what copies of the database could still open:
// docs/design/personal-data.md.
type Masters struct{ ring []master }

type master struct {
	id   string
	aead cipher.AEAD
}

const (
	keyBytes   = 32
	maxMasters = 16
)

var masterForm = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// ParseMasters reads "id:base64,id:base64", the one that wraps first. An error
// never quotes a key.
func ParseMasters(s string) (Masters, error) {
	var m Masters
	parts := strings.Split(s, ",")
	if len(parts) > maxMasters {
		return Masters{}, fault.New(fault.Invalid, "master keys: at most %d", maxMasters)
	}
	for i, part := range parts {
		id, text, found := strings.Cut(strings.TrimSpace(part), ":")
		if !found || !masterForm.MatchString(id) {
			return Masters{}, fault.New(fault.Invalid, "master key %d: want id:base64, the id 1 to 32 of a-z, 0-9 and -", i+1)
		}
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != keyBytes {
			return Masters{}, fault.New(fault.Invalid, "master key %s: want the base64 of %d bytes", id, keyBytes)
		}
		if m.find(id) != nil {
			return Masters{}, fault.New(fault.Invalid, "master key %s is there twice", id)
		}
		aead, err := newAEAD(raw)
		clear(raw)
		if err != nil {
			return Masters{}, fmt.Errorf("master key %s: %w", id, err)
		}
		m.ring = append(m.ring, master{id, aead})
	}
	return m, nil
}

// NewMaster makes a random master key in the form ParseMasters reads.
func NewMaster(id string) string {
	return id + ":" + base64.StdEncoding.EncodeToString(randomKey())
}

func randomKey() []byte {
	raw := make([]byte, keyBytes)
	_, _ = rand.Read(raw) // documented never to fail
	return raw
}

// newAEAD is AES-256-GCM that makes its own random nonce and puts it first. A
// key may seal 2^32 things before two nonces are likely to meet; no subject and
// no conversation has that many.
func newAEAD(raw []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (m Masters) find(id string) *master {
	for i := range m.ring {
		if m.ring[i].id == id {
			return &m.ring[i]
		}
	}
	return nil
}

// String is the ids, the one that wraps first. No form of printing shows a key.
func (m Masters) String() string {
	ids := make([]string, len(m.ring))
	for i := range m.ring {
		ids[i] = m.ring[i].id
	}
	return "master keys [" + strings.Join(ids, " ") + "]"
}

// GoString is String: also %#v shows ids only.
func (m Masters) GoString() string { return m.String() }

// LogValue is String.
func (m Masters) LogValue() slog.Value { return slog.StringValue(m.String()) }

// A wrapping is a data key as the database holds it, with what it is bound to: a
// wrapped key moved to another organisation, owner or row does not unwrap.
type wrapping struct {
	org     identity.Org
	key     KeyID
	owner   string
	master  string
	wrapped []byte
}

func (w wrapping) bound() []byte {
	return []byte("gavel data key 1\n" + string(w.org) + "\n" + string(w.key) + "\n" + w.owner + "\n" + w.master)
}

// wrap encrypts a data key under the first master key.
func (m Masters) wrap(w wrapping, raw []byte) wrapping {
	w.master = m.ring[0].id
	w.wrapped = m.ring[0].aead.Seal(nil, nil, raw, w.bound()) //nolint:gosec // the cipher draws its own nonce
	return w
}

// unwrap decrypts a data key. The caller clears it after use.
func (m Masters) unwrap(w wrapping) ([]byte, error) {
	by := m.find(w.master)
	if by == nil {
		return nil, fault.New(fault.Unavailable, "key %s needs the master key %s, which is not set", w.key, w.master).
			WithNext("add it to the settings, after the one that wraps")
	}
	raw, err := by.aead.Open(nil, nil, w.wrapped, w.bound())
	if err != nil || len(raw) != keyBytes {
		return nil, fault.From(fault.Internal, ErrTampered, "key %s does not unwrap under the master key %s", w.key, w.master)
	}
	return raw, nil
}
