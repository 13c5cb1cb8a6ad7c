//go:build browser

package console_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// TestProposalPagesAreFitForPeople promises of the inbox, of proposals and of
// their forms what TestPagesAreFitForPeople promises of cases.
func TestProposalPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 3*time.Hour)
	p := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Shown = canon(t, map[string]any{"tool": "send_letter", "line": "Send a letter to a rider.", "effect": "outside", "args": p.Args,
			"agent": "outreach", "taint": true, "case": c.ID,
			"said": "Van 14 stopped more than 2 km off its route on 6 of 9 nights.\nThe roster was checked again; no swap explains it. " +
				"The letter asks and does not accuse."})
	})
	order := s.offer(t, c, "place_order")
	unknown := s.offer(t, c, "send_letter", odd)
	two := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Required, p.Deciders = 2, []identity.Role{identity.Officer, identity.ProgrammeManager}
	})
	s.answer(t, identity.ProgrammeManager, two, review.Approve, "")
	held, rejected, edited := s.offer(t, c, "send_letter"), s.offer(t, c, "send_letter"), s.offer(t, c, "send_letter")
	s.answer(t, identity.Officer, held, review.Approve, "")
	s.answer(t, identity.Officer, rejected, review.Reject, "दो रातों का मार्ग बदला था: पहले रोस्टर देखें।")
	s.ask(t, "/proposals/"+edited.ID+"/decisions", url.Values{"id": {"decision-edit"}, "shown": {edited.ShownSHA256}, "verdict": {"edit"},
		"edit": {samples["send_letter"].want}})
	late := s.offer(t, c, "look_up")
	s.set(t, `update gavel.proposal set due_at = now() - interval '3 hours' where id = $1`, late.ID)
	s.ask(t, "/delegations", url.Values{"to": {"dev:hr@north"}, "until": {time.Now().AddDate(0, 0, 7).Format(time.DateOnly)},
		"reason": {"On leave."}})
	at := func(one review.Proposal) string { return "/proposals/" + one.ID }
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs",
		"en,hi",
		"inbox@/inbox", "inbox-done@/inbox?view=done", "inbox-empty@/inbox?view=snoozed", "proposal@"+at(p),
		"proposal-reject@"+at(p)+"?answer=reject", "proposal-order@"+at(order), "proposal-unknown@"+at(unknown), "proposal-two@"+at(two),
		"proposal-held@"+at(held)+"?done=approve", "proposal-rejected@"+at(rejected), "proposal-edited@"+at(edited),
		"proposal-edit@"+at(p)+"/edit", "proposal-edit-order@"+at(order)+"/edit", "proposal-missing@/proposals/P-999=404",
		"delegations@/delegations")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.HR), "--out", shots(t),
		"proposal-may-not@"+at(p), "inbox-nothing@/inbox")
	s.stopped.Store(true)
	s.sentForms(t, p)
}

// sentForms looks at what forms are answered with: served again at addresses of
// their own.
func (s *stage) sentForms(t *testing.T, p review.Proposal) {
	t.Helper()
	tl, _ := tools(t).Find("general", "send_letter")
	f, err := form.New(tl.Spec().Schema, json.RawMessage(p.Args))
	if err != nil {
		t.Fatal(err)
	}
	sent := func(change ...string) url.Values {
		v := f.Values()
		v.Set("do", "check")
		for i := 0; i+1 < len(change); i += 2 {
			v.Set(change[i], change[i+1])
		}
		return v
	}
	path := "/proposals/" + p.ID
	pages := map[string]string{
		"/check": s.ask(t, path+"/edit", sent("v/text", "Dear R.,\r\nyour route has changed. Please tell us by Friday.", "v/copies", "3",
			"v/note", "by hand")).body,
		"/wrong":  s.ask(t, path+"/edit", sent("v/copies", "two", "v/tone", "v9", "v/by", "soon", "is/by", "in")).body,
		"/stale":  s.ask(t, path+"/decisions", url.Values{"id": {"decision-old"}, "shown": {"0000"}, "verdict": {"approve"}}).body,
		"/reason": s.ask(t, path+"/decisions", url.Values{"id": {"decision-no"}, "shown": {p.ShownSHA256}, "verdict": {"reject"}}).body,
		"/away":   s.ask(t, path, nil).body,
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(body))
			return
		}
		s.handler.ServeHTTP(w, r)
	}))
	defer front.Close()
	s.node(t, "check.mjs", "--base", front.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t),
		"proposal-check@/check", "proposal-wrong@/wrong", "proposal-stale@/stale", "proposal-reason@/reason", "proposal-away@/away")
}

// TestPeopleDecideInABrowser promises that a form comes back from a real browser
// as it was, that a double click is one decision, and that a page which moved by
// itself still sends the decision of who reads it.
func TestPeopleDecideInABrowser(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "browser", "In a browser", 0)
	edit := s.offer(t, c, "place_order", func(p *review.Proposal) {
		p.Args = json.RawMessage(`{"amount":12.5,"extra":{"a":1},"items":[{"count":1,"what":"  laptop "},{"count":2,"price":0.5,"what":"badge\r\n\nwith a line <b>&amp;</b>"}],"tags":["","\n"],"where":{"street":""}}`)
	})
	click := s.offer(t, c, "send_letter")
	moved := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Required, p.Deciders = 2, []identity.Role{identity.Officer, identity.ProgrammeManager}
	})
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if r := s.answer(t, identity.ProgrammeManager, moved, review.Approve, ""); r.status != http.StatusSeeOther {
			http.Error(w, r.body, http.StatusInternalServerError)
		}
	}))
	t.Cleanup(control.Close)
	s.node(t, "decide.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--control", control.URL,
		"--edit", "/proposals/"+edit.ID, "--click", "/proposals/"+click.ID, "--moved", "/proposals/"+moved.ID)
	want := `{"amount":12.5,"extra":{"a":1},"items":[{"count":2,"price":0.5,"what":"badge\r\n\nwith a line <b>&amp;</b>"},{"count":3,"what":"keys"}],"tags":["","\n"],"where":{"street":""}}`
	if got := s.stands(t, edit.ID); string(got.FinalArgs) != want {
		t.Errorf("got %s, want %s", got.FinalArgs, want)
	}
	for _, p := range []review.Proposal{click, moved} {
		if got := s.stands(t, p.ID).State; got != review.Approved {
			t.Errorf("%s is %s", p.ID, got)
		}
	}
	if n := one[int](t, s.db, `select count(*) from gavel.decision where proposal = $1`, click.ID); n != 1 {
		t.Errorf("a double click made %d decisions", n)
	}
}
