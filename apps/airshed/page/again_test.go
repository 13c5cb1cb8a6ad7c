package page

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
)

// panel is our part of the page of a case, as somebody of a role sees it.
func (s *stage) panel(t *testing.T, r registry, role identity.Role, lang string) string {
	t.Helper()
	ctx := signin.As(t.Context(), airshedtest.Person(role))
	p := s.Site.Page(httptest.NewRequestWithContext(ctx, http.MethodGet, "/cases/x?lang="+lang, nil))
	drawn, err := s.pages.casePanel(ctx, p, r.now(t))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := drawn.Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sendBack has what officers were asked come back.
func (r registry) sendBack(t *testing.T) {
	t.Helper()
	for _, id := range r.Texts(t, `select id from gavel.proposal where state = 'open'`) {
		if _, err := r.reviews.Withdraw(t.Context(), identity.Gavel(r.in.Org), id, review.Superseded); err != nil {
			t.Fatal(err)
		}
	}
	r.advance(t)
}

// TestAReportThatCameBackIsPutForwardInTheBrowser promises an analyst, and nobody else, a
// way on from the page of a case that waits for one: as it is, or drafted anew. Where
// nobody is waited for the page says why, and a form that is sent twice asks once.
func TestAReportThatCameBackIsPutForwardInTheBrowser(t *testing.T) {
	s := newStage(t)
	r := s.registry(t)
	at := reportsAt + "/" + r.file.Ref + "/ask"
	if got := s.panel(t, r, identity.Analyst, "en"); !strings.Contains(got, "Officers are deciding it") || strings.Contains(got, "<form") {
		t.Errorf("while officers have it: %s", got)
	}
	s.Post(t, identity.Analyst, at, url.Values{"how": {"as_is"}}).Holds(t, http.StatusConflict, "put before officers now")
	r.sendBack(t)
	for lang, words := range map[string][2]string{"en": {"Propose it to officers again", "Draft it anew first"},
		"hi": {"अधिकारियों को फिर प्रस्ताव दें", "पहले नया मसौदा बनाएँ"}} {
		if got := s.panel(t, r, identity.Analyst, lang); !strings.Contains(got, words[0]) || !strings.Contains(got, words[1]) ||
			!strings.Contains(got, `action="`+at) {
			t.Errorf("sent back, %s: %s", lang, got)
		}
	}
	for _, role := range []identity.Role{identity.Officer, identity.Auditor} {
		if got := s.panel(t, r, role, "en"); strings.Contains(got, "<form") || strings.Contains(got, "waits for you") {
			t.Errorf("%s is offered what they may not do: %s", role, got)
		}
		s.Post(t, role, at, url.Values{"how": {"as_is"}}).Holds(t, http.StatusForbidden)
	}
	s.Post(t, identity.Analyst, at, url.Values{"how": {"somehow"}}).Holds(t, http.StatusUnprocessableEntity)
	got := s.Post(t, identity.Analyst, at, url.Values{"how": {"as_is"}})
	if got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/cases/"+string(r.in.Case) {
		t.Errorf("got %d to %s", got.Status, got.Header.Get("Location"))
	}
	s.Post(t, identity.Analyst, at, url.Values{"how": {"as_is"}}).Holds(t, http.StatusConflict)
	r.advance(t)
	r.sendBack(t)
	s.Post(t, identity.Analyst, at, url.Values{"how": {"anew"}}).Holds(t, http.StatusSeeOther)
	r.advance(t)
	want := []string{"1 superseded", "2 superseded", "3 open"}
	if got := r.Texts(t, `select concat_ws(' ', args::jsonb->>'attempt', state) from gavel.proposal order by n`); !slices.Equal(got, want) {
		t.Errorf("officers were asked %v, want %v", got, want)
	}
	if got := r.Texts(t, `select n::text from airshed.report order by n`); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("there are drafts %v: it was to be drafted anew once", got)
	}
}

// TestAReportThatTheCommissionMayHaveIsNotOfferedAnew promises that the page offers only
// what would be taken.
func TestAReportThatTheCommissionMayHaveIsNotOfferedAnew(t *testing.T) {
	s := newStage(t)
	r := s.registry(t)
	s.Set(t, `insert into airshed.submission (org, case_id, n, act, at) values ($1, $2, 1, 'act-1', now())`, r.in.Org, r.in.Case)
	r.sendBack(t)
	got := s.panel(t, r, identity.Analyst, "en")
	if !strings.Contains(got, "gave no receipt") || !strings.Contains(got, "Propose it to officers again") ||
		strings.Contains(got, "Draft it anew first") {
		t.Errorf("got %s", got)
	}
}
