package durable

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

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
	metaEncoding  = converter.MetadataEncoding
	metaKey       = "gavel-key"
	sealedForm    = "binary/gavel-aes256gcm"
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

// Encode seals each payload whole, its metadata too, under the first key. The
// key's id is bound to the ciphertext.
func (k Keys) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if len(k.ring) == 0 {
		return nil, fault.New(fault.Internal, "no payload key is set")
	}
	key := k.ring[0]
	sealed := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("encode payload: %w", err)
		}
		sealed[i] = &commonpb.Payload{
			Metadata: map[string][]byte{metaEncoding: []byte(sealedForm), metaKey: []byte(key.id)},
			Data:     key.aead.Seal(nil, nil, plain, []byte(key.id)),
		}
	}
	return sealed, nil
}

// Decode opens what Encode sealed and passes anything else through.
func (k Keys) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	opened := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[metaEncoding]) != sealedForm {
			opened[i] = p
			continue
		}
		id := string(p.GetMetadata()[metaKey])
		key := k.find(id)
		if key == nil {
			return nil, fault.New(fault.Internal, "payload sealed under key %.40q, which is not set", id)
		}
		plain, err := key.aead.Open(nil, nil, p.GetData(), []byte(id))
		if err != nil {
			return nil, fmt.Errorf("open payload sealed under key %s: %w", id, err)
		}
		opened[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, opened[i]); err != nil {
			return nil, fmt.Errorf("decode payload: %w", err)
		}
	}
	return opened, nil
}

// Converter is what clients, workers and replays of this installation use.
func (k Keys) Converter() converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), k)
}
