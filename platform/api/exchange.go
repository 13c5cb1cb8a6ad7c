package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/web"
)

// adapter registers operations with our own mux: routes are claimed, bounded,
// named in telemetry and refused by policy like every other.
type adapter struct{ api *API }

// ServeHTTP is what huma asks of an adapter; requests come through the mux.
func (ad adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { ad.api.mux.ServeHTTP(w, r) }

// Handle registers an operation.
func (ad adapter) Handle(op *huma.Operation, next func(huma.Context)) {
	rt := ad.api.names[op.OperationID]
	if rt.elsewhere {
		return
	}
	rules := []web.Rule{web.SignedIn(), web.MaxBody(rt.MaxBody)}
	if len(rt.Acts) > 0 {
		rules[0] = web.Needs(rt.Acts...)
	}
	if rt.Slow {
		rules = append(rules, web.Streaming())
	} else {
		rules = append(rules, web.Within(lineWait+web.RequestTimeout))
	}
	if rt.Fails != nil {
		rules = append(rules, web.FailsAs(ad.api.failsAs(rt)))
	}
	ad.api.mux.Handle(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) error {
		x := &exchange{api: ad.api, route: rt, op: op, w: w, header: http.Header{}}
		x.r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		return x.run(next) //nolint:contextcheck // the exchange holds the request, and with it the context
	}, rules...)
}

// An exchange is one request and its answer, which is held back until it is
// whole: it may be kept for a repeat, cut down to some fields, or not be needed.
type exchange struct {
	api    *API
	route  *Route
	op     *huma.Operation
	w      http.ResponseWriter
	r      *http.Request
	body   []byte
	failed error // what the handler said, or huma of the request

	status int
	header http.Header
	answer bytes.Buffer
	direct io.Writer // takes the place of answer for what is sent as it is made
	again  bool      // a part of it may go well in a moment: a repeat is run, not answered from memory
}

type exchangeKey struct{}

// exchangeOf is the exchange that a handler runs in.
func exchangeOf(ctx context.Context) *exchange {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		panic("api: a handler runs outside of a request") // a mistake in the program
	}
	return x
}

// run is what happens to every request, in order.
func (x *exchange) run(next func(huma.Context)) error {
	page := x.api.mux.Site().Page(x.r)
	x.w.Header().Set("Gavel-Zone", page.Org.Zone.String())
	if err := x.api.limits.take(x.w.Header(), page.Actor); err != nil {
		return err
	}
	for _, check := range []func() error{x.checkQuery, x.readBody, x.checkMatch} {
		if err := check(); err != nil {
			return err
		}
	}
	trial, err := x.trial()
	if err != nil {
		return err
	}
	return x.inTurn(func() error {
		if trial {
			return x.try(next)
		}
		return x.once(page.Actor, func() error {
			if err := x.handle(next); err != nil {
				return err
			}
			return x.shape()
		})
	})
}

// handle has huma read the request, call the handler and write the answer.
func (x *exchange) handle(next func(huma.Context)) error {
	next(x)
	if fault.Is(x.failed, fault.Stale) && x.route.Changed != "" {
		x.w.Header().Set("Link", "<"+x.fill(x.route.Changed)+`>; rel="version-history"`)
	}
	return x.failed
}

// fill puts the address's own values into a pattern.
func (x *exchange) fill(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "{") {
			parts[i] = url.PathEscape(x.r.PathValue(strings.Trim(p, "{}")))
		}
	}
	return strings.Join(parts, "/")
}

// fail keeps an error for the one place that answers for errors. What it returns
// only tells huma to stop.
func (x *exchange) fail(err error) error {
	x.failed = err
	return huma.NewError(http.StatusInternalServerError, "")
}

// commonQuery is what every address takes.
var commonQuery = []string{"lang"}

// checkQuery refuses a parameter that the operation does not know: one that was
// misspelt would otherwise change nothing and say nothing.
func (x *exchange) checkQuery() error {
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return fault.New(fault.Invalid, "the query of the address cannot be read")
	}
	var wrong details
	for name := range query {
		known := slices.ContainsFunc(x.op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == name })
		if !known && !slices.Contains(commonQuery, name) {
			wrong = append(wrong, web.Detail{Pointer: "query/" + clip(name), Code: CodeUnknown, Detail: "there is no such parameter here"})
		}
	}
	return wrong.err()
}

// readBody reads the body of a write, within the route's bound.
func (x *exchange) readBody() error {
	if !x.route.writes() {
		return nil
	}
	body, err := io.ReadAll(x.r.Body)
	if err != nil {
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return fault.New(fault.TooLarge, "the body is over %d bytes", large.Limit)
		}
		return fault.From(fault.Invalid, err, "the body could not be read")
	}
	x.body = body
	if x.op.RequestBody == nil || len(body) == 0 {
		return nil
	}
	media, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err == nil && media == "application/x-www-form-urlencoded" && x.route.Form {
		return x.readForm()
	}
	if _, taken := x.op.RequestBody.Content[media]; err == nil && !taken && x.route.Parts != nil {
		return fault.New(fault.Invalid, "the body must be in parts").WithNext("send Content-Type: " + formMedia)
	} else if err != nil || !taken {
		return fault.New(fault.Invalid, "the body must be JSON").WithNext("send Content-Type: application/json")
	}
	return nil
}

// readForm makes JSON of a page's form.
func (x *exchange) readForm() error {
	form, err := url.ParseQuery(string(x.body))
	if err != nil {
		return fault.New(fault.Invalid, "the form cannot be read")
	}
	fields := map[string]string{}
	for name := range form {
		fields[name] = form.Get(name)
	}
	x.r.Header.Set("Content-Type", "application/json")
	x.body, err = json.Marshal(fields)
	return err
}

// checkMatch refuses a write that must say which version it rests on.
func (x *exchange) checkMatch() error {
	if !x.route.Match || x.r.Header.Get("If-Match") != "" {
		return nil
	}
	return fault.New(fault.Unconfirmed, "say which version you read").WithNext("read it and send its ETag as If-Match")
}

// trial reports whether the request is only to be tried.
func (x *exchange) trial() (bool, error) {
	if !x.route.writes() || x.r.URL.Query().Get("validate_only") == "" {
		return false, nil
	}
	switch x.r.URL.Query().Get("validate_only") {
	case "false":
		return false, nil
	case "true":
		if x.route.Untried != "" {
			return false, details{{Pointer: "query/validate_only", Code: CodeUnsupported, Detail: x.route.Untried}}.err()
		}
		return true, nil
	}
	return false, details{{Pointer: "query/validate_only", Code: CodeType, Detail: "true or false"}}.err()
}

// try runs a write to its end and takes it back.
func (x *exchange) try(next func(huma.Context)) error {
	x.r = x.r.WithContext(postgres.Rehearse(x.r.Context()))
	if err := x.handle(next); err != nil {
		return err
	}
	would := Tried{ValidateOnly: true, Status: x.status}
	x.answer.Reset()
	x.header = http.Header{}
	x.setJSON(http.StatusOK, would)
	x.send()
	return nil
}

// Tried is the answer to a write with validate_only=true.
type Tried struct {
	ValidateOnly bool `json:"validate_only" doc:"Always true: nothing was done."`
	Status       int  `json:"status" doc:"What the answer would have been."`
}

// send writes the answer that was held back.
func (x *exchange) send() {
	h := x.w.Header()
	for name, values := range x.header {
		h[name] = values
	}
	if x.status == 0 {
		x.status = http.StatusOK
	}
	x.w.WriteHeader(x.status)
	if x.status != http.StatusNoContent && x.status != http.StatusNotModified {
		_, _ = x.w.Write(x.answer.Bytes()) // the caller may have gone; there is nobody to tell
	}
}

// The rest is what huma asks of a request and an answer.

// Operation is the one that matched.
func (x *exchange) Operation() *huma.Operation { return x.op }

// Context is the request's, with what was added on the way.
func (x *exchange) Context() context.Context { return x.r.Context() }

// TLS is the connection's.
func (x *exchange) TLS() *tls.ConnectionState { return x.r.TLS }

// Version is the protocol's.
func (x *exchange) Version() huma.ProtoVersion {
	return huma.ProtoVersion{Proto: x.r.Proto, ProtoMajor: x.r.ProtoMajor, ProtoMinor: x.r.ProtoMinor}
}

// Method is the request's.
func (x *exchange) Method() string { return x.r.Method }

// Host is the request's.
func (x *exchange) Host() string { return x.r.Host }

// RemoteAddr is the caller's.
func (x *exchange) RemoteAddr() string { return x.r.RemoteAddr }

// URL is the request's.
func (x *exchange) URL() url.URL { return *x.r.URL }

// Param is a value in the path.
func (x *exchange) Param(name string) string { return x.r.PathValue(name) }

// Query is a value in the query.
func (x *exchange) Query(name string) string { return x.r.URL.Query().Get(name) }

// Header is one of the request's.
func (x *exchange) Header(name string) string { return x.r.Header.Get(name) }

// EachHeader visits the request's headers.
func (x *exchange) EachHeader(visit func(name, value string)) {
	for name, values := range x.r.Header {
		for _, v := range values {
			visit(name, v)
		}
	}
}

// BodyReader reads what was read already.
func (x *exchange) BodyReader() io.Reader { return bytes.NewReader(x.body) }

// GetMultipartForm fails: no operation takes one.
func (x *exchange) GetMultipartForm() (*multipart.Form, error) { return nil, http.ErrNotMultipart }

// SetReadDeadline does nothing: the body is read, and the server's limits stand.
func (x *exchange) SetReadDeadline(time.Time) error { return nil }

// SetStatus is the answer's.
func (x *exchange) SetStatus(code int) { x.status = code }

// Status is the answer's.
func (x *exchange) Status() int { return x.status }

// SetHeader sets one of the answer's.
func (x *exchange) SetHeader(name, value string) { x.header.Set(name, value) }

// AppendHeader adds one to the answer's.
func (x *exchange) AppendHeader(name, value string) { x.header.Add(name, value) }

// BodyWriter takes the answer.
func (x *exchange) BodyWriter() io.Writer {
	if x.direct != nil {
		return x.direct
	}
	return &x.answer
}
