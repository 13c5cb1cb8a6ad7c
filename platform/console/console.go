// Package console is the face people work in: the inbox and the proposals they
// decide, the list of cases, the case's file and its facts, runs, the audit log,
// and the public page that checks a file. It shows and asks; the packages below
// decide.
//
// Every region of a page has one owner and one address, and every act is a form
// that works without script. Read Routes for the addresses.
package console

import (
	"context"
	"embed"
	"io/fs"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/report"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/search"
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
		{Section: "inbox", Key: "console.inbox", Path: "/inbox", Icon: "inbox", Act: "inbox.read"},
		{Section: "cases", Key: "console.cases", Path: "/cases", Icon: "case", Act: "case.read"},
		{Section: "mail", Key: "mail.title", Path: mailPath, Icon: "mail", Act: "mail.read"},
		{Section: "outbox", Key: "outbox.title", Path: outboxPath, Icon: "send", Act: "case.read"},
		{Section: "runs", Key: "console.runs", Path: "/runs", Icon: "run", Act: "run.read"},
		{Section: "operations", Key: "console.operations", Path: operationsPath, Icon: "routine", Act: "health.read"},
		{Section: "audit", Key: "console.audit", Path: "/audit", Icon: "audit", Act: "audit.read"},
		{Section: "sources", Key: "sources.title", Path: sourcesPath, Icon: "source", Act: "source.read"},
		{Section: "admin", Key: "console.admin", Path: "/admin", Icon: "admin", Act: "admin.read"},
	}
}

// NavFor is the same, with how much needs the reader beside their inbox.
func NavFor(reviews *review.Store) []web.NavItem {
	all := Nav()
	all[0].Live = review.InboxObject
	all[0].Count = func(ctx context.Context, actor identity.Actor) (int, error) {
		return reviews.InboxNeeds(ctx, actor, web.MostCounted+1)
	}
	return all
}

// A Config is what a console is made from. Site and Cases must be there; a page
// whose part is left out says so.
type Config struct {
	Site     *web.Site
	Rules    *policy.Rules // who may see what; nil shows nobody anything
	Cases    *casefile.Store
	Log      *audit.Reader                                   // where the audit log is read
	Reports  *report.Desk                                    // knows the reports that left; nil compares none
	Evidence *evidence.Store                                 // where facts are read
	Keys     func(context.Context) ([]audit.Verifier, error) // the institution's own, the one in force first; for the public page
	Runs     *agent.Store                                    // where runs are read
	Reviews  *review.Store                                   // where proposals are read and decided
	Acts     *effect.Store                                   // where it is read what came of them
	Editing  func(review.Proposal) (Editing, bool)           // how a proposal's arguments are edited; false, or nil: they cannot be
	Engine   func(context.Context) error                     // whether the engine answers; nil is taken for yes
	Ask      *ask.Desk                                       // where questions about a case are answered; nil takes none
	Orders   *agent.Orders                                   // where people's words about runs go
	Sections []bundle.Section                                // what this program can check in a bundle
	Finder   *search.Finder                                  // the search of every page; nil: there is none
	Apps     []string                                        // the names of the applications, in their order
	Pauses   *effect.Pauses                                  // where people hold acts and let them go
	Setup    Setup                                           // how the installation is set up, for administrators
	Parts    map[string][]Part                               // what applications add to the page of their cases, by their names
	Concerns *concern.Store                                  // what the people concerned may read; nil: nothing
	Public   string                                          // the address people use, for links that leave
	Mail     *inbound.Store                                  // mail that came in; nil: none is taken in
	Post     *notify.Post                                    // letters that were sent; nil: none are
	Exporter *bundle.Exporter                                // takes cases out as files; nil: none can be
	Trials   []Trial                                         // what to try first in a demonstration; nil where this is none
	Jobs     *job.Desk                                       // where long work is called off; nil: there is none
	Desk     *notify.Desk                                    // tells people by mail what waits for them; nil: no mail goes out
}

// A Console serves the pages.
type Console struct {
	Config
	site     *web.Site
	cases    *casefile.Store
	checks   *checks // files being checked now
	sends    sends   // files on their way to that
	arrivals *pacer  // all of those together
	pulse    pulse

	turnstile *web.Turnstile // in front of the page of the person concerned
}

// New makes a console.
func New(c Config) *Console {
	return &Console{Config: c, site: c.Site, cases: c.Cases, checks: newChecks(), arrivals: &pacer{rate: arriving},
		pulse: pulse{ask: c.Engine}, turnstile: web.NewTurnstile()}
}

// maxForm is the most a form may send, in bytes: the longest note, in a script
// that takes nine bytes a letter once it is encoded.
const maxForm = 256 << 10

// Routes registers every page, region and act of the console.
func (c *Console) Routes(m *web.Mux) {
	m.Handle("GET "+StartPath, c.start, web.SignedIn())
	m.Handle("GET "+outboxPath, c.outbox, web.Needs("case.read"))
	m.Handle("GET /cases", c.list, web.Needs("case.read"))
	m.Handle("POST /cases", c.openCase, web.Needs("case.open"), web.MaxBody(maxForm))
	m.Handle("GET /cases/rows", c.rows, web.Needs("case.read"))
	c.caseRoutes(m)
	c.inboxRoutes(m)
	c.proposalRoutes(m)
	c.delegationRoutes(m)
	c.noticeRoutes(m)
	c.askRoutes(m)
	c.mailRoutes(m)
	c.jobRoutes(m)
	c.adminRoutes(m)
	m.Handle("GET /runs", c.runList, web.Needs("run.read"))
	m.Handle("GET /runs/rows", c.runRows, web.Needs("run.read"))
	m.Handle("POST /runs/orders", c.runBatch, web.Needs("run.order"), web.MaxBody(maxForm))
	m.Handle("GET /runs/{id}", c.run, web.Needs("run.read"))
	m.Handle("GET /runs/{id}/head", c.runHead, web.Needs("run.read"))
	m.Handle("GET /runs/{id}/story", c.runStory, web.Needs("run.read"))
	m.Handle("GET /runs/{id}/steps/{seq}", c.stepWords, web.Needs("run.words"))
	m.Handle("POST /runs/{id}/steps/{seq}/show", c.showWords, web.Needs("run.others"), web.MaxBody(maxForm))
	m.Handle("GET /runs/{id}/steps/{seq}/file", c.stepFile, web.Needs("run.words"))
	m.Handle("POST /runs/{id}/orders", c.runOrder, web.Needs("run.order", "run.say"), web.MaxBody(maxForm))
	m.Handle("GET /audit", c.log, web.Needs("audit.read"))
	m.Handle("POST /audit.csv", c.logCSV, web.Needs("audit.export"), web.MaxBody(maxForm))
	m.Handle("GET /audit/{record}", c.record, web.Needs("audit.read"))
	m.Handle("GET /verify", c.verifyPage, web.Public("anybody may check a bundle or a report that they were given"))
	m.Handle("POST /verify", c.verifyFile, web.Public("anybody may check a bundle or a report that they were given"),
		web.MaxBody(maxUpload), web.Streaming())
}
