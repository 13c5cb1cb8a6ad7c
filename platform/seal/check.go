package seal

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Check looks whether the master keys of the settings open the data keys, by the
// oldest and the newest of each organisation. Nothing of any key is shown.
func Check(systemURL string, masters Masters) doctor.Check {
	return doctor.AsSystem("Keys", "master keys open what is sealed", systemURL, "data keys",
		func(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
			if len(masters.ring) == 0 {
				return doctor.Result{Status: doctor.OK, Detail: "not checked: GAVEL_SEAL_KEYS is not set"}, nil
			}
			some, err := endKeys(ctx, sys)
			return opened(some, masters), err
		})
}

// endKeys reads the oldest and the newest data key of each organisation that is
// not destroyed: a master key that was taken away too early is missed by the one,
// a wrong one by the other.
func endKeys(ctx context.Context, sys *postgres.System) ([]keyRow, error) {
	const ends = `
		select k.org, k.id, k.owner, k.master, k.wrapped, k.destroyed_at from gavel_sys.organisation o cross join lateral (
			(select * from gavel.seal_key where org = o.org and destroyed_at is null order by id limit 1)
			union
			(select * from gavel.seal_key where org = o.org and destroyed_at is null order by id desc limit 1)) k
		order by k.org, k.id`
	rows, _ := sys.Query(ctx, ends)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[keyRow])
}

// opened tries data keys.
func opened(some []keyRow, masters Masters) doctor.Result {
	for _, row := range some {
		raw, err := masters.unwrap(row.wrapping())
		clear(raw)
		switch {
		case errors.Is(err, ErrTampered):
			return doctor.Result{Status: doctor.Fail,
				Detail: fmt.Sprintf("data key %s of %s does not open under the master key %s: another key bears that name", row.ID, row.Org,
					*row.Master),
				Fix: fmt.Sprintf("put the right key %s into GAVEL_SEAL_KEYS (gavel config list says where it is set), and start servers "+
					"and workers again", *row.Master)}
		case err != nil:
			return doctor.Result{Status: doctor.Fail, Detail: fmt.Sprintf("data key %s of %s needs the master key %s, which is not set",
				row.ID, row.Org, *row.Master),
				Fix: fmt.Sprintf("put the key %s back into GAVEL_SEAL_KEYS, after the first; take one away only after gavel key rewrap-all",
					*row.Master)}
		}
	}
	if len(some) == 0 {
		return doctor.Result{Status: doctor.OK, Detail: "nothing is sealed yet"}
	}
	return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("data keys tried: %d", len(some))}
}
