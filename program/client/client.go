// Package client speaks to a Gavel server over its HTTP API, for the command
// line. It has one method for each thing the command line does, keeps every
// answer's own bytes beside what it understood of them, and turns the server's
// problem+json into the same kinds of fault the server started from.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

const (
	maxAnswer = 16 << 20         // bytes of one answer
	patience  = 30 * time.Second // for one request, its body included
)

// A Client is a caller of one server. It is safe for use by many goroutines.
type Client struct {
	base  *url.URL
	token string
	agent string
	http  *http.Client
	zone  atomic.Pointer[time.Location] // as the last answer named it
}

// New makes a client of the server at base, an http(s) address. The token is
// sent with every request and never to another host: redirects are not followed.
func New(base, token, agent string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, fault.New(fault.Invalid, "the server's address is not an http(s) address").WithNext("gavel config list")
	}
	return &Client{base: u, token: token, agent: agent, http: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Zone is the organisation's time zone as the server's last answer named it, and
// UTC where none did or the zone is not known here.
func (c *Client) Zone() *time.Location {
	if zone := c.zone.Load(); zone != nil {
		return zone
	}
	return time.UTC
}

// maxZone is more than the longest name of a zone has.
const maxZone = 64

func (c *Client) learnZone(name string) {
	if name == "" || len(name) > maxZone || name == time.Local.String() {
		return
	}
	if zone, err := time.LoadLocation(name); err == nil {
		c.zone.Store(zone)
	}
}

// A request is one call: where, with what, on which version it rests, and a key
// by which the server tells the same one sent twice.
type request struct {
	method  string
	path    []string
	query   url.Values
	body    any
	ifMatch string
	once    string
}

// do sends a request and decodes a successful answer into out, which may be
// nil. It returns the status, so that 200 and 201 can be told apart.
func (c *Client) do(ctx context.Context, r request, out any) (int, error) {
	req, err := c.build(ctx, r)
	if err != nil {
		return 0, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return 0, fault.From(fault.Unavailable, err, "the server at %s does not answer", c.base.Redacted()).WithNext("gavel doctor")
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return 0, fault.From(fault.Unavailable, err, "the answer of the server at %s broke off", c.base.Redacted()).WithNext("gavel doctor")
	}
	if len(body) > maxAnswer {
		return 0, fault.New(fault.TooLarge, "the server's answer is larger than %d MiB", maxAnswer>>20)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp.StatusCode, c.refusal(resp, body)
	}
	c.learnZone(resp.Header.Get("Gavel-Zone"))
	if out == nil {
		return resp.StatusCode, nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return resp.StatusCode, c.strange(resp.StatusCode, err)
	}
	return resp.StatusCode, nil
}

func (c *Client) build(ctx context.Context, r request) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	u := c.base.JoinPath(append([]string{"v1"}, r.path...)...)
	u.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	req.Header.Set("User-Agent", c.agent)
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if r.ifMatch != "" {
		req.Header.Set("If-Match", r.ifMatch)
	}
	if r.once != "" {
		req.Header.Set("Idempotency-Key", r.once)
	}
	return req, nil
}

// refusal turns an answer that is not a success into a fault. Only an answer in
// the published shape is believed; a proxy's page is not shown to anyone.
func (c *Client) refusal(resp *http.Response, body []byte) error {
	kind, known := byStatus(resp.StatusCode)
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var p Problem
	if media == "application/problem+json" && json.Unmarshal(body, &p) == nil {
		if k, ok := byCode(p.Code); ok {
			kind, known = k, true
		}
		if known {
			p.Raw = body
			return fault.From(kind, &p, "%s", p.words(kind)).WithNext("%s", p.Next)
		}
	}
	if kind == fault.SignIn || kind == fault.TooMany || kind == fault.Unavailable {
		return fault.New(kind, "the server at %s answered %s", c.base.Redacted(), resp.Status)
	}
	return c.strange(resp.StatusCode, nil)
}

// strange is an answer no Gavel server gives: most likely the address is not
// one of ours.
func (c *Client) strange(status int, cause error) error {
	return fault.From(fault.Unavailable, cause, "%s answered with status %d and not as a Gavel server does; check %s",
		c.base.Redacted(), status, "GAVEL_SERVER").WithNext("gavel config list")
}

// A Problem is the server's refusal, RFC 9457.
type Problem struct {
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	Next      string `json:"next"`
	Errors    []struct {
		Pointer string `json:"pointer"`
		Code    string `json:"code"`
		Detail  string `json:"detail"`
	} `json:"errors"`

	Raw json.RawMessage `json:"-"` // the whole of it, as it came
}

// Error is the problem in a line, for logs.
func (p *Problem) Error() string {
	return "server: " + p.Code + ", request " + p.RequestID
}

func (p *Problem) words(kind fault.Kind) string {
	for _, text := range []string{p.Detail, p.Title} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return kind.Sentence()
}

func byCode(code string) (fault.Kind, bool) {
	for _, k := range fault.Kinds() {
		if k.Code() == code {
			return k, true
		}
	}
	return fault.Internal, false
}

// byStatus is the kind for an answer without a code we know, from an older or
// newer server or from something between us and it.
func byStatus(status int) (fault.Kind, bool) {
	kind, ok := map[int]fault.Kind{
		http.StatusBadRequest:            fault.Invalid,
		http.StatusUnprocessableEntity:   fault.Invalid,
		http.StatusUnauthorized:          fault.SignIn,
		http.StatusForbidden:             fault.Refused,
		http.StatusNotFound:              fault.NotFound,
		http.StatusConflict:              fault.Conflict,
		http.StatusPreconditionFailed:    fault.Stale,
		http.StatusPreconditionRequired:  fault.Unconfirmed,
		http.StatusRequestEntityTooLarge: fault.TooLarge,
		http.StatusTooManyRequests:       fault.TooMany,
		http.StatusInternalServerError:   fault.Internal,
		http.StatusBadGateway:            fault.Unavailable,
		http.StatusServiceUnavailable:    fault.Unavailable,
		http.StatusGatewayTimeout:        fault.Unavailable,
	}[status]
	return kind, ok
}
