// Package wire is what the adapters to model vendors share: a client that reads
// no more than it should, an answer put together within bounds, and a vendor's
// errors turned into faults of ours.
//
// An adapter talks to a machine that is not ours. What it sends is input from
// outside, and so are its errors: their text may hold a key or somebody's
// words, so only their codes are kept.
package wire

import (
	"bytes"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// The most that is read of one answer, after decompression.
const (
	MaxBody   = 8 << 20   // an answer in one piece, an error, or one event of a stream
	MaxStream = 256 << 20 // a stream in all: it is not kept, and each token costs hundreds of bytes
)

// Client is an HTTP client for a vendor's SDK. It follows no redirect, which
// would take the key elsewhere, keeps to the bounds above, and reads no proxy
// from the environment. Base carries the requests; nil is a transport of its
// own.
func Client(base http.RoundTripper) *http.Client {
	if base == nil {
		dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
		base = &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           256,
			MaxIdleConnsPerHost:    128, // a worker asks one address, many times at once
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		}
	}
	return &http.Client{Transport: bounded{base}}
}

// bounded reads no more of an answer than it should.
type bounded struct{ base http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 { // before the client sees it
		res.Body.Close()
		return nil, fault.New(fault.Invalid, "the model server answers with a redirect (%d), which is not followed", res.StatusCode).
			WithNext("set the route's base URL to the address it redirects to")
	}
	whole, event := int64(MaxBody), int64(0)
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" {
		whole, event = MaxStream, MaxBody
	}
	res.Body = &boundedBody{ReadCloser: res.Body, left: whole, event: event}
	return res, nil
}

// A boundedBody fails once it is read beyond a bound. SDKs collect an event
// until its empty line, so that line is looked for here too.
type boundedBody struct {
	io.ReadCloser
	left    int64 // bytes that may still come
	event   int64 // most bytes of one event; 0 for a body without events
	since   int64 // bytes since the last event ended
	newline bool  // the last byte, carriage returns left out, ended a line
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 || b.event > 0 && b.over(p[:n]) {
		return 0, fault.New(fault.TooLarge, "the model server's answer is larger than we read (%d bytes)", MaxBody)
	}
	if err != nil && err != io.EOF {
		err = &lostError{err}
	}
	return n, err
}

// A lostError is a connection that ended while an answer was read. It is told
// here, because a parser says the same of an answer that is merely short.
type lostError struct{ cause error }

func (e *lostError) Error() string { return e.cause.Error() }
func (e *lostError) Unwrap() error { return e.cause }

// over reports whether an event has become too large.
func (b *boundedBody) over(p []byte) bool {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		if len(bytes.Trim(line, "\r")) > 0 {
			b.newline = false
		}
		b.since += int64(len(p) - len(rest))
		if b.since > b.event {
			return true
		}
		if ended && b.newline {
			b.since = 0
		}
		b.newline = b.newline || ended
		p = rest
	}
	return false
}
