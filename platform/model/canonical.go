package model

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// Canonical is the message as RFC 8785 JSON: one message has one text, whoever
// writes it. It refuses what two readers could read differently.
func (m Message) Canonical() ([]byte, error) {
	if err := m.readable(); err != nil {
		return nil, err
	}
	return canonical(m, "message")
}

// Text is all text of the message.
func (m Message) Text() string {
	var out strings.Builder
	for _, p := range m.Parts {
		out.WriteString(p.Text)
	}
	return out.String()
}

// Digest is the SHA-256 of the message's canonical JSON.
func (m Message) Digest() (blob.Digest, error) { return digest(m.Canonical()) }

// Canonical is the request as RFC 8785 JSON. Agent and Stream are no part of
// it: they change nothing about what the model is told.
func (r Request) Canonical() ([]byte, error) {
	if !utf8.ValidString(r.System) {
		return nil, fault.New(fault.Invalid, "the system's words are not UTF-8")
	}
	for i, m := range r.Messages {
		if err := m.readable(); err != nil {
			return nil, fault.New(fault.Invalid, "message %d: %v", i+1, err)
		}
	}
	if s := r.Params.Seed; s != nil && (*s > maxExact || *s < -maxExact) {
		return nil, fault.New(fault.Invalid, "the seed %d is beyond 2^53, where JSON's readers differ", *s)
	}
	return canonical(r, "request")
}

// Digest is the SHA-256 of the request's canonical JSON.
func (r Request) Digest() (blob.Digest, error) { return digest(r.Canonical()) }

// Canonical is the response as RFC 8785 JSON.
func (r Response) Canonical() ([]byte, error) {
	if err := r.Message.readable(); err != nil {
		return nil, err
	}
	return canonical(r, "response")
}

// Digest is the SHA-256 of the response's canonical JSON.
func (r Response) Digest() (blob.Digest, error) { return digest(r.Canonical()) }

// maxExact is the largest whole number that every reader of JSON reads alike.
const maxExact = 1<<53 - 1

// readable refuses text that is not UTF-8: JSON would hold a replacement sign
// in its place, and two different messages would have one digest.
func (m Message) readable() error {
	ok := utf8.ValidString(string(m.Role)) && utf8.ValidString(m.CallID)
	for _, p := range m.Parts {
		ok = ok && utf8.ValidString(p.Text) && (p.Image == nil || utf8.ValidString(p.Image.ContentType))
	}
	for _, c := range m.Calls {
		ok = ok && utf8.ValidString(c.ID) && utf8.ValidString(c.Name) && utf8.ValidString(c.Args)
	}
	if !ok {
		return fault.New(fault.Invalid, "a message holds text that is not UTF-8")
	}
	return nil
}

func canonical(v any, what string) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fault.New(fault.Invalid, "a %s is not JSON: %w", what, err)
	}
	text, err := jcs.Transform(plain)
	if err != nil {
		return nil, fault.New(fault.Invalid, "a %s is not JSON that others can read: %w", what, err)
	}
	return text, nil
}

func digest(text []byte, err error) (blob.Digest, error) {
	if err != nil {
		return blob.Digest{}, err
	}
	return blob.Sum(text), nil
}
