package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const inboxPerPage = 50

// An inbox is one page of one view of a person's inbox.
type inbox struct {
	view   review.View
	app    string
	after  string
	page   review.Page
	counts review.Counts
}

// inboxViews are the tabs above the list.
func inboxViews() []review.View {
	return []review.View{review.NeedsMe, review.Waiting, review.Snoozed, review.Done}
}

// inbox is the page of what needs the person who reads it.
func (c *Console) inbox(w http.ResponseWriter, r *http.Request) error {
	in, err := c.readInbox(r)
	if err != nil {
		return err
	}
	p := c.inboxPage(r)
	return c.site.Render(w, r, http.StatusOK, p, inboxBody(p, in))
}

// inboxRows is the region of the list that keeps itself current.
func (c *Console) inboxRows(w http.ResponseWriter, r *http.Request) error {
	in, err := c.readInbox(r)
	if err != nil {
		return err
	}
	p := c.inboxPage(r)
	return c.site.Region(w, r, p, in.region(p))
}

func (c *Console) inboxPage(r *http.Request) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("console.inbox"), "inbox"
	return p
}

func (c *Console) readInbox(r *http.Request) (in inbox, err error) {
	actor, err := c.proposalReader(r)
	if err != nil {
		return in, err
	}
	q := r.URL.Query()
	for _, name := range []string{"view", "app", "after"} {
		if v := q.Get(name); len(v) > maxFilter || strings.ContainsRune(v, 0) {
			return in, fault.New(fault.Invalid, "the filter %s is longer than %d bytes or holds a zero byte", name, maxFilter)
		}
	}
	in = inbox{view: review.View(q.Get("view")), app: q.Get("app"), after: q.Get("after")}
	if in.view == "" {
		in.view = review.NeedsMe
	}
	now := c.site.Page(r).Now
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	in.page, err = c.Reviews.Inbox(r.Context(), actor, review.InboxQuery{View: in.view, App: in.app, Since: today, After: in.after, Limit: inboxPerPage})
	if err != nil {
		return in, err
	}
	in.counts, err = c.Reviews.InboxCounts(r.Context(), actor, today)
	return in, err
}

func (in inbox) region(p *web.Page) web.Region {
	return web.Region{ID: "inbox-rows", Object: "case_*", Src: in.address("/inbox/rows", in.view, in.after), Hold: true, Body: inboxRowsBody(p, in)}
}

// address is a page of a view under the same filter.
func (in inbox) address(path string, view review.View, after string) string {
	q := url.Values{}
	if view != review.NeedsMe {
		q.Set("view", string(view))
	}
	if in.app != "" {
		q.Set("app", in.app)
	}
	if after != "" {
		q.Set("after", after)
	}
	return withQuery(path, q.Encode())
}

// count is how much is in a view, for its tab.
func (in inbox) count(view review.View) string {
	n := map[review.View]int{review.NeedsMe: in.counts.NeedsMe, review.Waiting: in.counts.Waiting, review.Snoozed: in.counts.Snoozed, review.Done: in.counts.Done}[view]
	if n > review.MostCounted {
		return strconv.Itoa(review.MostCounted) + "+"
	}
	return strconv.Itoa(n)
}

// itemTitle is what an item would do, the verb first.
func itemTitle(p *web.Page, it review.Item) string {
	if it.Line != "" {
		return strings.TrimSuffix(it.Line, ".")
	}
	return headTitle(p, it.Proposal)
}

// whyWords says by what right it is in the reader's inbox.
func whyWords(p *web.Page, it review.Item) string {
	switch it.Why {
	case "":
		return ""
	case review.WhyDelegated:
		return p.T("inbox.why.delegated", "who", it.For)
	case review.WhyDecided:
		return p.T("proposal.said." + string(it.Verdict))
	}
	return p.T("inbox.because." + string(it.Why))
}

// classLook is the badge of what a yes leads to.
func classLook(class review.Class) (look, icon, key string) {
	key = "inbox.class." + string(class)
	switch class {
	case review.LegalFiling:
		return "weighty", "scales", key
	case review.ExternalMail:
		return "plain", "send", key
	}
	return "plain", "routine", key
}

// snoozes are how long a proposal can be put off from its page.
// snoozeUntil is when something that was put off comes back, by the clock of the
// reader's organisation.
// snoozeProposal takes a proposal out of one's own inbox for a time.
// claimProposal says that one is looking at a proposal, or has stopped.
// openedProposal counts for how long a part of the page was open. The page's
// script sends it; nobody waits for the answer.
// attend does something around a proposal that decides nothing, and goes back to
// its page.
// attended are what can be done around a proposal, as the page says afterwards.
// openIn lists the proposals that wait in a case, for those who may read them.
func (c *Console) openIn(r *http.Request, id string) ([]review.Proposal, error) {
	actor, err := signin.Require(r.Context())
	if c.Reviews == nil || err != nil || c.Rules.May(actor, "proposal.read") != nil {
		return nil, err
	}
	list, _, err := c.Reviews.List(r.Context(), actor, review.Query{Case: id, Limit: maxEarlier})
	return list, err
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
	p := c.filePage(r, one)
	return c.site.Region(w, r, p, gatesRegion(p, f))
}

func gatesRegion(p *web.Page, f caseFile) web.Region {
	return web.Region{ID: "gates", Object: string(f.ID), Version: f.Version, Src: caseAddress(f.ID, "/gates"), Body: gatesBody(p, f)}
}
