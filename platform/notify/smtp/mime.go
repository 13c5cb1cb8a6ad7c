package smtp

import (
	"bytes"
	"fmt"
	"net/mail"

	gomail "github.com/wneessen/go-mail"

	"github.com/gavelhq/gavel/platform/notify"
)

// Text is a mail as it goes over the wire: plain text, with the same in HTML
// beside it where there is one, in UTF-8.
func Text(m notify.Message) ([]byte, error) {
	from, err := mail.ParseAddress(m.From)
	if err != nil {
		return nil, fmt.Errorf("malformed sender")
	}
	msg := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8), gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	if err := msg.From(from.String()); err != nil {
		return nil, fmt.Errorf("malformed sender")
	}
	if err := msg.To((&mail.Address{Name: m.To.Name, Address: m.To.Mailbox}).String()); err != nil {
		return nil, fmt.Errorf("malformed recipient") // the cause quotes it
	}
	if m.ReplyTo != "" {
		if err := msg.ReplyTo(m.ReplyTo); err != nil {
			return nil, fmt.Errorf("malformed reply address")
		}
	}
	msg.SetMessageIDWithValue(m.MessageID)
	msg.SetDateWithValue(m.Date)
	msg.Subject(m.Subject)
	for name, value := range headers(m) {
		msg.SetGenHeader(gomail.Header(name), value)
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("write mail: %w", err)
	}
	return b.Bytes(), nil
}

// headers are those that keep a conversation together, and machines from
// answering. What refers to other messages is written as it is: a mail reader
// compares ids by their letters.
func headers(m notify.Message) map[string]string {
	h := map[string]string{"Auto-Submitted": notify.AutoSubmitted, "Content-Language": m.Language}
	if m.InReplyTo != "" {
		h["In-Reply-To"] = "<" + m.InReplyTo + ">"
	}
	if refs := notify.References(m.References); refs != "" {
		h["References"] = refs
	}
	return h
}
