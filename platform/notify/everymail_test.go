package notify_test

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/review"
)

// decoded is all that a mail says: its headers and its bodies, out of their
// encodings.
func decoded(t testing.TB, raw string) string {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for name, values := range m.Header {
		for _, v := range values {
			word, err := new(mime.WordDecoder).DecodeHeader(v)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s: %s\n", name, word)
		}
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		return b.String() + string(body)
	}
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := parts.NextPart() // out of quoted-printable by itself
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(body)
	}
}

// TestNoMailCarriesAnotherPersonsData reads every mail of two hundred cases, with
// two riders on each and staff who are told, through a server that fails: what is
// marked as one person's stands in mails to that person alone, and neither that nor
// an address, a token or a key stands in the log.
func TestNoMailCarriesAnotherPersonsData(t *testing.T) {
	r := newRig(t, durable.Clock{})
	const files = 200
	tokens := map[string]bool{}
	for i := range files {
		one, other := fmt.Sprintf("R-%d-a", i), fmt.Sprintf("R-%d-b", i)
		c := r.file(t, one)
		for _, rider := range []string{one, other} {
			l := r.letter(c, rider)
			l.Name = "मार्क " + markOf(rider)
			l.Text = "Your shift, " + markOf(rider) + ", begins at six.\n"
			l.HTML = "<p>Your shift, " + markOf(rider) + ", begins at six.</p>"
			m := r.queue(t, l)
			_, token, _ := strings.Cut(strings.Split(m.ReplyTo, "@")[0], ".")
			tokens[token] = true
		}
	}
	clock := durable.Clock{}
	d := r.desk(staff{"p_1": {"officer@staff.example", identity.Officer}}, clock)
	w := notify.Usual()
	w.QuietFrom, w.QuietTo = 0, 0
	if err := d.SetWishes(t.Context(), person("p_1"), w); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		r.notice(t, d, review.NoticeReminder, "role:officer", fmt.Sprintf("P-%d", i+1))
	}
	n := 0
	r.server.Fail(func() notifytest.Fault {
		n++
		return []notifytest.Fault{notifytest.None, notifytest.None, notifytest.LaterRcpt, notifytest.NoSuchUser, notifytest.CutRecipient,
			notifytest.None, notifytest.NeverData}[n%7]
	})
	s := r.sender(r.sink(t))
	s.AtOnce = 1
	for range 20 {
		if _, err := d.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.settleSoon(t, s)
	mails := r.server.Mails()
	if len(mails) < files {
		t.Fatalf("only %d mails arrived, so nothing was shown", len(mails))
	}
	marks := regexp.MustCompile(`mark-[0-9a-z-]+-end`)
	for _, m := range mails {
		said := decoded(t, m.Raw)
		rider, isRider := strings.CutSuffix(m.To, "@rider.example")
		found := marks.FindAllString(said, -1)
		for _, link := range regexp.MustCompile(`https?://[^\s"<]+`).FindAllString(said, -1) {
			if isRider || !regexp.MustCompile(`^https://gavel\.example/(proposals/P-\d+|notices)$`).MatchString(link) {
				t.Errorf("the mail to %s leads to %s, want only pages that ask for a sign-in", m.To, link)
			}
		}
		if isRider && len(found) == 0 {
			t.Errorf("the mail to %s does not say what is theirs", m.To)
		}
		for _, mark := range found {
			if mark != markOf(rider) {
				t.Errorf("the mail to %s says %s", m.To, mark)
			}
		}
		if addresses := regexp.MustCompile(`[A-Za-z0-9-]+@(rider|staff)\.example`).
			FindAllString(said, -1); len(addresses) != strings.Count(said, m.To) {
			t.Errorf("the mail to %s names %q", m.To, addresses)
		}
	}
	log := r.log.String()
	for _, secret := range append(marks.FindAllString(log, -1), regexp.MustCompile(`(rider|staff)\.example`).FindAllString(log, -1)...) {
		t.Errorf("the log says %q", secret)
	}
	for token := range tokens {
		if strings.Contains(log, token) {
			t.Errorf("the log holds the token %s of a reply address", token)
		}
	}
	if !strings.Contains(log, "mail_") {
		t.Error("the log says nothing at all, so nothing was shown")
	}
}

// markOf is what is one person's and nobody else's.
func markOf(rider string) string { return "mark-" + strings.ToLower(rider) + "-end" }

// settleSoon is settle for many mails by one sender.
func (r *rig) settleSoon(t testing.TB, s *notify.Sender) {
	t.Helper()
	for range 20_000 {
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if all[int](t, r.db, `select count(*)::int from gavel.mail where ended_at is null`)[0] == 0 {
			return
		}
	}
	t.Fatal("mails have come to no end")
}
