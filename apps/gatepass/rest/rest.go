// Package rest is what Gate Pass answers under /v1/gatepass: the 21 addresses of the first design, with its paths, statuses
// and error codes, and some beside them. The bodies are in body.go, what is told when something is wrong in problem.go.
package rest

import (
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/casework/talk"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pdf"
)

// Base is where the addresses begin.
const Base = "/v1/gatepass"

// apiTag is the heading of the application's addresses in the document.
const apiTag = "Gate Pass"

// Answers are the addresses. What they stand on is there once the application has been opened.
type Answers struct {
	store   *store.Store
	desk    *casework.Desk
	talk    *talk.Desk
	printer *pdf.Printer
}

// New makes them.
func New(s *store.Store, d *casework.Desk, t *talk.Desk) *Answers {
	return &Answers{store: s, desk: d, talk: t}
}

// Open hands over what prints; nil where nothing does.
func (s *Answers) Open(p *pdf.Printer) { s.printer = p }

// Operations registers what is answered.
func (s *Answers) Operations(a *api.API) {
	s.making(a)
	s.deciding(a)
	s.guarding(a)
	s.alone(a)
	s.noticing(a)
	s.handing(a)
	s.overseeing(a)
	s.talking(a)
}

// route is one of the addresses: all of them fail alike.
func route(id, method, path, title string, acts ...string) api.Route {
	rt := api.Route{ID: id, Method: method, Path: Base + path, Acts: acts, Tag: apiTag, Title: title, Fails: fails}
	if method == http.MethodGet {
		rt.Fresh = true // overdue and expired are what the clock says, not the version
	} else {
		rt.Untried = "a refusal says what would be refused, and changes nothing"
	}
	return rt
}

func (s *Answers) now() time.Time { return s.store.Now() }

// A PassInput names a pass: by its number, its id, or, at a gate, its code.
type PassInput struct {
	Pass  string `path:"pass_number" maxLength:"64" doc:"Its number, GP-2026-0001, or its id."`
	Vocab string `query:"vocab" enum:"canonical,legacy" doc:"legacy: pending_return and completed in the place of exited."`
}

// A passOutput is one pass, with its version as the ETag.
type passOutput struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     PassBody
}

func (s *Answers) answer(k store.Kept, vocab string) *passOutput {
	return &passOutput{ETag: api.VersionTag(int64(k.Version)), Body: passOf(k, s.now(), vocab)}
}

// found is a ref that may be none: whoever asks for what has not even the form of a name finds nothing.
func found(name string) (store.Ref, error) {
	ref, err := store.ParseRef(name)
	if err != nil {
		return ref, fault.New(fault.NotFound, "there is no pass %.40q", name).WithNext("a pass is called GP-2026-0001")
	}
	return ref, nil
}

// seen reads an If-Match, which may be left out.
func seen(tag string) (int, error) {
	v, err := api.VersionSeen(tag, 0)
	return int(v), err
}

// moment reads a time that a request may have.
func moment(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fault.From(fault.Invalid, err, "%s: write a moment as 2026-11-18T09:30:00Z", field).On(field, "form", "")
	}
	return t.UTC().Truncate(time.Microsecond), nil
}

// wants reports whether a caller asks for a media type by name.
func wants(accept, media string) bool { return strings.Contains(accept, media) }
