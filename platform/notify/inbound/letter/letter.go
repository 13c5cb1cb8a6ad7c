// Package letter reads mail as it came: who wrote it, to which addresses, in
// answer to what, and the words that are new in it.
//
// Parse takes any bytes at all and always gives a Letter. What could not be read
// is listed in Defects instead of being an error, because a mail that breaks a
// rule is still somebody's mail: the bytes are kept by the caller and a person
// looks at them. Kind says, from the mail's form alone, whether a person wrote
// it. Fresh strips what the writer only quoted. Nothing here does I/O, and
// nothing here trusts a word of what it reads.
//
// Read Letter first, then Parse, Letter.Kind and Fresh.
package letter

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// Bounds. Whatever lies beyond them stays in the raw bytes only.
const (
	MaxRaw      = 25 << 20  // bytes of a mail; what large providers accept
	MaxText     = 256 << 10 // bytes of text that are read
	MaxFiles    = 20        // attachments that are kept apart
	MaxFile     = 10 << 20  // bytes of one of them
	maxHeader   = 256 << 10 // bytes of one header section
	maxFields   = 1000
	maxParts    = 200
	maxDepth    = 12
	maxIDs      = 60  // message ids that are looked at
	maxAddrs    = 100 // addresses that are looked at
	maxDefects  = 20
	maxSubject  = 1000 // bytes
	maxFileName = 200  // bytes
)

// A Letter is one mail, read.
type Letter struct {
	MessageID  string   // without brackets; empty if it has none
	From       string   // the one address it claims to be from, in small letters; empty if it is not exactly one
	To         []string // every address that any field says it was sent to, in small letters
	Named      []string // those of To that its writer named: no server on the way added them
	Subject    string
	Date       time.Time // as it claims; zero if it does not
	InReplyTo  []string  // without brackets
	References []string  // without brackets, oldest first
	Returned   *string   // the return path in small letters; nil if no field says it

	Text  string // all of it, from HTML where there is nothing else
	HTML  bool   // the text was made from HTML
	Files []File

	Report  *Report  // what a mail server says about a mail of ours
	Defects []Defect // what was wrong with its form
	Cut     bool     // a bound was reached: the raw bytes hold more

	header header
	parts  []string          // media types, in order
	method string            // of a calendar part
	sum    [sha256.Size]byte // of the raw bytes
}

// A File is an attachment.
type File struct {
	Name  string // as its sender called it, without folders; may be empty
	Type  string // media type as its sender said
	Bytes []byte
}

// A Defect is one way in which a mail is malformed.
type Defect string

// The defects.
const (
	BadHeader    Defect = "header"       // a line of a header is none
	NoHeader     Defect = "no_header"    // there is no header at all
	BadFrom      Defect = "from"         // no sender, several, or one that is no address
	BadType      Defect = "content_type" // a content type cannot be read
	NoBoundary   Defect = "boundary"     // a part that should hold parts does not say, or never ends
	BadEncoding  Defect = "encoding"     // a transfer encoding is unknown or broken
	BadCharset   Defect = "charset"      // a character set is unknown, or the bytes are not in it
	TooDeep      Defect = "too_deep"     // parts in parts in parts
	TooManyParts Defect = "too_many_parts"
	TooLarge     Defect = "too_large" // more bytes than are read
	HasNUL       Defect = "nul"       // zero bytes in text
)

// Broken reports whether the mail's form leaves in doubt what it says. A wrong
// character set or a stray line in a header does not.
func (l Letter) Broken() bool {
	for _, d := range l.Defects {
		switch d {
		case NoHeader, BadFrom, NoBoundary, BadEncoding, TooDeep, TooManyParts, TooLarge:
			return true
		case BadHeader, BadType, BadCharset, HasNUL:
		}
	}
	return false
}

func (l *Letter) defect(d Defect) {
	for _, had := range l.Defects {
		if had == d {
			return
		}
	}
	if len(l.Defects) < maxDefects {
		l.Defects = append(l.Defects, d)
	}
}

// Parse reads a mail. It does not fail: what it cannot read is a defect.
func Parse(raw []byte) Letter {
	l := Letter{sum: sha256.Sum256(raw)}
	if len(raw) > MaxRaw {
		raw = raw[:MaxRaw]
		l.Cut = true
		l.defect(TooLarge)
	}
	head, body := split(raw)
	l.header = l.readHeader(head)
	l.readEnvelope()
	w := &walker{letter: &l}
	w.part(l.header, body, 0)
	l.Text = strings.TrimSpace(w.words())
	if w.report != nil {
		l.Report = w.report
	}
	return l
}

// Beginning reads the beginning of a mail that was too large to be taken whole.
func Beginning(raw []byte) Letter {
	l := Parse(raw)
	l.Cut = true
	l.defect(TooLarge)
	return l
}

// Fingerprint tells one mail from another by what it says, whatever way it came
// and whatever servers wrote into its header on the way. Of a mail that could not
// be read whole, or has no id, all bytes count: two that only look alike to us
// must not be taken for one.
func (l Letter) Fingerprint() [sha256.Size]byte {
	if l.MessageID == "" || l.Cut || l.Broken() {
		return l.sum
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %d %q", l.MessageID, l.From, l.Subject, l.Date.Unix(), l.Text)
	for _, f := range l.Files {
		fmt.Fprintf(sum, " %q %x", f.Name, sha256.Sum256(f.Bytes))
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// readEnvelope takes from the header who, to whom and in answer to what.
func (l *Letter) readEnvelope() {
	h := l.header
	l.MessageID = firstOf(messageIDs(h.all("message-id")))
	l.InReplyTo = messageIDs(h.all("in-reply-to"))
	l.References = messageIDs(h.all("references"))
	l.Subject = clip(oneLine(decodeWords(h.get("subject"))), maxSubject)
	from := addresses(h.all("from"))
	if len(h.all("from")) == 1 && len(from) == 1 {
		l.From = from[0]
	} else {
		l.defect(BadFrom)
	}
	l.To = addresses(h.all("to", "cc", "bcc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-forwarded-to"))
	for _, name := range []string{"to", "cc"} { // a second field of a name is one that somebody added
		if fields := h.all(name); len(fields) == 1 {
			l.Named = append(l.Named, addresses(fields)...)
		}
	}
	if path := h.all("return-path"); len(path) > 0 {
		addr := firstOf(addresses(path[:1]))
		l.Returned = &addr
	}
	l.Date = date(h.get("date"))
}

func firstOf(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}
