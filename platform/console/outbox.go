package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
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
	titles       map[string]string     // of their cases
	letters      map[string]letterView // by the act
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
		return noPageAt(v.before)
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
		if v.letters, err = c.lettersOf(r.Context(), actor.Org, v.acts); err != nil {
			return err
		}
	}
	p := c.site.Page(r)
	p.Title, p.Section = p.T("outbox.title"), "outbox"
	return c.site.Render(w, r, http.StatusOK, p, outboxBody(p, v))
}

// lettersOf are the letters among some acts, with what became of each.
func (c *Console) lettersOf(ctx context.Context, org identity.Org, acts []effect.Act) (map[string]letterView, error) {
	all := map[string]letterView{}
	if c.Post == nil {
		return all, nil
	}
	var ids []string
	var cases []casefile.Case
	for _, a := range acts {
		if a.Tool != notify.ToolName {
			continue
		}
		ids = append(ids, a.Key)
		if !slices.ContainsFunc(cases, func(one casefile.Case) bool { return string(one.ID) == a.Case }) {
			one, err := c.cases.Get(ctx, org, casefile.CaseID(a.Case))
			if err != nil {
				return nil, err
			}
			cases = append(cases, one)
		}
	}
	copies, err := c.Post.Copies(ctx, org, ids)
	if err != nil {
		return nil, err
	}
	followed, err := c.followed(ctx, org, copies, cases)
	for _, l := range followed {
		all[l.ID] = l
	}
	return all, err
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
	case a.NotBefore != nil && undoLeft(p, *a.NotBefore) > 0 && a.State == effect.Planned:
		return p.T("outbox.undo_until", "time", second(p, undoEnds(p, *a.NotBefore)))
	}
	return p.Moment(a.PlannedAt)
}
