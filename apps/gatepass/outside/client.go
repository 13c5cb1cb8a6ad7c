// Package outside is the one client of the API of gate passes. An agent's tools go through it, over HTTP, as anybody's program would:
// what an agent may do is what the API lets the person do for whom it works, in one role.
//
// Read Client.Do, then For: a tool's call becomes one request, with a key where it changes something.
package outside

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// Base is where the addresses begin, on the server.
const Base = "/v1/gatepass"

// Bounds of a request, and of an answer.
const (
	patience  = 30 * time.Second // for one try
	maxAnswer = 20 << 20         // bytes
)

// waits are how long is waited before each new try, on the installation's clock.
func waits() []time.Duration {
	return []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}
}

// A Config says where the API is and how it is reached.
type Config struct {
	Address   string            // of the server, "https://gavel.example"; what stands before Base
	Transport http.RoundTripper // nil: the ordinary one
	// Sleep waits for a time on the installation's clock, or fails with the context.
	Sleep   func(context.Context, time.Duration) error
	Timeout time.Duration // of one try; 0 for half a minute
}

// A Client asks the API. It is safe for use by many goroutines.
type Client struct {
	address string
	http    *http.Client
	sleep   func(context.Context, time.Duration) error
	timeout time.Duration
}

// New makes a client. Nothing is followed: an address that sends a token elsewhere is not ours.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.Address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, fault.New(fault.Invalid, "the API of gate passes has no address: want one as https://gavel.example")
	}
	if c.Timeout == 0 {
		c.Timeout = patience
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{address: strings.TrimRight(u.String(), "/"), sleep: c.Sleep, timeout: c.Timeout,
		http: &http.Client{Transport: c.Transport, CheckRedirect: stay}}, nil
}

// A Trying is what somebody who waits is told: a try has failed, and another follows.
type Trying struct {
	Again int           // 1 for the second try
	Of    int           // new tries there are in all
	In    time.Duration // until it begins
}

// Do sends a request and makes sense of what comes back. It tries again what nobody answered or what was too busy, and only where
// that cannot be done twice: what only reads, and what has a key. Watch, which may be nil, is told of each new try.
func (c *Client) Do(ctx context.Context, q Request, token string, watch func(Trying)) APIResponse {
	again := waits()
	if q.Method != http.MethodGet && q.Key == "" {
		again = nil
	}
	for n := 0; ; n++ {
		res := c.once(ctx, q, token)
		res.Tries = n + 1
		if n == len(again) || !res.passes() {
			return res
		}
		if watch != nil {
			watch(Trying{Again: n + 1, Of: len(again), In: again[n]})
		}
		if c.sleep(ctx, again[n]) != nil {
			return res
		}
	}
}

// once is one try.
func (c *Client) once(ctx context.Context, q Request, token string) APIResponse {
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	req, err := q.http(ctx, c.address, token)
	if err != nil {
		return notSent(q, err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return unanswered(q, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return unanswered(q, err)
	}
	if len(body) > maxAnswer {
		return notSent(q, fault.New(fault.TooLarge, "the answer is too large"))
	}
	return read(q, res, body)
}

// unanswered is a request to which nothing came back. What exactly failed is the machine's affair and stays here.
func unanswered(q Request, err error) APIResponse {
	why := "the server did not answer"
	var lost *net.DNSError
	switch {
	case errors.As(err, &lost):
		why = "the server was not found"
	case errors.Is(err, context.DeadlineExceeded):
		why = "the server took too long"
	}
	return failed(q, 0, why)
}

// notSent is a request that never went out, or an answer nobody can use.
func notSent(q Request, err error) APIResponse {
	words, _ := fault.Words(err)
	return failed(q, http.StatusInternalServerError, words)
}
