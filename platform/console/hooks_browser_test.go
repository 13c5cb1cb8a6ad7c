//go:build browser

package console_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWebhooksAreFitForPeople promises of the pages of webhooks what
// TestPagesAreFitForPeople promises of the others.
func TestWebhooksAreFitForPeople(t *testing.T) {
	s := newStage(t)
	check := func(pages ...string) {
		s.node(t, "check.mjs", append([]string{"--base", s.server.URL, "--token", token(t, postgrestest.North, identity.OrgAdmin), "--out",
			shots(t), "--langs", "en,hi"}, pages...)...)
	}
	check("webhooks-none@/admin/webhooks")
	hooked, message := s.tried(t)
	check("webhooks@/admin/webhooks", "webhook@/admin/webhooks/"+hooked, "webhook-message@/admin/webhooks/"+hooked+"/messages/"+message)
}
