package record

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	table "github.com/gavelhq/gavel/platform/intake"
)

// A Handover is a file of records from another system.
type Handover struct {
	Kind  intake.Kind
	File  []byte // CSV; package intake says which columns
	Whole bool   // it lists everybody: who is missing from it goes

	// MayShrink is somebody's word that more than a fifth of what is on record may
	// go. Without it such a file is refused: it was cut short, most likely.
	MayShrink bool
}

// A Preview is what a handover would change, or has changed.
type Preview = table.Preview

// recordImport is the kind of the records of imports in the log.
const recordImport log.Kind = "poolpatrol_import"

// bulk is how long one statement of an import may take.
const bulk = `set local statement_timeout = '5min'`

// Preview says what a file would change, and changes nothing. A file that can be
// read and holds lines that cannot is no error: they are listed.
func (s *Records) Preview(ctx context.Context, actor identity.Actor, h Handover) (p Preview, err error) {
	if err := s.rules.May(actor, programme.ActChange); err != nil {
		return p, err
	}
	plan, err := readFile(h)
	if err != nil {
		return p, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, bulk); err != nil {
			return err
		}
		p, _, err = plan.compare(ctx, tx, h, s.today())
		return err
	})
	return p, err
}

// Import does what a preview said, all of it or nothing. sha256 is the preview's:
// if the records have changed since, the import is refused as stale.
func (s *Records) Import(ctx context.Context, actor identity.Actor, h Handover, sha256 string) (p Preview, err error) {
	if err := s.rules.May(actor, programme.ActChange); err != nil {
		return p, err
	}
	if sha256 == "" {
		return p, fault.New(fault.Unconfirmed, "say which preview you are going by").
			WithNext("preview the file first, and send its sha256 with it")
	}
	plan, err := readFile(h)
	if err != nil {
		return p, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		p, err = s.take(ctx, tx, actor, h, plan, sha256)
		return err
	})
	return p, err
}

// take compares, refuses or writes, and puts that on record. An empty sha256 goes
// by no preview.
func (s *Records) take(ctx context.Context, tx pgx.Tx, actor identity.Actor, h Handover, plan plan, sha256 string) (Preview, error) {
	if err := Hold(ctx, tx); err != nil {
		return Preview{}, err
	}
	if _, err := tx.Exec(ctx, bulk); err != nil {
		return Preview{}, err
	}
	p, write, err := plan.compare(ctx, tx, h, s.today())
	if err != nil {
		return p, err
	}
	if err := p.Confirm(table.Word{SHA256: sha256, MayShrink: h.MayShrink}); err != nil {
		return p, err
	}
	now := s.clock.Now()
	if err := write(ctx, tx, actor.Org, now); err != nil {
		return p, fmt.Errorf("write %s: %w", h.Kind, err)
	}
	if err := notePutBack(ctx, tx, now); err != nil {
		return p, err
	}
	if h.Whole || h.Kind == intake.Badges { // of badges every file is only the newest days
		if err := putSync(ctx, tx, actor, Sync{Kind: h.Kind, At: now, Way: "csv", SHA256: p.File, Rows: p.Rows()}); err != nil {
			return p, err
		}
		if err := s.came(ctx, tx, actor.Org, now); err != nil {
			return p, err
		}
	}
	if err := s.wakeCases(ctx, tx, actor.Org, p, plan.only()); err != nil {
		return p, err
	}
	return p, s.recordImport(ctx, tx, actor, p, now)
}

// wakeCases tells open cases that records have changed: all of them after a file,
// and after one employee or van only those it is about. Each looks for itself what
// that means to it. No case is locked: who looks again at a van for its case waits
// for the records with the case in hand.
func (s *Records) wakeCases(ctx context.Context, tx pgx.Tx, org identity.Org, p Preview, only []string) error {
	if s.cases == nil || !p.Changes() {
		return nil
	}
	const concerned = `select c.id, c.vanpool_id from poolpatrol.case c where c.state not in ('resolved', 'cancelled') and (
			$1::text[] is null or $2 not in ('employees', 'vanpools') or $2 = 'vanpools' and c.vanpool_id = any($1) or $2 = 'employees'
			and (
				exists (select from poolpatrol.case_subject s where s.org = c.org and s.case_id = c.id and s.employee_id = any($1))
				or exists (select from poolpatrol.rider r where r.org = c.org and r.vanpool_id = c.vanpool_id and r.removed_on is null
				and r.employee_id = any($1))))
		order by c.id`
	rows, _ := tx.Query(ctx, concerned, only, p.Kind)
	type open struct {
		ID  casefile.CaseID
		Van string
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[open])
	for _, c := range all {
		if err != nil {
			return err
		}
		err = s.cases.Rouse(ctx, tx, casefile.Case{ID: c.ID, Org: org, App: programme.Name, Key: c.Van})
	}
	return err
}

// Hold keeps others from changing the records until the transaction ends.
// Whoever changes them takes it first.
func Hold(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('poolpatrol.records/' || current_setting('gavel.org'), 0))`)
	return err
}

func (s *Records) recordImport(ctx context.Context, tx pgx.Tx, actor identity.Actor, p Preview, at time.Time) error {
	body := map[string]any{"kind": p.Kind, "file_sha256": p.File, "whole": p.Whole, "lines": p.Lines,
		"added": p.Added, "changed": p.Changed, "unchanged": p.Unchanged, "gone": p.Gone, "kept": p.Kept}
	_, err := log.Append(ctx, tx, log.Record{At: at, Kind: recordImport, App: programme.Name, Actor: actor, Subject: p.Kind, Body: body})
	return err
}

// today is the day riders are removed whom a whole file leaves out.
func (s *Records) today() fleet.Date { return fleet.DateAt(s.clock.Now(), time.UTC) }

// Share keeps the records from being changed until the transaction ends, as
// Hold does, and lets others read them meanwhile: what is read statement by
// statement hangs together.
func Share(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock_shared(hashtextextended('poolpatrol.records/' || current_setting('gavel.org'),
		0))`)
	return err
}

// notePutBack notes the memberships that a case ended and that are there again: a
// cancellation was reversed. Whoever writes riders calls it, with the
// installation's clock.
func notePutBack(ctx context.Context, tx pgx.Tx, now time.Time) error {
	const note = `update poolpatrol.case_subject s set put_back_at = $1 from poolpatrol.case c, poolpatrol.rider r
		where s.cancelled_at is not null and s.put_back_at is null and s.state = 'cancelled'
			and c.org = s.org and c.id = s.case_id and r.org = s.org and r.vanpool_id = c.vanpool_id and r.employee_id = s.employee_id
			and r.removed_on is null`
	if _, err := tx.Exec(ctx, note, now); err != nil {
		return fmt.Errorf("note who was put back: %w", err)
	}
	return nil
}
