package signin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const (
	devPrefix  = "gvdev"
	devKeySize = 32  // bytes, as HMAC-SHA256 likes them
	maxToken   = 200 // characters; an organisation and a role have at most 40 each
)

// DevToken makes the development token of a role in an organisation. Whoever
// holds the key can make one for anybody, which is why production has no key.
func DevToken(key []byte, org identity.Org, role identity.Role) (string, error) {
	if err := checkDevKey(key); err != nil {
		return "", err
	}
	if _, err := identity.ParseOrg(string(org)); err != nil {
		return "", err
	}
	if _, err := identity.ParseRole(string(role)); err != nil {
		return "", err
	}
	said := devPrefix + "." + string(org) + "." + string(role)
	return said + "." + base64.RawURLEncoding.EncodeToString(mac(key, said)), nil
}

// readDevToken is the actor a token proves. Tokens are compared in constant
// time; what is wrong with a bad one is not said.
func readDevToken(key []byte, token string) (identity.Actor, error) {
	bad := badToken
	if len(token) > maxToken {
		return identity.Actor{}, bad
	}
	said, sum, ok := cutLast(token, ".")
	if !ok {
		return identity.Actor{}, bad
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(sum)
	if err != nil || !hmac.Equal(got, mac(key, said)) {
		return identity.Actor{}, bad
	}
	parts := strings.Split(said, ".")
	if len(parts) != 3 || parts[0] != devPrefix {
		return identity.Actor{}, bad
	}
	org, orgErr := identity.ParseOrg(parts[1])
	role, roleErr := identity.ParseRole(parts[2])
	if orgErr != nil || roleErr != nil {
		return identity.Actor{}, bad
	}
	return devActor(org, role), nil
}

func devActor(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{
		Kind: identity.Person,
		ID:   fmt.Sprintf("dev:%s@%s", role, org),
		Name: fmt.Sprintf("Demo %s (%s)", strings.ReplaceAll(string(role), "_", " "), org),
		Org:  org, Roles: []identity.Role{role},
	}
}

func checkDevKey(key []byte) error {
	if len(key) != devKeySize {
		return fault.New(fault.Invalid, "the development token key has %d bytes; it needs %d", len(key), devKeySize)
	}
	return nil
}

func mac(key []byte, said string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(said))
	return h.Sum(nil)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// badToken is all that is ever said about a token that does not count.
var badToken = fault.New(fault.SignIn, "this token is not valid here").WithNext("use a token of this server, or sign in again")
