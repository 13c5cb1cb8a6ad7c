// Package frame is what the pages of HR and of pass administrators have in common: their addresses, how a page begins, and
// the parts that more than one of them shows.
package frame

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

//go:embed static
var files embed.FS

// Assets are the files of the pages: their part of the stylesheet.
func Assets() fs.FS { return platform.Folder(files, "static") }

// A Frame is what pages stand on.
type Frame struct {
	Store *store.Store
	Desk  *casework.Desk
	Site  *web.Site // once the pages are registered
}

// The addresses of the pages.
const (
	HomeAt     = "/gatepass"
	PassesAt   = HomeAt + "/passes"
	NewAt      = HomeAt + "/new"
	PasteAt    = NewAt + "/list"
	SitesAt    = HomeAt + "/sites"
	RegisterAt = HomeAt + "/register"
	WatchAt    = HomeAt + "/watchlist"
	PhotosAt   = HomeAt + "/photos"
	ChatAt     = HomeAt + "/chat"
)

// PerPage is how many rows a list has on a page.
const PerPage = 50

// MaxSmallForm is the most a form may send, in bytes.
const MaxSmallForm = 64 << 10

// PassAt is the page of a pass, or what lies under it.
func PassAt(n number.Number, under string) string {
	return PassesAt + "/" + url.PathEscape(string(n)) + under
}

// OnsiteAt is the evacuation list of a site, or what lies under it.
func OnsiteAt(site, under string) string {
	return SitesAt + "/" + url.PathEscape(site) + "/onsite" + under
}

// WhoAsks is who asks.
func WhoAsks(r *http.Request) (identity.Actor, error) { return signin.Require(r.Context()) }

// Page begins a page of the application whose title is a text of ours.
func (f *Frame) Page(r *http.Request, key string, pairs ...string) *web.Page {
	p := f.Site.Page(r)
	p.Section = store.Name
	p.Title = p.T(key, pairs...)
	return p
}

// Setup is what an organisation has set for its passes, and the site that is meant: the one that is named, all where none is.
func (f *Frame) Setup(ctx context.Context, org identity.Org, site string) (store.Setup, store.Site, error) {
	s, err := f.Store.Setup(ctx, org)
	if err != nil || site == "" {
		return s, store.Site{}, err
	}
	one, known := s.Site(site)
	if !known {
		err = fault.New(fault.NotFound, "there is no site %.40q", site)
	}
	return s, one, err
}

// Tabs are the pages beside each other, as far as this reader may open them.
func tabs(p *web.Page, here string) []ui.Tab {
	var seen []ui.Tab
	for _, tab := range []web.NavItem{
		{Key: "gp.board", Path: HomeAt, Act: store.ActBoard}, {Key: "gp.passes", Path: PassesAt, Act: store.ActBoard},
		{Key: "gp.talk", Path: ChatAt, Act: store.ActTalk},
		{Key: "gp.onsite", Path: SitesAt, Act: store.ActOnsite}, {Key: "gp.register", Path: RegisterAt, Act: store.ActExport},
		{Key: "gp.watchlist", Path: WatchAt, Act: store.ActWatch},
	} {
		if p.May(tab.Act) {
			seen = append(seen, ui.Tab{Text: p.T(tab.Key), Href: p.Href(tab.Path), Here: tab.Path == here})
		}
	}
	return seen
}

// Crumbs lead from the board to a page below it.
func Crumbs(p *web.Page, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: p.T("app.gatepass"), Href: p.Href(HomeAt)}}, more...)
}

// Look is the badge of a lane: its class, its icon and its word.
func Look(k store.Kept, now time.Time) (class, icon, word string) {
	switch {
	case k.Deleted():
		return "plain", "slash", "deleted"
	case k.Expired(now):
		return "warn", "stale", "expired"
	case k.Status == pass.Pending:
		return "warn", "clock", "waiting"
	case k.Status == pass.Approved:
		return "ok", "check", "approved"
	case k.Status == pass.Rejected:
		return "plain", "slash", "refused"
	case k.Status == pass.Returned:
		return "ok", "undo", "back"
	case k.Overdue(now):
		return "bad", "late", "overdue"
	case k.PersonBack:
		return "warn", "undo", "items_out"
	}
	return "info", "right", "out"
}

// Icon is the icon of a lane.
func Icon(l pass.Lane) string {
	return map[pass.Lane]string{pass.LaneWaiting: "clock", pass.LaneReady: "check", pass.LaneOut: "right",
		pass.LaneLate: "late", pass.LaneBack: "undo",
		pass.LaneRefused: "slash"}[l]
}

// Short is enough of a number to tell passes of one day apart.
func Short(n number.Number) string {
	s := string(n)
	return s[strings.LastIndex(s, "-")+1:]
}

// Name is who a pass is about, or that it was erased.
func Name(p *web.Page, k store.Kept) string {
	if k.PersonName == "" {
		return p.T("gp.erased")
	}
	return k.PersonName
}

// Zoned is a moment at a site, with its zone where that is not the page's.
func Zoned(p *web.Page, t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	at := t.In(zone)
	_, there := at.Zone()
	if _, here := t.In(p.Org.Zone).Zone(); here == there {
		return p.Moment(t)
	}
	return at.Format("2 Jan 15:04 ") + web.ZoneLabel(at)
}

// Stamp is a moment for machines.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Numeral is a number as people here write it.
func Numeral(n int) string { return web.Numeral(int64(n)) }

// Why is what was refused, in the reader's words.
func Why(p *web.Page, err error) string {
	no, is := errors.AsType[*pass.Refusal](err)
	switch {
	case !is:
		return p.Said(err)
	case len(no.Fields) > 0:
		return FieldWhy(p, no.Fields[0])
	}
	return p.Word("gp.why.", string(no.Code))
}

// FieldWhy is what is wrong with a field.
func FieldWhy(p *web.Page, f pass.FieldError) string {
	return p.T("gp.bad_field", "field", p.Word("gp.field.", f.Field), "why", p.Word("gp.bad.", f.Code))
}

// Mends reports whether the person can do something about an error on the form.
func Mends(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.Stale, fault.Unconfirmed, fault.Refused:
		return true
	}
	return false
}

// formMoment is how a browser sends a moment.
const formMoment = "2006-01-02T15:04"

// ReadMoment reads a moment of a form, at a site. None is none.
func ReadMoment(field, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(formMoment, text, zone)
	if err != nil {
		return t, &pass.Refusal{Code: pass.Validation, Status: 422, Fields: []pass.FieldError{{Field: field, Code: "moment"}}}
	}
	return t.UTC(), nil
}

// WriteMoment is a moment as a form has it.
func WriteMoment(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format(formMoment)
}

// SendHTML answers with a page that brings everything it needs and runs nothing.
func SendHTML(w http.ResponseWriter, name string, download bool, body []byte) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-modals")
	web.SendFile(w, web.File{Name: name, Type: "text/html; charset=utf-8", Inline: !download, Body: body})
}
