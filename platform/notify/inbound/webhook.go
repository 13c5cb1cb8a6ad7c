package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// A receiver takes in mail.
type receiver interface {
	Receive(ctx context.Context, d Delivery) (Receipt, error)
	Seen(ctx context.Context, via, key string) (bool, error)
	Room() (leave func(), ok bool)
}

// A Fetcher gets a mail by the id under which a provider has it: webhooks of some
// only say that there is one. A mail larger than letter.MaxRaw may be cut there;
// cut says so.
type Fetcher interface {
	Fetch(ctx context.Context, id string) (raw []byte, cut bool, err error)
}

// A Webhook is the door for mail that a provider brings over HTTP. It takes the
// signed forms of Standard Webhooks and Svix: a mail itself (message/rfc822), or
// an event that says where it is (application/json, type "email.received"), which
// is then fetched. The signature covers the bytes of the body as they came; one
// of several secrets may have made it, so that a secret can be changed.
type Webhook struct {
	Keys    func() webhook.Keys // the secrets that count now
	Store   receiver
	Fetcher Fetcher          // nil: only mails themselves are taken
	Now     func() time.Time // real time: signatures are about clocks, not about cases
	Log     *slog.Logger
}

const (
	via      = "webhook"
	maxEvent = 1 << 20 // bytes of an event

	maxReading = 2 * time.Minute // for a body: whoever is slower holds a place that others need
)

// ServeHTTP takes one delivery. It answers 204 when the mail is kept, also where
// it was before; anything else asks to have it delivered again. A body is read only
// of what could be signed, and few are read at a time. The answer says
// nothing about what became of it.
func (h Webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, err := h.serve(w, r)
	if err != nil {
		h.Log.WarnContext(r.Context(), "inbound mail was not taken", "status", status, "kind", fault.KindOf(err).Code())
		http.Error(w, fault.KindOf(err).Sentence(), status)
		return
	}
	w.WriteHeader(status)
}

func (h Webhook) serve(w http.ResponseWriter, r *http.Request) (int, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed, fault.New(fault.Invalid, "mail is brought with POST")
	}
	header := standard(r.Header)
	if err := plausible(header, h.Now()); err != nil {
		return http.StatusUnauthorized, err
	}
	leave, ok := h.Store.Room()
	if !ok {
		w.Header().Set("Retry-After", "10")
		return http.StatusServiceUnavailable, fault.New(fault.Unavailable, "too many deliveries come at once")
	}
	defer leave()
	_ = http.NewResponseController(w).SetReadDeadline(h.Now().Add(maxReading)) // where it cannot be set the server's own holds
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	limit := int64(maxEvent)
	if media == "message/rfc822" {
		limit = letter.MaxRaw
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return http.StatusRequestEntityTooLarge, fault.New(fault.TooLarge, "a delivery has at most %d bytes", limit)
		}
		return http.StatusBadRequest, fault.From(fault.Invalid, err, "read a delivery")
	}
	if err := h.Keys().Verify(header, body, h.Now()); err != nil {
		return http.StatusUnauthorized, err
	}
	if err := h.take(r.Context(), media, header.Get(webhook.HeaderID), body); err != nil {
		return statusOf(err), err
	}
	return http.StatusNoContent, nil
}

// plausible refuses what no signature could make good, before its body is read.
func plausible(h http.Header, now time.Time) error {
	seconds, err := strconv.ParseInt(h.Get(webhook.HeaderTimestamp), 10, 64)
	if err != nil || h.Get(webhook.HeaderID) == "" || !strings.Contains(h.Get(webhook.HeaderSignature), "v1,") {
		return fault.New(fault.Invalid, "the delivery lacks the headers of a webhook")
	}
	if away := now.Sub(time.Unix(seconds, 0)); away > webhook.Tolerance || away < -webhook.Tolerance {
		return fault.New(fault.Stale, "the delivery is of another time")
	}
	return nil
}

// statusOf is how a failure is answered: with what makes the provider come again,
// unless the delivery itself is the mistake.
func statusOf(err error) int {
	switch fault.KindOf(err) {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusServiceUnavailable
}

// standard is a delivery's header with the names of Standard Webhooks, where it
// came with those of Svix.
func standard(h http.Header) http.Header {
	if h.Get(webhook.HeaderID) != "" {
		return h
	}
	out := http.Header{}
	out.Set(webhook.HeaderID, h.Get("Svix-Id"))
	out.Set(webhook.HeaderTimestamp, h.Get("Svix-Timestamp"))
	out.Set(webhook.HeaderSignature, h.Get("Svix-Signature"))
	return out
}

// An event is what a provider says about a mail.
type event struct {
	Type string `json:"type"`
	Data struct {
		EmailID string `json:"email_id"`
	} `json:"data"`
}

var emailID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// take brings a verified delivery to the store.
func (h Webhook) take(ctx context.Context, media, id string, body []byte) error {
	if media == "message/rfc822" {
		_, err := h.Store.Receive(ctx, Delivery{Via: via, Key: id, Raw: body})
		return err
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return fault.New(fault.Invalid, "the delivery is neither a mail nor an event")
	}
	if e.Type != "email.received" {
		return nil // an event about something else is taken, and is nothing to us
	}
	if !emailID.MatchString(e.Data.EmailID) {
		return fault.New(fault.Invalid, "the event does not say which mail it is about")
	}
	if h.Fetcher == nil {
		return fault.New(fault.Unavailable, "no way is set up to fetch mails from this provider")
	}
	if seen, err := h.Store.Seen(ctx, via, id); err != nil || seen {
		return err
	}
	raw, cut, err := h.Fetcher.Fetch(ctx, e.Data.EmailID)
	if err != nil {
		return err
	}
	_, err = h.Store.Receive(ctx, Delivery{Via: via, Key: id, Raw: raw, Cut: cut})
	return err
}

// Secrets are webhook secrets as a setting has them: with commas between, the
// newest first.
func Secrets(setting string) (keys webhook.Keys, err error) {
	for text := range strings.SplitSeq(setting, ",") {
		secret, err := webhook.ParseSecret(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		keys = append(keys, webhook.Key{Secret: secret})
	}
	return keys, nil
}
