package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

const runsPerPage = 50

// A runList is one page of the list of runs.
type runList struct {
	tab    string // empty for all
	app    string
	one    string // a case's id; empty for all
	ref    string // what people call that case
	after  string
	runs   []agent.Run
	next   string
	titles map[string]string // of the cases, for those who may read them
}

// runTabs are the tabs above the list; the first shows all. What needs a person
// comes before what does not.
func runTabs() []string { return []string{"", "trouble", "waiting", "running", "done"} }

// tabStates are the states that a tab shows.
func tabStates(tab string) ([]agent.State, error) {
	switch tab {
	case "":
		return nil, nil
	case "trouble":
		return []agent.State{agent.Failed, agent.OutOfBudget, agent.Stopped, agent.Held}, nil
	case "waiting":
		return []agent.State{agent.WaitingPerson, agent.WaitingReply}, nil
	}
	if s := agent.State(tab); slices.Contains(agent.States(), s) {
		return []agent.State{s}, nil
	}
	return nil, fault.New(fault.Invalid, "no run is ever %.40q", tab).Because("no_choice", "value", tab)
}

// runList is the page of an organisation's runs, newest first.
func (c *Console) runList(w http.ResponseWriter, r *http.Request) error {
	l, err := c.readRuns(r)
	if err != nil {
		return err
	}
	p := c.runsPage(r)
	return c.site.Render(w, r, http.StatusOK, p, runsBody(p, l))
}

// runRows is the region of the list that keeps itself current.
func (c *Console) runRows(w http.ResponseWriter, r *http.Request) error {
	l, err := c.readRuns(r)
	if err != nil {
		return err
	}
	p := c.runsPage(r)
	return c.site.Region(w, r, p, l.region(p))
}

func (c *Console) runsPage(r *http.Request) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("console.runs"), "runs"
	return p
}

// runReader is who asks, and may see runs.
func (c *Console) runReader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return actor, err
	}
	if err := c.Rules.May(actor, "run.read"); err != nil {
		return actor, err
	}
	if c.Runs == nil {
		return actor, fault.New(fault.Unavailable, "runs are not set up on this server").Because("not_set_up")
	}
	return actor, nil
}

func (c *Console) readRuns(r *http.Request) (runList, error) {
	actor, err := c.runReader(r)
	if err != nil {
		return runList{}, err
	}
	q := r.URL.Query()
	for _, name := range []string{"state", "app", "case", "after"} {
		if v := q.Get(name); len(v) > maxFilter || strings.ContainsRune(v, 0) {
			return runList{}, longFilter(name)
		}
	}
	l := runList{tab: q.Get("state"), app: q.Get("app"), one: q.Get("case"), after: q.Get("after")}
	states, err := tabStates(l.tab)
	if err != nil {
		return l, err
	}
	l.one = c.subject(r, actor, l.one)
	l.runs, l.next, err = c.Runs.List(r.Context(), actor.Org,
		agent.Query{States: states, App: l.app, Case: l.one, After: l.after, Kept: l.tab == "trouble", Limit: runsPerPage})
	if err != nil {
		return l, err
	}
	if l.one != "" {
		l.ref = l.one
		if len(l.runs) > 0 {
			l.ref = l.runs[0].CaseRef
		}
	}
	var of []string
	for _, run := range l.runs {
		of = append(of, run.Case)
	}
	l.titles, err = c.titles(r, actor, of)
	return l, err
}

// titles reads the titles of cases. They may name people, so only readers of cases
// get them.
func (c *Console) titles(r *http.Request, actor identity.Actor, ids []string) (map[string]string, error) {
	titles := map[string]string{}
	if len(ids) == 0 || c.Rules.May(actor, "case.read") != nil {
		return titles, nil
	}
	of := make([]casefile.CaseID, len(ids))
	for i, id := range ids {
		of[i] = casefile.CaseID(id)
	}
	all, err := c.cases.Some(r.Context(), actor.Org, of)
	for id, one := range all {
		titles[string(id)] = one.Title
	}
	return titles, err
}

func (l runList) region(p *web.Page) web.Region {
	return web.Region{ID: "run-rows", Object: "run_*", Src: l.address("/runs/rows", l.after), Hold: true, Body: runRowsBody(p, l)}
}

// address is a page of the list under the same filters.
func (l runList) address(path, after string) string {
	q := url.Values{}
	for name, value := range map[string]string{"state": l.tab, "app": l.app, "case": l.one, "after": after} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return withQuery(path, q.Encode())
}

// An itemResult is how an order about one of several runs ended.
type itemResult struct {
	run string
	err error
}

// maxBatch is how many runs one form may name.
const maxBatch = 50

// runBatch gives one order to several runs, and says for each how that ended:
// one that cannot follow does not hold up the others.
func (c *Console) runBatch(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.runReader(r)
	if err != nil {
		return err
	}
	do, ids := agent.Do(r.PostForm.Get("do")), r.PostForm["run"]
	switch {
	case do != agent.Retry && do != agent.Cancel:
		return fault.New(fault.Invalid, "several runs can be tried again or given up, not %.20q", do).Because("no_choice", "value", string(do))
	case len(ids) > maxBatch:
		return fault.New(fault.TooLarge, "%d runs are named; one form takes %d", len(ids), maxBatch).
			Because("too_many_ticked", "n", strconv.Itoa(maxBatch))
	case c.Orders == nil:
		return fault.New(fault.Unavailable, "orders are not set up on this server").Because("not_set_up")
	}
	results := make([]itemResult, len(ids))
	for i, id := range ids {
		_, err := c.Orders.Give(r.Context(), actor, id, do)
		if err != nil && !mendable(err) && !fault.Is(err, fault.NotFound) {
			return err
		}
		results[i] = itemResult{id, err}
	}
	p := c.runsPage(r)
	return c.site.Render(w, r, http.StatusOK, p, batchBody(p, string(do), results))
}

func succeeded(results []itemResult) string {
	n := 0
	for _, one := range results {
		if one.err == nil {
			n++
		}
	}
	return strconv.Itoa(n)
}

func runAddress(id, part string) string { return "/runs/" + url.PathEscape(id) + part }

// tabs lead to the runs of some states.
func (l runList) tabs(p *web.Page) []ui.Tab {
	var all []ui.Tab
	for _, tab := range runTabs() {
		at := runList{tab: tab, app: l.app, one: l.one}.address("/runs", "")
		all = append(all, ui.Tab{Text: p.T("runs.tab." + tabName(tab)), Href: p.Href(at), Here: tab == l.tab})
	}
	return all
}

// pager leads to older runs and back to the newest.
func (l runList) pager(p *web.Page) ui.Pager {
	g := ui.Pager{Label: p.T("list.pages"), Back: ui.Link{Text: p.T("list.newest")}, Next: ui.Link{Text: p.T("list.older")}}
	if l.after != "" {
		g.Back.Href = p.Href(l.address("/runs", ""))
	}
	if l.next != "" {
		g.Next.Href = p.Href(l.address("/runs", l.next))
	}
	return g
}

// file is the address of all the filtered runs as a file.
func (l runList) file(format string) string {
	q := url.Values{"format": {format}}
	states, _ := tabStates(l.tab) // it was read before the list was
	for _, s := range states {
		q.Add("state", string(s))
	}
	if l.app != "" {
		q.Set("app", l.app)
	}
	if l.one != "" {
		q.Set("case", l.one)
	}
	return withQuery("/v1/runs", q.Encode())
}
