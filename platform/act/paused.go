package act

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// pausesOn and pausesOver read pauses as RowToStructByPos wants them.
const (
	pausesOn = `select p.id, p.scope, p.reason, p.by_id, p.at, null::timestamptz, '', '',
			(select count(*) from gavel.act a where a.org = p.org and ` + waiting + ` and ` + heldBy + `)
		from gavel.pause p`
	pausesOver = `select p.id, p.scope, p.reason, p.by_id, p.at, p.ended_at, p.ended_by, p.end_reason, 0::bigint from gavel.past_pause p`
)

func onePause(ctx context.Context, tx pgx.Tx, sql string, args ...any) (Pause, error) {
	rows, _ := tx.Query(ctx, sql, args...)
	return pgx.CollectOneRow(rows, pgx.RowToStructByPos[Pause])
}

// mostOn is how many pauses of an organisation are shown. There are as many as it
// has agents and applications, and a few.
const mostOn = 200

// On lists the pauses that are on, the oldest first. It asks no policy: everybody
// in an organisation is told why nothing is sent.
func (s *Pauses) On(ctx context.Context, org identity.Org) (on []Pause, err error) {
	const all = pausesOn + ` where p.org = $1 order by p.at, p.id limit $2`
	err = s.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, org, mostOn)
		on, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pause])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("what is paused: %w", err)
	}
	return on, nil
}

// Get reads a pause, on or over.
func (s *Pauses) Get(ctx context.Context, actor identity.Actor, id string) (p Pause, err error) {
	if err := s.Rules.May(actor, "pause.read"); err != nil {
		return p, err
	}
	if !pauseIDForm.MatchString(id) {
		return p, noSuchPause(id)
	}
	const either = pausesOn + ` where p.org = $1 and p.id = $2 union all ` + pausesOver + ` where p.org = $1 and p.id = $2`
	var found []Pause
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, either, actor.Org, id)
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pause])
		return err
	})
	if err == nil && len(found) == 0 {
		err = noSuchPause(id)
	}
	if err != nil {
		return p, err
	}
	return found[0], nil
}

// Over lists pauses that have ended, the last ended first: those that ended before
// the given one, or the newest where that is empty. next is where the following
// page begins, empty on the last.
func (s *Pauses) Over(ctx context.Context, actor identity.Actor, before string, limit int) (over []Pause, next string, err error) {
	if err := s.Rules.May(actor, "pause.read"); err != nil {
		return nil, "", err
	}
	switch {
	case limit < 1 || limit > mostOn:
		return nil, "", fault.New(fault.Invalid, "a page has 1 to %d pauses, not %d", mostOn, limit)
	case before != "" && !pauseIDForm.MatchString(before):
		return nil, "", fault.New(fault.Invalid, "the list has no page that begins after %.60q", before)
	}
	const page = pausesOver + ` where p.org = $1
			and ($2 = '' or (p.ended_at, p.id) < (select b.ended_at, b.id from gavel.past_pause b where b.org = $1 and b.id = $2))
		order by p.ended_at desc, p.id desc limit $3`
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, actor.Org, before, limit+1)
		over, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pause])
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("pauses that are over: %w", err)
	}
	if len(over) > limit {
		over, next = over[:limit], over[limit-1].ID
	}
	return over, next, nil
}

// PauseObject is what pages that say what is paused listen to.
const PauseObject = "pause"

// AnnouncePauses tells open pages that something was paused or let go, for records
// that the log has just taken in. See casefile.Announce for when it runs.
func AnnouncePauses(b *pgx.Batch, orgs, records []string) {
	const notify = `
		select pg_notify('gavel_live', json_build_object('org', org, 'object', $4::text, 'version',
		(extract(epoch from clock_timestamp()) * 1000)::bigint)::text)
		from (select distinct r.org from unnest($1::text[], $2::text[]) taken(org, id) join gavel.record r using (org, id)
			where r.kind = $3 and starts_with(r.subject, $5)) told`
	b.Queue(notify, orgs, records, string(audit.Act), PauseObject, pauseSubject)
}
