// Package api answers for Gavel's use cases over HTTP, as JSON under /v1.
//
// Every answer is a resource or, when something is wrong, a problem document
// (RFC 9457) with a stable code. Times are RFC 3339 in UTC. Writes that depend
// on what the caller has read need If-Match with the resource's ETag; a write sent
// twice with the same Idempotency-Key is done once. Lists come in pages, and as
// CSV.
//
// Read API and Route first, then exchange.go, which is what happens to every
// request, then any of the parts: Cases, Runs, Proposals. The document of all of
// it is made from the same declarations and served at /openapi.json, with a page
// for people at /reference. docs/design/api.md has the reasons.
package api

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var messages embed.FS

// Messages is the text of this package's own pages, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// maxBody is the most a request to the API may hold; unless its route says otherwise.
const maxBody = 64 << 10

// A Config is what all parts of the API share.
type Config struct {
	PublicURL  string                             // the address people use, for links to pages
	Now        func() time.Time                   // the installation's clock; nil: time.Now
	Keys       *idempotency.Store                 // what was answered to requests with a key; nil refuses them
	Operations *operation.Desk                    // long work; nil: there is none, and everything is answered as it is made
	May        func(identity.Actor, string) error // policy's word on who takes lists out as files; nil refuses files
	Logger     *slog.Logger                       // may be nil
	Rate       float64                            // requests a second for one person or token; zero means DefaultRate
	Burst      int                                // at once; zero means DefaultBurst
}

// An API is everything that is answered under /v1, with its document.
type API struct {
	Config
	mux    *web.Mux
	huma   huma.API
	limits *limits
	reads  *line
	writes *line
	names  map[string]*Route // by operation id
	text   []byte            // the document
	page   reference
}

// New makes an API without parts on a mux.
func New(mux *web.Mux, c Config) *API {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	a := &API{Config: c, mux: mux, limits: newLimits(c.Rate, c.Burst), reads: newLine(readsAtOnce),
		writes: newLine(writesAtOnce), names: map[string]*Route{}}
	a.huma = huma.NewAPI(newDocument(), adapter{a})
	return a
}

// A Part is some operations that belong together.
type Part interface {
	// Operations registers them.
	Operations(a *API)
}

// Routes registers what the parts answer, the document of it and the page of the
// document.
func (a *API) Routes(parts ...Part) {
	for _, p := range parts {
		p.Operations(a)
	}
	a.finishDocument()
	a.text, a.page = a.writeDocument(), a.readReference()
	a.mux.Handle("GET /openapi.json", a.serveDocument, web.Public("the form of the API is no secret"))
	a.mux.Handle("GET /reference", a.serveReference, web.SignedIn())
}

// Keyed says whether a write takes an Idempotency-Key.
type Keyed int

// What writes ask for. The zero value takes one where it is sent.
const (
	KeyTaken   Keyed = iota
	KeyNeeded        // it reaches outside, or cannot be taken back
	KeyRefused       // its answer holds a secret, and answers to a key are kept
)

// A Route is one operation as it is declared: what the mux, the document and the
// reference page need to know of it.
type Route struct {
	ID     string // of the operation, in camel case: "openCase"
	Method string
	Path   string
	Acts   []string // of which the caller must be allowed one; empty: signed in is enough
	Tag    string   // the heading it stands under
	Title  string   // a line, verb first
	Text   string   // what a caller must know; may be empty
	Status int      // of success; zero is 200, or 204 without a body
	Body   string   // an example of a request's body, as JSON

	Key     Keyed  // of writes
	Match   bool   // needs If-Match
	Changed string // where to look what changed, when If-Match is stale: "/v1/cases/{id}/entries"
	// Untried says why validate_only cannot be honest here. Empty: it is run and
	// rolled back.
	Untried string
	Slow    bool  // sets its own limit of time
	Form    bool  // takes a page's form as well
	Fresh   bool  // its ETag is for If-Match alone: it is always sent whole
	MaxBody int64 // bytes a request may hold; zero is 64 KiB

	Answers []Answer // that the handler's type does not show

	// Parts is a struct whose fields are the parts of a multipart body, for the document.
	// The handler's input takes such a body whole, as RawBody with the contentType
	// multipart/form-data, and its Content-Type as a header. Nil: it takes JSON.
	Parts any
	// Fails tells errors in the form of another contract than ours: the status, and what
	// stands in the place of the problem. Nil: the problem.
	Fails func(r *http.Request, err error, p web.Problem) (status int, body any)

	shown  []string // the names of a resource's fields, for fields=
	listed bool     // answers with a page
	// elsewhere says that another package answers: it is in the document, and not
	// on the mux.
	elsewhere bool
}

// An Answer is what an operation may answer with.
type Answer struct {
	Status int
	Media  string // its type; empty for JSON
	Of     any    // a value of the type that it holds; nil for bytes
	Words  string
}

func (rt *Route) writes() bool { return rt.Method != http.MethodGet }

// Serve registers an operation. The handler is called when the caller may use the
// route and the request has the declared form.
func Serve[I, O any](a *API, rt Route, handle func(ctx context.Context, who identity.Actor, in *I) (*O, error)) {
	r := &rt
	if r.MaxBody == 0 {
		r.MaxBody = maxBody
	}
	if r.shown == nil {
		r.shown = shownFields[O]()
	}
	a.names[r.ID] = r
	huma.Register(a.huma, a.document(r), func(ctx context.Context, in *I) (*O, error) {
		who, err := signin.Require(ctx)
		if err != nil {
			return nil, exchangeOf(ctx).fail(err)
		}
		out, err := handle(ctx, who, in)
		if err != nil {
			return nil, exchangeOf(ctx).fail(err)
		}
		return out, nil
	})
	if r.Parts != nil {
		a.describeParts(r)
	}
}

// Empty is the answer of an operation that has nothing to say.
type Empty struct{}

// Links are where people see a resource.
type Links struct {
	Page string `json:"page" doc:"The page of it, for people."`
}

// UTC is a moment as the API shows it; nil for none.
func UTC(t *time.Time) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

// moment is a time that may be none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return UTC(&t)
}
