package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Call is a request as a person words it: any address of the server.
type Call struct {
	Method string
	Path   string      // with its query: "/v1/cases?state=open"
	Query  url.Values  // added to that
	Body   []byte      // JSON; nil for none
	Header http.Header // beside what every request has
}

// An Answer is what came back. Its body is still to be read, and closed.
type Answer struct {
	Status string
	Header http.Header
	Body   io.ReadCloser
}

// Media is the type of the body, without parameters.
func (a *Answer) Media() string {
	media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	return strings.TrimSpace(media)
}

// JSON reads a body that holds one JSON value.
func (a *Answer) JSON() (json.RawMessage, error) {
	body, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fault.From(fault.Unavailable, err, "the server's answer broke off").WithNext("gavel doctor")
	case len(body) > maxAnswer:
		return nil, fault.New(fault.TooLarge, "the server's answer is larger than %d MiB", maxAnswer>>20)
	case !json.Valid(body):
		return nil, fault.New(fault.Unavailable, "the server's answer says that it is JSON, and is not").WithNext("gavel config list")
	}
	return bytes.TrimSpace(body), nil
}

// ownHeaders are those that the client sets itself: a secret among the arguments
// of a program is there for everyone on the machine to read.
var ownHeaders = []string{"Authorization", "Cookie", "Host", "Content-Length", "Transfer-Encoding", "Connection"}

// Do sends a request to the API, in and the answer as JSON; both may be nil. What
// changes something has a key of its own, by which the server tells a repeat.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) (err error) {
	call := Call{Method: method, Path: path, Header: http.Header{}}
	if method != http.MethodGet {
		call.Header.Set("Idempotency-Key", rand.Text())
	}
	if in != nil {
		if call.Body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return c.decode(ctx, call, out)
}

// Send is Do for a request that is no JSON, such as a form with a file: media says what the body is.
func (c *Client) Send(ctx context.Context, path, media string, body []byte, out any) error {
	return c.decode(ctx, Call{Method: http.MethodPost, Path: path, Body: body, Header: http.Header{"Content-Type": {media}}}, out)
}

// decode sends a request and reads the answer into out, which may be nil.
func (c *Client) decode(ctx context.Context, call Call, out any) error {
	answer, err := c.Call(ctx, call)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if out == nil {
		return nil
	}
	body, err := answer.JSON()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
	}
	return nil
}

// Call sends a request and returns the answer, whatever its type. An answer that
// is no success is a fault, as everywhere. The token goes to this server only: a
// path that names another host is refused. A stream is read until it ends.
func (c *Client) Call(ctx context.Context, one Call) (*Answer, error) {
	req, err := c.raw(ctx, one)
	if err != nil {
		return nil, err
	}
	caller := *c.http
	if strings.Contains(req.Header.Get("Accept"), "text/event-stream") {
		caller.Timeout = 0
	}
	resp, err := caller.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, c.unanswered(err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		if err != nil {
			return nil, c.unanswered(err)
		}
		return nil, c.refusal(resp, body)
	}
	c.learnZone(resp.Header.Get("Gavel-Zone"))
	return &Answer{Status: resp.Status, Header: resp.Header, Body: resp.Body}, nil
}

func (c *Client) unanswered(err error) error {
	return fault.From(fault.Unavailable, err, "the server at %s does not answer", c.base.Redacted()).WithNext("gavel doctor")
}

func (c *Client) raw(ctx context.Context, one Call) (*http.Request, error) {
	at, err := url.Parse(one.Path)
	if err != nil || !strings.HasPrefix(one.Path, "/") || at.Host != "" || at.Scheme != "" {
		return nil, fault.New(fault.Invalid, "%.80q is no path on the server; one looks like /v1/cases?state=open", one.Path)
	}
	u := c.base.JoinPath(at.EscapedPath())
	query := at.Query()
	for name, values := range one.Query {
		query[name] = append(query[name], values...)
	}
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, one.Method, u.String(), bytes.NewReader(one.Body))
	if err != nil {
		return nil, fault.New(fault.Invalid, "%.20q is no method of HTTP", one.Method)
	}
	req.Header.Set("Accept", "application/json, application/problem+json, */*;q=0.5")
	req.Header.Set("User-Agent", c.agent)
	if one.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range one.Header {
		if slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)) {
			return nil, fault.New(fault.Invalid, "the header %s is not for you to set; the token comes from GAVEL_TOKEN", name)
		}
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req, nil
}
