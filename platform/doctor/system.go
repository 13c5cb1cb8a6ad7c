package doctor

import (
	"context"

	"github.com/gavelhq/gavel/platform/postgres"
)

// AsSystem is a check that looks at the rows of every organisation, which the
// system role alone sees. what names them, for when look cannot read them. The
// packages that keep records make their own checks with it, because they stand
// above this one.
func AsSystem(group, name, systemURL, what string, look func(ctx context.Context, sys *postgres.System) (Result, error)) Check {
	return Check{group, name, func(ctx context.Context) Result {
		if systemURL == "" {
			return Result{NotChecked, "not checked: the system role's address is not configured; it is GAVEL_DATABASE_SYSTEM_URL", ""}
		}
		sys, err := postgres.OpenSystem(ctx, systemURL)
		if err != nil {
			return notChecked(postgres.SystemRole)
		}
		defer sys.Close()
		if err := sys.Ping(ctx); err != nil {
			return notChecked(postgres.SystemRole)
		}
		found, err := look(ctx, sys)
		if err != nil {
			return Result{Warn, "not checked: " + what + " cannot be read as " + postgres.SystemRole, "gavel migrate up"}
		}
		return found
	}}
}
