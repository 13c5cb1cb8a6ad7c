package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/web"
)

// authServer is what the server calls itself that takes mail in for the demonstration.
const authServer = "mx.gavel.example"

// mostMails is how many the mailbox lists.
const mostMails = 200

// A mailbox is a page with all mail that left, where whoever watches may answer in the place
// of whom it went to. The mail server's own page is not part of what is built from source;
// this one needs no script. What is answered goes in through the door that every installation
// has for mail.
type mailbox struct {
	mails  string // address of the mail server's API
	door   string // where mail is taken in
	public string // address of the product; links to it in a mail can be followed
	secret webhook.Secret
	clock  durable.Clock
	said   *web.Catalogue
	zone   *time.Location // of the demonstration's organisations

	server *http.Server
	host   string

	mu      sync.Mutex // guards what follows
	answers map[string][]answer
}

// An answer is what was written in somebody's place.
type answer struct {
	Text string
	At   time.Time
}

// A mailboxConfig says where the parts are.
type mailboxConfig struct {
	Mails, Public string
	Secret        webhook.Secret
	Clock         durable.Clock
}

// newMailbox starts it on a port of its own.
func newMailbox(c mailboxConfig) (*mailbox, error) {
	said, err := web.LoadCatalogue(web.Messages(), messages())
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(web.DefaultZone)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "listen on loopback for the mailbox")
	}
	b := &mailbox{mails: c.Mails, door: c.Public + "/v1/mail/inbound", public: c.Public, secret: c.Secret, clock: c.Clock,
		said: said, zone: zone, host: listener.Addr().String(), answers: map[string][]answer{}}
	b.server = &http.Server{Handler: b.guarded(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = b.server.Serve(listener) }() // ends with close
	return b, nil
}

// close ends it at once.
func (b *mailbox) close() error { return b.server.Close() }

// address is that of its first page.
func (b *mailbox) address() string { return "http://" + b.host + "/" }

// guarded are its pages, for browsers on this machine that were sent here by nobody else's
// page.
func (b *mailbox) guarded() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", b.serve(b.list))
	mux.HandleFunc("GET /mail/{id}", b.serve(b.read))
	mux.HandleFunc("POST /mail/{id}/reply", b.serve(b.reply))
	mux.HandleFunc("GET /style.css", style)
	own := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != b.host {
			http.Error(w, "This mailbox is at "+b.address(), http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		own.ServeHTTP(w, r)
	})
}

// serve answers with a page, or says what went wrong on one.
func (b *mailbox) serve(page func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := page(w, r)
		if err == nil {
			return
		}
		words, _ := fault.Words(err)
		b.show(w, r, web.Status(fault.KindOf(err)), "fault", view{Fault: words})
	}
}

// A mailAddress is a mailbox of somebody's.
type mailAddress struct{ Name, Address string }

// Who is how people call them.
func (a mailAddress) Who() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Address
}

// A mail is one that left, as the mail server has it.
type mail struct {
	ID, MessageID string
	To, ReplyTo   []mailAddress
	From          mailAddress
	Subject, Text string
	Created       time.Time // real time, in the list
	Date          time.Time // as the mail says, by the demonstration's clock
}

// first is whom it went to.
func (m mail) first() mailAddress {
	if len(m.To) == 0 {
		return mailAddress{}
	}
	return m.To[0]
}

// Answerable reports whether a reply to it is taken in.
func (m mail) Answerable() bool { return len(m.ReplyTo) > 0 && len(m.To) > 0 }

var idForm = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

func (b *mailbox) mail(ctx context.Context, id string) (m mail, err error) {
	if !idForm.MatchString(id) {
		return m, fault.New(fault.NotFound, "no mail is called %.60q", id)
	}
	return m, b.ask(ctx, "/api/v1/message/"+url.PathEscape(id), &m)
}

// ask asks the mail server.
func (b *mailbox) ask(ctx context.Context, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.mails+path, http.NoBody) //nolint:gosec // the demonstration's own server
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req) //nolint:gosec // as above
	if err != nil {
		return fault.From(fault.Unavailable, err, "the mail server does not answer")
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound:
		return fault.New(fault.NotFound, "this mail is not there")
	case res.StatusCode != http.StatusOK:
		return fault.New(fault.Unavailable, "the mail server answers %s", res.Status)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 8<<20)).Decode(out); err != nil {
		return fault.From(fault.Unavailable, err, "read what the mail server says")
	}
	return nil
}

// deliver brings a mail to the product as a mail provider does: signed.
func (b *mailbox) deliver(ctx context.Context, raw []byte) error {
	header, err := webhook.Keys{{Secret: b.secret}}.Sign("demo-"+rand.Text(), time.Now(), raw)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.door, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header = header
	req.Header.Set("Content-Type", "message/rfc822")
	res, err := http.DefaultClient.Do(req) //nolint:gosec // the demonstration's own server
	if err != nil {
		return fault.From(fault.Unavailable, err, "the demonstration does not take the mail")
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		text, readErr := io.ReadAll(io.LimitReader(res.Body, 300))
		return errors.Join(fault.New(fault.Unavailable, "the demonstration does not take the mail: %s %s", res.Status, text), readErr)
	}
	return nil
}

// note keeps an answer, so that the page shows it under its letter.
func (b *mailbox) note(id string, a answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[id] = append(b.answers[id], a)
}

func (b *mailbox) noted(id string) []answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]answer(nil), b.answers[id]...)
}
