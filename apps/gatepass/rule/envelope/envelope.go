// Package envelope is how something short is signed so that who only has a public key can check it, with no network:
// KIND.payload.signature, the last two in base64url. The kind is signed with the payload, so that what was signed as one thing
// cannot be shown as another. There is exactly one text for a payload and a key.
package envelope

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Kind says what is in an envelope, and in which version of its form: "GP1".
type Kind string

var encoding = base64.RawURLEncoding.Strict()

// Seal signs a payload.
func Seal(kind Kind, payload []byte, key ed25519.PrivateKey) string {
	signed := string(kind) + "." + encoding.EncodeToString(payload)
	return signed + "." + encoding.EncodeToString(ed25519.Sign(key, []byte(signed)))
}

// A Sealed is an envelope that was read. Nothing in it is to be believed before SignedBy has said so.
type Sealed struct {
	Payload   []byte
	signed    string
	signature []byte
}

// Looks reports whether a text begins like an envelope of a kind.
func Looks(kind Kind, text string) bool { return strings.HasPrefix(text, string(kind)+".") }

// Open reads an envelope of a kind whose payload has at most so many bytes. It does not look at who signed it.
func Open(kind Kind, text string, most int) (Sealed, error) {
	rest, ok := strings.CutPrefix(text, string(kind)+".")
	if !ok || len(text) > len(kind)+2+encoding.EncodedLen(most)+encoding.EncodedLen(ed25519.SignatureSize) {
		return Sealed{}, malformed(kind)
	}
	body, tail, ok := strings.Cut(rest, ".")
	if !ok || strings.ContainsAny(rest, "\r\n") { // the decoder skips line ends
		return Sealed{}, malformed(kind)
	}
	payload, err := encoding.DecodeString(body)
	if err != nil || len(payload) == 0 || len(payload) > most {
		return Sealed{}, malformed(kind)
	}
	signature, err := encoding.DecodeString(tail)
	if err != nil || len(signature) != ed25519.SignatureSize {
		return Sealed{}, malformed(kind)
	}
	return Sealed{Payload: payload, signed: string(kind) + "." + body, signature: signature}, nil
}

func malformed(kind Kind) error {
	return fault.New(fault.Invalid, "this is not a whole %s code", kind).On("code", "malformed", "")
}

// SignedBy reports whether the holder of a key signed exactly this.
func (s Sealed) SignedBy(key ed25519.PublicKey) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, []byte(s.signed), s.signature)
}
