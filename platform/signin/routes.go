package signin

import (
	"net/http"

	"github.com/gavelhq/gavel/platform/web"
)

// Addresses people meet. Others are made from these.
const (
	SignInPath   = "/sign-in"
	SignOutPath  = "/sign-out"
	AccountPath  = "/account"
	LeavePath    = "/account/view/end"
	TerminalPath = "/terminal"
	PairPath     = "/pair"
	DevicePath   = "/device"
	PeoplePath   = "/people"

	startPath        = "/auth/start"
	organisationPath = "/account/organisation"
	viewPath         = "/account/view"
	confirmPath      = "/terminal/confirm"
	tokensPath       = "/people/tokens"
	devicesPath      = "/people/devices"
	shiftsPath       = "/people/shifts"
)

const maxForm = 8 << 10 // bytes of a form or body here

// Nav is the rail's line of this package.
func Nav() web.NavItem {
	return web.NavItem{Section: "people", Key: "people.nav", Path: PeoplePath, Icon: "user", Act: "person.read"}
}

// Routes registers signing in and out and, with a store, everything about
// people, tokens and devices; in development also the page of the demo.
func (d *Door) Routes(m *web.Mux) {
	p := pages{door: d, store: d.cfg.Store, site: m.Site()}
	m.Handle("POST "+SignOutPath, p.signOut, web.Public("who leaves need not be somebody still"), web.MaxBody(maxForm))
	if d.dev() {
		devPages{door: d, site: m.Site()}.routes(m)
	}
	if d.cfg.Store == nil {
		return
	}
	p.doors(m)
	p.own(m)
	p.administer(m)
	programs{door: d, store: d.cfg.Store, site: m.Site()}.routes(m)
}

// pages are what people see of this package.
type pages struct {
	door  *Door
	store *Store
	site  *web.Site
}

// doors are the ways in.
func (p pages) doors(m *web.Mux) {
	const in, pairing = "it is where one signs in", "a device is nobody until it is paired, and then only its guard is somebody"
	m.Handle("GET "+SignInPath, p.signIn, web.Public(in))
	m.Handle("GET "+startPath, p.start, web.Public(in))
	m.Handle("GET "+CallbackPath, p.callback, web.Public(in))
	m.Handle("GET "+PairPath, p.showPair, web.Public(pairing))
	m.Handle("POST "+PairPath, p.pair, web.Public(pairing), web.MaxBody(maxForm))
	m.Handle("GET "+DevicePath, p.showDevice, web.Public(pairing))
	m.Handle("POST "+DevicePath, p.enterShift, web.Public(pairing), web.MaxBody(maxForm))
}

// own is what everybody does with their own sign-in.
func (p pages) own(m *web.Mux) {
	m.Handle("GET "+AccountPath, p.account, web.SignedIn())
	m.Handle("GET "+organisationPath, p.chooseOrganisation, web.SignedIn())
	m.Handle("POST "+organisationPath, p.moveTo, web.SignedIn(), web.MaxBody(maxForm))
	m.Handle("POST "+viewPath, p.view, web.Needs("view_as"), web.MaxBody(maxForm))
	m.Handle("POST "+LeavePath, p.leaveView, web.SignedIn(), web.MaxBody(maxForm))
	m.Handle("GET "+TerminalPath, p.showTerminal, web.SignedIn())
	m.Handle("POST "+TerminalPath, p.findTerminal, web.SignedIn(), web.MaxBody(maxForm))
	m.Handle("POST "+confirmPath, p.confirmTerminal, web.SignedIn(), web.MaxBody(maxForm))
}

// administer is what administrators and supervisors do about others.
func (p pages) administer(m *web.Mux) {
	m.Handle("GET "+PeoplePath, p.people, web.Needs("person.read"))
	m.Handle("POST "+PeoplePath+"/{id}/sign-out", p.signOutOther, web.Needs("person.change"), web.MaxBody(maxForm))
	m.Handle("GET "+tokensPath, p.tokens, web.Needs("token.read"))
	m.Handle("POST "+tokensPath, p.issue, web.Needs("token.issue"), web.MaxBody(maxForm))
	m.Handle("POST "+tokensPath+"/{id}/revoke", p.revoke, web.Needs("token.issue"), web.MaxBody(maxForm))
	m.Handle("GET "+devicesPath, p.devices, web.Needs("device.pair"))
	m.Handle("POST "+devicesPath, p.offer, web.Needs("device.pair"), web.MaxBody(maxForm))
	m.Handle("POST "+devicesPath+"/{id}/revoke", p.revokeDevice, web.Needs("device.pair"), web.MaxBody(maxForm))
	m.Handle("GET "+shiftsPath, p.shifts, web.Needs("shift.open"))
	m.Handle("POST "+shiftsPath, p.openShift, web.Needs("shift.open"), web.MaxBody(maxForm))
	m.Handle("POST "+shiftsPath+"/{id}/end", p.endShift, web.Needs("shift.open"), web.MaxBody(maxForm))
}

// page begins a page of this package.
func (p pages) page(r *http.Request, title, section string) *web.Page {
	page := p.site.Page(r)
	page.Title, page.Section = page.T(title), section
	return page
}

func seeOther(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}
