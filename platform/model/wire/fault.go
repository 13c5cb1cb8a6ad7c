package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Refusal is what a vendor says when it does not answer. Its words are left
// out on purpose: vendors repeat keys and prompts in them.
type Refusal struct {
	Provider  string
	Status    int    // of HTTP
	Type      string // the vendor's class of error
	Code      string // the vendor's own code, where there is one
	RequestID string // for asking the vendor
}

// Error is the refusal for logs.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%s: status %d", r.Provider, r.Status)
	for _, f := range []struct{ name, value string }{{"type", r.Type}, {"code", r.Code}, {"request", r.RequestID}} {
		if word := Word(f.value); word != "" {
			text += ", " + f.name + " " + word
		}
	}
	return text
}

// Fault is the refusal as a fault, by what can be done about it.
func (r *Refusal) Fault() *fault.Error {
	out := func(kind fault.Kind, format string, args ...any) *fault.Error {
		return fault.From(kind, r, format, args...)
	}
	switch {
	case r.Code == "insufficient_quota" || r.Type == "billing_error":
		return out(fault.Refused, "the account at %s has no credit left", r.Provider).
			WithNext("the operator of this installation has to see to the account")
	case r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden:
		return out(fault.Refused, "%s does not accept this installation's key", r.Provider).
			WithNext("the operator of this installation has to set the route's key")
	case r.Status == http.StatusNotFound:
		return out(fault.NotFound, "%s knows no such model or address", r.Provider).
			WithNext("check the route's model and base URL in the settings")
	case r.Status == http.StatusRequestEntityTooLarge:
		return out(fault.TooLarge, "the request is larger than %s accepts", r.Provider)
	case r.Status == http.StatusTooManyRequests:
		return out(fault.TooMany, "%s has had too many requests from us for now", r.Provider)
	case r.Status >= 500 || r.Status == http.StatusRequestTimeout || r.Status == http.StatusConflict:
		return out(fault.Unavailable, "%s is not answering properly (%d)", r.Provider, r.Status)
	default:
		return out(fault.Invalid, "%s does not accept the request (%d)", r.Provider, r.Status)
	}
}

// Broken is the fault for an exchange that failed on the way, or whose answer
// could not be read.
func Broken(ctx context.Context, provider string, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e // our own bound or rule, met inside the SDK
	}
	if cause := context.Cause(ctx); cause != nil {
		return fault.From(fault.Unavailable, cause, "%s did not answer in time", provider)
	}
	if lost(err) {
		return fault.From(fault.Unavailable, bare(err), "the connection to %s failed", provider)
	}
	// The SDK's own words are about the answer and may quote it.
	return fault.New(fault.Invalid, "%s answered in a form that cannot be read", provider).
		WithNext("check the route's base URL in the settings: it has to be the address of the API itself")
}

// Cut is the fault for an answer that ended before its end.
func Cut(provider string) error {
	return fault.New(fault.Unavailable, "the answer of %s ended before it was complete", provider)
}

// lost reports whether the network failed rather than the answer's form.
func lost(err error) bool {
	var network net.Error
	var ended *lostError
	return errors.As(err, &network) || errors.As(err, &ended) // *url.Error is a net.Error
}

// bare is a network error without the address it was for, which may hold a
// user's name and password.
func bare(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
