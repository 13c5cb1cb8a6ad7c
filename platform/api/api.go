// Package api answers for Gavel's use cases over HTTP, as JSON under /v1.
//
// Every answer is a resource or, when something is wrong, a problem document
// (RFC 9457) with a stable code. Times are RFC 3339 in UTC. Writes that depend
// on what the caller has read need If-Match with the resource's ETag.
package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// maxBody is the most a request to the API may hold; none carries a document.
const maxBody = 64 << 10

// An API answers requests. PublicURL is the address people use, for links to
// pages.
type API struct {
	Cases     *casefile.Store
	PublicURL string
}

// Routes registers everything the API answers. Every answer to somebody names
// their organisation's zone, so that a client can show times in it.
func (a *API) Routes(mux *web.Mux) {
	handle := func(pattern string, h web.Handler) {
		mux.Handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
			if page := mux.Site().Page(r); page.Actor.Known() {
				w.Header().Set("Gavel-Zone", page.Org.Zone.String())
			}
			return h(w, r)
		}, web.MaxBody(maxBody))
	}
	handle("POST /v1/cases", a.openCase)
	handle("GET /v1/cases", a.listCases)
	handle("GET /v1/cases/{id}", a.getCase)
	handle("GET /v1/cases/{id}/entries", a.listEntries)
	handle("POST /v1/cases/{id}/notes", a.addNote)
	handle("POST /v1/cases/{id}/close", a.closeCase)
}

// read decodes a JSON body strictly: unknown fields and trailing bytes are
// mistakes worth telling the caller.
func read(r *http.Request, into any) error {
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		return fault.New(fault.Invalid, "the body must be JSON").WithNext("send Content-Type: application/json")
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil && dec.Decode(&struct{}{}) != io.EOF {
		return fault.New(fault.Invalid, "the body holds more than one JSON value")
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.TooLarge, "the body is over %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return fault.New(fault.Invalid, "the body is not what this address takes: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func write(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the caller may have gone; there is nobody to tell
	return nil
}

// A page is one part of a list.
type page[T any] struct {
	Items         []T    `json:"items"`
	NextPageToken string `json:"next_page_token,omitempty"`
}

func pageSize(r *http.Request) (int, error) {
	s := r.URL.Query().Get("page_size")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fault.New(fault.Invalid, "page_size %.20q is not a number", s)
	}
	return n, nil
}

// version reads If-Match, which is the version in quotes.
func version(r *http.Request) (int64, error) {
	tag := r.Header.Get("If-Match")
	if tag == "" {
		return 0, fault.New(fault.Unconfirmed, "say which version you read").
			WithNext("read the case and send its ETag as If-Match")
	}
	n, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
	if err != nil || etag(n) != tag {
		return 0, fault.New(fault.Invalid, "If-Match %.40q is not an ETag of ours", tag)
	}
	return n, nil
}

func etag(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }
