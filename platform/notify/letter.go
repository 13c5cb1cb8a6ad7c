package notify

import (
	"net/mail"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/seal"
)

// Bounds of a letter.
const (
	maxSubject = 200      // characters
	maxText    = 64 << 10 // bytes
	maxHTML    = 256 << 10
	maxName    = 200 // characters
	maxMailbox = 254 // octets (RFC 5321)
	maxRefs    = 20
)

// A Letter is a mail to be written. It concerns the person it goes to and nobody
// else: it is sealed for them, and whoever writes puts no other person's data
// into it.
type Letter struct {
	Key       string          // unique in the organisation: the same one twice is one mail
	Case      casefile.CaseID // empty only for word to our own staff
	Kind      string          // what it is, as people set their wishes by it: "shift_mismatch"
	To        seal.Subject    // whom it goes to, by the id they are erased under
	Address   string          // their mailbox
	Name      string          // may be empty
	Thread    string          // mails of one conversation on a case share it; empty is To
	InReplyTo string          // the id of a message of theirs that this answers; may be empty
	Language  string          // "en", "hi"
	Subject   string          // the case's reference is added to it
	Text      string
	HTML      string // the same in HTML; may be empty
	Because   string // the id of the proposal, act or record that authorises it
	// Automatic says that no person approved this very letter. Of those a thread
	// gets at most three in a day, so that two machines cannot keep each other busy.
	Automatic bool
}

var (
	kindForm     = regexp.MustCompile(`^[a-z][a-z_]{1,39}$`)
	keyForm      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,199}$`)
	languageForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$`)
	threadForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$`)
	becauseForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,399}$`)
)

func (l Letter) check() error {
	switch {
	case !keyForm.MatchString(l.Key):
		return fault.New(fault.Invalid, "a mail's key is 1 to 200 of letters, digits and . _ : / + -")
	case !kindForm.MatchString(l.Kind):
		return fault.New(fault.Invalid, "a mail's kind is 2 to 40 small letters and _, not %.60q", l.Kind)
	case !threadForm.MatchString(l.Thread):
		return fault.New(fault.Invalid, "mail %s: its thread is 1 to 200 of letters, digits and . _ : / -", l.Key)
	case !languageForm.MatchString(l.Language):
		return fault.New(fault.Invalid, "mail %s: no language is called %.20q", l.Key, l.Language)
	case !becauseForm.MatchString(l.Because):
		return fault.New(fault.Refused, "mail %s: names nothing that authorises it", l.Key)
	case len(l.InReplyTo) > 300 || strings.ContainsFunc(l.InReplyTo, notInID):
		return fault.New(fault.Invalid, "mail %s: what it answers is no id of a message", l.Key)
	}
	if _, err := seal.ParseSubject(l.To.String()); err != nil {
		return err
	}
	return l.checkWords()
}

// checkWords refuses what cannot stand in a mail. It quotes none of it: an address
// and a name are somebody's.
func (l Letter) checkWords() error {
	if !ValidMailbox(l.Address) {
		return fault.New(fault.Invalid, "mail %s: its recipient has no address that mail can be sent to", l.Key)
	}
	for _, one := range []struct {
		what, text string
		most       int
		lines      bool
	}{
		{"name", l.Name, maxName * utf8.UTFMax, false}, {"subject", l.Subject, maxSubject * utf8.UTFMax, false},
		{"text", l.Text, maxText, true}, {"HTML", l.HTML, maxHTML, true},
	} {
		switch {
		case len(one.text) > one.most:
			return fault.New(fault.TooLarge, "mail %s: its %s has %d bytes; the most is %d", l.Key, one.what, len(one.text), one.most)
		case !utf8.ValidString(one.text) || strings.ContainsFunc(one.text, func(r rune) bool {
			return unicode.IsControl(r) && !(one.lines && (r == '\n' || r == '\r' || r == '\t'))
		}):
			return fault.New(fault.Invalid, "mail %s: its %s holds a character that cannot be sent", l.Key, one.what)
		}
	}
	if strings.TrimSpace(l.Subject) == "" || strings.TrimSpace(l.Text) == "" || utf8.RuneCountInString(l.Subject) > maxSubject {
		return fault.New(fault.Invalid, "mail %s: has no subject or no text, or a subject of over %d characters", l.Key, maxSubject)
	}
	return nil
}

// ValidMailbox reports whether an address is one plain mailbox: no name, no list,
// no characters that need more of a mail server than every server has.
func ValidMailbox(s string) bool {
	if len(s) > maxMailbox || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= unicode.MaxASCII }) {
		return false
	}
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s && !strings.ContainsAny(s, `"<>(),;:\`)
}

// notInID is what cannot stand in the id of a message.
func notInID(r rune) bool { return r <= ' ' || r >= unicode.MaxASCII || r == '<' || r == '>' }

// tagged is a subject with the case's reference, by which a reply is known again
// when everything else about it was changed on the way.
func tagged(subject, ref string) string {
	tag := "[" + ref + "]"
	if strings.Contains(subject, tag) {
		return subject
	}
	return subject + " " + tag
}

// chain is what a mail refers to: the ids of the thread's mails before it, oldest
// first, and what it answers. Of many the first and the latest are kept: that is
// what mail readers put threads together by.
func chain(earlier []string, answers string) (refs []string, inReplyTo string) {
	refs = earlier
	if answers != "" {
		refs = append(refs, answers)
	}
	if n := len(refs); n > maxRefs {
		refs = append(refs[:1:1], refs[n-maxRefs+1:]...)
	}
	if len(refs) == 0 {
		return []string{}, ""
	}
	return refs, refs[len(refs)-1]
}
