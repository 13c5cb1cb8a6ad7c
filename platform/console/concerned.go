package console

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// A concernedView is what the person concerned sees: what the link was made to
// show, and nothing else of the case.
type concernedView struct {
	concern.Visit
	token   string
	facts   []fact.Fact
	decided []decidedOn
	whatIf  bool    // the application's rules can be asked
	changed fact.ID // the fact whose other value was asked about; empty for none
	value   string  // that value
	verdict string  // what the rules would say
	refused error   // why they say nothing, or why an objection was not taken
	typed   string
	done    bool
}

// A decidedOn is one decision as the person concerned reads it: what, how, when,
// by which office. Never by whom by name.
type decidedOn struct {
	found *finding.Finding // shown without names: whoever has the link reads it
	what  string
	lang  string // of those words where it is not the page's
	state review.State
	at    time.Time
	roles []identity.Role
}

// concerned is the page of the person whom a case concerns. Reading it changes
// nothing, and leaves no trace but a line in the access log that names no link.
func (c *Console) concerned(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readConcerned(w, r, r.URL.Query().Get("k"))
	if err != nil {
		return err
	}
	v.done = r.URL.Query().Get("done") == "1"
	if err := c.askRules(r, &v); err != nil {
		return err
	}
	return c.showConcerned(w, r, http.StatusOK, v)
}

func (c *Console) showConcerned(w http.ResponseWriter, r *http.Request, status int, v concernedView) error {
	p := c.site.PageFor(r, v.Org)
	p.Title = p.T("concerned.title", "ref", v.Case.Ref)
	return c.site.Render(w, r, status, p, concernedBody(p, v))
}

// readConcerned opens a link. Whatever is wrong with it, the answer is the same.
func (c *Console) readConcerned(w http.ResponseWriter, r *http.Request, token string) (v concernedView, err error) {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if c.Concerns == nil {
		return v, fault.New(fault.NotFound, "there is no page at this address").Because("no_page")
	}
	if err := c.turnstile.Pass(c.Concerns.LinkOf(token)); err != nil {
		return v, err
	}
	if v.Visit, err = c.Concerns.Open(r.Context(), r.PathValue("ref"), token); err != nil {
		return v, err
	}
	v.token = token
	v.whatIf = slices.ContainsFunc(c.Parts[v.Case.App], func(p Part) bool { return p.WhatIf != nil })
	if err := c.readShown(r, &v); err != nil {
		return v, err
	}
	return v, nil
}

// readShown reads the facts and decisions that the link shows, as they are now.
func (c *Console) readShown(r *http.Request, v *concernedView) error {
	p := c.site.PageFor(r, v.Org)
	for _, id := range v.Link.Facts {
		if c.Evidence == nil {
			break
		}
		one, err := c.Evidence.Fact(r.Context(), v.Org, v.Case.ID, fact.Ref{ID: id})
		if err != nil {
			return err
		}
		v.facts = append(v.facts, one)
	}
	for _, id := range v.Link.Proposals {
		if c.Reviews == nil {
			break
		}
		one, err := c.Reviews.Get(r.Context(), identity.Gavel(v.Org), id)
		if err != nil {
			return err
		}
		if one.State != review.Approved && one.State != review.Edited && one.State != review.Rejected {
			continue
		}
		made, err := c.Reviews.Decisions(r.Context(), v.Org, id)
		if err != nil {
			return err
		}
		v.decided = append(v.decided, decisionFor(p, one, made))
	}
	return nil
}

// decisionFor leaves out of a decision what is not the person's to know. What was
// chosen is said in the application's words, where it has some, and not in the tool's.
func decisionFor(p *web.Page, one review.Proposal, made []review.Made) decidedOn {
	view := proposalView{Proposal: one, made: made}
	view.open(nil)
	d := decidedOn{state: one.State, at: one.EndedAt, found: view.found}
	args := one.Args
	if one.FinalArgs != nil {
		args = one.FinalArgs
	}
	var own bool
	if d.what, own = chosen(p, one.Tool, args); !own {
		d.what, own = spoken(p, "line."+one.Tool)
	}
	if !own {
		d.what, d.lang = view.doc.Line, "en"
	}
	if m := view.ending(); m != nil {
		d.roles = m.Roles
	}
	return d
}

// maxWhatIf is how long a value may be that the rules are asked about, in bytes.
const maxWhatIf = 40

// askRules asks what the rules would say with one fact changed.
func (c *Console) askRules(r *http.Request, v *concernedView) error {
	q := r.URL.Query()
	id, value := fact.ID(q.Get("fact")), q.Get("value")
	if !v.whatIf || id == "" {
		return nil
	}
	v.changed, v.value = id, value
	if !slices.Contains(v.Link.Facts, id) || len(value) > maxWhatIf || value == "" {
		v.refused = fault.New(fault.Invalid, "choose one of the facts above, and give a value of at most %d characters", maxWhatIf).
			Because("what_if_choice", "n", strconv.Itoa(maxWhatIf))
		return nil
	}
	for _, part := range c.Parts[v.Case.App] {
		if part.WhatIf == nil {
			continue
		}
		said, err := part.WhatIf(r.Context(), c.site.PageFor(r, v.Org).Lang, v.Case, id, value)
		if err != nil && !mendable(err) {
			return err
		}
		v.verdict, v.refused = said, err
		return nil
	}
	return nil
}

// object takes what the person concerned answers.
func (c *Console) object(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	token := r.PostForm.Get("k")
	v, err := c.readConcerned(w, r, token)
	if err != nil {
		return err
	}
	v.typed = r.PostForm.Get("text")
	_, v.refused = c.Concerns.Object(r.Context(), r.PathValue("ref"), token, v.typed)
	switch {
	case v.refused == nil:
		http.Redirect(w, r, addTo(ConcernPath(v.Case.Ref, token), "done", "1")+"#objection", http.StatusSeeOther)
		return nil
	case !mendable(v.refused):
		return v.refused
	}
	return c.showConcerned(w, r, web.Status(fault.KindOf(v.refused)), v)
}

// officeWords names the office that decided, by the roles of who did.
func officeWords(p *web.Page, roles []identity.Role) string {
	if len(roles) == 0 {
		return p.T("concerned.office", "org", p.Org.Name)
	}
	return p.T("concerned.office_role", "role", p.Word("role.", string(roles[0])), "org", p.Org.Name)
}

// standsWords says in one line where the matter stands.
func standsWords(p *web.Page, one casefile.Case) string {
	if one.State == casefile.Closed && one.ClosedAt != nil {
		return p.T("concerned.closed", "time", p.Moment(*one.ClosedAt), "zone", p.Zone())
	}
	return p.T("concerned.open", "time", p.Moment(one.OpenedAt), "zone", p.Zone())
}
