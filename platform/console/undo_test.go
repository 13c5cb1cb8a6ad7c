package console_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// left is how long a page offers an undo, in seconds; false where it offers none.
func left(t *testing.T, body string) (float64, bool) {
	t.Helper()
	_, rest, found := strings.Cut(body, `data-left="`)
	if !found {
		return 0, false
	}
	text, _, _ := strings.Cut(rest, `"`)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("a page offers an undo for %q", text)
	}
	return n, true
}

// TestAnUndoIsOfferedOnlyWhileItIsCertain promises that proposal, case and inbox offer an undo
// until shortly before its act may begin and not after it, although nobody has begun the act;
// to nobody who may not decide; and again where the engine, which would begin it, is away.
func TestAnUndoIsOfferedOnlyWhileItIsCertain(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "certain", "Certain", 0)
	window := console.ClickTime + 4*time.Second
	p := s.offer(t, c, "send_letter", func(p *review.Proposal) { p.Undo = window })
	s.answer(t, identity.Officer, p, review.Approve, "")
	places := []string{"/proposals/" + p.ID, "/cases/" + string(c.ID), "/inbox", "/proposals/" + p.ID + "?answer=undo"}
	for _, at := range places {
		page := s.ask(t, at, nil)
		if n, found := left(t, page.body); !found || n <= 0 || n > (window-console.ClickTime).Seconds() {
			t.Errorf("%s offers an undo for %v s, %t; the act may begin %s after the approval", at, n, found, window)
		}
		wantAll(t, page, http.StatusOK, `/undo"`, "Can be undone until ")
	}
	if body := s.askAs(t, identity.Auditor, places[1], nil).body; strings.Contains(body, `/undo"`) {
		t.Error("a case offers an undo to somebody who may decide nothing")
	}
	for _, at := range places {
		wait.Until(t, at+" to offer no undo any more", func() bool { return !strings.Contains(s.ask(t, at, nil).body, `/undo"`) })
	}
	if a, err := s.Acts.Get(t.Context(), postgrestest.North, p.Key); err != nil || a.State != act.Planned {
		t.Errorf("the act is %s, %v; nobody is there to begin it", a.State, err)
	}
	s.stopped.Store(true)
	wait.Until(t, "an undo to be offered while the engine is away", func() bool {
		return strings.Contains(s.ask(t, places[0], nil).body, "The workflow engine is down. Can be undone until it is back.")
	})
}

// TestOneClickUndoes promises that the button on the page of a case and of a proposal undoes
// with nothing more to fill in, and leads back.
func TestOneClickUndoes(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "one", "One click", 0)
	for _, from := range []string{"/cases/" + string(c.ID), ""} {
		p := s.offer(t, c, "send_letter")
		s.answer(t, identity.Officer, p, review.Approve, "")
		if from == "" {
			from = "/proposals/" + p.ID
		}
		form := formAt(t, s.ask(t, from, nil).body, "/proposals/"+p.ID+"/undo")
		got := s.ask(t, "/proposals/"+p.ID+"/undo", form)
		if got.status != http.StatusSeeOther || !strings.HasPrefix(got.header.Get("Location"), from+"?done=undo") {
			t.Fatalf("from %s it answers %d and leads to %q: %s", from, got.status, got.header.Get("Location"), got.body)
		}
		if a, err := s.Acts.Get(t.Context(), postgrestest.North, p.Key); err != nil || a.State != act.Undone {
			t.Errorf("from %s: the act is %s, %v", from, a.State, err)
		}
	}
}
