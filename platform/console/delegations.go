package console

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// A delegationsView is what a person has delegated and what is delegated to them.
type delegationsView struct {
	list  []review.Delegation
	next  string            // of the page after; empty for none
	typed map[string]string // what a form held that was refused
	fault error
	done  string
	once  string // the page's own name for what its form asks for

	others []identity.Actor // to whom the reader could delegate; nil where they are named by their ids
}

const delegationsPath = "/delegations"

// delegationRoutes registers the page of delegations and its acts.
func (c *Console) delegationRoutes(m *web.Mux) {
	m.Handle("GET "+delegationsPath, c.delegations, web.Needs("inbox.read"))
	m.Handle("POST "+delegationsPath, c.delegate, web.Needs("delegation.change"), web.MaxBody(maxForm))
	m.Handle("POST "+delegationsPath+"/{id}/end", c.endDelegation, web.Needs("delegation.change", "person.change"), web.MaxBody(maxForm))
}

// delegations is the page of the reader's own delegations.
func (c *Console) delegations(w http.ResponseWriter, r *http.Request) error {
	v := delegationsView{}
	if done := r.URL.Query().Get("done"); done == "made" || done == "ended" {
		v.done = done
	}
	return c.showDelegations(w, r, http.StatusOK, v)
}

func (c *Console) showDelegations(w http.ResponseWriter, r *http.Request, status int, v delegationsView) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	after := r.URL.Query().Get("after")
	if len(after) > maxFilter || strings.ContainsRune(after, 0) {
		return longFilter("after")
	}
	if v.list, v.next, err = c.Reviews.Delegations(r.Context(), actor, review.DelegationQuery{Person: actor.ID, After: after}); err != nil {
		return err
	}
	v.once = rand.Text()
	p := c.inboxPage(r)
	if p.May("delegation.change") {
		if v.others, err = c.Reviews.Stand(r.Context(), actor); err != nil {
			return err
		}
	}
	p.Title = p.T("delegations.title")
	return c.site.Render(w, r, status, p, delegationsBody(p, v))
}

// delegate lets somebody else decide in the reader's stead.
func (c *Console) delegate(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	typed := map[string]string{}
	for _, name := range []string{"to", "from", "until", "app", "reason"} {
		typed[name] = strings.TrimSpace(r.PostForm.Get(name))
	}
	in := review.Delegating{To: typed["to"], App: typed["app"], Reason: typed["reason"], Once: r.PostForm.Get("once")}
	in.StartsAt, in.EndsAt, err = days(typed["from"], typed["until"], c.site.Page(r).Org.Zone)
	if err == nil {
		_, err = c.Reviews.Delegate(r.Context(), actor, in)
	}
	return c.delegated(w, r, "made", typed, err)
}

// named is somebody by name, and by their id where that is not enough to tell them
// apart. Which roles they hold is not for everybody who may choose them.
func named(who identity.Actor, others []identity.Actor) string {
	same := func(o identity.Actor) bool { return o.ID != who.ID && o.Name == who.Name }
	switch {
	case who.Name == "":
		return who.ID
	case slices.ContainsFunc(others, same):
		return who.Name + " · " + who.ID
	}
	return who.Name
}

// days reads the first and the last day of a delegation: it ends when the last
// day does, by the clock of the organisation.
func days(from, until string, zone *time.Location) (starts, ends time.Time, err error) {
	if from != "" {
		if starts, err = time.ParseInLocation(time.DateOnly, from, zone); err != nil {
			return starts, ends, fault.New(fault.Invalid, "%.20q is no date; write the first day as 2026-11-14", from).
				Because("no_date", "value", from)
		}
	}
	last, err := time.ParseInLocation(time.DateOnly, until, zone)
	if err != nil {
		return starts, ends, fault.New(fault.Invalid, "%.20q is no date; write the last day as 2026-11-14", until).
			Because("no_date", "value", until)
	}
	return starts, last.AddDate(0, 0, 1), nil
}

// endDelegation ends a delegation before its time.
func (c *Console) endDelegation(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	_, err = c.Reviews.EndDelegation(r.Context(), actor, r.PathValue("id"))
	return c.delegated(w, r, "ended", nil, err)
}

// delegated goes back to the page, or says on it what was not done.
func (c *Console) delegated(w http.ResponseWriter, r *http.Request, done string, typed map[string]string, err error) error {
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(delegationsPath+"?done="+done), http.StatusSeeOther)
		return nil
	case !mendable(err) && !fault.Is(err, fault.NotFound):
		return err
	}
	return c.showDelegations(w, r, web.Status(fault.KindOf(err)), delegationsView{typed: typed, fault: err})
}
