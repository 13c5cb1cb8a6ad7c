// Package console is the face people work in: the list of cases, the case's file
// and its facts, the audit log, and the public page that checks a file. It
// shows and asks; the packages below decide.
//
// Every region of a page has one owner and one address, and every act is a form
// that works without script. Read Routes for the addresses.
package console

import (
	"context"
	"embed"
	"io/fs"
	"slices"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/audit/report"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var messages embed.FS

// Messages is the text of the console's pages, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// Nav is the console's part of the rail.
func Nav() []web.NavItem {
	return []web.NavItem{
		{Section: "cases", Key: "console.cases", Path: "/cases", Icon: "case", Roles: readers()},
		{Section: "runs", Key: "console.runs", Path: "/runs", Icon: "run", Roles: agent.RightsOf(agent.SeeRuns)},
		{Section: "audit", Key: "console.audit", Path: "/audit", Icon: "audit", Roles: logReaders()},
	}
}

// readers are the roles that may read cases.
func readers() []identity.Role {
	return slices.DeleteFunc(identity.Roles(), func(role identity.Role) bool {
		return casefile.May(identity.Actor{Kind: identity.Person, ID: "any", Org: "any", Roles: []identity.Role{role}}, casefile.Read) != nil
	})
}

// A Config is what a console is made from. Site and Cases must be there; a page
// whose part is left out says so.
type Config struct {
	Site     *web.Site
	Cases    *casefile.Store
	Log      *audit.Reader                                   // where the audit log is read
	Reports  *report.Desk                                    // knows the reports that left; nil compares none
	Evidence *evidence.Store                                 // where facts are read
	Keys     func(context.Context) ([]audit.Verifier, error) // the institution's own, the one in force first; for the public page
	Runs     *agent.Store                                    // where runs are read
	Orders   *agent.Orders                                   // where people's words about runs go
	Sections []bundle.Section                                // what this program can check in a bundle
}

// A Console serves the pages.
type Console struct {
	Config
	site   *web.Site
	cases  *casefile.Store
	checks chan struct{} // files being checked now
}

// New makes a console.
func New(c Config) *Console {
	return &Console{Config: c, site: c.Site, cases: c.Cases, checks: make(chan struct{}, maxChecks)}
}

// maxForm is the most a form may send, in bytes: the longest note, in a script
// that takes nine bytes a letter once it is encoded.
const maxForm = 256 << 10

// Routes registers every page, region and act of the console.
func (c *Console) Routes(m *web.Mux) {
	m.Handle("GET /cases", c.list)
	m.Handle("GET /cases/rows", c.rows)
	m.Handle("GET /cases/{id}", c.file)
	m.Handle("GET /cases/{id}/head", c.head)
	m.Handle("GET /cases/{id}/sheet", c.sheet)
	m.Handle("GET /cases/{id}/acts", c.acts)
	m.Handle("GET /cases/{id}/facts", c.facts)
	m.Handle("GET /cases/{id}/facts/{fact}", c.fact)
	m.Handle("POST /cases/{id}/notes", c.addNote, web.MaxBody(maxForm))
	m.Handle("POST /cases/{id}/close", c.closeCase, web.MaxBody(maxForm))
	m.Handle("GET /runs", c.runList)
	m.Handle("GET /runs/rows", c.runRows)
	m.Handle("POST /runs/orders", c.runBatch, web.MaxBody(maxForm))
	m.Handle("GET /runs/{id}", c.run)
	m.Handle("GET /runs/{id}/head", c.runHead)
	m.Handle("GET /runs/{id}/story", c.runStory)
	m.Handle("GET /runs/{id}/steps/{seq}", c.stepWords)
	m.Handle("GET /runs/{id}/steps/{seq}/file", c.stepFile)
	m.Handle("POST /runs/{id}/orders", c.runOrder, web.MaxBody(maxForm))
	m.Handle("GET /audit", c.log)
	m.Handle("GET /audit.csv", c.logCSV)
	m.Handle("GET /audit/{record}", c.record)
	m.Handle("GET /verify", c.verifyPage)
	m.Handle("POST /verify", c.verifyFile, web.MaxBody(maxUpload), web.Streaming())
}
