package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

func TestTheLanguageComesFromAddressThenCookieThenBrowser(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /page", "a page")
	for _, tt := range []struct{ query, cookie, accept, want string }{
		{"", "", "", "en"},
		{"", "", "hi-IN,hi;q=0.9,en;q=0.8", "hi"},
		{"", "", "en;q=0.2, hi;q=0.9", "hi"},
		{"", "", "fr, de;q=0.5", "en"},
		{"", "", "fr, hi;q=0.1", "hi"},
		{"", "gavel_lang=en", "hi", "en"},
		{"?lang=hi", "gavel_lang=en", "en", "hi"},
		{"?lang=xx", "gavel_lang=hi", "en", "hi"},
		{"", "gavel_lang=<b>", "en", "en"},
	} {
		w := s.ask("GET", "/page"+tt.query, "", "Cookie", tt.cookie, "Accept-Language", tt.accept)
		if !strings.Contains(w.Body.String(), `<html lang="`+tt.want+`"`) {
			t.Errorf("%+v: the page is not in %s", tt, tt.want)
		}
	}
}

func TestALanguageInTheAddressGoesAlongInLinks(t *testing.T) {
	s := newStand(t, func(c *web.Config) {
		c.Nav = []web.NavItem{{Section: "x", Key: "health.nav", Path: "/x?a=1#b", Icon: "case"}}
	})
	s.page("GET /page", "a page")
	w := s.ask("GET", "/page?lang=hi", "", "X-Test-Org", "north")
	if want := `href="/x?a=1&amp;lang=hi#b"`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("the page lacks %s", want)
	}
	if got := w.Header().Get("Set-Cookie"); got != "" {
		t.Errorf("a GET set cookie %q", got)
	}
}

func TestPreferencesAreKeptByAForm(t *testing.T) {
	s := newStand(t, func(c *web.Config) { c.PublicURL = "https://gavel.example" })
	s.page("GET /page", "a page")
	for _, tt := range []struct {
		form     string
		status   int
		location string
		cookie   string
	}{
		{"lang=hi&next=/cases?lang=en%26state=open", 303, "/cases?state=open", "gavel_lang=hi"},
		{"theme=dark&next=/cases", 303, "/cases", "gavel_theme=dark"},
		{"theme=system&next=//evil.example", 303, "/", "gavel_theme=system"},
		{"keys=off&next=/inbox", 303, "/inbox", "gavel_keys=off"},
		{"keys=on&next=/inbox", 303, "/inbox", "gavel_keys=on"},
		{"keys=loud", 422, "", ""},
		{"theme=purple", 422, "", ""},
		{"lang=xx", 422, "", ""},
	} {
		w := s.ask("POST", "/preferences", tt.form, "Content-Type", "application/x-www-form-urlencoded")
		cookie := w.Header().Get("Set-Cookie")
		if w.Code != tt.status || w.Header().Get("Location") != tt.location || !strings.HasPrefix(cookie, tt.cookie) {
			t.Errorf("%s got %d to %q with %q", tt.form, w.Code, w.Header().Get("Location"), cookie)
		}
		if tt.cookie != "" && !(strings.Contains(cookie, "HttpOnly") && strings.Contains(cookie, "Secure") &&
			strings.Contains(cookie, "SameSite=Lax")) {
			t.Errorf("the cookie %q lacks a guard", cookie)
		}
	}
	for cookie, want := range map[string]string{
		"gavel_theme=dark": ` data-theme="dark" class`, "gavel_theme=light": ` data-theme="light" class`, "gavel_theme=system": ` class`,
		"": ` class`, "gavel_keys=off": ` data-keys="off" class`, "gavel_keys=on": ` class`,
	} {
		if w := s.ask("GET", "/page", "", "Cookie", cookie); !strings.Contains(w.Body.String(), `<html lang="en"`+want) {
			t.Errorf("with %q the page does not begin with %s", cookie, want)
		}
	}
}

func TestLocalPathNeverLeavesTheSite(t *testing.T) {
	for in, want := range map[string]string{
		"/cases?state=open#x": "/cases?state=open#x", "": "/", "cases": "/", "//evil.example": "/", "/\\evil.example": "/",
		"https://evil.example": "/", "/\t/evil.example": "/", "javascript:alert(1)": "/", "/" + strings.Repeat("a", 1024): "/",
	} {
		if got := web.LocalPath(in); got != want {
			t.Errorf("LocalPath(%q) is %q, want %q", in, got, want)
		}
	}
	base, err := url.Parse("https://gavel.example/here")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringOf(rapid.SampledFrom([]rune("/\\:@.?#%aehtps\t\n "))).Draw(t, "path")
		u, err := base.Parse(web.LocalPath(in))
		if err != nil || u.Host != base.Host || u.Scheme != base.Scheme {
			t.Fatalf("%q leads to %v (%v)", in, u, err)
		}
	})
}

func TestPagesHoldNothingThePolicyForbids(t *testing.T) {
	s := newStand(t, func(c *web.Config) { c.SignIn, c.SignOut = "/door", "/out" })
	s.page("GET /page", "a page")
	inline := regexp.MustCompile(`(?i)\sstyle=|\son[a-z]+=|<style|javascript:|<script(?:>|\s(?:[^>]*)>[^<])`)
	outside := regexp.MustCompile(`(?i)(?:src|href|action)="(?:https?:)?//`)
	for _, headers := range [][]string{{"X-Test-Org", "north"}, nil} {
		for _, path := range []string{"/page", "/nothing", "/page?lang=hi"} {
			got := s.ask("GET", path, "", headers...).Body.String()
			if m := inline.FindString(got); m != "" {
				t.Errorf("%s %v holds %q", path, headers, m)
			}
			if m := outside.FindString(got); m != "" {
				t.Errorf("%s %v fetches from elsewhere: %q", path, headers, m)
			}
		}
	}
}

func TestTheShellShowsWhoWhereAndWhen(t *testing.T) {
	s := newStand(t, func(c *web.Config) {
		c.SignOut = "/out"
		c.Organisation = func(_ context.Context, org identity.Org) (web.Organisation, error) {
			if org == "south" {
				return web.Organisation{}, errors.New("the database is away")
			}
			return web.Organisation{Name: "North <Commission>", Zone: time.FixedZone("", 3*3600)}, nil
		}
	})
	s.page("GET /page", "a page")
	for _, tt := range []struct {
		org  string
		want []string
	}{
		{"north", []string{"North &lt;Commission&gt;", "11:32 UTC+03", "S. Rao", ">SR<", "DEMO", `href="#main"`, "Sign out"}},
		{"south", []string{">south<", "14:02 IST"}},
		{"", []string{"All times IST"}},
	} {
		got := s.ask("GET", "/page", "", "X-Test-Org", tt.org).Body.String()
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("the page of %q lacks %q", tt.org, want)
			}
		}
	}
}

func TestTheRailShowsOnlyWhatARoleMaySee(t *testing.T) {
	s := newStand(t, func(c *web.Config) {
		c.Nav = []web.NavItem{web.HealthNav(), {Section: "x", Key: "theme.dark", Path: "/x", Icon: "case", Act: "case.close"}}
	})
	s.page("GET /page", "a page")
	got := s.ask("GET", "/page", "", "X-Test-Org", "north").Body.String()
	if strings.Contains(got, `href="/readyz"`) || !strings.Contains(got, `href="/x"`) {
		t.Error("an officer must see the officer's line and not the operator's")
	}
}

// TestABannerIsOnEveryPage promises that nobody overlooks a pause, a view as
// another role, or that the data is made up: on ordinary pages, on errors and at
// the door.
func TestABannerIsOnEveryPage(t *testing.T) {
	paused := web.Banner{Kind: web.SendsPaused, By: "A. Sen", Since: time.Date(2026, 11, 14, 7, 0, 0, 0, time.UTC)}
	part := web.Banner{Kind: web.SendsPaused, About: "agent outreach"}
	for _, tt := range []struct {
		name    string
		banners []web.Banner
		demo    bool
		lines   int // for somebody signed in
		want    []string
	}{
		{"nothing to say", nil, false, 0, nil},
		{"a demonstration", nil, true, 1, []string{"DEMO"}},
		{"all sends paused", []web.Banner{paused}, false, 1, []string{"SENDS PAUSED", "since 14 Nov 12:30 IST by A. Sen"}},
		{"a part paused, in a demonstration", []web.Banner{part}, true, 2, []string{"SENDS PAUSED", "agent outreach", "DEMO"}},
		{"more than there is room for", []web.Banner{paused, part, {Kind: web.ReadOnly}, {Kind: web.ReadOnly}}, true, 3,
			[]string{"SENDS PAUSED", "DEMO"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStand(t, func(c *web.Config) {
				c.Demo = tt.demo
				c.Banners = func(context.Context, identity.Actor) []web.Banner { return tt.banners }
			})
			s.page("GET /page", "a page")
			for _, path := range []string{"/page", "/nothing"} {
				got := s.ask("GET", path, "", "X-Test-Org", "north", "Accept", "text/html").Body.String()
				if n := strings.Count(got, `class="banner `) + strings.Count(got, `class="banner"`); n != tt.lines ||
					!strings.Contains(got, fmt.Sprintf(`class="banners-%d"`, tt.lines)) {
					t.Errorf("%s has %d lines, want %d, and room for them", path, n, tt.lines)
				}
				for _, want := range tt.want {
					if !strings.Contains(got, want) {
						t.Errorf("%s does not say %q", path, want)
					}
				}
			}
			if got := s.ask("GET", "/page", "").Body.String(); strings.Contains(got, "SENDS PAUSED") ||
				strings.Contains(got, "DEMO") != tt.demo {
				t.Error("a stranger is told of a demonstration and of nothing else")
			}
		})
	}
}

// TestTheSearchBoxIsForThoseWhoMaySearch promises that the box leads to the search,
// keeps a language chosen by the address, and is not shown to who would be refused.
func TestTheSearchBoxIsForThoseWhoMaySearch(t *testing.T) {
	for act, want := range map[string]bool{"": true, "case.read": true, "token.issue": false} {
		s := newStand(t, func(c *web.Config) { c.Search, c.SearchAct = "/search", act })
		s.page("GET /page", "a page")
		got := s.ask("GET", "/page?lang=hi", "", "X-Test-Org", "north").Body.String()
		if shown := strings.Contains(got, `action="/search"`); shown != want {
			t.Errorf("an officer sees the box of %q: %t", act, shown)
		}
		if want && !strings.Contains(got, `name="lang" value="hi"`) {
			t.Error("searching loses the language of the address")
		}
		if strings.Contains(s.ask("GET", "/page", "").Body.String(), `action="/search"`) {
			t.Error("a stranger sees a search box")
		}
	}
	s := newStand(t, func(c *web.Config) { c.Search = "/search" })
	s.page("GET /page", "a page")
	if got := s.ask("GET", "/page", "", "X-Test-Org", "north", "Cookie", "gavel_keys=off").Body.String(); strings.Contains(got, "<kbd") ||
		strings.Contains(got, "aria-keyshortcuts") {
		t.Error("a key is offered to somebody who turned keys off")
	}
}

// TestTheRailCountsWhatWaits promises that the number beside a line of the rail is
// current, moves by itself, and never costs anybody the page.
func TestTheRailCountsWhatWaits(t *testing.T) {
	waiting, failing := 12, error(nil)
	s := newStand(t, func(c *web.Config) {
		c.Nav = []web.NavItem{{Section: "inbox", Key: "theme.dark", Path: "/inbox", Icon: "inbox", Act: "inbox.read", Live: "inbox",
			Count: func(_ context.Context, a identity.Actor) (int, error) {
				if a.Org != "north" {
					t.Errorf("counted for %q", a.Org)
				}
				return waiting, failing
			}}}
	})
	s.page("GET /page", "a page")
	page := func() string { return s.ask("GET", "/page", "", "X-Test-Org", "north").Body.String() }
	for _, want := range []string{`>12<`, `data-live="inbox"`, `data-src="/rail/inbox"`} {
		if !strings.Contains(page(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	region := s.ask("GET", "/rail/inbox", "", "X-Test-Org", "north", "Gavel-Region", "1")
	if region.Code != 200 || !strings.HasPrefix(region.Body.String(), `<div id="rail-inbox"`) {
		t.Errorf("the number alone is %d, %s", region.Code, region.Body)
	}
	if waiting = 4000; !strings.Contains(page(), "999+") {
		t.Error("a number the rail has no room for is not cut")
	}
	if waiting = 0; strings.Contains(page(), `class="count`) {
		t.Error("nothing waits, and a number is shown")
	}
	if waiting, failing = 7, errors.New("the database is away"); !strings.Contains(page(), "<h1>a page</h1>") ||
		strings.Contains(page(), ">7<") {
		t.Error("a number that cannot be had must be left out, and only it")
	}
	for _, path := range []string{"/rail/nosuch", "/rail/"} {
		if w := s.ask("GET", path, "", "X-Test-Org", "north"); w.Code != 404 {
			t.Errorf("%s got %d", path, w.Code)
		}
	}
	if w := s.ask("GET", "/rail/inbox", ""); w.Code != 401 {
		t.Errorf("a stranger got %d", w.Code)
	}
}

func TestTheMarkLeadsWhereTheReaderMayGo(t *testing.T) {
	cases := web.NavItem{Section: "cases", Key: "theme.dark", Path: "/cases", Icon: "case"}
	other := web.NavItem{Section: "x", Key: "theme.light", Path: "/x", Icon: "case"}
	for _, tt := range []struct {
		name   string
		act    string // who may do it sees the cases
		nav    []web.NavItem
		want   string
		button bool
	}{
		{"in the rail", "case.close", []web.NavItem{other}, "/cases", true},
		{"left out of the rail", "token.issue", []web.NavItem{other}, "/x", false},
		{"an empty rail", "token.issue", nil, "/cases", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := cases
			first.Act = tt.act
			s := newStand(t, func(c *web.Config) { c.Nav = append([]web.NavItem{first}, tt.nav...) })
			page := s.ask("GET", "/nowhere", "", "X-Test-Org", "north").Body.String()
			if want := `<a class="brand" href="` + tt.want + `"`; !strings.Contains(page, want) {
				t.Errorf("the page lacks %s", want)
			}
			if button := strings.Contains(page, "Go to the first page"); button != tt.button {
				t.Errorf("an error offers the cases: %t", button)
			}
			if got := s.ask("GET", "/", "", "X-Test-Org", "north").Header().Get("Location"); got != tt.want {
				t.Errorf("/ leads to %q, want %q", got, tt.want)
			}
		})
	}
}

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{
		"S. Rao": "SR", "Demo officer (north)": "DO", "Asha": "A", "": "?", "  ": "?", "अनिल कुमार शर्मा": "अश", "mary-jane o'neil": "MN",
	} {
		if got := web.Initials(name); got != want {
			t.Errorf("Initials(%q) is %q, want %q", name, got, want)
		}
	}
}

func TestTimesReadAsPeopleWriteThem(t *testing.T) {
	s := newStand(t, nil)
	var p *web.Page
	s.handle("GET /page", func(_ http.ResponseWriter, r *http.Request) error { p = s.site.Page(r); return nil })
	s.ask("GET", "/page", "", "X-Test-Org", "north")
	now := p.Now
	for _, tt := range []struct {
		in          time.Duration
		text, class string
	}{
		{5 * time.Hour, "due 14 Nov 19:02", ""},
		{20*time.Minute + 30*time.Second, "due 14 Nov 14:22, in 20 min", "soon"},
		{10 * time.Second, "due 14 Nov 14:02, in 1 min", "soon"},
		{-3 * time.Hour, "due 14 Nov 11:02, 3 h late", "late"},
		{-72 * time.Hour, "due 11 Nov 14:02, 3 d late", "late"},
		{365 * 24 * time.Hour, "due 14-11-2027 14:02", ""},
	} {
		if got := p.Due(now.Add(tt.in)); got.Text != tt.text || got.Class != tt.class {
			t.Errorf("due in %s reads %q (%s), want %q (%s)", tt.in, got.Text, got.Class, tt.text, tt.class)
		}
	}
	s.ask("GET", "/page?lang=hi", "")
	if got, want := p.Moment(now), "14 नवंबर 14:02"; got != want {
		t.Errorf("in Hindi it reads %q, want %q", got, want)
	}
}
