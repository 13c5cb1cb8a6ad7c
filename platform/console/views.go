package console

import (
	"net/http"
	"net/url"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

const viewsPath = inboxPath + "/views"

// A savedView is a filter with a name, an address, and how much it shows now.
type savedView struct {
	review.SavedView
	filter inboxFilter
	count  int
}

// A viewList is the page of a person's views.
type viewList struct {
	views []savedView
	fault error
	done  string
}

// views is the page of the reader's saved views, with how much each shows.
func (c *Console) views(w http.ResponseWriter, r *http.Request) error {
	l := viewList{}
	if done := r.URL.Query().Get("done"); done == "saved" || done == "removed" {
		l.done = done
	}
	return c.showViews(w, r, http.StatusOK, l)
}

func (c *Console) showViews(w http.ResponseWriter, r *http.Request, status int, l viewList) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	p := c.inboxPage(r)
	p.Title = p.T("views.title")
	saved, err := c.Reviews.Views(r.Context(), actor)
	if err != nil {
		return err
	}
	for _, v := range saved {
		one := savedView{SavedView: v, filter: filterOf(v)}
		counts, err := c.Reviews.InboxCounts(r.Context(), actor, one.filter.query(p))
		if err != nil {
			return err
		}
		one.count = one.filter.counted(counts)
		l.views = append(l.views, one)
	}
	return c.site.Render(w, r, status, p, viewsBody(p, l))
}

// filterOf is the filter that a view keeps. One that cannot be read any more is
// the whole inbox.
func filterOf(v review.SavedView) inboxFilter {
	q, err := url.ParseQuery(v.Query)
	if err != nil {
		q = nil
	}
	f, err := readFilter(q)
	if err != nil {
		return inboxFilter{view: review.NeedsMe}
	}
	return f
}

// counted is how much of the counts a filter shows.
func (f inboxFilter) counted(c review.Counts) int {
	switch f.view {
	case review.Waiting:
		return c.Waiting
	case review.Snoozed:
		return c.Snoozed
	case review.Done:
		return c.Done
	}
	switch f.group {
	case review.Overdue:
		return c.Overdue
	case review.Today:
		return c.Today
	case review.Later:
		return c.Later
	}
	return c.NeedsMe
}

// saveView keeps the filter that a form carries, under a name.
func (c *Console) saveView(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	f, err := readFilter(r.PostForm)
	if err != nil {
		return err
	}
	if _, err = c.Reviews.InboxCounts(r.Context(), actor, f.query(c.site.Page(r))); err != nil {
		return err // no such filter
	}
	_, err = c.Reviews.SaveView(r.Context(), actor, r.PostForm.Get("name"), f.values().Encode())
	return c.viewed(w, r, "saved", err)
}

// removeView forgets a view.
func (c *Console) removeView(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.proposalReader(r)
	if err == nil {
		err = c.Reviews.RemoveView(r.Context(), actor, r.PathValue("id"))
	}
	return c.viewed(w, r, "removed", err)
}

// viewed goes back to the page of views, or says on it what was not done.
func (c *Console) viewed(w http.ResponseWriter, r *http.Request, done string, err error) error {
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(viewsPath+"?done="+done), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	return c.showViews(w, r, web.Status(fault.KindOf(err)), viewList{fault: err})
}

// openView leads from a view's own address to the list it stands for.
func (c *Console) openView(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	saved, err := c.Reviews.Views(r.Context(), actor)
	if err != nil {
		return err
	}
	for _, v := range saved {
		if v.ID == r.PathValue("id") {
			http.Redirect(w, r, c.site.Page(r).Href(filterOf(v).address(inboxPath)), http.StatusSeeOther)
			return nil
		}
	}
	return fault.New(fault.NotFound, "you have no view %.40q", r.PathValue("id")).Because("nothing_called", "id", r.PathValue("id"))
}
