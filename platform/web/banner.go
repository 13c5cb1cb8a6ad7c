package web

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// A BannerKind is what a banner is about.
type BannerKind string

// The banners there are.
const (
	Demonstration BannerKind = "demo"      // the data is made up
	ReadOnly      BannerKind = "read_only" // nothing can be changed now
	SendsPaused   BannerKind = "paused"    // nothing leaves the organisation, or a part of it
)

// A Banner is a line above every page that nobody may overlook.
type Banner struct {
	Kind  BannerKind
	About string    // of SendsPaused: the agent or application that is paused; empty for all sends
	By    string    // who brought it about; may be empty
	Since time.Time // when; may be zero
	Why   string    // as whoever did it wrote it; may be empty
	Href  string    // where all of it is told; empty for nowhere
	More  int       // how many more of the kind there are, which have no line of their own
}

// maxBanners is how many lines a page has room for.
const maxBanners = 3

// banners are the lines above this page, the gravest first: what is paused, what
// keeps the reader from changing anything, and that the data is made up.
func (p *Page) banners(ctx context.Context) []Banner {
	var lines []Banner
	if p.site.cfg.Banners != nil && p.Actor.Known() {
		lines = append(lines, p.site.cfg.Banners(ctx, p.Actor)...)
	}
	if p.Actor.Viewing != "" {
		lines = append(lines, Banner{Kind: ReadOnly})
	}
	if len(lines) > maxBanners-1 {
		lines = lines[:maxBanners-1]
	}
	if p.site.cfg.Demo {
		lines = append(lines, Banner{Kind: Demonstration})
	}
	return lines
}

// bannerText says what a banner means for the reader; of a pause first who, since
// when and why, because a long line is cut at its end.
func bannerText(p *Page, b Banner) string {
	if b.Kind == ReadOnly && p.Actor.Viewing != "" {
		return p.T("shell.viewing", "role", p.Word("role.", string(p.Actor.Viewing))) + ". " + p.T("shell.viewing_help")
	}
	text := p.T("banner." + string(b.Kind) + ".text")
	if b.Kind == SendsPaused && b.About != "" {
		text = p.T("banner.paused_part", "what", b.About)
	}
	text = bannerBy(p, b) + text
	if b.More > 0 {
		text = p.T("banner.more", "n", strconv.Itoa(b.More)) + " · " + text
	}
	return text
}

func bannerBy(p *Page, b Banner) string {
	if b.By == "" || b.Since.IsZero() {
		return ""
	}
	by := p.T("banner.by", "who", b.By, "time", p.Moment(b.Since), "zone", p.Zone())
	if b.Why != "" {
		by += ": " + b.Why
	}
	return by + " · "
}

// BannersObject is what the lines above a page listen to, beside being asked for
// with every page.
const BannersObject = "pause"

// bannerRegion keeps the lines current on a page that is open: that nothing is
// sent must not wait until somebody turns the page.
func (p *Page) bannerRegion(lines []Banner) Region {
	return Region{ID: "banners", Class: "banners", Object: BannersObject, Src: "/banners", Announce: true, Body: bannerItems(p, lines)}
}

// bannersAlone answers the lines by themselves, when a notice says that they moved.
func (s *Site) bannersAlone(w http.ResponseWriter, r *http.Request) error {
	p := s.Page(r)
	p.Title = p.T("shell.banners")
	return s.Region(w, r, p, p.bannerRegion(p.banners(r.Context())))
}

// bannerIcon carries the kind in its outline.
func bannerIcon(kind BannerKind) string {
	switch kind {
	case SendsPaused:
		return "pause"
	case ReadOnly:
		return "eye"
	default:
		return "info"
	}
}
