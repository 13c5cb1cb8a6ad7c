package web_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// TestARouteSaysWhoMayUseIt promises that none can be registered without a word
// about that, and that the list of routes has it.
func TestARouteSaysWhoMayUseIt(t *testing.T) {
	s := newStand(t, nil)
	for name, rules := range map[string][]web.Rule{"nothing": nil, "another rule": {web.MaxBody(4)}, "an act that is none": {web.Needs("")},
		"no act": {web.Needs()}, "an act there is not": {web.Needs("case.read", "case.burn")}, "no reason": {web.Public("")}} {
		if said := refusal(func() { s.mux.Handle("GET /"+name, nothing, rules...) }); said == "" {
			t.Errorf("a route was registered that says %s", name)
		}
	}
	s.mux.Handle("GET /a", nothing, web.Needs("case.read"))
	s.mux.Under("yard").Handle("GET /yard/b", nothing, web.SignedIn())
	s.mux.Mount("/c/", http.NotFoundHandler(), web.Public("it is a test"))
	s.mux.Handle("POST /d", nothing, web.Needs("run.order", "run.say"))
	got := s.mux.Routes()
	want := []web.RouteInfo{{Pattern: "GET /a", Need: web.Need{Acts: "case.read"}}, {Pattern: "GET /yard/b", Need: web.Need{Signed: true}},
		{Pattern: "/c/", Need: web.Need{Public: "it is a test"}}, {Pattern: "POST /d", Need: web.Need{Acts: "run.order,run.say"}}}
	if len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("got %+v, want %+v at its end", got, want)
	}
}

// TestWhoMayNotIsTurnedAwayBeforeAnythingRuns promises the right status for
// everybody, and that those turned away by policy are told of.
func TestWhoMayNotIsTurnedAwayBeforeAnythingRuns(t *testing.T) {
	var told []web.Refusal
	s := newStand(t, func(c *web.Config) {
		c.Refused = func(_ context.Context, v web.Refusal) { told = append(told, v) }
	})
	ran := 0
	count := func(http.ResponseWriter, *http.Request) error { ran++; return nil }
	for pattern, rule := range map[string]web.Rule{
		"GET /v1/may/{id}": web.Needs("case.close"), "GET /v1/not/{id}": web.Needs("token.issue"),
		"GET /v1/either": web.Needs("token.issue", "case.note"), "GET /v1/mine": web.SignedIn(), "GET /v1/all": web.Public("a test"),
	} {
		s.mux.Handle(pattern, count, rule)
	}
	for _, tt := range []struct {
		path, org string
		status    int
		runs      int
	}{
		{"/v1/may/case_1", "north", 200, 1}, {"/v1/may/case_1", "", 401, 0},
		{"/v1/not/case_1", "north", 403, 0}, {"/v1/not/case_1", "", 401, 0},
		{"/v1/either", "north", 200, 1}, {"/v1/mine", "north", 200, 1}, {"/v1/mine", "", 401, 0},
		{"/v1/all", "", 200, 1},
	} {
		ran = 0
		if w := s.ask("GET", tt.path, "", "X-Test-Org", tt.org); w.Code != tt.status || ran != tt.runs {
			t.Errorf("%s in %q: got %d and %d runs, want %d and %d", tt.path, tt.org, w.Code, ran, tt.status, tt.runs)
		}
	}
	want := web.Refusal{Acts: "token.issue", Pattern: "GET /v1/not/{id}", Object: "case_1"}
	if len(told) != 1 || told[0].Actor.ID != "p1" || told[0].Acts != want.Acts || told[0].Pattern != want.Pattern ||
		told[0].Object != want.Object {
		t.Errorf("told of %+v, want one: %+v", told, want)
	}
}

// TestASiteWithoutPoliciesLetsNobodyIn promises the safe side of forgetting them.
func TestASiteWithoutPoliciesLetsNobodyIn(t *testing.T) {
	s := newStand(t, func(c *web.Config) { c.May = nil })
	s.mux.Handle("GET /v1/x", nothing, web.Needs("case.read"))
	if w := s.ask("GET", "/v1/x", "", "X-Test-Org", "north"); w.Code != http.StatusForbidden {
		t.Errorf("got %d", w.Code)
	}
}

// TestWhyNobodyIsSignedInIsTold promises that the reason sign-in gives reaches
// who asks.
func TestWhyNobodyIsSignedInIsTold(t *testing.T) {
	s := newStand(t, func(c *web.Config) {
		c.Require = func(context.Context) (identity.Actor, error) {
			return identity.Actor{}, fault.New(fault.SignIn, "that token has expired")
		}
	})
	s.mux.Handle("GET /v1/x", nothing, web.SignedIn())
	if w := s.ask("GET", "/v1/x", "", "X-Test-Org", "north"); w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(),
		"that token has expired") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
