package signin

import (
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// DevPath is the page of the development door.
const DevPath = "/dev/sign-in"

// devPages are the development sign-in: a button per organisation and role, for
// somebody sitting at the machine.
type devPages struct {
	door *Door
	site *web.Site
}

func (d devPages) routes(m *web.Mux) {
	m.Handle("GET "+DevPath, d.show, web.Public("it is where one signs in"))
	m.Handle("POST "+DevPath, d.enter, web.Public("it is where one signs in"), web.MaxBody(maxForm))
}

func (d devPages) show(w http.ResponseWriter, r *http.Request) error {
	if err := d.atTheMachine(r); err != nil {
		return err
	}
	p := d.site.Page(r)
	p.Title = p.T("signin.title")
	next := web.LocalPath(r.URL.Query().Get("next"))
	return d.site.Render(w, r, http.StatusOK, p, devBody(p, d.orgs(r), next))
}

// A devOrg is an organisation of the development page.
type devOrg struct {
	identity.Org

	title      string
	busy, idle []identity.Role // those that have something to do here, and those that have not
}

// orgs are the organisations that can be chosen, by the names their people use.
func (d devPages) orgs(r *http.Request) (all []devOrg) {
	busy := d.door.cfg.Busy
	if len(busy) == 0 {
		busy = identity.Roles()
	}
	idle := slices.DeleteFunc(identity.Roles(), func(role identity.Role) bool { return slices.Contains(busy, role) })
	for _, org := range d.door.cfg.Orgs {
		all = append(all, devOrg{Org: org, title: d.site.PageFor(r, org).Org.Name, busy: busy, idle: idle})
	}
	return all
}

func (d devPages) enter(w http.ResponseWriter, r *http.Request) error {
	if err := d.atTheMachine(r); err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	org := identity.Org(r.PostForm.Get("org"))
	if !slices.Contains(d.door.cfg.Orgs, org) {
		return fault.New(fault.Invalid, "no demo organisation is called %.60q", org).Because("nothing_called", "id", string(org))
	}
	token, err := devToken(d.door.cfg.DevKey, org, r.PostForm.Get("role"))
	if err != nil {
		return err
	}
	d.door.setCookie(w, devCookie, token, devMaxAge)
	http.Redirect(w, r, web.LocalPath(r.PostForm.Get("next")), http.StatusSeeOther)
	return nil
}

// atTheMachine refuses everybody but a browser on this very machine. A proxy on
// the machine would make anybody look local, so forwarded requests are refused;
// so is a Host that is not ours, which is how another site's page would reach
// loopback by renaming itself.
func (d devPages) atTheMachine(r *http.Request) error {
	refused := fault.New(fault.Refused, "development sign-in answers only to a browser on this machine")
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !loopback(host) {
		return refused
	}
	for _, h := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		if r.Header.Get(h) != "" {
			return refused
		}
	}
	if !loopback(hostname(r.Host)) && !d.isPublic(r.Host) {
		return refused
	}
	return nil
}

func (d devPages) isPublic(host string) bool {
	u, err := url.Parse(d.door.cfg.PublicURL)
	return err == nil && u.Host != "" && u.Host == host
}

func hostname(host string) string {
	u := url.URL{Host: host}
	return u.Hostname()
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
