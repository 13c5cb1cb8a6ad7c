package smtp_test

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/smtp"
)

var letter = notify.Message{
	Key: "mail_01KA0000000000000000000000", MessageID: "MSG-1A2B3C4D.ff0000000000000000000000@mail.example",
	From: "परिवहन प्रकोष्ठ <cell@mail.example>", To: notify.Address{Name: "आशा राव", Mailbox: "asha@rider.example"},
	ReplyTo: "case+CASE-A3F8B291.ax5uj7gm7c@in.example", InReplyTo: "second@mail.example", References: []string{"first@mail.example",
		"second@mail.example"}, Language: "hi",
	Date: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC), Subject: "आपकी पाली के बारे में [CASE-A3F8B291]",
	Text: "नमस्ते आशा,\n.\n..a line that begins with dots\nकृपया उत्तर दें।\n", HTML: "<p>नमस्ते आशा</p>",
}

func TestAMailIsReadBackAsItWasWritten(t *testing.T) {
	raw, err := smtp.Text(letter)
	if err != nil {
		t.Fatal(err)
	}
	got, err := mail.ReadMessage(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	decode := new(mime.WordDecoder).DecodeHeader
	for name, want := range map[string]string{
		"Message-ID": "<MSG-1A2B3C4D.ff0000000000000000000000@mail.example>", "Reply-To": "<case+CASE-A3F8B291.ax5uj7gm7c@in.example>",
		"In-Reply-To": "<second@mail.example>", "References": "<first@mail.example> <second@mail.example>",
		"Auto-Submitted": "auto-generated", "Content-Language": "hi", "Subject": letter.Subject,
	} {
		if value, err := decode(got.Header.Get(name)); err != nil || value != want {
			t.Errorf("%s: got %q, %v; want %q", name, value, err, want)
		}
	}
	if to, err := got.Header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != letter.To.Mailbox ||
		to[0].Name != letter.To.Name {
		t.Errorf("To: got %v, %v", to, err)
	}
	if date, err := got.Header.Date(); err != nil || !date.Equal(letter.Date) {
		t.Errorf("Date: got %v, %v", date, err)
	}
	for _, name := range []string{"List-Unsubscribe", "User-Agent", "X-Mailer", "Bcc", "Cc"} {
		if v := got.Header.Get(name); v != "" {
			t.Errorf("it has %s: %s", name, v)
		}
	}
	if parts := partsOf(t, got); parts["text/plain"] != letter.Text || parts["text/html"] != letter.HTML {
		t.Errorf("got %q", parts)
	}
}

// TestNamesAreWrittenAsPeopleWriteThem promises that no name keeps its bearer, or
// everybody, from their mail.
func TestNamesAreWrittenAsPeopleWriteThem(t *testing.T) {
	for _, name := range []string{`Ravi "RJ" Singh`, `back\slash`, "O'Neill, Asha (cell)", "", "आशा राव", strings.Repeat("आ", 200)} {
		m := letter
		m.To.Name = name
		m.From = (&mail.Address{Name: name, Address: "cell@mail.example"}).String()
		raw, err := smtp.Text(m)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		got, err := mail.ReadMessage(strings.NewReader(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"To", "From"} {
			if all, err := got.Header.AddressList(field); err != nil || len(all) != 1 || all[0].Name != name {
				t.Errorf("%s of %q: got %v, %v", field, name, all, err)
			}
		}
	}
}

// partsOf reads the bodies, by their type, with line ends as we write them.
func partsOf(t *testing.T, m *mail.Message) map[string]string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("got %s, %v", kind, err)
	}
	parts := map[string]string{}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(p.Header.Get("Content-Type"), ";")
		parts[kind] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
}

func TestNothingInALetterBecomesAHeader(t *testing.T) {
	for what, edit := range map[string]func(*notify.Message){
		"subject":   func(m *notify.Message) { m.Subject = "hello\r\nBcc: everybody@rider.example" },
		"name":      func(m *notify.Message) { m.To.Name = "Asha\r\nBcc: everybody@rider.example" },
		"recipient": func(m *notify.Message) { m.To.Mailbox = "asha@rider.example\r\nBcc: everybody@rider.example" },
		"reply":     func(m *notify.Message) { m.ReplyTo = "x@in.example\r\nBcc: everybody@rider.example" },
	} {
		m := letter
		edit(&m)
		raw, err := smtp.Text(m)
		if err != nil {
			if strings.Contains(err.Error(), "rider.example") {
				t.Errorf("%s: the error says who: %v", what, err)
			}
			continue
		}
		if got, err := mail.ReadMessage(strings.NewReader(string(raw))); err == nil && got.Header.Get("Bcc") != "" {
			t.Errorf("%s: became Bcc: %s", what, got.Header.Get("Bcc"))
		}
	}
}
