package durable

import (
	"encoding/base64"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// SealText seals a short text that leaves the installation and comes back, under
// the first key: "<key id>.<base64>". The purpose is bound to it, so that what
// was sealed for one thing cannot be brought back as another. It is no place for
// what must stay readable: a key that is gone takes it along.
func (k Keys) SealText(purpose, plain string) (string, error) {
	if len(k.ring) == 0 {
		return "", fault.New(fault.Internal, "no payload key is set")
	}
	key := k.ring[0]
	sealed := key.aead.Seal(nil, nil, []byte(plain), textBinding(purpose, key.id)) //nolint:gosec // the cipher makes its own nonce
	return key.id + "." + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// OpenText opens what SealText sealed for the same purpose. Anything else is
// Invalid, and the error does not say what is wrong with it.
func (k Keys) OpenText(purpose, sealed string) (string, error) {
	bad := fault.New(fault.Invalid, "this was not sealed here, or not for this")
	id, text, ok := strings.Cut(sealed, ".")
	key := k.find(id)
	if !ok || key == nil {
		return "", bad
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return "", bad
	}
	plain, err := key.aead.Open(nil, nil, raw, textBinding(purpose, id))
	if err != nil {
		return "", bad
	}
	return string(plain), nil
}

// textBinding is what a sealed text is bound to. A payload is bound to the bare
// id of its key, which has no slash: neither can stand in for the other.
func textBinding(purpose, id string) []byte { return []byte("text/" + purpose + "/" + id) }
