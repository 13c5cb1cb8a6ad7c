// Package mcp lets other programs use Gavel's tools by the Model Context
// Protocol, at /mcp: the same tools, behind the same policies, as agents have.
//
// What a caller sees and may call is decided by their token, once when the list
// is made and again when a tool is called. What only looks answers at once.
// Whatever has an effect makes a proposal and answers with the address of the
// page where people decide it. There is no other way to an act: what a client
// says about approvals, "accept" above all, is never read as one.
//
// Read Server.Routes, then apptool.go. Forward is the way in for programs that
// speak over standard input and output. docs/design/mcp.md has the reasons.
package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
)

// Path is where programs find it.
const Path = "/mcp"

// via is what records say about the door.
const via = "mcp"

// A sealer keeps what a client carries for us from being read or changed.
type sealer interface {
	SealText(purpose, plain string) (string, error)
	OpenText(purpose, sealed string) (string, error)
}

// A Config says what is served.
type Config struct {
	Calls   *agent.Calls // takes calls of the applications' tools
	Tools   *tool.Registry
	Rules   *policy.Rules
	Who     func(context.Context) (identity.Actor, error) // who is asking, or why nobody is
	Cases   *casefile.Store
	Reviews *review.Store
	Runs    *agent.Store
	Facts   *evidence.Store // nil leaves out get_fact
	Records *audit.Reader   // nil leaves out verify_record
	States  sealer          // the installation's keys: any of its servers opens what another sealed

	PublicURL string // the address people use, for links to proposals
	Version   string // of this program
	Log       *slog.Logger
	Now       func() time.Time // the wall clock, for how long a client may carry a state; nil for time.Now
}

// A Server serves the protocol. It keeps nothing between requests.
type Server struct {
	Config
	own     []ownTool          // the platform's
	apps    map[string]appTool // the applications', by the name clients see
	handler *sdk.StreamableHTTPHandler
	rates   rates
}

// New makes a server, and refuses tools that cannot be shown to a client.
func New(c Config) (*Server, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Server{Config: c, apps: map[string]appTool{}}
	var err error
	if s.own, err = s.ownTools(); err != nil {
		return nil, err
	}
	for _, t := range c.Tools.All() {
		one, err := describe(t)
		if err != nil {
			return nil, err
		}
		if s.knows(one.shown.Name) {
			return nil, fault.New(fault.Invalid, "two tools would be called %s to other programs", one.shown.Name)
		}
		s.apps[one.shown.Name] = one
	}
	// Nothing here is for a browser, and whoever asks has sent a token in a header:
	// a page under another name that reaches loopback has none to send.
	s.handler = sdk.NewStreamableHTTPHandler(serverOf, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true,
		DisableLocalhostProtection: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxBody,
		Logger: slog.New(slog.DiscardHandler)})
	return s, nil
}

// maxBody is the most a request may hold: the largest arguments of a tool, twice
// over, for what JSON adds.
const maxBody = 2 * tool.MaxArgs

// Routes registers the one address there is.
func (s *Server) Routes(m *web.Mux) {
	m.Handle("POST "+Path, s.serve, web.Needs("mcp.use"), web.MaxBody(maxBody))
}

// knows reports whether there is a tool of a name that clients see.
func (s *Server) knows(name string) bool {
	_, ok := s.apps[name]
	return ok || s.actOf(name) != ""
}

// actOf is what one must be allowed to use a tool of the platform's own; empty
// for any other.
func (s *Server) actOf(name string) string {
	for _, o := range s.own {
		if o.shown.Name == name {
			return o.act
		}
	}
	return ""
}

// link is the page where people read and decide a proposal.
func (s *Server) link(proposal string) string { return web.ProposalLink(s.PublicURL, proposal) }

// serverKey is where a request's own server lies in its context.
type serverKey struct{}

// serverOf is the server that was made for a request.
func serverOf(r *http.Request) *sdk.Server {
	one, _ := r.Context().Value(serverKey{}).(*sdk.Server)
	return one
}
