package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Reason is why somebody needs to see what is closed. The log holds its digest, salted: whoever erases the text and the salt
// leaves nothing that could be guessed.
type Reason struct {
	Text   string
	Salt   []byte
	SHA256 string // of the salt and the text, in hex
}

// NewReason takes a reason as a person wrote it. Nobody is shown anything without one.
func NewReason(text string) (Reason, error) {
	if strings.TrimSpace(text) == "" {
		return Reason{}, fault.New(fault.Invalid, "say why you need to see it")
	}
	text, err := checkReason(text)
	if err != nil {
		return Reason{}, err
	}
	r := Reason{Text: text, Salt: make([]byte, 16)}
	_, _ = rand.Read(r.Salt) // documented never to fail
	sum := sha256.Sum256(append(r.Salt[:len(r.Salt):len(r.Salt)], text...))
	r.SHA256 = hex.EncodeToString(sum[:])
	return r, nil
}
