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
	return devToken(key, org, string(role))
}

// SecondDevToken is the token of another person of the same role: some things take
// two.
func SecondDevToken(key []byte, org identity.Org, role identity.Role) (string, error) {
	return devToken(key, org, string(role)+second)
}

// second marks the second person of a role.
const second = "-2"

func devToken(key []byte, org identity.Org, who string) (string, error) {
	if err := checkDevKey(key); err != nil {
		return "", err
	}
	if _, err := identity.ParseOrg(string(org)); err != nil {
		return "", err
	}
	if _, err := identity.ParseRole(strings.TrimSuffix(who, second)); err != nil {
		return "", err
	}
	said := devPrefix + "." + string(org) + "." + who
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
	actor, actorErr := devActor(org, parts[2])
	if orgErr != nil || actorErr != nil {
		return identity.Actor{}, bad
	}
	return actor, nil
}

// devActor is one of the two people of a role: "officer", or "officer-2".
func devActor(org identity.Org, who string) (identity.Actor, error) {
	role, err := identity.ParseRole(strings.TrimSuffix(who, second))
	return identity.Actor{
		Kind: identity.Person,
		ID:   fmt.Sprintf("dev:%s@%s", who, org),
		Name: fmt.Sprintf("Demo %s (%s)", strings.NewReplacer("_", " ", "-", " ").Replace(who), org),
		Org:  org, Roles: []identity.Role{role},
	}, err
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
