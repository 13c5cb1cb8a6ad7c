package console

import (
	"net/http"
	"net/url"
	"strings"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

const (
	outboxPath  = "/outbox"
	actsPerPage = 50
)

// An outboxView is a page of what goes beyond the organisation's walls.
type outboxView struct {
	acts         []effect.Act
	titles       map[string]string // of their cases
	before, next string
	off          bool // nobody acts here
}

func outboxAddress(before string) string {
	q := url.Values{}
	if before != "" {
		q.Set("before", before)
	}
	return withQuery(outboxPath, q.Encode())
}

func (v outboxView) pager(p *web.Page) ui.Pager {
	g := ui.Pager{Label: p.T("list.pages"), Back: ui.Link{Text: p.T("list.newest")}, Next: ui.Link{Text: p.T("list.older")}}
	if v.before != "" {
		g.Back.Href = p.Href(outboxPath)
	}
	if v.next != "" {
		g.Next.Href = p.Href(outboxAddress(v.next))
	}
	return g
}

// outbox lists what was sent, filed or called off, of all cases.
func (c *Console) outbox(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	v := outboxView{before: r.URL.Query().Get("before"), off: c.Acts == nil}
	if len(v.before) > maxFilter || strings.ContainsRune(v.before, 0) {
		return fault.New(fault.Invalid, "the list has no page that begins at %.60q", v.before)
	}
	if !v.off {
		if v.acts, v.next, err = c.Acts.ListOutside(r.Context(), actor.Org, v.before, actsPerPage); err != nil {
			return err
		}
		var of []string
		for _, a := range v.acts {
			of = append(of, a.Case)
		}
		if v.titles, err = c.titles(r, actor, of); err != nil {
			return err
		}
	}
	p := c.site.Page(r)
	p.Title, p.Section = p.T("outbox.title"), "outbox"
	return c.site.Render(w, r, http.StatusOK, p, outboxBody(p, v))
}

// outboxLook is how an act stands, for a badge.
func outboxLook(a effect.Act) (look, icon string) {
	switch a.State {
	case effect.Done:
		return "ok", "check"
	case effect.Failed, effect.Unknown:
		return "bad", "stop"
	case effect.Undone:
		return "plain", "undo"
	case effect.OnHold:
		return "warn", "pause"
	}
	return "info", "clock"
}

// outboxWhen says since when an act stands as it does, or until when it can be undone.
func outboxWhen(p *web.Page, a effect.Act) string {
	switch {
	case a.EndedAt != nil:
		return p.Moment(*a.EndedAt)
	case a.NotBefore != nil && p.Now.Before(*a.NotBefore):
		return p.T("outbox.undo_until", "time", second(p, *a.NotBefore))
	}
	return p.Moment(a.PlannedAt)
}
