package inbound

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

const (
	maxEntry   = 10_000    // characters of an entry
	maxWhole   = 128 << 10 // bytes
	maxSealed  = 768 << 10 // bytes of a text as JSON: two of them and the rest fit into a row
	maxAddress = 400       // bytes
)

// Words are what of a mail concerns somebody.
type Words struct {
	From    string   `json:"from"`
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Fresh   string   `json:"fresh"` // what is new in it
	Whole   string   `json:"whole"` // with what it quotes
	Files   []string `json:"files"` // names of attachments, in order
	Status  string   `json:"status,omitempty"`
	Says    string   `json:"says,omitempty"` // a mail server's own words
}

// wordsOf is what of a mail concerns somebody.
func wordsOf(l letter.Letter) Words {
	w := Words{From: clip(l.From, maxAddress), To: []string{}, Subject: l.Subject, Fresh: clipJSON(letter.Fresh(l.Text).Fresh, maxSealed),
		Whole: clipJSON(clip(l.Text, maxWhole), maxSealed), Files: []string{}}
	for _, to := range l.To {
		w.To = append(w.To, clip(to, maxAddress))
	}
	for _, f := range l.Files {
		w.Files = append(w.Files, f.Name)
	}
	if r := l.About(); r != nil {
		w.Status, w.Says = r.Status, r.Says
	}
	return w
}

// addressForm is an address in what a mail server says, also one in quotes or at a
// number; it takes rather too much than too little.
var addressForm = regexp.MustCompile(`(?:"[^"]*"|[^\s<>(),;:\[\]"])*@[^\s<>(),;"]*`)

// entryText is what a case's history says of a mail. Of a bounce that is its
// status and the server's line alone, without the addresses that servers quote: the
// rest of it is by nobody, and the entry is Gavel's.
func entryText(kind letter.Kind, w Words) string {
	text := w.Fresh
	switch {
	case kind == letter.Bounced:
		says := strings.TrimSpace(w.Status + " " + addressForm.ReplaceAllString(w.Says, "[address]"))
		if says == "" {
			return "A mail server says that a mail could not be delivered."
		}
		text = "A mail server says: " + says
	case text == "": // all of it was a quotation, and a person accepted it
		text = w.Whole
	}
	if utf8.RuneCountInString(text) > maxEntry {
		text = string([]rune(text)[:maxEntry-1]) + "…"
	}
	return text
}

// clipJSON is the beginning of a text that takes at most n bytes as a JSON string.
// Some characters take six there, and a mail can be made of nothing else.
func clipJSON(s string, n int) string {
	for i, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '"' || r == '\\':
			n -= 2
		case r < 0x20 || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError:
			n -= 6
		default:
			n -= utf8.RuneLen(r)
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}

// clip is at most n bytes of a text, not cutting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
