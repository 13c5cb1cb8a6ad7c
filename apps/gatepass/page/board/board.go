// Package board is where people look after passes: the board of the day, the list of all, the page of one, and what
// administrators do to it.
package board

import (
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/web"
)

// Pages are the pages of passes.
type Pages struct {
	*frame.Frame

	printer *pdf.Printer // nil: a pass is printed by the reader's own browser
}

// New makes them.
func New(f *frame.Frame) *Pages { return &Pages{Frame: f} }

// Open tells them who prints; nil where nobody does.
func (g *Pages) Open(p *pdf.Printer) { g.printer = p }

// Routes registers them.
func (g *Pages) Routes(m *web.Mux) {
	read := web.Needs(store.ActBoard)
	m.Handle("GET "+frame.HomeAt, g.board, read)
	m.Handle("GET "+frame.HomeAt+"/now", g.boardNow, read)
	m.Handle("GET "+frame.PassesAt, g.list, read)
	m.Handle("POST "+frame.PassesAt+"/file", g.listFile, web.Needs(store.ActExport), web.MaxBody(frame.MaxSmallForm))
	m.Handle("GET "+frame.PassesAt+"/{pass_number}", g.pass, read)
	m.Handle("GET "+frame.PassesAt+"/{pass_number}/now", g.passNow, read)
	m.Handle("GET "+frame.PassesAt+"/{pass_number}/print", g.print, read)
	m.Handle("GET "+frame.PhotosAt+"/{photo_id}", g.photo, read)
	change := []web.Rule{web.Needs(store.ActChange), web.MaxBody(frame.MaxSmallForm)}
	m.Handle("POST "+frame.PassesAt+"/{pass_number}/revoke", g.change(pass.Delete), change...)
	m.Handle("POST "+frame.PassesAt+"/{pass_number}/recall", g.recall, change...)
	m.Handle("POST "+frame.PassesAt+"/{pass_number}/extend", g.change(pass.Extend), change...)
	m.Handle("POST "+frame.PassesAt+"/{pass_number}/returnable", g.change(pass.MakeReturnable), change...)
}

// A boardView is where the passes of a day stand.
type boardView struct {
	lanes []store.Lane
	sites []store.Site
	site  store.Site // that is shown; none: all
	now   time.Time
}

// inLane is how many passes of a lane the board shows.
const inLane = 12

func (g *Pages) board(w http.ResponseWriter, r *http.Request) error {
	p, v, err := g.readBoard(r)
	if err != nil {
		return err
	}
	return g.Site.Render(w, r, http.StatusOK, p, boardScreen(p, v))
}

// boardNow is the lanes alone, when a notice says that a pass moved.
func (g *Pages) boardNow(w http.ResponseWriter, r *http.Request) error {
	p, v, err := g.readBoard(r)
	if err != nil {
		return err
	}
	return g.Site.Region(w, r, p, v.region(p))
}

func (g *Pages) readBoard(r *http.Request) (*web.Page, boardView, error) {
	p := g.Page(r, "gp.board_title")
	var v boardView
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return p, v, err
	}
	setup, site, err := g.Setup(r.Context(), actor.Org, r.URL.Query().Get("site"))
	if err != nil {
		return p, v, err
	}
	v.sites, v.site, v.now = setup.Sites, site, g.Store.Now()
	v.lanes, err = g.Store.Board(r.Context(), actor, site.ID, v.day(p), inLane)
	return p, v, err
}

// day is when the day of the board began: at the site, or where the organisation is.
func (v boardView) day(p *web.Page) time.Time {
	if v.site.ID == "" {
		return pass.DayOf(v.now, p.Org.Zone)
	}
	return pass.DayOf(v.now, v.site.Location())
}

func (v boardView) region(p *web.Page) web.Region {
	return web.Region{ID: "board", Object: store.LivePasses, Src: web.Address(frame.HomeAt+"/now", "site", v.site.ID),
		Body: lanesScreen(p, v)}
}

// late are those who should have been back.
func (v boardView) late() store.Lane {
	for _, l := range v.lanes {
		if l.Lane == pass.LaneLate {
			return l
		}
	}
	return store.Lane{}
}

// all is how many passes are on the board.
func (v boardView) all() (n int) {
	for _, l := range v.lanes {
		n += l.Count
	}
	return n
}

// laneAt is the list of everything in a lane.
func (v boardView) laneAt(l pass.Lane) string {
	return web.Address(frame.PassesAt, "lane", string(l), "site", v.site.ID)
}

func done(l pass.Lane) bool { return l == pass.LaneBack || l == pass.LaneRefused }
