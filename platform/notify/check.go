package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres"
)

// How long is long for the doctor.
const (
	waitPatience = time.Hour          // of what could go: longer is a mail server that is away, or nobody who sends
	failedWithin = 24 * time.Hour     // what failed before that was seen
	lookedBack   = 7 * 24 * time.Hour // by when it was authorised; what goes is tried for three days
)

// Check looks whether what should have gone has gone: letters, and what agents do
// beyond our walls in other ways. ago is what the installation's clock showed so
// much real time ago.
func Check(systemURL string, ago func(real time.Duration) time.Time) doctor.Check {
	return doctor.AsSystem("Letters", "what should have gone has gone", systemURL, "what goes out",
		func(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
			late, err := act.Late(ctx, sys, ago(waitPatience))
			if err != nil {
				return doctor.Result{}, err
			}
			acts, err := endedActs(ctx, sys, ago)
			if err != nil {
				return doctor.Result{}, err
			}
			staff, err := staffMails(ctx, sys, ago)
			if err != nil {
				return doctor.Result{}, err
			}
			return gone(trouble{acts.Unknown + staff.Unknown, acts.Failed + staff.Failed, late.Waiting + staff.Waiting}), nil
		})
}

// A trouble counts what has not gone as it should.
type trouble struct{ Unknown, Failed, Waiting int64 }

// endedActs counts acts that did not end well. Nobody knows of one until the
// question about it is answered, or for a day where nobody was asked.
func endedActs(ctx context.Context, sys *postgres.System, ago func(time.Duration) time.Time) (trouble, error) {
	const ended = `
		select count(*) filter (where a.state = 'unknown' and (p.state = 'open' or p.state is null and a.ended_at > $2)),
			count(*) filter (where a.state = 'failed' and a.ended_at > $2), 0::bigint
		from gavel_sys.organisation o
		join gavel.act a on a.org = o.org and a.effect = 'outside' and a.planned_at > $1 and a.state in ('unknown', 'failed')
		left join gavel.proposal p on p.org = a.org and p.key = a.key || '/unknown'`
	return count(sys.Query(ctx, ended, ago(lookedBack), ago(failedWithin)))
}

// staffMails counts the mails that are no acts: they tell our own people something.
func staffMails(ctx context.Context, sys *postgres.System, ago func(time.Duration) time.Time) (trouble, error) {
	const mails = `
		select count(*) filter (where m.state = 'unknown' and m.ended_at > $2),
		count(*) filter (where m.state = 'undeliverable' and m.ended_at > $2),
			count(*) filter (where m.ended_at is null and m.queued_at < $3)
		from gavel_sys.organisation o join gavel.mail m on m.org = o.org and m.case_id is null and m.queued_at > $1`
	return count(sys.Query(ctx, mails, ago(lookedBack), ago(failedWithin), ago(waitPatience)))
}

func count(rows pgx.Rows, _ error) (trouble, error) { // CollectExactlyOneRow reports Query's error too
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[trouble])
}

// gone judges what was counted.
func gone(t trouble) doctor.Result {
	var found []string
	for _, one := range []struct {
		n    int64
		what string
	}{
		{t.Unknown, "whose outcome nobody knows"},
		{t.Failed, "that failed within a day"},
		{t.Waiting, "waiting for over an hour, and no pause holds them"},
	} {
		if one.n > 0 {
			found = append(found, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	if len(found) == 0 {
		return doctor.Result{Status: doctor.OK, Detail: "nothing is late, failed or unknown"}
	}
	return doctor.Result{Status: doctor.Warn, Detail: strings.Join(found, "; "),
		Fix: "docs/runbook/mail-not-going.md; those about a case are on the page Outbox"}
}
