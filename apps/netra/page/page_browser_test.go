//go:build browser

package page

import (
	"net/url"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestPagesAreFitForPeople promises that the pages have no serious finding from axe-core, log no error, break no content security
// policy and never scroll sideways, at 360 and 1280 px, light and dark, in English and Hindi.
func TestPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	s.look(t, identity.Officer, "netra-none@"+HomeAt, "netra-worth-none@"+ValidationAt)
	s.scene(t)
	s.freeze(t, score.SeedV1())
	s.freeze(t, score.V2())
	s.worth(t, 15, true)
	s.look(t, identity.Officer, "netra-worth@"+ValidationAt, "netra-board@"+HomeAt, "netra-district@"+DistrictsAt+"/1",
		"netra-silent@"+DistrictsAt+"/7", "netra-police@"+DistrictsAt+"/4?window=72",
		"netra-briefing@"+s.asked(t, DistrictsAt+"/1/briefings", url.Values{"about": {"all"}}))
}

// TestAnOfficerAndAnAnalystFindTheirWay promises that a district officer on a phone and an analyst at a desk get from the board to the
// answer why a district is flagged, and to what scores were worth, without typing an address.
func TestAnOfficerAndAnAnalystFindTheirWay(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	s.freeze(t, score.V2())
	s.worth(t, 15, true)
	webtest.CheckFile(t, "testdata/journey.mjs", "--base", s.URL, "--out", webtest.Shots(t),
		"--officer", platformtest.Token(t, postgrestest.North, identity.Officer),
		"--analyst", platformtest.Token(t, postgrestest.North, identity.Analyst))
}

// look has pages looked at in a browser; screenshots are left for people.
func (s *stage) look(t *testing.T, role identity.Role, pages ...string) {
	t.Helper()
	webtest.Check(t, "check.mjs", append([]string{"--base", s.URL, "--token", platformtest.Token(t, postgrestest.North, role), "--out",
		webtest.Shots(t), "--langs", "en,hi"}, pages...)...)
}
