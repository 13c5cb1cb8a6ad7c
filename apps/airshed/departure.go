package airshed

import (
	"context"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// filedAs is what a filing that succeeded makes of a report's files, on the page where
// strangers check them.
func filedAs(simulated bool) string {
	if simulated {
		return log.Rehearsed
	}
	return log.Filed
}

// handOut puts on record that a file of a report leaves, once for all the times it does,
// as what it is: filed, or a draft. Only so is it known again when somebody brings it back.
func (s *Store) handOut(ctx context.Context, actor identity.Actor, r Report, body []byte) error {
	d := log.Departure{File: log.Drafted, Name: r.ReportID, Subject: string(r.Case), SHA256: blob.Sum(body), Size: int64(len(body))}
	if r.Status == success {
		d.File = filedAs(r.Mock)
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return log.NoteExportOnce(ctx, tx, actor, s.clock.Now(), d) })
}

// filedFiles are the files of a report that was filed: the JSON, which went to the
// commission, and the pages with the same words. Of one that was not there are none.
func (a *app) filedFiles(ctx context.Context, e tool.Env, d Draft, f Filing) (all []log.Departure, err error) {
	if f.Status != success {
		return nil, nil
	}
	var sums []blob.Digest
	for _, digest := range []string{d.JSON, d.English, d.Hindi} {
		sum, err := blob.Parse(digest)
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}
	kept, err := a.store.kept.ReceivedAll(ctx, e.Org, sums)
	for _, sum := range sums {
		all = append(all, log.Departure{File: filedAs(f.Simulated), Name: d.ReportID, Subject: e.Case, SHA256: sum, Size: kept[sum].Size})
	}
	return all, err
}
