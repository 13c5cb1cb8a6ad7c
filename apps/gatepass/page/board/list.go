package board

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

// A listView is passes as a table.
type listView struct {
	boardView

	words string
	lane  pass.Lane
	rows  []store.Kept
	total int
	after string
	next  string
}

// narrowed is what narrows the list, names and values by turns.
func (v listView) narrowed() []string {
	return []string{"q", v.words, "lane", string(v.lane), "site", v.site.ID}
}

func (v listView) pager(p *web.Page) ui.Pager {
	g := ui.Pager{Label: p.T("gp.passes"), Text: p.T("gp.found", "n", frame.Numeral(v.total))}
	if v.after != "" {
		g.Back = ui.Link{Text: p.T("gp.first_page"), Href: p.Href(web.Address(frame.PassesAt, v.narrowed()...))}
	}
	if v.next != "" {
		g.Next = ui.Link{Text: p.T("gp.next_page"), Href: p.Href(web.Address(frame.PassesAt, append(v.narrowed(), "after", v.next)...))}
	}
	return g
}

// readList reads a part of the passes, as an address or a form narrows them.
func (g *Pages) readList(r *http.Request, p *web.Page, q url.Values, most int) (v listView, err error) {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return v, err
	}
	v.words, v.lane, v.after = strings.TrimSpace(q.Get("q")), pass.Lane(q.Get("lane")), q.Get("after")
	if err := web.Plain(v.words, v.after); err != nil {
		return v, err
	}
	if v.lane != pass.OffBoard && !slices.Contains(pass.Lanes(), v.lane) {
		return v, fault.New(fault.Invalid, "the board has no lane %.20q", v.lane).WithNext("begin the list anew")
	}
	setup, site, err := g.Setup(r.Context(), actor.Org, q.Get("site"))
	if err != nil {
		return v, err
	}
	v.sites, v.site, v.now = setup.Sites, site, g.Store.Now()
	v.rows, v.next, v.total, err = g.Store.List(r.Context(), actor.Org, store.Query{Words: v.words, Lane: v.lane, Day: v.day(p),
		Site: site.ID, After: v.after, Limit: most, Deleted: v.lane == pass.OffBoard && p.May(store.ActOversee)})
	return v, err
}

func (g *Pages) list(w http.ResponseWriter, r *http.Request) error {
	p := g.Page(r, "gp.passes")
	v, err := g.readList(r, p, r.URL.Query(), frame.PerPage)
	if err != nil {
		return err
	}
	return g.Site.Render(w, r, http.StatusOK, p, listScreen(p, v))
}

// mostInFile is how many passes a file lists: those of the register's longest day many times over.
const mostInFile = 10_000

// listFile is the same list as a file, with the same rows. That it left is on record.
func (g *Pages) listFile(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	p := g.Page(r, "gp.passes")
	rows := [][]string{{"pass_number", "person_name", "description", "status", "site", "valid_from", "valid_until", "out", "back_by",
		"back", "approved_by"}}
	v, err := g.readList(r, p, r.PostForm, mostInFile)
	if err != nil {
		return err
	}
	if v.next != "" {
		return fault.New(fault.TooLarge, "the list has over %d passes", mostInFile).WithNext("narrow it, and take it out in parts")
	}
	for _, k := range v.rows {
		rows = append(rows, []string{string(k.Number), k.PersonName, k.Description, string(k.Status), k.SiteID, frame.Stamp(k.ValidFrom),
			frame.Stamp(k.ValidUntil), stampOr(k.ExitTime), stampOr(k.ExpectedReturnAt), stampOr(k.ReturnTime), k.ApprovedBy})
	}
	if err := g.Store.TakeOut(r.Context(), actor, "gate passes", len(v.rows), web.CSV(rows)); err != nil {
		return err
	}
	web.SendCSV(w, "gate-passes.csv", rows)
	return nil
}
