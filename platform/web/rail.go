package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/platform/fault"
)

// countWithin bounds what a number in the rail may cost a page.
const countWithin = 400 * time.Millisecond

// MostCounted is the largest number the rail has room for: who counts further
// counts for nobody.
const MostCounted = 999

// railCount is the region of a number in the rail.
func (p *Page) railCount(ctx context.Context, item NavItem) templ.Component {
	return p.Live(p.railRegion(ctx, item))
}

func (p *Page) railRegion(ctx context.Context, item NavItem) Region {
	return Region{ID: "rail-" + item.Section, Class: "rail-count", Object: item.Live, Src: "/rail/" + item.Section,
		Body: railNumber(p, p.count(ctx, item))}
}

// count asks how much waits behind a line of the rail. A page is never late or
// lost over it: a number that cannot be had is left out.
func (p *Page) count(ctx context.Context, item NavItem) int {
	ctx, cancel := context.WithTimeout(ctx, countWithin)
	defer cancel()
	n, err := item.Count(ctx, p.Actor)
	if err != nil {
		p.site.cfg.Log.WarnContext(ctx, "a number in the rail could not be had", "section", item.Section, "error", err)
		return 0
	}
	return n
}

// rail answers a number of the rail alone, when notices say that it moved.
func (s *Site) rail(w http.ResponseWriter, r *http.Request) error {
	p := s.Page(r)
	for _, item := range p.nav() {
		if item.Section == r.PathValue("section") && item.Count != nil {
			p.Title = p.T(item.Key)
			return s.Region(w, r, p, p.railRegion(r.Context(), item))
		}
	}
	return fault.New(fault.NotFound, "no line of the rail has this number").Because("no_page")
}

// railText is a number as the rail shows it.
func railText(n int) string {
	if n > MostCounted {
		return strconv.Itoa(MostCounted) + "+"
	}
	return strconv.Itoa(n)
}

// maySearch reports whether the page has a search box.
func (p *Page) maySearch() bool {
	return p.site.cfg.Search != "" && p.Actor.Known() && p.May(p.site.cfg.SearchAct)
}
