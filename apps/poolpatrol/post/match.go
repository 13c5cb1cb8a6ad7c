package post

import (
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
)

// A Mail is the headers of a mail that came in, as the parser read them.
type Mail struct {
	From       string   // the address alone
	To         []string // every address it was delivered to
	Subject    string
	InReplyTo  string
	References []string

	// As checked by who received it: the domain of From vouches for the mail, by
	// policy or by a signature of its own.
	DMARC, DKIM bool

	ReturnPath    string // without brackets
	HasReturnPath bool
	AutoSubmitted string
	Precedence    string
	AutoSuppress  string // X-Auto-Response-Suppress
	ContentType   string
}

// A Thread is one conversation with one rider.
type Thread struct {
	ID       fleet.ThreadID
	Case     fleet.CaseID
	Employee fleet.EmployeeID
	Address  string // the rider's, as the staff records have it
}

// Threads finds conversations.
type Threads interface {
	OfCase(fleet.CaseID) []Thread
	OfMessage(rfcID string) (Thread, bool)
}

// A By says how a mail was matched to its thread.
type By string

// The ways, the surest first.
const (
	ByToken      By = "token"
	ByReferences By = "references"
	BySubject    By = "subject" // anybody can write a subject
	Unmatched    By = ""
)

// Match finds the thread a mail belongs to: by the address we gave out, else by
// the messages it refers to, else by the case in its subject if the sender is on
// that case. The first that holds counts.
func Match(m Mail, k Key, in Threads) (Thread, By) {
	for _, to := range m.To {
		if t, ok := byToken(to, k, in); ok {
			return t, ByToken
		}
	}
	ids := append([]string{m.InReplyTo}, m.References...)
	for _, id := range ids[:min(len(ids), maxReferences+1)] {
		if id == "" || len(id) > maxHeader {
			continue
		}
		if t, ok := in.OfMessage(id); ok {
			return t, ByReferences
		}
	}
	if c, ok := ParseSubject(m.Subject); ok {
		all := in.OfCase(c)
		if i := slices.IndexFunc(all, func(t Thread) bool { return SameAddress(t.Address, m.From) }); i >= 0 {
			return all[i], BySubject
		}
	}
	return Thread{}, Unmatched
}

// byToken tries the token against every thread of the case it names.
func byToken(address string, k Key, in Threads) (Thread, bool) {
	c, token, ok := ParseReply(address)
	if !ok {
		return Thread{}, false
	}
	for _, t := range in.OfCase(c) {
		want, err := k.Token(t.Case, t.ID)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(token)) == 1 {
			return t, true
		}
	}
	return Thread{}, false
}

// SameAddress compares addresses as mail systems do in practice: without regard
// to case. The empty address is nobody's.
func SameAddress(a, b string) bool {
	return a != "" && strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// A Standing is what may be done with a mail.
type Standing string

// The standings.
const (
	Act        Standing = "act"        // read, and act on it
	AskPerson  Standing = "person"     // a person looks: the sender is not proved
	Quarantine Standing = "quarantine" // nobody's; kept aside
	Ignore     Standing = "ignore"     // written by a machine
	Bounce     Standing = "bounce"     // our mail did not arrive
)

// Weigh says what may be done with a mail that was matched. Machines come first,
// so that none is ever answered. A reply is acted on only if it comes from the
// rider whose thread it is and their domain vouches for it.
func Weigh(m Mail, t Thread, how By) Standing {
	switch kind := Automatic(m); {
	case kind == Bounce && how != Unmatched:
		return Bounce
	case kind != "":
		return Ignore
	case how == Unmatched:
		return Quarantine
	case how == BySubject, !m.DMARC && !m.DKIM, !SameAddress(m.From, t.Address):
		return AskPerson
	}
	return Act
}

// Automatic tells mails written by machines: Bounce, Ignore, or nothing for what
// a person seems to have written.
func Automatic(m Mail) Standing {
	from, _, _ := strings.Cut(strings.ToLower(m.From), "@")
	content := strings.ToLower(m.ContentType)
	report := strings.HasPrefix(content, "multipart/report")
	switch {
	case report && strings.Contains(content, "delivery-status"), from == "mailer-daemon", from == "postmaster" && m.HasReturnPath && m.ReturnPath == "":
		return Bounce
	case report, m.HasReturnPath && m.ReturnPath == "":
		return Ignore
	}
	auto := strings.ToLower(strings.TrimSpace(m.AutoSubmitted))
	prec := strings.ToLower(strings.TrimSpace(m.Precedence))
	suppress := strings.ToLower(strings.TrimSpace(m.AutoSuppress))
	if auto != "" && auto != "no" || slices.Contains([]string{"bulk", "list", "auto_reply", "junk"}, prec) || suppress != "" && suppress != "none" {
		return Ignore
	}
	return ""
}

// The loop guard: so many automatic mails in one thread in so long.
const (
	MaxMails   = 3
	MailWindow = 24 * time.Hour
)

// MaySend reports whether one more automatic mail may go into a thread, given
// when the earlier ones went.
func MaySend(earlier []time.Time, now time.Time) bool {
	n := 0
	for _, t := range earlier {
		if now.Sub(t) < MailWindow {
			n++
		}
	}
	return n < MaxMails
}
