package poolpatrol

import (
	"crypto/rand"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/page"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// TestTheClockOfAnotherIsNotTheirs promises that somebody is told that the records are
// waited for only where they said themselves that those change.
func TestTheClockOfAnotherIsNotTheirs(t *testing.T) {
	const neutral, records = "We are looking into it", "We are waiting for the records to follow"
	s := newRiderStage(t)
	waiting := s.life(t)
	for _, trigger := range []lifecycle.Trigger{lifecycle.ByUpdate, lifecycle.ByAck, lifecycle.ByTimeout} {
		s.stands(t, func(c *lifecycle.Case) {
			c.Due, c.DueTrigger, c.Deadline = s.now().Add(72*time.Hour), trigger, time.Time{}
		})
		got := s.open(t, s.token)
		got.Holds(t, http.StatusOK, neutral, "If anything is asked of you, a letter says so.")
		got.Lacks(t, records, "Please make the change")
	}
	s.stands(t, func(c *lifecycle.Case) { steps := c.Steps; *c = waiting; c.Steps = steps })
	s.says(t, post.HeldChanged, post.WishKeep, "", rand.Text())
	s.advance(t)
	s.open(t, s.token).Holds(t, http.StatusOK, records, "Please make the change")
	s.stands(t, func(c *lifecycle.Case) { c.Due = c.Due.Add(30 * 24 * time.Hour) }) // it began anew since
	s.open(t, s.token).Holds(t, http.StatusOK, neutral)
}

// TestThePageSaysWhatTheLetterSaid promises that an audit which could not judge
// somebody does not empty what their page shows.
func TestThePageSaysWhatTheLetterSaid(t *testing.T) {
	s := newRiderStage(t)
	var zip string
	s.In(t, func(tx pgx.Tx) error {
		const again = `with old as (select r.* from poolpatrol.audit_run r join poolpatrol.case c on c.audit_run = r.id where c.id = $1),
				made as (insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, state, began_at)
				select org, 'PASS-0000000A', 're_audit', 'k', asked_by, policy, 'running', began_at + interval '1 day' from poolpatrol.pass
				where id = (select pass from old) returning id),
				run as (insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, at, case_id,
				settled)
					select org, 'RUN-0000000A', (select id from made), vanpool_id, outcome, checks, '[]', reason, at + interval '1 day', $1,
					true from old returning id)
			update poolpatrol.case set audit_run = (select id from run) where id = $1`
		if _, err := tx.Exec(t.Context(), again, s.file.ID); err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), `select home_zip from poolpatrol.employee where id = $1`, s.who).Scan(&zip)
	})
	s.open(t, s.token).Holds(t, http.StatusOK, zip)
}

// TestAFormIsTakenFromThePublicAddress promises that a browser which says only where a
// form came from is heard, also behind a proxy that asks for us by another name; and
// that another site's form is not.
func TestAFormIsTakenFromThePublicAddress(t *testing.T) {
	s := newRiderStage(t)
	site, err := web.New(web.Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Actor: signin.From, Require: signin.Require,
		May:      s.Deps.Rules.May,
		Messages: []fs.FS{signin.Messages(), page.Messages()}, Nav: page.Nav(), Home: homeAt, PublicURL: s.Deps.Public})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	s.app.routes(mux.Under(Name))
	behind := httptest.NewServer(site.Handler(mux))
	t.Cleanup(behind.Close)
	s.URL = behind.URL
	for origin, want := range map[string]int{s.Deps.Public: http.StatusSeeOther, "https://elsewhere.example": http.StatusForbidden,
		"null": http.StatusForbidden} {
		form := url.Values{"k": {s.token}, "held": {"right"}, "wish": {"keep"}, "form": {rand.Text()}}
		if got := s.ask(t, http.MethodPost, answer.At, form, "Origin", origin); got.Status != want {
			t.Errorf("from %s: got %d, want %d", origin, got.Status, want)
		}
	}
}

// TestACaseNobodyIsAskedAboutSaysWhatWasFound promises that the page of a case that waits for an answer leads with a whole finding
// about its van or its rider, that reading it holds nothing up, and that a case which has ended leads with none.
func TestACaseNobodyIsAskedAboutSaysWhatWasFound(t *testing.T) {
	s := newRiderStage(t)
	var found *finding.Finding
	s.In(t, func(tx pgx.Tx) error { // somebody works on it meanwhile
		if _, err := casefile.Lock(t.Context(), tx, s.file.ID); err != nil {
			return err
		}
		var err error
		found, err = s.app.work.Found(t.Context(), s.file)
		return err
	})
	switch {
	case found == nil:
		t.Fatal("a case that goes on says nothing")
	case found.Check() != nil:
		t.Errorf("%v: %+v", found.Check(), found)
	case found.Subject.Of != string(s.van) && found.Subject.Name != string(s.van):
		t.Errorf("it is about %+v, want somebody of %s", found.Subject, s.van)
	}
	s.stands(t, func(c *lifecycle.Case) { c.State, c.EndedAt = lifecycle.Resolved, s.now() })
	if found, err := s.app.work.Found(t.Context(), s.file); err != nil || found != nil {
		t.Errorf("after its end: got %+v, %v", found, err)
	}
}
