package console_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/notify/smtp"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// letterBook is what the stage's addresses of mails are made from.
func letterBook() address.Book {
	return address.Book{Domain: "mail.gavel.test", Inbound: "in.gavel.test", Keys: [][]byte{bytes.Repeat([]byte{1}, 32)}}
}

// letterPost keeps the letters of the stage.
func (s *stage) letterPost(t testing.TB) *notify.Post {
	t.Helper()
	post, err := notify.New(notify.Config{DB: s.db.App, Clock: durable.Clock{}, Vault: s.Vault, Book: letterBook(),
		From: "Transport cell <cell@gavel.test>"})
	if err != nil {
		t.Fatal(err)
	}
	return post
}

// writes has a letter written to somebody about a case.
func (s *stage) writes(t testing.TB, c casefile.Case, who, name, subject, text string) (m notify.Mail) {
	t.Helper()
	err := s.db.App.InOrg(t.Context(), c.Org, func(tx pgx.Tx) (err error) {
		m, err = s.post.Queue(t.Context(), tx, identity.Gavel(c.Org), notify.Letter{Key: who + "/" + subject[:4], Case: c.ID, Kind: "first",
			To: seal.Subject{Type: "rider", ID: who}, Address: strings.ToLower(name) + "@riders.test", Name: name + " Demo", Language: "en",
			Subject: subject, Text: text, Because: "RUN-12345678"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sends takes what waits to a mail server.
func (s *stage) sends(t testing.TB) {
	t.Helper()
	sink, err := smtp.New(smtp.Config{Address: notifytest.NewServer(t).Address, Security: smtp.Plain, Hello: "mail.gavel.test"})
	if err != nil {
		t.Fatal(err)
	}
	sender := notify.NewSender(notify.SenderConfig{Post: s.post, System: s.db.System, Acts: s.Acts, Sink: sink,
		Logger: slog.New(slog.DiscardHandler)})
	if n, err := sender.Pass(t.Context()); err != nil || n == 0 {
		t.Fatalf("%d mails left, %v", n, err)
	}
}

// comes has something come back about a letter: headers and all.
func (s *stage) comes(t testing.TB, m notify.Mail, raw string) inbound.Receipt {
	t.Helper()
	raw = "Authentication-Results: mx.gavel.test; dmarc=pass header.from=riders.test\nTo: " + m.ReplyTo +
		"\nDate: Sun, 15 Nov 2026 09:00:00 +0000\nMIME-Version: 1.0\n" + raw
	got, err := s.mailIn.Receive(t.Context(), inbound.Delivery{Via: "import", Key: m.ID + raw[:min(len(raw), 400)],
		Raw: []byte(strings.ReplaceAll(raw, "\n", "\r\n"))})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func replyOf(m notify.Mail, from, text string) string {
	return "From: " + from + "@riders.test\nSubject: Re: your ride\nMessage-ID: <" + from + m.ID + "@riders.test>\n" +
		"In-Reply-To: <" + m.MessageID + ">\nContent-Type: text/plain; charset=utf-8\n\n" + text + "\n"
}

// reportOf is what a mail server says of a letter: failed or delivered.
func reportOf(m notify.Mail, to, action string) string {
	return "From: MAILER-DAEMON@mx.riders.test\nSubject: Report\nMessage-ID: <" + action + m.ID + "@mx.riders.test>\n" +
		"Content-Type: multipart/report; report-type=delivery-status; boundary=d\n\n--d\nContent-Type: text/plain\n\nAbout your mail.\n" +
		"--d\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.riders.test\n\nFinal-Recipient: rfc822; " + to +
		"@riders.test\nAction: " + action + "\nStatus: 5.1.1\n\n" +
		"--d\nContent-Type: text/rfc822-headers\n\nMessage-ID: <" + m.MessageID + ">\n\n--d--\n"
}

// receiptOf is what a mail program says that somebody has opened a letter with.
func receiptOf(m notify.Mail, from string) string {
	return "From: " + from + "@riders.test\nSubject: Read\nMessage-ID: <read" + m.ID + "@riders.test>\n" +
		"Content-Type: multipart/report; report-type=disposition-notification; boundary=d\n\n--d\nContent-Type: text/plain\n\nRead.\n" +
		"--d\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822; " + from + "@riders.test\n" +
		"Original-Message-ID: <" + m.MessageID + ">\nDisposition: manual-action/MDN-sent-manually; displayed\n\n--d--\n"
}

// TestEveryLetterOfACaseCanBeRead promises that the case and the outbox list every letter,
// waiting or sent, by whom it goes to and its subject; that its page says what it says; and
// how far it came (but not the link that is its reader's alone): sent, delivered, opened and answered where that is known, and not known
// where it is not.
func TestEveryLetterOfACaseCanBeRead(t *testing.T) {
	var page []console.Reply
	s := newStageWith(t, console.Part{Replies: func(context.Context, casefile.Case) ([]console.Reply, error) { return page, nil }})
	c := s.open(t, postgrestest.North, "letters", "Home address check, VP-206", 0)
	at := "/cases/" + string(c.ID)
	ekta := s.writes(t, c, "R-1", "Ekta", "Your ride to work",
		"Dear Ekta <b>,\n\nplease tell us where you live.\nYour page: https://gavel.example/answer?k=secret-of-ekta\nThank you")
	for _, list := range []string{at, "/outbox"} {
		wantAll(t, s.ask(t, list, nil), http.StatusOK, "To Ekta Demo: Your ride to work", "Waiting to be sent",
			`href="`+at+"/letters/"+ekta.ID+`"`)
	}
	letter := s.ask(t, at+"/letters/"+ekta.ID, nil)
	if strings.Contains(letter.body, "secret-of-ekta") {
		t.Error("a letter shows its reader's own link to others")
	}
	wantAll(t, letter, http.StatusOK, "https://gavel.example/answer?…\nThank you",
		"Dear Ekta &lt;b&gt;,\n\nplease tell us where you live.", "ekta@riders.test", "Waiting to be sent",
		"The rules. Nobody had to be asked.")

	bilal, chetan := s.writes(t, c, "R-2", "Bilal", "Shift check", "Dear Bilal"), s.writes(t, c, "R-3", "Chetan", "Other check",
		"Dear Chetan")
	devika, esha := s.writes(t, c, "R-4", "Devika", "Third check", "Dear Devika"), s.writes(t, c, "R-5", "Esha", "Last check", "Dear Esha")
	s.sends(t)
	wantAll(t, s.ask(t, at+"/letters/"+ekta.ID, nil), http.StatusOK, "Sent", "Delivered: not known", "Opened: not known", "No reply yet")
	s.comes(t, ekta, replyOf(ekta, "ekta", "I have moved to Ghaziabad."))
	s.comes(t, bilal, reportOf(bilal, "bilal", "failed"))
	s.comes(t, chetan, reportOf(chetan, "chetan", "delivered"))
	s.comes(t, devika, receiptOf(devika, "devika"))
	page = []console.Reply{{From: "rider:R-5", At: time.Now().Add(time.Second), Path: at + "#answers"}}
	for _, tt := range []struct {
		m     notify.Mail
		badge string
		holds []string
	}{
		{ekta, "Replied", []string{"Reply from Ekta Demo", "I have moved to Ghaziabad.", "Delivered", "Opened"}},
		{bilal, "Came back undelivered", []string{"Came back undelivered"}},
		{chetan, "Delivered", []string{"Delivered", "Opened: not known", "No reply yet"}},
		{devika, "Opened", []string{"Delivered", "Opened", "No reply yet"}},
		{esha, "Replied", []string{"Answered on their page", at + "#answers"}},
	} {
		wantAll(t, s.ask(t, at+"/letters/"+tt.m.ID, nil), http.StatusOK, append(tt.holds, tt.badge)...)
		for _, list := range []string{at, at + "/letters", "/outbox"} {
			_, row, _ := strings.Cut(s.ask(t, list, nil).body, "/letters/"+tt.m.ID)
			if row, _, _ = strings.Cut(row, "</li>"); !strings.Contains(row, tt.badge) {
				t.Errorf("%s does not say %q of %s: %s", list, tt.badge, tt.m.Recipient, row)
			}
		}
	}
	wantAll(t, s.ask(t, at+"?lang=hi", nil), http.StatusOK, "Ekta Demo को: Your ride to work", "उत्तर मिला")
}

// TestALetterIsForWhoMayReadItsCase promises that others are refused, that another
// organisation and another case do not have it, and that of somebody who was erased nothing is
// left to read on any page, which say so.
func TestALetterIsForWhoMayReadItsCase(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "mine", "Home address check, VP-206", 0)
	other := s.open(t, postgrestest.North, "other", "Another case", 0)
	m := s.writes(t, c, "R-1", "Ekta", "Your ride to work", "Dear Ekta, please tell us where you live.")
	s.sends(t)
	at := "/cases/" + string(c.ID) + "/letters/" + m.ID
	for role, want := range map[identity.Role]int{
		identity.Officer: 200, identity.Auditor: 200, identity.Analyst: 200, identity.Gate: 403, identity.Operator: 403,
	} {
		got := s.askAs(t, role, at, nil)
		if got.status != want || want != http.StatusOK && strings.Contains(got.body, "where you live") {
			t.Errorf("%s gets %d, want %d", role, got.status, want)
		}
	}
	for name, got := range map[string]reply{
		"another case": s.ask(t, "/cases/"+string(other.ID)+"/letters/"+m.ID, nil), "no letter": s.ask(t, at+"x", nil),
		"south": s.ask(t, at, nil, "Cookie", "gavel_dev="+token(t, postgrestest.South, identity.Officer)),
	} {
		if got.status != http.StatusNotFound || strings.Contains(got.body, "where you live") {
			t.Errorf("%s gets %d", name, got.status)
		}
	}
	admin := person(postgrestest.North, identity.OrgAdmin)
	ekta := seal.Subject{Type: "rider", ID: "R-1"}
	if _, err := s.Vault.Erase(t.Context(), admin, seal.Request{Subject: ekta, Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "This letter was erased", "Sent")
	for _, path := range []string{at, "/cases/" + string(c.ID), "/outbox"} {
		page := s.ask(t, path, nil)
		wantAll(t, page, http.StatusOK, "Erased letter")
		for _, gone := range []string{"Ekta", "ekta@", "Your ride", "where you live"} {
			if strings.Contains(page.body, gone) {
				t.Errorf("%s still shows %q", path, gone)
			}
		}
	}
}
