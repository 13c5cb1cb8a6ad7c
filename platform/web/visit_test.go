package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/web"
)

func TestEveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	s := newStand(t, func(c *web.Config) { c.PublicURL = "https://gavel.example" })
	s.page("GET /page", "a page")
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options":    "nosniff",
		"X-Frame-Options":           "DENY",
		"Referrer-Policy":           "same-origin",
		"Strict-Transport-Security": "max-age=31536000",
	}
	for _, path := range []string{"/page", "/nothing", "/v1/nothing", "/static/none.css"} {
		w := s.ask("GET", path, "", "X-Test-Org", "north")
		for name, value := range want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s of %s is %q, want %q", name, path, got, value)
			}
		}
		if got := w.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control of %s is %q", path, got)
		}
	}
}

func TestAnotherSitesPageCannotWrite(t *testing.T) {
	s := newStand(t, func(c *web.Config) { c.PublicURL = "https://gavel.example" })
	wrote := 0
	s.handle("POST /write", func(http.ResponseWriter, *http.Request) error { wrote++; return nil })
	for _, tt := range []struct {
		name    string
		headers []string
		ok      bool
	}{
		{"same origin", []string{"Sec-Fetch-Site", "same-origin"}, true},
		{"typed in", []string{"Sec-Fetch-Site", "none"}, true},
		{"program", nil, true},
		{"other site", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"sister site", []string{"Sec-Fetch-Site", "same-site"}, false},
		{"old browser, other site", []string{"Origin", "https://evil.example"}, false},
		{"old browser, public address behind a proxy", []string{"Origin", "https://gavel.example"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := wrote
			w := s.ask("POST", "/write", "", tt.headers...)
			if (w.Code == 200) != tt.ok || (wrote > before) != tt.ok {
				t.Errorf("got %d and wrote %t, want %t", w.Code, wrote > before, tt.ok)
			}
			if !tt.ok && w.Code != 403 {
				t.Errorf("got %d, want 403", w.Code)
			}
		})
	}
}

func TestAPublicAddressMustBeOne(t *testing.T) {
	for _, bad := range []string{"gavel.example", "ftp://gavel.example", "https://", "::"} {
		if _, err := web.New(web.Config{PublicURL: bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestRequestIdsComeFromTheProxyOnlyWhenWellFormed(t *testing.T) {
	s := newStand(t, nil)
	for _, tt := range []struct {
		sent string
		kept bool
	}{
		{"proxy-12345678", true},
		{strings.Repeat("a", 64), true},
		{strings.Repeat("a", 65), false},
		{"short", false},
		{"with space 123", false},
		{"<script>alert(1)</script>", false},
		{"", false},
	} {
		got := s.ask("GET", "/nothing", "", "X-Request-Id", tt.sent).Header().Get("X-Request-Id")
		if (got == tt.sent) != tt.kept || len(got) < 8 {
			t.Errorf("sent %q, got %q, want it kept: %t", tt.sent, got, tt.kept)
		}
	}
}

func TestTheAccessLogHoldsNoSecrets(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /cases/{id}", "a case")
	s.page("GET /p/{code}", "a pass")
	s.ask("GET", "/cases/case_01ARZ3NDEKTSV4RRFFQ69G5FAV?token=TOPSECRET", "", "Authorization", "Bearer TOPSECRET", "Cookie",
		"gavel_dev=TOPSECRET")
	s.ask("GET", "/p/TOPSECRET", "")
	s.ask("GET", "/TOPSECRET", "")
	got := s.log.String()
	if strings.Contains(got, "TOPSECRET") {
		t.Errorf("the log holds a secret:\n%s", got)
	}
	for _, want := range []string{`route="GET /cases/{id}"`, "object=case_01ARZ3NDEKTSV4RRFFQ69G5FAV", "status=200", "status=404",
		"request_id=", "fault=not_found"} {
		if !strings.Contains(got, want) {
			t.Errorf("the log lacks %s:\n%s", want, got)
		}
	}
}

// TestANameTypedIntoAnAddressIsNotLogged: where an id is expected people type
// names, refs with names in them, and addresses.
func TestANameTypedIntoAnAddressIsNotLogged(t *testing.T) {
	s := newStand(t, nil)
	s.page("GET /cases/{id}", "a case")
	for _, typed := range []string{"Asha%20Rao", "ROSE-MARIE", "asha@example.org", "case_asha", "rider_R-7", "P-17x"} {
		s.ask("GET", "/cases/"+typed, "")
	}
	if got := s.log.String(); strings.Contains(got, "object=") {
		t.Errorf("what was typed is in the log:\n%s", got)
	}
	s.ask("GET", "/cases/P-17", "")
	if got := s.log.String(); !strings.Contains(got, "object=P-17\n") {
		t.Errorf("an id of ours is not in the log:\n%s", got)
	}
}
