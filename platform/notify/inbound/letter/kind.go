package letter

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/notify/address"
)

// A Kind is who or what a mail is from, as its form says.
type Kind string

// The kinds. Everything but Written is handled by code and never read as
// somebody's answer; Automatic alone is shown to a person.
const (
	Written   Kind = "written"    // a person wrote it, as far as can be told
	Bounced   Kind = "bounce"     // a mail of ours could not be delivered
	Delayed   Kind = "delayed"    // or not yet
	Delivered Kind = "delivered"  // or was, or was passed on
	Receipt   Kind = "receipt"    // a mail of ours was displayed
	Spam      Kind = "complaint"  // somebody reported a mail of ours as spam
	Loop      Kind = "loop"       // it is our own mail, or went round
	AutoReply Kind = "auto_reply" // a program answered: away, or received
	Automatic Kind = "automatic"  // it reads as if one had, and has no mark of it
	List      Kind = "list"       // it was sent to many
	Calendar  Kind = "calendar"   // an invitation was accepted or declined
)

// Own is how our own mail is known.
type Own struct {
	Domain  string   // of our message ids
	Inbound string   // of our reply addresses
	From    []string // the addresses we send from, in small letters
}

const maxHops = 40 // servers that a mail went through; more is a loop

// Kind tells from the form of a mail whether a person wrote it, and in a few
// words why not. Order matters: a bounce of a mailing list is a bounce, and our
// own mail that comes back marked as automatic is a loop. It reads nothing for
// its meaning.
func (l Letter) Kind(own Own) (Kind, string) {
	if k, why, is := l.reported(); is {
		return k, why
	}
	if why := l.looped(own); why != "" {
		return Loop, why
	}
	if r := l.inWords(); r != nil {
		if r.Action == "delayed" {
			return Delayed, "a mail server says in words that it still tries"
		}
		return Bounced, "a mail server says in words that a mail came back"
	}
	if why := l.automatic(); why != "" {
		return AutoReply, why
	}
	if why := l.listed(); why != "" {
		return List, why
	}
	if awayForm.MatchString(l.Subject) {
		return Automatic, "its subject is that of an automatic reply"
	}
	switch l.method {
	case "REPLY", "COUNTER", "REFRESH", "CANCEL", "DECLINECOUNTER":
		return Calendar, "a calendar's " + strings.ToLower(l.method)
	}
	return Written, ""
}

// About is the report a mail carries, read from its words where it has no
// machine-readable part. Nil for any other mail.
func (l Letter) About() *Report {
	if l.Report != nil && l.Report.Form != "" {
		return l.Report
	}
	return l.inWords()
}

// reported is the kind of a machine-readable report.
func (l Letter) reported() (Kind, string, bool) {
	if l.Report == nil || l.Report.Form == "" {
		return "", "", false
	}
	switch l.Report.Form {
	case Complaint:
		return Spam, "a feedback report", true
	case ReadReceipt:
		return Receipt, "a disposition notification", true
	case DeliveryReport, InWords:
	}
	switch l.Report.Action {
	case "delayed":
		return Delayed, "a delivery report: delayed", true
	case "delivered", "relayed", "expanded":
		return Delivered, "a delivery report: " + l.Report.Action, true
	}
	return Bounced, "a delivery report: failed", true
}

// looped tells our own mail, and mail that goes round. Nobody writes from where
// replies come to; from the address we send from a person may write, too, but not
// with the mark of a program.
func (l Letter) looped(own Own) string {
	if _, domain, ok := address.ParseMessageID(l.MessageID); ok && strings.EqualFold(domain, own.Domain) {
		return "its id is one of ours"
	}
	switch {
	case own.here(l.From):
		return "it is from where replies come to"
	case l.automatic() != "" && (own.sends(l.From) || l.Returned != nil && (own.sends(*l.Returned) || own.here(*l.Returned))):
		return "it is automatic, and from an address of ours"
	case len(l.header.all("received")) > maxHops:
		return "it went through too many servers"
	}
	for _, addr := range addresses(l.header.all("x-loop")) {
		if own.here(addr) || own.sends(addr) {
			return "it says that it was here before"
		}
	}
	return ""
}

// here reports whether an address is one that replies come to.
func (o Own) here(addr string) bool {
	_, domain, ok := strings.Cut(addr, "@")
	return ok && o.Inbound != "" && strings.EqualFold(domain, o.Inbound)
}

// sends reports whether an address is one that we send from.
func (o Own) sends(addr string) bool {
	return addr != "" && slices.ContainsFunc(o.From, func(from string) bool { return strings.EqualFold(from, addr) })
}

var (
	precedenceForm = regexp.MustCompile(`(?i)^\s*(bulk|list|junk|auto[_-]?reply)\b`)
	awayForm       = regexp.MustCompile(`(?i)^\s*((re|aw|sv):\s*)?(auto(matic)?[ -]?(reply|response|antwort)|out of (the )?office|auto:|autoreply|abwesenheits|absence du bureau|réponse automatique|respuesta automática|स्वचालित (उत्तर|जवाब|प्रत्युत्तर)|कार्यालय से बाहर)`)
)

// automatic tells mail that a program answered with (RFC 3834 and what is in
// use beside it).
func (l Letter) automatic() string {
	h := l.header
	if v := strings.ToLower(oneLine(h.get("auto-submitted"))); v != "" && v != "no" && !strings.HasPrefix(v, "no;") {
		return "Auto-Submitted is not no"
	}
	if l.Returned != nil && *l.Returned == "" {
		return "its return path is empty"
	}
	for _, v := range h.all("precedence") {
		if m := precedenceForm.FindStringSubmatch(v); m != nil && strings.HasPrefix(strings.ToLower(m[1]), "auto") {
			return "Precedence says it is an automatic reply"
		}
	}
	for _, name := range []string{"x-auto-response-suppress", "x-autoreply", "x-autorespond", "x-autoresponder", "x-auto-reply-from",
		"x-mail-autoreply", "x-vacation", "x-ms-exchange-generated-message-source"} {
		if v := strings.ToLower(h.get(name)); v != "" && v != "no" && v != "none" {
			return "a field " + name + " is there"
		}
	}
	return ""
}

// listed tells mail that was sent to many (RFC 2919, RFC 2369). Feedback-ID is no
// mark of it: providers write it into single mails too.
func (l Letter) listed() string {
	for _, name := range []string{"list-id", "list-unsubscribe", "list-post", "list-help", "mailing-list", "x-mailing-list"} {
		if l.header.has(name) {
			return "a field " + name + " is there"
		}
	}
	for _, v := range l.header.all("precedence") {
		if precedenceForm.MatchString(v) {
			return "Precedence says it was sent to many"
		}
	}
	return ""
}
