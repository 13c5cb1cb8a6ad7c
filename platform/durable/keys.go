package durable

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Keys encrypt what the engine stores: payloads carry ids and digests only, so
// this is a second wall. The first key encrypts; all of them decrypt. To
// rotate, put a new key first and keep the old ones until no history needs
// them.
type Keys struct {
	ring []payloadKey
}

type payloadKey struct {
	id   string
	aead cipher.AEAD
}

const (
	maxKeys       = 16
	keyBytes      = 32
	keyIDExpected = "1 to 32 of a-z, 0-9 and -"
)

var keyID = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// ParseKeys reads "id:base64,id:base64", the key that encrypts first. An error
// never quotes a key.
func ParseKeys(s string) (Keys, error) {
	var k Keys
	parts := strings.Split(s, ",")
	if len(parts) > maxKeys {
		return Keys{}, fault.New(fault.Invalid, "payload keys: at most %d", maxKeys)
	}
	for i, part := range parts {
		id, text, found := strings.Cut(strings.TrimSpace(part), ":")
		if !found || !keyID.MatchString(id) {
			return Keys{}, fault.New(fault.Invalid, "payload key %d: want id:base64, the id %s", i+1, keyIDExpected)
		}
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != keyBytes {
			return Keys{}, fault.New(fault.Invalid, "payload key %s: want the base64 of %d bytes", id, keyBytes)
		}
		if k.find(id) != nil {
			return Keys{}, fault.New(fault.Invalid, "payload key %s is there twice", id)
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return Keys{}, fmt.Errorf("payload key %s: %w", id, err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return Keys{}, fmt.Errorf("payload key %s: %w", id, err)
		}
		k.ring = append(k.ring, payloadKey{id, aead})
	}
	return k, nil
}

// NewKey makes a random key in the form ParseKeys reads.
func NewKey(id string) string {
	raw := make([]byte, keyBytes)
	_, _ = rand.Read(raw) // never fails
	return id + ":" + base64.StdEncoding.EncodeToString(raw)
}

func (k Keys) find(id string) *payloadKey {
	for i := range k.ring {
		if k.ring[i].id == id {
			return &k.ring[i]
		}
	}
	return nil
}
