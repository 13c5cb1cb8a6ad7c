// Package page is what people see of Gate Pass: the words of its cases, records and settings on the platform's own pages,
// and its own. Read board for what HR and pass administrators look at, create for how passes are made, chat for conversations with
// the agent, oversee for what is looked over, gate for the app at a gate; frame is what these have in common.
//
// Pages run no SQL: what they show they ask of the store, and what follows from a form of casework.
package page

import (
	"embed"
	"io/fs"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/casework/talk"
	"github.com/gavelhq/gavel/apps/gatepass/page/board"
	"github.com/gavelhq/gavel/apps/gatepass/page/chat"
	"github.com/gavelhq/gavel/apps/gatepass/page/create"
	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/page/gate"
	"github.com/gavelhq/gavel/apps/gatepass/page/oversee"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var messages embed.FS

// Messages is the text of the application, by language.
func Messages() fs.FS { return platform.Folder(messages, "messages") }

// Nav is the application's lines of the rail. Who works at a gate has no board, and begins with the evacuation list, which leads to the
// other pages of theirs.
func Nav() []web.NavItem {
	board := web.NavItem{Section: store.Name, Key: "gp.title", Path: frame.HomeAt, Icon: "pass", Act: store.ActBoard}
	onsite := web.NavItem{Section: store.Name, Key: "gp.onsite", Path: frame.SitesAt, Icon: "user", Act: store.ActLook}
	return append(append([]web.NavItem{board}, gate.Nav()...), onsite)
}

// Pages are the pages of HR and of pass administrators.
type Pages struct {
	frame *frame.Frame
	board *board.Pages
	chat  *chat.Pages
}

// New makes them. What they stand on is there once the application has been opened.
func New(s *store.Store, d *casework.Desk, t *talk.Desk) *Pages {
	f := &frame.Frame{Store: s, Desk: d}
	return &Pages{frame: f, board: board.New(f), chat: chat.New(f, t)}
}

// Open tells them who prints; nil where nobody does.
func (g *Pages) Open(p *pdf.Printer) { g.board.Open(p) }

// Routes registers every page, region and act.
func (g *Pages) Routes(m *web.Mux) {
	g.frame.Site = m.Site()
	gate.Routes(m)
	g.board.Routes(m)
	g.chat.Routes(m)
	create.New(g.frame).Routes(m)
	oversee.New(g.frame).Routes(m)
}
