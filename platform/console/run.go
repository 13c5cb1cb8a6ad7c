package console

import (
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const (
	// stepsPerPage bounds the story: a run's steps are never loaded whole.
	stepsPerPage = 100
	// stepsDrawn is how many steps the waterfall shows.
	stepsDrawn = 30
	// shownWords is how much of one text stands on a page, in bytes; the rest is
	// in the file.
	shownWords = 64 << 10
)

// A runView is a run with one page of its story, newest step first.
type runView struct {
	agent.Run
	steps  []agent.Step
	family []agent.Run
	before int    // the page ends before this step; 0 for the newest
	title  string // of the case; empty for those who may not read it
	fault  error  // why an order was not taken
	done   string // the order that was
}

// run is the page of one run.
func (c *Console) run(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readRun(r)
	if err != nil {
		return err
	}
	if done := r.URL.Query().Get("done"); done == string(agent.Stop) || done == string(agent.Resume) ||
		done == string(agent.Retry) || done == string(agent.Cancel) || done == "say" {
		v.done = done
	}
	return c.showRun(w, r, http.StatusOK, v)
}

func (c *Console) showRun(w http.ResponseWriter, r *http.Request, status int, v runView) error {
	p := c.runPage(r, v)
	return c.site.Render(w, r, status, p, runBody(p, v))
}

func (c *Console) runPage(r *http.Request, v runView) *web.Page {
	p := c.runsPage(r)
	p.Title = p.T("run.title", "agent", v.Agent, "ref", v.CaseRef)
	return p
}

// runHead and runStory are the regions of the page; each keeps itself current.
func (c *Console) runHead(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readRun(r)
	if err != nil {
		return err
	}
	p := c.runPage(r, v)
	return c.site.Region(w, r, p, runHeadRegion(p, v))
}

func (c *Console) runStory(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readRun(r)
	if err != nil {
		return err
	}
	p := c.runPage(r, v)
	return c.site.Region(w, r, p, storyRegion(p, v))
}

func (c *Console) readRun(r *http.Request) (v runView, err error) {
	actor, err := c.runReader(r)
	if err != nil {
		return v, err
	}
	if v.before, err = pageBefore(r); err != nil {
		return v, err
	}
	if v.Run, err = c.Runs.Get(r.Context(), actor.Org, r.PathValue("id")); err != nil {
		return v, err
	}
	if v.steps, err = c.Runs.Steps(r.Context(), actor.Org, v.ID, v.before, stepsPerPage); err != nil {
		return v, err
	}
	if v.family, err = c.Runs.Family(r.Context(), actor.Org, v.Run); err != nil {
		return v, err
	}
	if c.Rules.May(actor, "case.read") == nil {
		one, err := c.cases.Get(r.Context(), actor.Org, casefile.CaseID(v.Case))
		if err != nil {
			return v, err
		}
		v.title = one.Title
	}
	return v, nil
}

// pageBefore reads where a page of the story ends.
func pageBefore(r *http.Request) (int, error) {
	text := r.URL.Query().Get("before")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fault.New(fault.Invalid, "the story has no page that ends before step %.20q", text).Because("no_such_page_of_list")
	}
	return n, nil
}

// older is the number of the oldest step shown where there are older ones, zero
// where the story begins here. Steps are numbered from zero.
func (v runView) older() int {
	if len(v.steps) == 0 {
		return 0
	}
	return v.steps[len(v.steps)-1].Seq
}

// drawn is the steps of the waterfall.
func (v runView) drawn() []agent.Step { return v.steps[:min(len(v.steps), stepsDrawn)] }

func runHeadRegion(p *web.Page, v runView) web.Region {
	return web.Region{ID: "run-head", Object: v.ID, Src: runAddress(v.ID, "/head"), Announce: true, Body: runHeadBody(p, v)}
}

func storyRegion(p *web.Page, v runView) web.Region {
	src := runAddress(v.ID, "/story")
	if v.before > 0 {
		src += "?before=" + strconv.Itoa(v.before)
	}
	return web.Region{ID: "story", Object: v.ID, Src: src, Hold: true, Body: storyBody(p, v)}
}

// runOrder takes an order about one run. What the person can mend is said on the
// page, which shows the run as it is now.
func (c *Console) runOrder(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	if c.Orders == nil {
		return fault.New(fault.Unavailable, "orders are not set up on this server").Because("not_set_up")
	}
	id, do := r.PathValue("id"), r.PostForm.Get("do")
	if do == "say" {
		_, err = c.Orders.Say(r.Context(), actor, id, r.PostForm.Get("once"), r.PostForm.Get("text"))
	} else {
		_, err = c.Orders.Give(r.Context(), actor, id, agent.Do(do))
	}
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(runAddress(id, "?done="+do)), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	v, readErr := c.readRun(r)
	if readErr != nil {
		return err
	}
	v.fault = err
	return c.showRun(w, r, web.Status(fault.KindOf(err)), v)
}

// theirs reports whether a reader may write to the run: nobody writes into another person's conversation.
func (v runView) theirs(reader identity.Actor) bool { return v.For == "" || v.For == reader.ID }

// may lists the orders that make sense for a run and that this reader may give.
func (v runView) may(p *web.Page) []agent.Do {
	if !p.May("run.order") || v.State == agent.Done || v.LastOrder == string(agent.Cancel) {
		return nil
	}
	stopping := v.LastOrder == string(agent.Stop)
	switch {
	case v.State.Ended() && v.Parent == "" && v.LastOrder != string(agent.Retry):
		return []agent.Do{agent.Retry, agent.Cancel}
	case v.State.Ended():
		return nil
	case stopping:
		return []agent.Do{agent.Resume, agent.Cancel}
	}
	return []agent.Do{agent.Stop, agent.Cancel}
}
