package post

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// tokenLen is the length of a token in a reply address: 50 bits. It is tried
// against a mail server, one guess a mail.
const tokenLen = 10

// A Key signs reply addresses. It has 32 bytes.
type Key []byte

// Token is what proves that a reply address was given out by us for one thread.
// It is made of small letters and digits, because some mail systems change case.
func (k Key) Token(c fleet.CaseID, t fleet.ThreadID) (string, error) {
	if len(k) < 32 {
		return "", fault.New(fault.Invalid, "a key for reply addresses has 32 bytes")
	}
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte("poolpatrol.reply.1|" + string(c) + "|" + string(t)))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)))[:tokenLen], nil
}

// ReplyAddress is where a reply to a thread goes.
func (k Key) ReplyAddress(c fleet.CaseID, t fleet.ThreadID, domain string) (string, error) {
	token, err := k.Token(c, t)
	if err != nil {
		return "", err
	}
	return "case+" + string(c) + "." + token + "@" + domain, nil
}

var (
	replyForm   = regexp.MustCompile(`(?i)^case\+(CASE-[0-9A-F]{8})\.([a-z2-7]{10})@`)
	subjectForm = regexp.MustCompile(`(?i)\[(CASE-[0-9A-F]{8})\]`)
)

// ParseReply reads the case and the token of a reply address.
func ParseReply(address string) (c fleet.CaseID, token string, ok bool) {
	if len(address) > maxHeader {
		return "", "", false
	}
	m := replyForm.FindStringSubmatch(strings.TrimSpace(address))
	if m == nil {
		return "", "", false
	}
	return fleet.CaseID(strings.ToUpper(m[1])), strings.ToLower(m[2]), true
}

// ParseSubject reads the case in a subject line.
func ParseSubject(subject string) (fleet.CaseID, bool) {
	if len(subject) > maxHeader {
		return "", false
	}
	m := subjectForm.FindStringSubmatch(subject)
	if m == nil {
		return "", false
	}
	return fleet.CaseID(strings.ToUpper(m[1])), true
}

// Bounds on headers.
const (
	maxHeader     = 2000
	maxReferences = 20
)

// An Envelope is the headers that keep a conversation together.
type Envelope struct {
	MessageID     string
	ReplyTo       string
	InReplyTo     string
	References    []string
	Subject       string
	AutoSubmitted string // always auto-generated: no machine should answer
}

// Seal makes the headers of a letter. chain is the ids of the thread's earlier
// messages, oldest first; random makes the message id hard to guess.
func Seal(l Letter, id fleet.MessageID, c fleet.CaseID, t fleet.ThreadID, k Key, mailDomain, replyDomain string, chain []string, random [8]byte) (Envelope, error) {
	to, err := k.ReplyAddress(c, t, replyDomain)
	if err != nil {
		return Envelope{}, err
	}
	e := Envelope{
		MessageID: "<" + string(id) + "." + hex.EncodeToString(random[:]) + "@" + mailDomain + ">",
		ReplyTo:   to, Subject: l.Subject, AutoSubmitted: "auto-generated",
	}
	if n := len(chain); n > 0 {
		e.InReplyTo = chain[n-1]
		e.References = chain
		if n > maxReferences { // the first and the latest are what mail readers thread by
			e.References = slices.Concat(chain[:1], chain[n-maxReferences+1:])
		}
	}
	for _, h := range append([]string{e.MessageID, e.ReplyTo, e.Subject}, e.References...) {
		if strings.ContainsAny(h, "\r\n\x00") || len(h) > maxHeader {
			return Envelope{}, fault.New(fault.Invalid, "a header would hold a line break, or be too long")
		}
	}
	return e, nil
}
