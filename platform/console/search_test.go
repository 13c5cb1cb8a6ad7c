package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestTheSearchLeadsToWhatWasFound(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "zz", "Zanzibar <b>matter</b>", 0)
	p := s.offer(t, c, "send_letter")
	s.open(t, postgrestest.South, "zz", "Zanzibar of the south", 0)
	page := s.ask(t, "/search?q=zanzi", nil)
	wantAll(t, page, http.StatusOK, "Cases", `href="/cases/`+string(c.ID)+`"`, "Zanzibar &lt;b&gt;matter", "Proposals",
		`href="/proposals/`+p.ID+`"`, `value="zanzi"`)
	if strings.Contains(page.body, "of the south") {
		t.Error("another organisation's case is found")
	}
	wantAll(t, s.ask(t, "/search?q="+url.QueryEscape(c.Ref), nil), http.StatusOK, `href="/cases/`+string(c.ID)+`"`)
	wantAll(t, s.ask(t, "/search?q=nosuch", nil), http.StatusOK, "Nothing fits")
	wantAll(t, s.ask(t, "/search", nil), http.StatusOK, "Names, numbers and the beginnings of words")
	wantAll(t, s.ask(t, "/search?q="+strings.Repeat("x", 101), nil), http.StatusUnprocessableEntity, "at most 100 characters",
		`aria-invalid="true"`)
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, `action="/search"`)
	if r := s.askAs(t, identity.Operator, "/search?q=zanzi", nil); r.status != http.StatusForbidden {
		t.Errorf("who reads no cases is answered %d", r.status)
	}
}

func TestOperatorsSeeWhatStands(t *testing.T) {
	s := newStage(t)
	s.sampleRuns(t)
	page := s.askAs(t, identity.Operator, "/operations", nil)
	wantAll(t, page, http.StatusOK, "Stuck runs", "Spent today", "answers", "Audit log", "kept,")
	s.set(t, `update gavel.run set state = 'failed', reason = 'no model', ended_at = now()
		where id = (select min(id) from gavel.run where state <> 'failed')`)
	wantAll(t, s.askAs(t, identity.Operator, "/operations", nil), http.StatusOK, `href="/runs?state=failed"`)
	if r := s.ask(t, "/operations", nil); r.status != http.StatusForbidden {
		t.Errorf("an officer is answered %d", r.status)
	}
}
