package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
)

// waitPatience is how long a record may wait for the log before somebody should
// look. A server takes it in within a second.
const waitPatience = time.Minute

// whenDamaged is where an operator reads on when the log contradicts itself.
const whenDamaged = "gavel audit fsck, then docs/runbook/log-damaged.md"

// A CheckConfig is what the doctor looks at the log with.
type CheckConfig struct {
	SystemURL string
	Key       Verifier                           // that this installation signs with; empty where it is not set here
	Shelf     Shelf                              // where checkpoints are published; nil leaves that out
	Again     <-chan time.Time                   // as in FsckConfig
	Ago       func(real time.Duration) time.Time // what the installation's clock showed so much real time ago
}

// Checks looks at the end of the log, where damage shows first and cheapest. The
// whole of it is Fsck's.
func Checks(c CheckConfig) []doctor.Check {
	check := func(name string, look func(context.Context, *postgres.System) (doctor.Result, error)) doctor.Check {
		return doctor.AsSystem("Log", name, c.SystemURL, "the log", look)
	}
	return []doctor.Check{
		check("newest checkpoint is signed by its key", c.signed),
		check("what is published agrees", c.published),
		check("records are taken in", c.takenIn),
	}
}

func (c CheckConfig) signed(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
	newest, err := Newest(ctx, sys)
	switch {
	case fault.Is(err, fault.NotFound):
		return doctor.Result{Status: doctor.OK, Detail: "no entry yet"}, nil
	case fault.Is(err, fault.Invalid):
		return doctor.Result{Status: doctor.Fail, Detail: "the newest checkpoint is none: it was changed", Fix: whenDamaged}, nil
	case err != nil:
		return doctor.Result{}, err
	}
	keys, err := ReadKeys(ctx, sys)
	if err != nil {
		return doctor.Result{}, err
	}
	return judgeSigned(newest, keys.At(newest.Tree.N), c.Key), nil
}

// judgeSigned compares who signed with who is named in the log, and in the
// settings.
func judgeSigned(newest Checkpoint, inForce, here Verifier) doctor.Result {
	ours, _, _ := strings.Cut(string(here), "+")
	switch {
	case !newest.SignedBy(inForce):
		return doctor.Result{Status: doctor.Fail, Detail: fmt.Sprintf("checkpoint %d is not signed by the key in force", newest.Tree.N),
			Fix: whenDamaged}
	case here != "" && ours != newest.Origin:
		return doctor.Result{Status: doctor.Fail,
			Detail: fmt.Sprintf("this log is %s, and the key in the settings is for %s: nothing can be added", newest.Origin, ours),
			Fix:    "set GAVEL_LOG_KEY to the key of this log"}
	case here != "" && here != inForce:
		return doctor.Result{Status: doctor.Warn,
			Detail: fmt.Sprintf("checkpoint %d is signed by another key of %s than the one in the settings, which signs nothing",
				newest.Tree.N, ours),
			Fix: "give this server the log's GAVEL_LOG_KEY; to change keys, set GAVEL_LOG_KEY_PREVIOUS to the one before and start the " +
				"servers again: docs/runbook/log-key.md"}
	}
	return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("%d entries of %s", newest.Tree.N, newest.Origin)}
}

// published compares the newest copies outside with what is here, as Fsck does
// with all of them. What is outside is read first, so that it cannot be ahead of
// us in good faith.
func (c CheckConfig) published(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
	if c.Shelf == nil {
		return doctor.Result{Status: doctor.OK, Detail: "not checked: there is no blob store to look in"}, nil
	}
	if _, _, err := c.Shelf.GetNamed(ctx, latestName); err != nil && !fault.Is(err, fault.NotFound) {
		return doctor.Result{Status: doctor.Warn,
			Detail: "not checked: the blob store does not answer; until it does, records wait and nothing is signed",
			Fix:    "first cure: Blob store"}, nil
	}
	last, err := lastPublished(ctx, sys)
	if err != nil {
		return doctor.Result{}, err
	}
	var r Report
	if last.N > 0 {
		err = comparePublished(ctx, sys, c.Shelf, last, &r)
	}
	if err == nil {
		err = compareLatest(ctx, sys, FsckConfig{Shelf: c.Shelf, Again: c.Again}, last, &r)
	}
	switch {
	case err != nil:
		return doctor.Result{}, err
	case !r.Clean():
		return doctor.Result{Status: doctor.Fail, Detail: r.Findings[0].Text + "; records wait and nothing is signed",
			Fix: whenDamaged + "; after a restore: docs/runbook/log-restored.md"}, nil
	case last.N == 0:
		return doctor.Result{Status: doctor.OK, Detail: "nothing yet"}, nil
	}
	return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("the copy of checkpoint %d is what is here", last.Size)}, nil
}

// lastPublished is the newest publication, zero where there is none.
func lastPublished(ctx context.Context, q querier) (publication, error) {
	const newest = `select p.n, p.size, c.note from gavel_sys.log_published p
		left join gavel_sys.log_checkpoint c on c.size = p.size order by p.n desc limit 1`
	rows, _ := q.Query(ctx, newest)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[publication])
	if err != nil || len(all) == 0 {
		return publication{}, err
	}
	return all[0], nil
}

// takenIn looks at what waits, of all organisations.
func (c CheckConfig) takenIn(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
	if lost, err := astray(ctx, sys); err != nil || lost.Detail != "" {
		return lost, err
	}
	const waits = `select count(*), coalesce(min(record_id), '')
		from (select record_id from gavel_sys.log_queue where record_id ~ '^rec_[0-7][0-9A-HJKMNP-TV-Z]{25}$' limit $1) q`
	rows, _ := sys.Query(ctx, waits, maxCounted)
	type queue struct {
		Waiting int64
		Oldest  string
	}
	q, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[queue])
	if err != nil {
		return doctor.Result{}, err
	}
	if q.Waiting == 0 {
		return doctor.Result{Status: doctor.OK, Detail: "0 waiting"}, nil
	}
	id, err := ulid.ParseStrict(strings.TrimPrefix(q.Oldest, "rec_"))
	if err != nil {
		return doctor.Result{}, err
	}
	since := ulid.Time(id.Time()).UTC()
	detail := fmt.Sprintf("%d waiting, the oldest since %s UTC", q.Waiting, since.Format(time.DateTime))
	if since.Before(c.Ago(waitPatience)) {
		return doctor.Result{Status: doctor.Warn, Detail: detail,
			Fix: "make sure that a server runs (gavel serve); if one does, its log says why: " + whenDamaged}, nil
	}
	return doctor.Result{Status: doctor.OK, Detail: detail}, nil
}

// astray says what was set aside because its record was gone, and nothing where that
// is nothing.
func astray(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
	const gone = `select count(*), coalesce((array_agg(left(a.record_id, 40) order by a.n))[1], '')
		from (select n, org, record_id from gavel_sys.log_astray order by n limit $1) a
		where not exists (select from gavel.record r where r.org = a.org and r.id = a.record_id)`
	rows, _ := sys.Query(ctx, gone, maxCounted)
	type aside struct {
		Rows  int64
		First string
	}
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[aside])
	if err != nil || a.Rows == 0 {
		return doctor.Result{}, err
	}
	return doctor.Result{Status: doctor.Fail, Fix: whenDamaged,
		Detail: fmt.Sprintf("%d that were to go into the log are gone, the first of them %s; the others go on", a.Rows, a.First)}, nil
}
