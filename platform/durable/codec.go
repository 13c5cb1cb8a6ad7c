package durable

import (
	"crypto/sha256"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/gavelhq/gavel/platform/fault"
)

const (
	metaEncoding = converter.MetadataEncoding
	metaKey      = "gavel-key"
	metaPlace    = "for" // inside the seal
	sealedForm   = "binary/gavel-aes256gcm"
	markBytes    = 16
)

// A place is the workflow that a payload belongs to: its input, its signals, its
// memo, and what its steps are given and answer. The zero place is none's.
type place struct{ namespace, workflow string }

func placeOf(sc converter.SerializationContext) place {
	switch c := sc.(type) {
	case converter.WorkflowSerializationContext:
		return place{c.Namespace, c.WorkflowID}
	case converter.ActivitySerializationContext:
		return place{c.Namespace, c.WorkflowID}
	}
	return place{}
}

// mark is the place as it is sealed: short, because every payload has one. A
// namespace's name has no NUL.
func (p place) mark() string {
	sum := sha256.Sum256([]byte(p.namespace + "\x00" + p.workflow))
	return string(sum[:markBytes])
}

// A reading says what is opened besides payloads sealed for the place they are
// met at.
type reading uint8

const (
	readBound    reading = iota // nothing
	readOld                     // those that were sealed before payloads were bound
	readAnywhere                // those of any place, for replays of recorded histories
)

// A codec seals what the engine keeps for one place, and opens only what was
// sealed for it. Whoever can write to the engine and has no key can thus neither
// make up a payload nor bring one from another workflow. One sealed for this
// workflow can be said to it again: what must happen once carries a key of its own.
//
// The place stands inside the seal and not beside it, so that a build from before
// payloads were bound, which finishes the cases it began, reads new ones too.
type codec struct {
	keys  Keys
	place place
	reads reading
}

// WithSerializationContext is the codec for another place.
func (c *codec) WithSerializationContext(sc converter.SerializationContext) converter.PayloadCodec {
	return &codec{keys: c.keys, place: placeOf(sc), reads: c.reads}
}

// Encode seals each payload whole, its metadata too, under the first key. The
// key's id is bound to the ciphertext.
func (c *codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if len(c.keys.ring) == 0 {
		return nil, fault.New(fault.Internal, "no payload key is set")
	}
	key := c.keys.ring[0]
	sealed := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		bound := proto.CloneOf(p)
		if bound.Metadata == nil {
			bound.Metadata = map[string][]byte{}
		}
		bound.Metadata[metaPlace] = []byte(c.place.mark())
		plain, err := proto.Marshal(bound)
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

// Decode opens what Encode sealed for this place, and refuses anything else.
func (c *codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	opened := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		inner, err := c.keys.open(p)
		if err != nil {
			return nil, err
		}
		if err := c.admit(inner); err != nil {
			return nil, err
		}
		delete(inner.Metadata, metaPlace)
		opened[i] = inner
	}
	return opened, nil
}

// admit refuses a payload that was not sealed for this place.
func (c *codec) admit(p *commonpb.Payload) error {
	mark, bound := p.GetMetadata()[metaPlace]
	switch {
	case c.reads == readAnywhere, bound && string(mark) == c.place.mark():
		return nil
	case bound:
		return refused("a payload met in workflow %.200q of namespace %.100q was sealed for another", c.place.workflow, c.place.namespace)
	case c.reads == readOld:
		return nil
	}
	return fault.New(fault.Refused,
		"a payload met in workflow %.200q was sealed before payloads were bound to their workflow", c.place.workflow).
		WithNext("let it be read until such workflows have ended: GAVEL_OLD_PAYLOADS=read")
}

// open opens a sealed payload, wherever it belongs.
func (k Keys) open(p *commonpb.Payload) (*commonpb.Payload, error) {
	if form := p.GetMetadata()[metaEncoding]; string(form) != sealedForm {
		return nil, refused("a payload came unsealed, as %.40q", form)
	}
	id := string(p.GetMetadata()[metaKey])
	key := k.find(id)
	if key == nil {
		return nil, fault.New(fault.Internal, "payload sealed under key %.40q, which is not set", id).
			WithNext("put the key back, behind the first: GAVEL_PAYLOAD_KEYS")
	}
	plain, err := key.aead.Open(nil, nil, p.GetData(), []byte(id))
	if err != nil {
		return nil, fmt.Errorf("open payload sealed under key %s: %w", id, err)
	}
	inner := &commonpb.Payload{}
	if err := proto.Unmarshal(plain, inner); err != nil {
		return nil, fmt.Errorf("decode payload: %w", err)
	}
	return inner, nil
}

func refused(format string, args ...any) error {
	return fault.New(fault.Refused, format, args...).
		WithNext("find out who else writes to the engine: docs/runbook/payload-refused.md")
}
