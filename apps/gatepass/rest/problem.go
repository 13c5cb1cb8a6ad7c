package rest

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/web"
)

// A ProblemBody is what is wrong, with what helps whoever was refused: where the pass stands, and what they could do instead.
type ProblemBody struct {
	Type      string       `json:"type"`
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail"`
	Instance  string       `json:"instance"`
	Code      string       `json:"code"`
	RequestID string       `json:"request_id"`
	Retryable bool         `json:"retryable"`
	Next      string       `json:"next,omitempty"`
	Errors    []FieldError `json:"errors,omitempty"`

	CurrentStatus *pass.Status  `json:"current_status,omitempty"`
	AllowedEvents *[]pass.Event `json:"allowed_events,omitempty" doc:"To this caller, now."`
}

// A FieldError is one field that is wrong.
type FieldError struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// detailed is an error that knows each thing that is wrong with a request.
type detailed interface {
	error
	Details() []web.Detail
}

// fails tells an error with the statuses of the first design, whose clients know 400, 403, 404, 422 and 500, and beside them
// 401 and 429. What else there is becomes one of those, and the code says which it was.
func fails(r *http.Request, err error, p web.Problem) (int, any) {
	b := ProblemBody{Title: p.Title, Status: p.Status, Detail: p.Detail, Instance: p.Instance, Code: p.Code, RequestID: p.RequestID,
		Retryable: p.Retryable,
		Next:      p.Next}
	if no, ok := errors.AsType[*pass.Refusal](err); ok {
		b.refuse(no)
	} else {
		b.sort(r, err)
	}
	b.Type = "urn:gavel:problem:" + b.Code
	return b.Status, b
}

// refuse is a refusal of the table's.
func (b *ProblemBody) refuse(no *pass.Refusal) {
	b.Status, b.Code, b.Detail = no.Status, string(no.Code), no.Error()
	if no.Current != pass.None {
		b.CurrentStatus = &no.Current
	}
	if no.Allowed != nil {
		b.AllowedEvents = &no.Allowed
	}
	for _, f := range no.Fields {
		b.Errors = append(b.Errors, FieldError{f.Field, f.Code, f.Field + ": " + strings.ReplaceAll(f.Code, "_", " ")})
	}
}

// sort finds the status and code of everything else.
func (b *ProblemBody) sort(r *http.Request, err error) {
	switch kind := fault.KindOf(err); {
	case errors.Is(err, idempotency.ErrOther):
		b.Status, b.Code = http.StatusUnprocessableEntity, "idempotency_conflict"
	case errors.Is(err, idempotency.ErrInFlight):
		b.Status, b.Code = http.StatusForbidden, "in_progress"
	case errors.Is(err, api.ErrBusy): // certainly nothing was done, and every client comes again after it
		b.Status, b.Code = http.StatusTooManyRequests, "busy"
	case kind == fault.Invalid:
		b.invalid(r, err)
	case kind == fault.TooLarge:
		b.Status, b.Code = http.StatusUnprocessableEntity, "too_large"
		if strings.HasPrefix(r.URL.Path, Base+"/gate/scan") {
			b.Code = photo.TooLarge
		}
	case kind == fault.Refused:
		b.Status, b.Code = http.StatusForbidden, string(pass.RoleForbidden)
	case kind == fault.Conflict || kind == fault.Unconfirmed:
		b.Status = http.StatusForbidden
	case kind == fault.Stale:
		b.Status, b.Code = http.StatusForbidden, string(pass.StaleVersion)
	case kind == fault.Unavailable:
		b.Status = http.StatusInternalServerError
	}
}

// invalid parts what cannot be read from what can and is wrong.
func (b *ProblemBody) invalid(r *http.Request, err error) {
	b.Status, b.Code = http.StatusUnprocessableEntity, string(pass.Validation)
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	multipart := strings.HasPrefix(r.URL.Path, Base+"/gate/scan") || r.URL.Path == Base+"/gate/event-photos"
	switch {
	case r.Method == http.MethodPost && multipart && media != "multipart/form-data" || errors.Is(err, errNotMultipart):
		b.Status, b.Code = http.StatusBadRequest, "not_multipart"
		return
	case r.Method == http.MethodPost && !multipart && media != "application/json" && r.ContentLength != 0:
		b.Status, b.Code = http.StatusBadRequest, "malformed_json"
		return
	}
	if d, ok := errors.AsType[detailed](err); ok {
		for _, one := range d.Details() {
			if one.Code == api.CodeUnreadable {
				b.Status, b.Code = http.StatusBadRequest, "malformed_json"
			}
			b.Errors = append(b.Errors, FieldError{fieldOf(one.Pointer), one.Code, one.Detail})
		}
		return
	}
	if place, ok := fault.PlaceOf(err); ok {
		b.Errors = []FieldError{{place.Field, place.Code, b.Detail}}
		if place.Field == "photo" {
			b.Code = place.Code
		}
	}
}

// fieldOf is a place in a request as the first design's clients name it.
func fieldOf(pointer string) string {
	name := strings.TrimPrefix(pointer, "/")
	for _, part := range []string{"query/", "path/", "header/"} {
		name = strings.TrimPrefix(name, part)
	}
	return strings.ReplaceAll(name, "/", ".")
}
