//go:build browser

package console_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestAdministrationIsFitForPeople promises of the pages of administrators, of the
// sources and of the banner what TestPagesAreFitForPeople promises of the others.
func TestAdministrationIsFitForPeople(t *testing.T) {
	s := newStage(t)
	north := token(t, postgrestest.North, identity.OrgAdmin)
	quiet := func(pages ...string) {
		s.node(t, "check.mjs", append([]string{"--base", s.server.URL, "--token", north, "--out", shots(t), "--langs", "en,hi"},
			pages...)...)
	}
	quiet("admin-quiet@/admin", "pauses-none@/admin/pauses", "models-none@/admin/models", "retention-none@/admin/retention",
		"sources-never@/sources")
	snap := s.administered(t)
	quiet("/admin", "pauses@/admin/pauses", "policy@/admin/policy?what=case.close&role=analyst",
		"policy-tokens@/admin/policy?who=tokens&kind=act")
	quiet("models@/admin/models", "models-agent@/admin/models?by=agent", "retention@/admin/retention", "/sources")
	quiet("sources-none@/sources?state=unscheduled", "source@/sources/cpcb", "source-silent@/sources/firms",
		"snapshot@/sources/cpcb/"+snap+"?row=2", "snapshot-end@/sources/cpcb/"+snap+"?row=99=404")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs",
		"en,hi",
		"paused-cases@/cases", "pauses-officer@/admin/pauses", "admin-refused@/admin=403")
}

// administered fills the pages: something paused, something spent, something held
// and erased, and a source that is late. It returns a snapshot's id.
func (s *stage) administered(t *testing.T) string {
	t.Helper()
	admin := person(postgrestest.North, identity.OrgAdmin)
	s.paused(t, "agent:poolpatrol/writer", "It writes to the wrong riders.")
	s.paused(t, act.EveryOutside, "The letters go to the wrong ward: the list of wards of 3 November has two columns exchanged, and "+
		"nothing may leave until it is corrected.")
	c := s.open(t, postgrestest.North, "spend", "A case", 0)
	run := s.newRun(t, c, 1, "clerk", 2*24*time.Hour)
	for range 12 {
		run.step("x", map[string]any{"h": "x", "u": map[string]any{"m": 1_250_000}})
	}
	run.write("done", "")
	s.newRun(t, c, 2, "foreman", time.Minute).step("y", map[string]any{"h": "x", "u": map[string]any{"m": 900_000}}).
		write("out_of_budget", "The budget of calls is used up.")
	if _, err := s.Vault.Hold(t.Context(), admin, seal.Target{Case: string(c.ID)}, "Suit 12 of 2026, District Court.",
		time.Time{}); err != nil {
		t.Fatal(err)
	}
	gone, err := seal.ParseSubject("rider:R-9")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Vault.Erase(t.Context(), admin, seal.Request{Subject: gone, Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	s.fetched(t, "cpcb", "station,pm25,wind\nAlipur,388,NW\n")
	snap := s.fetched(t, "cpcb", "station,pm25,wind\nAlipur,412,NW\nJind,88,N\nMunirka,301,NW\n")
	s.fetched(t, "firms", "lat,lon,frp\n29.1,76.2,14\n")
	s.set(t, `alter table gavel.fetch disable trigger user`)
	s.set(t, `update gavel.fetch set fetched_at = now() - interval '9 hours' where source = 'firms'`)
	return string(snap.ID)
}
