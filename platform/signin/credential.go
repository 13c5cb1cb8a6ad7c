package signin

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/identity"
)

// Credentials begin with what they are, so that one that leaked is recognised,
// and then name the organisation they are for. That is no permission: it says
// behind which wall the row is to be looked for, so that no look-up ever has to
// see past one.
const (
	sessionPrefix = "gvs_" // a terminal's session; a browser has it in a cookie, without the prefix
	machinePrefix = "gvt_" // gvt_<organisation>.<id>_<secret>
	devicePrefix  = "gvk_" // gvk_<organisation>.<secret>
)

// The kinds of secret. Each is digested with its kind, so that one is never
// taken for another.
const (
	sessionSecret = "session"
	machineSecret = "machine"
	deviceSecret  = "device"
	pairingCode   = "pairing"
	terminalCode  = "terminal"
)

// secretLength is the length of 256 bits in base64.
const secretLength = 43

func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// digest is how a secret is kept. It need not be slow: nobody can try 256 bits,
// and codes live for ten minutes.
func digest(kind, secret string) []byte {
	sum := sha256.Sum256([]byte("gavel " + kind + "\x00" + secret))
	return sum[:]
}

// A credential is a secret and the organisation it is said to be for.
type credential struct {
	org    identity.Org
	id     string // of a machine's token
	secret string
}

func (c credential) String() string { return string(c.org) + "." + c.secret }

// parseCredential reads "<organisation>.<secret>".
func parseCredential(text string) (c credential, ok bool) {
	if len(text) > maxToken {
		return c, false
	}
	org, secret, found := strings.Cut(text, ".")
	parsed, err := identity.ParseOrg(org)
	if !found || err != nil || len(secret) != secretLength {
		return c, false
	}
	return credential{org: parsed, secret: secret}, true
}

// parseMachine reads "<organisation>.<id>_<secret>".
func parseMachine(text string) (c credential, ok bool) {
	if len(text) > maxToken {
		return c, false
	}
	org, rest, found := strings.Cut(text, ".")
	id, secret, second := strings.Cut(rest, "_")
	parsed, err := identity.ParseOrg(org)
	if !found || !second || err != nil || len(id) != ulid.EncodedSize || len(secret) != secretLength {
		return c, false
	}
	return credential{org: parsed, id: "tok_" + id, secret: secret}, true
}

// newID makes an id that sorts by its time.
func newID(prefix string, at time.Time) string {
	return prefix + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String()
}

// codeLetters are those of Crockford's alphabet: none is taken for another when
// it is read aloud or copied by hand.
const codeLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const codeLength = 8 // 40 bits, for ten minutes, once

func newCode() string {
	var b [codeLength]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	for i := range b {
		b[i] = codeLetters[b[i]%32] // 256 is a multiple of 32: every letter is as likely
	}
	return string(b[:])
}

// shownCode is a code as people read it: two groups of four.
func shownCode(code string) string { return code[:codeLength/2] + "-" + code[codeLength/2:] }

// typedCode undoes what hands and eyes do to a code: case, spaces, dashes, and
// the letters the alphabet leaves out.
func typedCode(text string) (string, bool) {
	if len(text) > maxToken {
		return "", false
	}
	clean := strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(text))
	if len(clean) != codeLength || strings.Trim(clean, codeLetters) != "" {
		return "", false
	}
	return clean, true
}

// typedPairing reads a pairing's code, which names its organisation first:
// "north-7KQM-3XPD". An organisation's name may have dashes of its own.
func typedPairing(text string) (org identity.Org, code string, ok bool) {
	parts := strings.Split(strings.TrimSpace(text), "-")
	if len(text) > maxToken || len(parts) < 3 {
		return "", "", false
	}
	n := len(parts) - 2
	org, err := identity.ParseOrg(strings.ToLower(strings.Join(parts[:n], "-")))
	code, ok = typedCode(parts[n] + parts[n+1])
	return org, code, ok && err == nil
}
