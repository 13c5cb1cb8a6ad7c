package hook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres"
)

// mostNamed is how many webhooks the doctor names; the rest are counted.
const mostNamed = 3

// givenUpWithin is how long the doctor speaks of a message that was given up.
const givenUpWithin = 24 * time.Hour

// Check looks for webhooks that were turned off because they took nothing, and for
// those that do not take what they are sent. ago is what the installation's clock
// showed so much real time ago.
func Check(systemURL string, ago func(real time.Duration) time.Time) doctor.Check {
	return doctor.AsSystem("Webhooks", "take what they are sent", systemURL, "webhooks", func(ctx context.Context,
		sys *postgres.System) (doctor.Result, error) {
		all, err := conditions(ctx, sys, ago(givenUpWithin))
		return taken(all), err
	})
}

// A condition is how a webhook takes what it is sent.
type condition struct {
	Org, ID string
	State   State
	Refuses bool  // its last message
	GivenUp int64 // messages, lately
}

// conditions reads all webhooks that are not off by a person's wish. Of their
// messages the newest are looked at, as many as may wait.
func conditions(ctx context.Context, sys *postgres.System, since time.Time) ([]condition, error) {
	const all = `
		select w.org, w.id, w.state, coalesce(w.last_fail_at > coalesce(w.last_ok_at, '-infinity'), false),
			(select count(*) from (
				select m.state, m.ended_at from gavel.webhook_message m where m.org = w.org and m.webhook = w.id
				order by m.queued_at desc, m.id desc limit $2) n
			where n.state = 'failed' and n.ended_at > $1)
		from gavel.webhook w where w.state <> 'off' order by w.org, w.id`
	rows, _ := sys.Query(ctx, all, since, MaxWaiting)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[condition])
}

// taken judges webhooks.
func taken(all []condition) doctor.Result {
	var found []string
	for _, c := range all {
		switch {
		case c.State == Failed:
			found = append(found, fmt.Sprintf("%s of %s was turned off, because it took nothing or wants no more", c.ID, c.Org))
		case c.Refuses:
			found = append(found, fmt.Sprintf("%s of %s did not take the last message", c.ID, c.Org))
		case c.GivenUp > 0:
			found = append(found, fmt.Sprintf("%s of %s: messages given up within a day: %d", c.ID, c.Org, c.GivenUp))
		}
	}
	if len(found) == 0 {
		return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("on: %d", len(all))}
	}
	if more := len(found) - mostNamed; more > 0 {
		found = append(found[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return doctor.Result{Status: doctor.Warn, Detail: strings.Join(found, "; "),
		Fix: "gavel webhook list; gavel webhook messages ID says what was answered, and gavel webhook on ID turns one on that answers again"}
}
