//go:build browser

package console_test

import (
	"net/http"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestSettingsAreFitForPeople promises of settings, of one of several, of what changed between
// two versions and of a change that people are asked about what TestPagesAreFitForPeople
// promises of the others.
func TestSettingsAreFitForPeople(t *testing.T) {
	s := newStage(t)
	for _, at := range []string{yardAt, "/settings/yard/gate?item=North"} {
		s.setTo(t, at, `{"days":10,"word":"open","gates":["north","south"]}`)
	}
	asked := s.setTo(t, "/settings/yard/limits", `{"days":3,"word":"open","gates":["north"]}`)
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs",
		"en,hi",
		"settings@/settings", "setting@"+yardAt, "setting-one@/settings/yard/gate?item=North", "setting-diff@"+yardAt+"/diff?from=0&to=1",
		"setting-asked@"+asked)
}

// setTo has an officer save a setting on its page, and says where that led.
func (s *stage) setTo(t *testing.T, at, value string) string {
	t.Helper()
	form := sent(s.askAs(t, identity.Officer, at, nil).body)
	form.Set("do", "save")
	form.Set("edit", value)
	got := s.askAs(t, identity.Officer, at, form)
	if got.status != http.StatusSeeOther {
		t.Fatalf("%s: status %d: %s", at, got.status, got.body)
	}
	return got.header.Get("Location")
}
