//go:build browser

package console_test

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// TestFindingsAndOutcomesAreFitForPeople promises of a card that leads with its finding, of
// the sheet of several, of outcomes to choose among and of an older proposal what
// TestPagesAreFitForPeople promises of cases.
func TestFindingsAndOutcomesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "van", "Home address check, VP-206", 3*time.Hour)
	p, q := s.offer(t, c, "place_order", about(t, "Ekta Demo")), s.offer(t, c, "place_order", about(t, "Ravi Demo"))
	older := s.offer(t, c, "place_order")
	several := s.offer(t, c, "settle_matter", func(p *review.Proposal) {
		about(t, "Uma Demo")(p)
		p.Kind, p.Args = "call", json.RawMessage(`{"outcome":"look_again"}`)
	})
	sheet := url.Values{"verdict": {"approve"}, "back": {"/inbox"}, "pick": {p.ID + "." + p.ShownSHA256, q.ID + "." + q.ShownSHA256}}
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs",
		"en,hi",
		"finding@/proposals/"+p.ID, "finding-why@/proposals/"+p.ID+"?answer=approve", "finding-inbox@/inbox?open="+p.ID,
		"finding-bulk@/inbox/bulk?"+sheet.Encode(), "finding-older@/proposals/"+older.ID, "finding-outcomes@/proposals/"+several.ID,
		"finding-case@/cases/"+string(c.ID)+"?proposal="+p.ID)
}
