package letter

import (
	"regexp"
	"strings"
)

// A Report is what a mail server, or a mail program, says about a mail that was
// sent (RFC 3464, RFC 8098, RFC 5965), or says in words of its own.
type Report struct {
	Form      ReportForm
	Action    string   // of a delivery report: "failed", "delayed", "delivered", "relayed", "expanded"
	Status    string   // "5.1.1"; empty if it does not say
	Recipient string   // whom it could not be delivered to, in small letters; empty if it does not say
	Says      string   // the server's own words, one line
	About     []string // ids of the mail it is about, without brackets
}

// A ReportForm is the kind of a report.
type ReportForm string

// The forms.
const (
	DeliveryReport ReportForm = "delivery"  // a machine-readable delivery status
	InWords        ReportForm = "words"     // a bounce that only people were meant to read
	ReadReceipt    ReportForm = "read"      // the mail was displayed, or deleted
	Complaint      ReportForm = "complaint" // the mail was reported as spam
)

const maxSays = 500 // bytes

func (w *walker) said() *Report {
	if w.report == nil {
		w.report = &Report{}
	}
	return w.report
}

// status reads the machine-readable part of a report.
func (w *walker) status(media string, body []byte) {
	r := w.said()
	switch media {
	case "message/feedback-report":
		r.Form = Complaint
	case "message/disposition-notification":
		r.Form = ReadReceipt
	default:
		r.Form = DeliveryReport
	}
	var quiet Letter // defects of a report's fields are not the mail's
	for _, group := range strings.Split(lines(string(body[:min(len(body), maxHeader)])), "\n\n") {
		h := quiet.readHeader([]byte(group))
		r.field(h)
		if r.Action == "failed" { // the first recipient that failed is what the report is about
			return
		}
	}
}

func (r *Report) field(h header) {
	if action := strings.ToLower(h.get("action")); action != "" {
		r.Action = clip(valid(oneLine(action)), 20)
		r.Status = statusForm.FindString(h.get("status"))
		r.Recipient = firstOf(addresses(append(h.all("final-recipient"), h.all("original-recipient")...)))
		_, said, _ := strings.Cut(h.get("diagnostic-code"), ";")
		r.Says = clip(oneLine(decodeWords(said)), maxSays)
	}
	r.About = bounded(append(r.About, messageIDs(h.all("original-message-id", "original-envelope-id", "x-original-message-id"))...), maxIDs)
}

// returned reads a mail inside a mail: what a report is about, or what somebody
// attached. Only its header is looked at.
func (w *walker) returned(h header, k kind, body []byte) {
	head, _ := split(body)
	var quiet Letter
	inner := quiet.readHeader(head)
	if w.inReport() {
		r := w.said()
		r.About = bounded(append(messageIDs(inner.all("message-id")), r.About...), maxIDs)
		return
	}
	if k.params == nil {
		k.params = map[string]string{}
	}
	if k.params["name"] == "" {
		k.params["name"] = "message.eml"
	}
	w.file(h, k, body)
}

// inReport reports whether the mail is a report as a whole.
func (w *walker) inReport() bool {
	return len(w.letter.parts) > 0 && w.letter.parts[0] == "multipart/report"
}

var (
	statusForm   = regexp.MustCompile(`\b[245]\.\d{1,3}\.\d{1,3}\b`)
	smtpForm     = regexp.MustCompile(`(?m)\b5\d\d[ -]+(?:\(?#?)?(5\.\d{1,3}\.\d{1,3})?[^\n]{0,300}`)
	daemonForm   = regexp.MustCompile(`(?i)^(mailer-daemon|postmaster|mail-daemon|mdaemon|microsoftexchange[0-9a-f]+|bounce[s]?|mailerdaemon)(@|$|[+=-])`)
	bouncedForm  = regexp.MustCompile(`(?i)undeliver|delivery (status notification|failure|has failed|incomplete)|returned mail|mail delivery (failed|subsystem|system)|failure notice|message (could )?not (be )?delivered|non remis|unzustellbar|वितरित नहीं|डिलीवर नहीं`)
	bodyForm     = regexp.MustCompile(`(?i)could not be delivered|couldn.t be delivered|delivery to the following recipient|permanent (fatal )?errors?|address (was )?not found|user unknown|no such user|mailbox (is )?(full|unavailable)|recipient address rejected|i('m| am) afraid i wasn.t able to deliver|वितरित नहीं किया जा सका|डिलीवर नहीं हो सका`)
	delayedForm  = regexp.MustCompile(`(?i)(still (be )?(trying|retried)|will (keep trying|be retried|retry)|delivery (is |has been |status notification \()?delay|warning: message|not yet been delivered)`)
	quotedIDForm = regexp.MustCompile(`(?im)^[>\s]*message-id:\s*<?([^<>\s]{3,400})>?`)
)

// inWords reads a bounce that has no machine-readable part. It is one only if
// both the sender, or the lack of one, and the words say so: a person may well
// write about a mail that came back.
func (l Letter) inWords() *Report {
	local, _, _ := strings.Cut(l.From, "@")
	daemon := daemonForm.MatchString(l.From) || daemonForm.MatchString(local)
	empty := l.Returned != nil && *l.Returned == ""
	words := bouncedForm.MatchString(l.Subject) || bodyForm.MatchString(l.Text) || delayedForm.MatchString(l.Subject)
	failed := l.header.has("x-failed-recipients")
	if !failed && (!words || !daemon && !empty) {
		return nil
	}
	r := &Report{Form: InWords, Action: "failed", Status: statusForm.FindString(l.Text)}
	if delayedForm.MatchString(l.Subject) || delayedForm.MatchString(l.Text) && !bodyForm.MatchString(l.Text) {
		r.Action = "delayed"
	}
	r.Says = clip(oneLine(smtpForm.FindString(l.Text)), maxSays)
	to := addresses(l.header.all("x-failed-recipients"))
	for _, found := range bareAddr.FindAllString(l.Text, 20) {
		if found = strings.ToLower(found); !daemonForm.MatchString(found) {
			to = append(to, found)
		}
	}
	r.Recipient = firstOf(to)
	for _, m := range quotedIDForm.FindAllStringSubmatch(l.Text, maxIDs) {
		r.About = append(r.About, m[1])
	}
	r.About = bounded(append(append(r.About, l.InReplyTo...), l.References...), maxIDs)
	return r
}
