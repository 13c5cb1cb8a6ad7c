package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestASavedViewHasANameAnAddressAndACount(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "views", "Views", 0)
	s.offer(t, c, "send_letter", due(time.Now().Add(-time.Hour)))
	s.offer(t, c, "send_letter")
	wantAll(t, s.ask(t, "/inbox/views", nil), http.StatusOK, "You have no saved views")
	if r := s.ask(t, "/inbox/views", url.Values{"name": {"Late ones"}, "group": {"overdue"}}); r.status != http.StatusSeeOther {
		t.Fatalf("keeping answers %d: %s", r.status, r.body)
	}
	page := s.ask(t, "/inbox/views?done=saved", nil)
	wantAll(t, page, http.StatusOK, "The view is saved", "Late ones", `href="/inbox?group=overdue"`, `<span class="count">1</span>`)
	at := regexp.MustCompile(`/inbox/views/view_[0-9A-Z]{26}`).FindString(page.body)
	if r := s.ask(t, at, nil); r.header.Get("Location") != "/inbox?group=overdue" {
		t.Errorf("its address leads to %q (%d)", r.header.Get("Location"), r.status)
	}
	wantAll(t, s.ask(t, "/inbox?group=overdue", nil), http.StatusOK, "Saved views (1)", `aria-current="true">Late ones</a>`)
	if r := s.askAs(t, identity.ProgrammeManager, at, nil); r.status != http.StatusNotFound {
		t.Errorf("somebody else's view answers %d", r.status)
	}
	if r := s.askAs(t, identity.ProgrammeManager, at+"/remove", url.Values{}); r.status != http.StatusNotFound {
		t.Errorf("removing somebody else's view answers %d", r.status)
	}
	wantAll(t, s.ask(t, "/inbox/views", url.Values{"name": {strings.Repeat("x", 61)}}), http.StatusUnprocessableEntity,
		"at most 60 characters")
	if r := s.ask(t, "/inbox/views", url.Values{"name": {"Bad"}, "view": {"nonsense"}}); r.status != http.StatusUnprocessableEntity {
		t.Errorf("a filter that is none answers %d", r.status)
	}
	if r := s.ask(t, at+"/remove", url.Values{}); r.status != http.StatusSeeOther {
		t.Errorf("removing answers %d", r.status)
	}
	wantAll(t, s.ask(t, "/inbox/views?done=removed", nil), http.StatusOK, "The view is removed", "You have no saved views")
}
