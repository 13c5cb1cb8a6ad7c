// Package resend hands mails to Resend, a service that sends them, over its HTTP
// API.
//
// Every request carries the mail's id as its Idempotency-Key. For 24 hours the
// service answers a repeat as it answered the first, without sending anything, so
// that a request whose answer was lost is simply made again. The service may give
// a mail a Message-ID of its own: replies are matched by the address they come to
// before anything else.
package resend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
)

// Base is where the service answers.
const Base = "https://api.resend.com"

// repeats is how long the service knows a key.
const repeats = 24 * time.Hour

// maxAnswer is how much of an answer is read.
const maxAnswer = 64 << 10

// A Config says where mails go.
type Config struct {
	URL    string // empty: Base
	Key    string // the API key
	Client *http.Client
}

// A Sink is the service. It is safe for use by many goroutines.
type Sink struct {
	address string
	key     string
	client  *http.Client
}

// New makes a sink. The key is only ever sent over TLS, or to this machine.
func New(c Config) (*Sink, error) {
	if c.URL == "" {
		c.URL = Base
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && address.ThisMachine(u.Hostname())) {
		return nil, fault.New(fault.Invalid, "the mail service's address is an https:// one")
	}
	if c.Key == "" || strings.ContainsAny(c.Key, " \r\n") {
		return nil, fault.New(fault.Invalid, "the mail service needs a key without spaces")
	}
	client := http.Client{}
	if c.Client != nil {
		client = *c.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a key goes nowhere else
	return &Sink{address: strings.TrimRight(c.URL, "/") + "/emails", key: c.Key, client: &client}, nil
}

// RepeatsFor is how long a mail may be handed over again.
func (s *Sink) RepeatsFor() time.Duration { return repeats }

// A request is a mail in the service's form. The same mail has the same bytes: with
// others the service would refuse the key.
type request struct {
	From    string            `json:"from"`
	To      []string          `json:"to"`
	ReplyTo string            `json:"reply_to,omitempty"`
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html,omitempty"`
	Headers map[string]string `json:"headers"`
}

func form(m notify.Message) ([]byte, error) {
	r := request{From: m.From, To: []string{(&mail.Address{Name: m.To.Name, Address: m.To.Mailbox}).String()}, ReplyTo: m.ReplyTo,
		Subject: m.Subject, Text: m.Text, HTML: m.HTML,
		Headers: map[string]string{"Message-ID": "<" + m.MessageID + ">", "Auto-Submitted": notify.AutoSubmitted,
			"Content-Language": m.Language}}
	if m.InReplyTo != "" {
		r.Headers["In-Reply-To"] = "<" + m.InReplyTo + ">"
		r.Headers["References"] = notify.References(m.References)
	}
	return json.Marshal(r)
}

// Send hands a mail over. What it returns says whether the service has it.
func (s *Sink) Send(ctx context.Context, m notify.Message) error {
	body, err := form(m)
	if err != nil {
		return &notify.Failure{Fate: notify.Never, Words: "The mail could not be put into its form.", Err: errors.New("malformed mail")}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return &notify.Failure{Fate: notify.Later, Words: "The mail service has no address.",
			Err: errors.New("malformed address of the mail service")}
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "gavel")
	req.Header.Set("Idempotency-Key", m.Key)
	res, err := s.client.Do(req)
	if err != nil {
		return unanswered(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode == http.StatusOK && err == nil {
		return nil
	}
	return answered(res.StatusCode, text)
}

// unanswered says what became of a mail that got no answer.
func unanswered(err error) error {
	f := &notify.Failure{Fate: notify.Unsure, Words: "The connection broke before the mail service had answered.",
		Err: errors.New("no answer")}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		f.Fate, f.Words, f.Err = notify.Later, "The mail service could not be reached.", op
	}
	return f
}

// answered reads a refusal. What names us and not the mail is mended by others, and
// the mail waits. Of an error of the service's own nobody knows what came before it.
func answered(status int, text []byte) error {
	var said struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(text, &said) // an answer without a reason is one, too
	f := &notify.Failure{Fate: notify.Unsure, Err: fmt.Errorf("the mail service answered %d", status),
		Words: strings.TrimSpace(fmt.Sprintf("The mail service said: %d %s %s", status, said.Name, said.Message))}
	switch {
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == http.StatusRequestEntityTooLarge:
		f.Fate = notify.Never
	case status == http.StatusConflict, status == http.StatusRequestTimeout, status < 400, status >= 500:
	default: // a wrong key, a wrong address, too many at once
		f.Fate = notify.Later
	}
	return f
}
