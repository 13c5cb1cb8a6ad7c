package console

import (
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// An inbox is one page of one view of a person's inbox, with what is open in it.
type inbox struct {
	inboxFilter
	after string
	look  review.Look

	verdicts map[string]*Verdict           // by proposal, where its document carries one
	changed  map[casefile.CaseID]time.Time // when the evidence of a case last changed
	objected map[casefile.CaseID]bool      // whether the person concerned waits for an answer
	names    map[string]string             // of people, by their ids, where they are known

	open   *proposalView // what the pane shows; nil for nothing
	chosen bool          // the address names it: a phone shows it and not the list
	next   string        // the proposal after it; empty for none

	did      *review.Item  // what the reader has just decided
	onRecord *audit.Entry  // the record of it
	attended string        // or done around a proposal
	undo     []review.Item // what they decided and can still undo, the newest first
	once     string        // of this page: what the ids of its undoings hold
	saved    []review.SavedView
	apps     []string        // that a list can be narrowed to
	ground   *footing        // what the case of the open proposal rests on; nil where that is not known
	moving   int             // cases that go on by themselves, where nothing needs the reader
	health   *operationsView // for who looks after the machines, too

	unheard    []concern.Pending // objections that wait longest for an answer, for who answers them
	unheardAll int
}

// inboxRoutes registers the inbox, what is done from it, and the search.
func (c *Console) inboxRoutes(m *web.Mux) {
	m.Handle("GET "+inboxPath, c.inbox, web.Needs("inbox.read"))
	m.Handle("GET "+inboxPath+"/rows", c.inboxRows, web.Needs("inbox.read"))
	m.Handle("POST "+inboxPath+"/export", c.exportInbox, web.Needs("list.export"), web.MaxBody(maxForm))
	m.Handle("GET "+inboxPath+"/bulk", c.bulk, web.Needs("proposal.decide"))
	m.Handle("POST "+inboxPath+"/bulk", c.decideBulk, web.Needs("proposal.decide"), web.MaxBody(maxForm))
	m.Handle("GET "+viewsPath, c.views, web.Needs("inbox.read"))
	m.Handle("POST "+viewsPath, c.saveView, web.Needs("inbox.read"), web.MaxBody(maxForm))
	m.Handle("GET "+viewsPath+"/{id}", c.openView, web.Needs("inbox.read"))
	m.Handle("POST "+viewsPath+"/{id}/remove", c.removeView, web.Needs("inbox.read"), web.MaxBody(maxForm))
	m.Handle("POST /proposals/{id}/assign", c.assignProposal, web.Needs("proposal.decide", "proposal.assign"), web.MaxBody(maxForm))
	m.Handle("GET "+SearchPath, c.search, web.Needs(SearchAct))
	m.Handle("GET "+operationsPath, c.operations, web.Needs("health.read"))
}

const inboxPath = "/inbox"

// inbox is the page of what needs the person who reads it.
func (c *Console) inbox(w http.ResponseWriter, r *http.Request) error {
	in, err := c.readInbox(r)
	if err != nil {
		return err
	}
	if err := c.openPane(r, &in); err != nil {
		return err
	}
	if err := c.readBeside(r, &in); err != nil {
		return err
	}
	return c.showInbox(w, r, http.StatusOK, in)
}

func (c *Console) showInbox(w http.ResponseWriter, r *http.Request, status int, in inbox) error {
	if in.open != nil {
		if err := c.readOthers(r, in.open); err != nil {
			return err
		}
	}
	p := c.inboxPage(r)
	p.Frame = web.Flush
	return c.site.Render(w, r, status, p, inboxBody(p, in))
}

// inboxRows is the region of the list that keeps itself current.
func (c *Console) inboxRows(w http.ResponseWriter, r *http.Request) error {
	in, err := c.readInbox(r)
	if err != nil {
		return err
	}
	if open := r.URL.Query().Get("open"); in.at(open) >= 0 {
		in.open = &proposalView{Proposal: review.Proposal{ID: open}} // only which row it is
	}
	p := c.inboxPage(r)
	return c.site.Region(w, r, p, in.region(p))
}

func (c *Console) inboxPage(r *http.Request) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("console.inbox"), "inbox"
	return p
}

func (in inbox) region(p *web.Page) web.Region {
	return web.Region{ID: "inbox-rows", Object: "case_*", Src: in.address(inboxPath+"/rows", "after", in.after, "open", in.openID()),
		Hold: true, Body: inboxRowsBody(p, in)}
}

// openID is the proposal that is open; empty for none.
func (in inbox) openID() string {
	if in.open == nil {
		return ""
	}
	return in.open.ID
}

// at is where a proposal stands in the page; -1 if it does not.
func (in inbox) at(id string) int {
	for i, it := range in.look.Items {
		if it.Proposal.ID == id {
			return i
		}
	}
	return -1
}

// An inboxGroup is a part of the list under a heading of its own.
type inboxGroup struct {
	name  review.Group // empty where the list has no parts
	count int          // exactly, whatever the page holds of it
	items []review.Item
}

// groups are the parts of the page, in its order, without those of which it holds
// nothing.
func (in inbox) groups() []inboxGroup {
	if in.view != review.NeedsMe {
		return []inboxGroup{{items: in.look.Items}}
	}
	counts := in.look.Counts
	var all []inboxGroup
	for _, g := range []inboxGroup{{name: review.Overdue, count: counts.Overdue}, {name: review.Today, count: counts.Today},
		{name: review.Later, count: counts.Later}} {
		for _, it := range in.look.Items {
			if it.Group == g.name {
				g.items = append(g.items, it)
			}
		}
		if len(g.items) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// groupLook is the class and icon of a group's heading.
func groupLook(g review.Group) (class, icon string) {
	if g == review.Overdue {
		return "late", "late"
	}
	return "", "clock"
}

// changedSince is when the evidence of an item's case changed after it was
// proposed; zero if it did not.
func (in inbox) changedSince(it review.Item) time.Time {
	at := in.changed[casefile.CaseID(it.Proposal.Case)]
	if it.Proposal.State != review.Open || !at.After(it.Proposal.CreatedAt) {
		return time.Time{}
	}
	return at
}

// count is how much is in a view.
func (in inbox) count(view review.View) int {
	c := in.look.Counts
	return map[review.View]int{review.NeedsMe: c.NeedsMe, review.Waiting: c.Waiting, review.Snoozed: c.Snoozed, review.Done: c.Done}[view]
}

// bulky reports whether an item may be decided together with others: the store
// has the last word.
func (in inbox) bulky(it review.Item) bool {
	return in.view == review.NeedsMe && it.Class.Together() && (it.Class == review.Routine || it.Finding != nil) &&
		it.Proposal.Gate == review.ByAnother && it.Proposal.Required <= 1
}

// anyBulky reports whether the page has something to tick.
func (in inbox) anyBulky() bool {
	for _, it := range in.look.Items {
		if in.bulky(it) {
			return true
		}
	}
	return false
}

// itemTitle is what an item leads with: whom it is about and what was found, or what it
// would do, the verb first, where it was made before findings were kept.
func itemTitle(p *web.Page, it review.Item) string {
	if it.Finding != nil {
		return foundTitle(p, *it.Finding)
	}
	return actLine(p, it)
}

// actLine is what an item would do, the verb first.
func actLine(p *web.Page, it review.Item) string {
	if it.Finding == nil && it.Line != "" {
		return toolLine(p, it.Proposal.Tool, it.Line)
	}
	if text, given := spoken(p, "line."+it.Proposal.Tool); given {
		return text
	}
	return headTitle(p, it.Proposal)
}

// whyWords says by what right it is in the reader's inbox.
func (in inbox) whyWords(p *web.Page, it review.Item) string {
	switch it.Why {
	case "":
		return ""
	case review.WhyRole:
		return p.T("inbox.why.role", "role", roleOf(p, it.Proposal))
	case review.WhyDelegated:
		who := it.For
		if name := in.names[it.For]; name != "" {
			who = name
		}
		return p.T("inbox.why.delegated", "who", who)
	case review.WhyDecided:
		return p.T("proposal.said." + string(it.Verdict))
	}
	return p.T("inbox.because." + string(it.Why))
}

// roleOf names the reader's role that decides a proposal.
func roleOf(p *web.Page, one review.Proposal) string {
	for _, role := range one.Deciders {
		if p.Actor.Has(role) {
			return p.Word("role.", string(role))
		}
	}
	return ""
}

// classLook is the badge of what a yes leads to.
func classLook(class review.Class) (look, icon, key string) {
	key = "inbox.class." + string(class)
	switch class {
	case review.LegalFiling, review.Weighty:
		return "weighty", "scales", key
	case review.ExternalMail:
		return "plain", "mail", key
	}
	return "plain", "routine", key
}

// openIn lists the proposals that wait in a case, for those who may read them.
func (c *Console) openIn(r *http.Request, id string) ([]review.Proposal, error) {
	actor, err := signin.Require(r.Context())
	if c.Reviews == nil || err != nil || c.Rules.May(actor, "proposal.read") != nil {
		return nil, err
	}
	list, _, err := c.Reviews.List(r.Context(), actor, review.Query{Case: id, Limit: maxEarlier})
	return list, err
}

// readFoundOf reads what was found of what waits in a case.
func (c *Console) readFoundOf(r *http.Request, f *caseFile) error {
	if len(f.gates) == 0 {
		return nil
	}
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	ids := make([]string, len(f.gates))
	for i, one := range f.gates {
		ids[i] = one.ID
	}
	f.found, err = c.Reviews.Findings(r.Context(), actor, ids...)
	return err
}

// gateTitle is what a proposal that waits leads with.
func (f caseFile) gateTitle(p *web.Page, one review.Proposal) string {
	if found, ok := f.found[one.ID]; ok {
		return rowTitle(p, &found, one)
	}
	return rowTitle(p, nil, one)
}

// gates is the region of a case's page that says what waits for a decision.
func (c *Console) gates(w http.ResponseWriter, r *http.Request) error {
	one, _, err := c.readCase(r)
	if err != nil {
		return err
	}
	f := caseFile{Case: one}
	if f.gates, err = c.openIn(r, string(one.ID)); err != nil {
		return err
	}
	if err := c.readFoundOf(r, &f); err != nil {
		return err
	}
	p := c.filePage(r, one)
	return c.site.Region(w, r, p, gatesRegion(p, f))
}

func gatesRegion(p *web.Page, f caseFile) web.Region {
	return web.Region{ID: "gates", Object: string(f.ID), Version: f.Version, Src: caseAddress(f.ID, "/gates"), Body: gatesBody(p, f)}
}

// assignProposal says who is to decide a proposal.
func (c *Console) assignProposal(w http.ResponseWriter, r *http.Request) error {
	return c.attend(w, r, func(done *string) error {
		actor, err := c.proposalReader(r)
		if err != nil {
			return err
		}
		to := strings.TrimSpace(r.PostForm.Get("to"))
		if to == "" {
			return fault.New(fault.Invalid, "say who is to decide it").Because("name_missing")
		}
		*done = "assign"
		if _, err := c.Reviews.Get(r.Context(), actor, r.PathValue("id")); err != nil {
			return err
		}
		err = c.Reviews.Assign(r.Context(), actor, r.PathValue("id"), to)
		if fault.Is(err, fault.NotFound) { // whom they typed, and not the page they are on
			why, _ := fault.ReasonOf(err)
			err = fault.From(fault.Invalid, err, "%s", ownWords(err)).Because(why.Code, why.Places...)
		}
		return err
	})
}
