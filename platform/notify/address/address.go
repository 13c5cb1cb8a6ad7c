// Package address makes and reads the two names by which a mail finds its case
// again: the address a reply goes to, and the id of the message it replies to.
//
// Both are made before a mail leaves. A reply address carries a token that only
// we can make, so that whoever guesses a case's reference cannot write into it;
// a message id carries enough chance that it cannot be guessed at all. Everything
// here is values in, values out: Book.Reply and Book.Verify first, then
// NewMessageID.
package address

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"net"
	"regexp"
	"strings"
)

// Bounds. A local part has at most 64 octets (RFC 5321, 4.5.3.1.1): "case+", a
// reference, a dot and the token stay within it.
const (
	maxAddress = 320
	macLen     = 10 // 50 bits, tried against a mail server at one guess a mail
	minKey     = 16 // bytes
)

// A Book is what an installation makes its addresses from.
type Book struct {
	Domain  string   // of message ids: "mail.example"
	Inbound string   // of reply addresses: "in.example"
	Keys    [][]byte // the first makes tokens, all of them verify: how a key is changed
}

var (
	refForm    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,39}$`)
	localForm  = regexp.MustCompile(`(?i)^case\+([a-z0-9][a-z0-9-]{0,39})\.([a-z2-7]{10})$`)
	idForm     = regexp.MustCompile(`(?i)^<?(msg-[0-9a-f]{8})\.([0-9a-f]{24})@([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)>?$`)
	domainForm = regexp.MustCompile(`(?i)^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)
)

// ValidDomain reports whether a name can stand behind the @ of an address.
func ValidDomain(s string) bool { return len(s) <= 253 && domainForm.MatchString(s) }

// Reply is where a reply about a case goes: "case+CASE-A3F8B291.x7k2m4q9ab@in.example".
// It is empty where the book has no key or no domain, and for a reference that
// cannot stand in an address: then there is no way back, and no mail may claim one.
func (b Book) Reply(org, caseID, ref string) string {
	if len(b.Keys) == 0 || len(b.Keys[0]) < minKey || !ValidDomain(b.Inbound) || !refForm.MatchString(ref) {
		return ""
	}
	ref = strings.ToUpper(ref)
	return "case+" + ref + "." + token(b.Keys[0], org, caseID, ref) + "@" + b.Inbound
}

// Verify reports whether a local part, or an address with one, is the reply
// address of this case under any of the keys. Its case does not matter: mail
// systems change it. It takes as long for a wrong token as for a right one.
func (b Book) Verify(org, caseID, ref, local string) bool {
	said, mac, ok := Split(local)
	if !ok || said != strings.ToUpper(ref) {
		return false
	}
	valid := false
	for _, key := range b.Keys {
		if len(key) >= minKey && hmac.Equal([]byte(mac), []byte(token(key, org, caseID, said))) {
			valid = true
		}
	}
	return valid
}

// Split reads the reference, in capitals, and the token, in small letters, of a
// reply address or of its local part. It says nothing about whether the token is
// ours: that is Verify.
func Split(addr string) (ref, mac string, ok bool) {
	m := localForm.FindStringSubmatch(Local(addr))
	if m == nil {
		return "", "", false
	}
	return strings.ToUpper(m[1]), strings.ToLower(m[2]), true
}

// Local is the part of an address before the last @, in small letters: what
// routes are kept under. Angle brackets and spaces around the address go. An
// address that is too long has none.
func Local(addr string) string {
	if len(addr) > maxAddress {
		return ""
	}
	addr = strings.Trim(strings.TrimSpace(addr), "<>")
	if at := strings.LastIndexByte(addr, '@'); at >= 0 {
		addr = addr[:at]
	}
	return strings.ToLower(addr)
}

// token proves that we gave out the address. The separators keep an organisation
// and a case from being read as another pair with the same letters.
func token(key []byte, org, caseID, ref string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(org + "\x00" + caseID + "\x00" + ref))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)))[:macLen]
}

// NewMessageID is the id of a message, with its angle brackets:
// "<MSG-1A2B3C4D.0123456789abcdef01234567@mail.example>". The mark before the dot
// is what people say; the rest keeps it from being guessed. random is 16 bytes
// of chance.
func NewMessageID(domain string, random [16]byte) string {
	return "<MSG-" + strings.ToUpper(hex.EncodeToString(random[:4])) + "." + hex.EncodeToString(random[4:]) + "@" +
		strings.ToLower(domain) + ">"
}

// ParseMessageID reads an id of ours, with or without its brackets: its mark, in
// capitals, and its domain, in small letters. An id somebody else made is not ok.
func ParseMessageID(s string) (mark, domain string, ok bool) {
	if len(s) > maxAddress {
		return "", "", false
	}
	m := idForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || !ValidDomain(m[3]) {
		return "", "", false
	}
	return strings.ToUpper(m[1]), strings.ToLower(m[3]), true
}

// Bare is a message id without brackets and spaces: the form in which ids are
// compared and routes are kept. One that is too long is empty.
func Bare(id string) string {
	if len(id) > maxAddress {
		return ""
	}
	return strings.Trim(strings.TrimSpace(id), "<>")
}

// ThisMachine reports whether a host is this machine itself, where nobody else
// reads along: mail, passwords and keys may go to it in clear, and to no other.
func ThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
