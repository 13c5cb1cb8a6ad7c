//go:build browser

package console_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
)

// newOfficeStage is a stage at the address that the office sends people back to:
// who comes in signs in there, with a password.
func newOfficeStage(t *testing.T) *stage {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	set := stack.Settings()
	public, err := url.Parse(set["GAVEL_PUBLIC_URL"])
	if err != nil || set["GAVEL_OIDC_ISSUER"] == "" {
		t.Fatalf("the dev stack's office is not up (%v): run `make parts`", err)
	}
	s := setUp(t, func(c *signin.Config, db *postgrestest.Database) {
		c.PublicURL = public.String()
		c.Store = signin.NewStore(signin.StoreConfig{DB: db.App, Clock: durable.Clock{}, Rules: policy.Standard()})
		c.Office = signin.Office{Issuer: set["GAVEL_OIDC_ISSUER"], ClientID: set["GAVEL_OIDC_CLIENT_ID"],
			ClientSecret: set["GAVEL_OIDC_CLIENT_SECRET"]}
	})
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", public.Host)
	if err != nil {
		t.Fatal(err)
	}
	s.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: s.handler, ReadHeaderTimeout: 10 * time.Second}}
	s.server.Start()
	s.begin(t)
	return s
}

// TestPeopleGoFromTheOfficeToADecisionWithoutAMouse promises the whole way by the
// keyboard alone, on a desk and on a phone: sign in at the office, inbox, case, see
// what changed since it was proposed, decide, undo, decide.
func TestPeopleGoFromTheOfficeToADecisionWithoutAMouse(t *testing.T) {
	for _, width := range []int{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newOfficeStage(t)
			van := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 0)
			s.exhibit(t, van, "GPS pings, 12 Nov", evidence.For)
			p := s.offer(t, van, "send_letter", due(time.Now().Add(-time.Hour)),
				verdictOf(t, van, "Send 3 e-mails about van 14, night shift", 0.78, 0.64, 0.87))
			next := s.offer(t, van, "send_letter", verdictOf(t, van, "Send a reminder to the driver", 0.12, 0.05, 0.24))
			s.exhibit(t, van, "Closure notice of the road", evidence.Against)
			s.node(t, "journey.mjs", "--base", s.server.URL, "--out", shots(t), "--width", fmt.Sprint(width),
				"--email", "officer@north.example", "--password", devstack.DemoPassword, "--proposal", p.ID, "--next", next.ID, "--changed",
				"Closure notice of the road")
			// A proposal that was undone stays approved, and its act is called off.
			for id, want := range map[string]review.State{p.ID: review.Approved, next.ID: review.Rejected} {
				if got, err := s.Reviews.Get(t.Context(), person(postgrestest.North, identity.Officer), id); err != nil ||
					got.State != want {
					t.Errorf("at the end %s is %s, %v, want %s", id, got.State, err, want)
				}
			}
		})
	}
}
