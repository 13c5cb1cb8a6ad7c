package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// Where several have delegated, the page names the one whom the record will name.
func TestThePageNamesTheGiverThatTheRecordNames(t *testing.T) {
	s := newStage(t)
	manager := identity.ProgrammeManager
	for _, giver := range []identity.Role{identity.HR, identity.Officer} {
		_, err := s.desk.Delegate(t.Context(), person(postgrestest.North, giver), review.Delegating{To: "dev:programme_manager@north",
			EndsAt: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
	}
	p := s.offer(t, s.open(t, postgrestest.North, "stead", "In whose stead", 0), "send_letter", func(p *review.Proposal) {
		p.Deciders = []identity.Role{identity.Officer, identity.HR}
	})
	wantAll(t, s.askAs(t, manager, "/proposals/"+p.ID, nil), http.StatusOK, "You decide on behalf of "+person(postgrestest.North,
		identity.HR).Name, `name="for" value="dev:hr@north"`)
	if r := s.answer(t, manager, p, review.Approve, ""); r.status != http.StatusSeeOther {
		t.Fatalf("deciding answers %d: %s", r.status, r.body)
	}
	made, err := s.desk.Decisions(t.Context(), postgrestest.North, p.ID)
	if err != nil || len(made) != 1 || made[0].OnBehalf != "dev:hr@north" {
		t.Errorf("the record says %+v, %v", made, err)
	}
}

// Arguments that no form can hold are shown as they stand, before anybody is asked
// to approve them.
func TestArgumentsThatMakeNoFormAreShownAsTheyStand(t *testing.T) {
	s := newStage(t)
	const deep = 200 // levels, more than a form goes down
	args := json.RawMessage(strings.Repeat(`{"a":`, deep) + `"the deepest word"` + strings.Repeat("}", deep))
	p := s.offer(t, s.open(t, postgrestest.North, "deep", "Deep down", 0), "send_letter", func(p *review.Proposal) { p.Args = args })
	page := s.ask(t, "/proposals/"+p.ID, nil)
	if before, _, ok := strings.Cut(page.body, `value="approve"`); !ok || !strings.Contains(before, "the deepest word") {
		t.Errorf("%d: the page asks for an approval, and does not show what of", page.status)
	}
}

// TestWhoDecidesAndWhyIsSaidInWords: the question on the bar leads to an answer that
// people can read, and from there to the record.
func TestWhoDecidesAndWhyIsSaidInWords(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "why", "Smoke", 0)
	at := "/proposals/" + s.offer(t, c, "place_order").ID
	wantAll(t, s.ask(t, at, nil), http.StatusOK, `href="`+at+`#facts-h">Why me?`, `id="facts-h"`,
		"The rules require a person to decide this")
}
