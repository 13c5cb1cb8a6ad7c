package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

const (
	mailPath     = "/mail"
	mailsPerPage = 50
)

// mailRoutes registers the pages of mail that came in, and what people decide
// about it.
func (c *Console) mailRoutes(m *web.Mux) {
	m.Handle("GET "+mailPath, c.mails, web.Needs("mail.read"))
	m.Handle("GET "+mailPath+"/{id}", c.mail, web.Needs("mail.read"))
	m.Handle("POST "+mailPath+"/{id}/accept", c.acceptMail, web.Needs("mail.decide"), web.MaxBody(maxForm))
	m.Handle("POST "+mailPath+"/{id}/discard", c.discardMail, web.Needs("mail.decide"), web.MaxBody(maxForm))
}

// A mailbox is one of the lists of mail that came in.
type mailbox string

// The mailboxes, the first as the page opens.
const (
	mailWaiting mailbox = "waiting"
	mailAside   mailbox = "aside"
	mailDecided mailbox = "decided"
)

func mailboxes() []mailbox { return []mailbox{mailWaiting, mailAside, mailDecided} }

// states are those of the mails in a box.
func (b mailbox) states() []inbound.State {
	switch b {
	case mailAside:
		return []inbound.State{inbound.Dropped}
	case mailDecided:
		return []inbound.State{inbound.Accepted, inbound.Discarded}
	}
	return []inbound.State{inbound.Held, inbound.Quarantined}
}

// A mailList is a page of a box.
type mailList struct {
	box    mailbox
	before string
	all    []inbound.Mail
	more   bool
	done   string // what the reader has just decided
	off    bool   // no mail is taken in here
}

func (l mailList) address(before string) string {
	q := url.Values{}
	if l.box != mailWaiting {
		q.Set("box", string(l.box))
	}
	if before != "" {
		q.Set("before", before)
	}
	return withQuery(mailPath, q.Encode())
}

func (l mailList) tabs(p *web.Page) (all []ui.Tab) {
	for _, box := range mailboxes() {
		all = append(all, ui.Tab{Text: p.T("mail.box." + string(box)), Href: p.Href(mailList{box: box}.address("")), Here: box == l.box})
	}
	return all
}

func (l mailList) pager(p *web.Page) ui.Pager {
	g := ui.Pager{Label: p.T("list.pages"), Back: ui.Link{Text: p.T("list.newest")}, Next: ui.Link{Text: p.T("list.older")}}
	if l.before != "" {
		g.Back.Href = p.Href(l.address(""))
	}
	if l.more {
		g.Next.Href = p.Href(l.address(l.all[len(l.all)-1].ID))
	}
	return g
}

func (c *Console) mailPage(r *http.Request) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("mail.title"), "mail"
	return p
}

// mails is the list of mail that came in.
func (c *Console) mails(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	q := r.URL.Query()
	l := mailList{box: mailbox(q.Get("box")), before: q.Get("before"), off: c.Mail == nil}
	if l.box == "" {
		l.box = mailWaiting
	}
	if !slices.Contains(mailboxes(), l.box) {
		return fault.New(fault.Invalid, "no list of mail is called %.20q", l.box).Because("no_choice", "value", string(l.box))
	}
	if len(l.before) > maxFilter || strings.ContainsRune(l.before, 0) {
		return noPageAt(l.before)
	}
	if done := q.Get("done"); done == "accept" || done == "discard" {
		l.done = done
	}
	if !l.off {
		l.all, err = c.Mail.List(r.Context(), actor, inbound.Query{States: l.box.states(), Before: l.before, Limit: mailsPerPage + 1})
		if err != nil {
			return err
		}
		if l.more = len(l.all) > mailsPerPage; l.more {
			l.all = l.all[:mailsPerPage]
		}
	}
	p := c.mailPage(r)
	return c.site.Render(w, r, http.StatusOK, p, mailsBody(p, l))
}

// A mailView is one mail, with what it says.
type mailView struct {
	inbound.Mail
	words  inbound.Words
	erased bool // nobody can read it any more
	of     *casefile.Case
	typed  url.Values // what a form held that was refused
	fault  error
}

// mail is the page of one mail.
func (c *Console) mail(w http.ResponseWriter, r *http.Request) error {
	return c.showMail(w, r, http.StatusOK, mailView{})
}

func (c *Console) showMail(w http.ResponseWriter, r *http.Request, status int, v mailView) error {
	actor, err := c.mailReader(r)
	if err != nil {
		return err
	}
	v.Mail, v.words, err = c.Mail.Words(r.Context(), actor, r.PathValue("id"))
	if v.erased = errors.Is(err, seal.ErrErased); err != nil && !v.erased {
		return err
	}
	if v.Case != "" && c.Rules.May(actor, "case.read") == nil {
		of, err := c.cases.Get(r.Context(), actor.Org, v.Case)
		if err != nil {
			return err
		}
		v.of = &of
	}
	p := c.mailPage(r)
	return c.site.Render(w, r, status, p, mailBody(p, v))
}

// mailReader is who asks, where mail is taken in.
func (c *Console) mailReader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err == nil && c.Mail == nil {
		err = fault.New(fault.NotFound, "incoming mail isn't set up").Because("not_set_up")
	}
	return actor, err
}

// acceptMail has the reader say that a mail is to be believed, and to which case
// it belongs.
func (c *Console) acceptMail(w http.ResponseWriter, r *http.Request) error {
	return c.decideMail(w, r, "accept", func(actor identity.Actor, id string) error {
		var to casefile.CaseID
		if name := strings.TrimSpace(r.PostForm.Get("case")); name != "" {
			of, err := c.cases.Lookup(r.Context(), actor.Org, name)
			if fault.Is(err, fault.NotFound) {
				return fault.New(fault.Invalid, "no case is called %.60q", name).WithNext("write its reference, as its page has it").
					Because("no_case", "id", name)
			}
			if err != nil {
				return err
			}
			to = of.ID
		}
		_, err := c.Mail.Accept(r.Context(), actor, id, to, r.PostForm.Get("note"))
		return err
	})
}

// discardMail has the reader say that a mail is nothing.
func (c *Console) discardMail(w http.ResponseWriter, r *http.Request) error {
	return c.decideMail(w, r, "discard", func(actor identity.Actor, id string) error {
		_, err := c.Mail.Discard(r.Context(), actor, id, r.PostForm.Get("note"))
		return err
	})
}

// decideMail carries a decision out, or says on the mail's page what was wrong.
func (c *Console) decideMail(w http.ResponseWriter, r *http.Request, done string, decide func(identity.Actor, string) error) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.mailReader(r)
	if err != nil {
		return err
	}
	err = decide(actor, r.PathValue("id"))
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(mailPath+"?done="+done), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	return c.showMail(w, r, web.Status(fault.KindOf(err)), mailView{typed: r.PostForm, fault: err})
}
