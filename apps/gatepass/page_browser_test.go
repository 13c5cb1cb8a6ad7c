//go:build browser

package gatepass_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestThePassPagesAreFitForPeople promises that the pages of HR and of administrators have no serious finding from axe-core, log
// no error, break no content security policy and never scroll sideways, at 360 and 1280 px, light and dark, in English and Hindi.
func TestThePassPagesAreFitForPeople(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.look(t, r.URL, identity.HR, "gate-board-empty@/gatepass", "gate-new@/gatepass/new")
	all := r.lived(t)
	wants(t, r.scan(t, "gate", "scan-return", all[pass.LaneOut], face(t, 64, 64), "items",
		`[{"item_id":"1","qty":1,"condition":"damaged"}]`),
		http.StatusOK, "")
	r.look(t, r.URL, identity.PassAdmin, "gate-board@/gatepass", "gate-passes@/gatepass/passes",
		"gate-pass-out@/gatepass/passes/"+all[pass.LaneOut],
		"gate-pass-approved@/gatepass/passes/"+all[pass.LaneReady], "gate-onsite@/gatepass/sites/main/onsite",
		"gate-register@/gatepass/register",
		"gate-watchlist@/gatepass/watchlist")
	r.answersInBrowser(t)
}

// answersInBrowser looks at the pages that are answers to a form: each is served at an address of its own.
func (r *rig) answersInBrowser(t *testing.T) {
	t.Helper()
	check, bad := wanted(), wanted()
	check.Set("do", "check")
	bad.Del("is_returnable")
	until := check.Get("valid_until")
	list := "name,purpose,comes_back,item,serial,valid_until\nRekha Devi,Service,yes,Laptop,L-1," + strings.Replace(until, "T", " ", 1) + "\n"
	sent := map[string]struct {
		to   string
		form url.Values
	}{"/check": {"/gatepass/new", check}, "/bad": {"/gatepass/new", bad}, "/list": {"/gatepass/new/list", url.Values{"list": {list}}},
		"/list-bad": {"/gatepass/new/list", url.Values{"list": {list + "Asha,Bank,,,,\n"}}}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if one, ok := sent[req.URL.Path]; ok {
			post := httptest.NewRequestWithContext(req.Context(), http.MethodPost, one.to, strings.NewReader(one.form.Encode()))
			post.Header.Set("Cookie", req.Header.Get("Cookie"))
			post.Header.Set("Accept", "text/html")
			post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req = post
		}
		r.Config.Handler.ServeHTTP(w, req)
	}))
	defer front.Close()
	r.look(t, front.URL, identity.HR, "gate-check@/check", "gate-new-bad@/bad=422", "gate-list@/list", "gate-list-bad@/list-bad")
}

// look has pages looked at in a browser; screenshots are left for people.
func (r *rig) look(t *testing.T, base string, role identity.Role, pages ...string) {
	t.Helper()
	webtest.Check(t, "check.mjs", append([]string{"--base", base, "--token", platformtest.Token(t, postgrestest.North, role), "--out",
		webtest.Shots(t), "--langs", "en,hi"}, pages...)...)
}
