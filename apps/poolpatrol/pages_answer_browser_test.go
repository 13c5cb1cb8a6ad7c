//go:build browser

package poolpatrol

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestARidersPageIsFitForPeople promises of the page of somebody who was written to
// what TestPagesAreFitForPeople promises of the others, in each of its states.
func TestARidersPageIsFitForPeople(t *testing.T) {
	s := newRiderStage(t)
	s.Set(t, `insert into gavel.setting (org, app, name, version, value, changed_by) values ('north', 'poolpatrol', 'office', 1, $1, '')`,
		`{"programme":"The vanpool programme of the northern plants","portal":"https://portal.example.org/me/records","contact":"vanpool-desk@example.org",
			"appeal":"https://portal.example.org/appeal"}`)
	page := answer.Path(s.token)
	s.look(t, s.URL, identity.ProgrammeManager, "pool-answer-waiting@"+page, "pool-answer-wrong@"+answer.At+"?k=x=404")
	refused := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			form := url.Values{"k": {s.token}, "held": {"right"}, "text": {strings.Repeat("What I typed stays. ", 12)},
				"form": {rand.Text()}}
			sent := httptest.NewRequestWithContext(r.Context(), http.MethodPost, answer.At, strings.NewReader(form.Encode()))
			sent.Header.Set("Cookie", r.Header.Get("Cookie"))
			sent.Header.Set("Accept", "text/html")
			sent.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r = sent
		}
		s.Config.Handler.ServeHTTP(w, r)
	}))
	defer refused.Close()
	s.look(t, refused.URL, identity.ProgrammeManager, "pool-answer-refused@/refused=422")
	s.says(t, post.HeldUnsure, post.WishTalk, "I have worked by day since Monday; my manager knows. Please call before noon.", rand.Text())
	s.advance(t)
	s.look(t, s.URL, identity.ProgrammeManager, "pool-answer-taken@"+page+"&done=1")
	for name, standing := range map[string]lifecycle.Standing{"pool-answer-closed": lifecycle.SubjectCleared,
		"pool-answer-removed": lifecycle.SubjectCancelled} {
		s.stands(t, func(c *lifecycle.Case) {
			c.State, c.EndedAt, c.Deadline = lifecycle.Resolved, s.now(), time.Time{}
			for i := range c.Subjects {
				c.Subjects[i].Standing = standing
			}
		})
		s.look(t, s.URL, identity.ProgrammeManager, name+"@"+page)
	}
}
