package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// TestOutcomesAreChosenInTheBar promises that a proposal with several outcomes shows them
// as buttons that say what happens, each with its own fields; that what is missing is said
// beside each field, all at once, and nothing is decided by it; and that pressing what was
// proposed approves it, and anything else is the same with that chosen.
func TestOutcomesAreChosenInTheBar(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "outcomes", "Outcomes", 0)
	proposed := func(p *review.Proposal) { p.Args = json.RawMessage(`{"outcome":"look_again"}`) }
	p, other := s.offer(t, c, "settle_matter", proposed), s.offer(t, c, "settle_matter", proposed)
	page := s.ask(t, "/proposals/"+p.ID, nil)
	wantAll(t, page, http.StatusOK, "What happens?", `value="look_again"`, `type="date"`, `name="c/allow/until"`, `name="c/allow/why"`,
		`name="c/end/why"`, `action="/proposals/`+p.ID+`/choose"`)
	wantNone(t, page, ">hint.") // a field for which there are no words has none
	if strings.Contains(page.body, `data-answer="edit"`) {
		t.Error("there is still a form of everything")
	}
	send := func(p review.Proposal, more ...string) reply {
		t.Helper()
		form := hidden(s.ask(t, "/proposals/"+p.ID, nil).body)
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return s.ask(t, "/proposals/"+p.ID+"/choose", form)
	}
	before := s.tally(t)
	wrong := send(p, "choice", "allow", "c/end/why", "of another choice")
	wantAll(t, wrong, http.StatusUnprocessableEntity, `id="c-allow-until-bad"`, `id="c-allow-why-bad"`, "This is needed",
		"of another choice")
	if strings.Count(wrong.body, "This is needed") != 2 {
		t.Error("not all that is missing is said at once")
	}
	if got := send(p, "choice", "burn"); got.status != http.StatusConflict {
		t.Errorf("an outcome that there is not: %d", got.status)
	}
	if after := s.tally(t); after != before {
		t.Errorf("what was not sent changed %s to %s", before, after)
	}
	if got := send(p, "choice", "allow", "c/allow/until", "2027-12-31", "c/allow/why", "Agreed.", "c/end/why",
		"not this"); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := s.stands(t, p.ID); got.State != review.Edited ||
		string(got.FinalArgs) != `{"outcome":"allow","until":"2027-12-31","why":"Agreed."}` {
		t.Errorf("it is %s with %s", got.State, got.FinalArgs)
	}
	if got := send(other, "choice", "look_again"); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := s.stands(t, other.ID); got.State != review.Approved {
		t.Errorf("what was proposed, pressed, is %s", got.State)
	}
}
