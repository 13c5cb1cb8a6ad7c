package hook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/gavelhq/gavel/platform/notify/webhook"
)

var errPaused = errors.New("nothing leaves the organisation now")

// A parcel is a message that is due, with where it goes.
type parcel struct {
	ID       string
	URL      string
	Kind     string
	Subject  string
	At       time.Time
	Tries    int
	Attempts int
	AskedBy  string
}

// An outcome is what came of sending.
type outcome struct {
	took   time.Duration
	status int
	fault  string // empty: it was taken
	answer string
	wait   time.Duration // that the receiver asked for
}

// body is what a message says: the same bytes on every try.
func (p parcel) body() []byte {
	type data struct {
		ID string `json:"id"`
	}
	text, err := json.Marshal(struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      data      `json:"data"`
	}{p.Kind, p.At.UTC(), data{p.Subject}})
	if err != nil {
		panic(err) // three words and a time of the database
	}
	return text
}

// send makes one try. Its signature carries real time, whatever the installation's
// clock says: that is what the receiver has.
func (c *Courier) send(ctx context.Context, p parcel, keys webhook.Keys) outcome {
	began, body := c.wall(), p.body()
	signed, err := keys.Sign(p.ID, began, body)
	if err != nil {
		return outcome{fault: FaultSigning}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return outcome{fault: FaultName}
	}
	req.Header = signed
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Gavel-Webhooks/1")
	res, err := c.client.Do(req)
	if err != nil {
		return outcome{took: c.wall().Sub(began), fault: faultIn(err)}
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, MaxAnswer))
	got := outcome{took: c.wall().Sub(began), status: res.StatusCode, fault: faultOf(res.StatusCode), answer: clean(text),
		wait: retryAfter(res.StatusCode, res.Header)}
	if err != nil && got.fault == "" {
		got.fault = faultIn(err) // it said yes and broke off: nobody knows whether it has it
	}
	return got
}

// faultIn is the word for why there was no answer. The error itself goes nowhere:
// it holds the address, whose path may be a secret.
func faultIn(err error) string {
	var (
		dns     *net.DNSError
		alert   tls.AlertError
		cert    *tls.CertificateVerificationError
		host    x509.HostnameError
		unknown x509.UnknownAuthorityError
		record  tls.RecordHeaderError
		op      *net.OpError
		netErr  net.Error
	)
	switch {
	case errors.Is(err, errInside):
		return FaultInside
	case errors.As(err, &dns):
		return FaultName
	case errors.As(err, &cert), errors.As(err, &host), errors.As(err, &unknown), errors.As(err, &record), errors.As(err, &alert):
		return FaultTLS
	case errors.As(err, &netErr) && netErr.Timeout():
		return FaultTimeout
	case errors.As(err, &op) && op.Op == "dial":
		return FaultConnect
	}
	return FaultBroken
}

// clean is the beginning of an answer as text that can be kept and shown.
func clean(b []byte) string {
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(string(b), ""))
	return strings.TrimSpace(text)
}
