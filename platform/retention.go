package platform

import (
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/signin"
)

// Retentions lists what is kept how long, the platform's first.
func Retentions(apps ...App) []postgres.Retention {
	all := []postgres.Retention{
		{What: "cases", Ends: postgres.EndsByErasure},
		{What: "proposals", Ends: postgres.EndsByErasure},
		{What: "transcripts", Ends: postgres.EndsByErasure},
		{What: "snapshots", Ends: postgres.EndsByErasure},
		{What: "mails", Ends: postgres.EndsByErasure},
		{What: "settings", Ends: postgres.EndsByErasure},
		{What: "sign_ins", Keep: signin.SessionKept, Ends: postgres.EndsByTime},
		{What: "answers", Keep: idempotency.Keep, Ends: postgres.EndsByTime},
		{What: "webhook_messages", Keep: hook.Keep, Ends: postgres.EndsByTime},
		{What: "operations", Keep: operation.Keep, Ends: postgres.EndsByTime},
		{What: "log", Ends: postgres.EndsNever},
	}
	for _, a := range apps {
		all = append(all, a.Retention...)
	}
	return all
}
