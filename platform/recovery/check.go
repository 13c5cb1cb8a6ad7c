package recovery

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Check looks whether a recovery is on, and whether cases are in doubt since one.
func Check(systemURL string) doctor.Check {
	return doctor.AsSystem("Recovery", "nothing is in doubt after a restore", systemURL, "recoveries", func(ctx context.Context,
		sys *postgres.System) (doctor.Result, error) {
		const look = `select (select count(*) from gavel_sys.recovery where ended_at is null),
			(select count(*) from gavel.doubt d join gavel.case c on c.org = d.org and c.id = d.case_id where c.state <> 'closed')`
		var on, cases int64
		rows, _ := sys.Query(ctx, look)
		if _, err := pgx.ForEachRow(rows, []any{&on, &cases}, func() error { return nil }); err != nil {
			return doctor.Result{}, err
		}
		switch {
		case on > 0:
			return doctor.Result{Status: doctor.Warn, Detail: "a recovery is on, and nothing goes outside",
				Fix: "gavel recover end, as docs/runbook/restore.md says"}, nil
		case cases > 0:
			return doctor.Result{Status: doctor.Warn,
				Detail: fmt.Sprintf("%d cases may do again what they did in the time that was lost; what they send is asked about", cases),
				Fix:    "gavel recover cases; free those that somebody has looked at: gavel recover free"}, nil
		}
		return doctor.Result{Status: doctor.OK, Detail: "no recovery is on, and no case is in doubt"}, nil
	})
}
