package signin

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The cost of trying a number: 19 MiB and about 20 ms, OWASP's least for
// argon2id. Six digits could be tried in hours by who has the database, which is
// longer than a shift.
const (
	pinTime    = 2
	pinMemory  = 19 << 10 // KiB
	pinThreads = 1
	pinSize    = 32
	pinForm    = "argon2id-19456-2-1"
)

// hashPIN is "<form>$<salt>$<hash>". The form names the parameters: others may be
// chosen one day, and these must still be known.
func hashPIN(pin string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // documented never to fail
	return strings.Join([]string{pinForm, encode(salt), encode(stretch(pin, salt))}, "$")
}

func matchesPIN(hash, pin string) bool {
	form, rest, _ := strings.Cut(hash, "$")
	salted, want, _ := strings.Cut(rest, "$")
	salt, saltErr := base64.RawStdEncoding.DecodeString(salted)
	sum, sumErr := base64.RawStdEncoding.DecodeString(want)
	if form != pinForm || saltErr != nil || sumErr != nil || len(pin) > 12 {
		return false
	}
	return subtle.ConstantTimeCompare(stretch(pin, salt), sum) == 1
}

func stretch(pin string, salt []byte) []byte {
	return argon2.IDKey([]byte(pin), salt, pinTime, pinMemory, pinThreads, pinSize)
}

func encode(b []byte) string { return base64.RawStdEncoding.EncodeToString(b) }
