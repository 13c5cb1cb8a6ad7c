package poolpatrol

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// batch is how many vans are written down at once: what a crash can cost, and
// seldom enough that a pass is not made of commits.
const batch = 500

// Steps are what the workflows of Pool Patrol do in the world. Each may be
// repeated.
type Steps struct{ app *app }

// Pin reads the records and keeps them as the pass reads them, or refuses the
// pass where they are too old. more is false where there is nothing to look at.
func (s *Steps) Pin(ctx context.Context, in PassInput) (more bool, err error) {
	store := s.app.store
	var kept Snapshot
	var records fleet.Records
	err = store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		p, err := lockPass(ctx, tx, in.Pass)
		if err != nil || p.Snapshot != "" || p.State != PassRunning {
			more = p.State == PassRunning
			return err
		}
		if err := holdRecords(ctx, tx); err != nil {
			return err
		}
		if records, err = readRecords(ctx, tx); err != nil {
			return err
		}
		now := store.clock.Now()
		if stale := audit.Fresh(records.Taken, now); stale != nil {
			words, _ := fault.Words(stale)
			return store.endPass(ctx, tx, in, PassRefused, words)
		}
		if kept, err = pin(ctx, tx, records, now); err != nil {
			return err
		}
		more = true
		among, err := vansOf(ctx, tx, p.Kind, now)
		if err != nil {
			return err
		}
		planned := 0
		for _, v := range records.Vanpools {
			if v.Standing == fleet.Active && looksAt(among, v.ID) {
				planned++
			}
		}
		// It begins when it reads: everybody is judged as of that moment.
		_, err = tx.Exec(ctx, `update poolpatrol.pass set snapshot = $2, planned = $3, began_at = $4 where id = $1`, in.Pass, kept.ID, planned, now)
		return err
	})
	if err != nil || kept.ID == "" {
		return more, err
	}
	if book, bad := fleet.NewBook(records); bad == nil { // what is bad Look says
		s.app.shelf.put(in.Org, kept.ID, book)
	}
	return more, nil
}

// Look audits vans for a while, from where the pass stands. done says that it has
// come to its end.
func (s *Steps) Look(ctx context.Context, in PassInput) (done bool, err error) {
	p, judged, err := s.judge(ctx, in)
	if err != nil || p.State != PassRunning {
		return true, err
	}
	next, stop := iter.Pull(judged)
	defer stop()
	for range stretch {
		runs := take(next, batch)
		if len(runs) == 0 {
			return true, s.app.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return s.app.store.endPass(ctx, tx, in, PassDone, "") })
		}
		if p, err = s.app.store.writeRuns(ctx, in.Org, p, runs); err != nil {
			return false, err
		}
	}
	return false, nil
}

// stretch is how many batches one step writes before the engine hears of it: some
// seconds' work, well within the time of a step.
const stretch = 20

// judge is the pass as it stands, and the audits of the vans that are left, each
// made when it is asked for.
func (s *Steps) judge(ctx context.Context, in PassInput) (p Pass, left iter.Seq[audit.Run], err error) {
	var g grounds
	var among map[fleet.VanpoolID]bool
	err = s.app.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if p, err = lockPass(ctx, tx, in.Pass); err != nil || p.State != PassRunning {
			return err
		}
		if among, err = vansOf(ctx, tx, p.Kind, p.BeganAt); err != nil {
			return err
		}
		g, err = s.app.grounds(ctx, tx, in.Org, p.Snapshot)
		return err
	})
	if err != nil || p.State != PassRunning {
		return p, nil, err
	}
	if g.inputs.Roads, err = s.app.roadsFor(ctx, in.Org, g.book, p.BeganAt); err != nil {
		return p, nil, err
	}
	ask := audit.Specialists(audit.Standard(), g.book, g.inputs)
	left, err = audit.Among(g.book, p.After, p.BeganAt, ask, g.granted, func(id fleet.VanpoolID) bool { return looksAt(among, id) })
	return p, left, err
}

// grounds are what an audit rests on.
type grounds struct {
	book    *fleet.Book
	inputs  audit.Inputs
	granted check.Exceptions
}

// readGrounds reads a snapshot and what stands beside it, in the area that of says
// its records are of.
func readGrounds(ctx context.Context, tx pgx.Tx, snapshot string, of func(fleet.Records) area) (g grounds, err error) {
	_, records, err := readSnapshot(ctx, tx, snapshot)
	if err != nil {
		return g, err
	}
	if g.book, err = fleet.NewBook(records); err != nil {
		return g, err
	}
	return g, g.readBeside(ctx, tx, of(records))
}

// readBeside reads what an area is judged by besides the book: exceptions and feeds.
func (g *grounds) readBeside(ctx context.Context, tx pgx.Tx, of area) (err error) {
	var subjects []string
	if of.vans != nil {
		subjects = slices.Concat(of.vans, of.people)
	}
	if g.granted, err = readExceptions(ctx, tx, subjects); err != nil {
		return err
	}
	g.inputs.Badges, g.inputs.Permits, err = readFeeds(ctx, tx, of.people)
	return err
}

// take pulls at most n runs.
func take(next func() (audit.Run, bool), n int) []audit.Run {
	var runs []audit.Run
	for len(runs) < n {
		r, ok := next()
		if !ok {
			break
		}
		runs = append(runs, r)
	}
	return runs
}

// lockPass reads a pass and keeps others from moving it on meanwhile.
func lockPass(ctx context.Context, tx pgx.Tx, id string) (Pass, error) {
	rows, _ := tx.Query(ctx, `select `+passColumns+` from poolpatrol.pass where id = $1 for update`, id)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Pass])
}

// tell has open pages look again.
const tell = `select pg_notify('gavel_live', json_build_object('org', $1::text, 'object', $2::text, 'version', $3::bigint)::text)`

// tries is how often ids are drawn anew that were there already.
const tries = 3

// writeRuns writes down what was found about some vans and how far the pass has
// come, in one transaction: a try that was given up and goes on all the same finds
// the pass elsewhere, and writes nothing.
func (s *Store) writeRuns(ctx context.Context, org identity.Org, p Pass, runs []audit.Run) (Pass, error) {
	for n := 1; ; n++ {
		next, err := s.tryRuns(ctx, org, p, runs)
		if n == tries || !collided(err, "audit_run") {
			return next, err
		}
	}
}

func (s *Store) tryRuns(ctx context.Context, org identity.Org, p Pass, runs []audit.Run) (Pass, error) {
	t := tabulate(runs)
	next := p
	next.After = runs[len(runs)-1].Vanpool
	for _, r := range runs {
		switch r.Outcome {
		case audit.Verified:
			next.Verified++
		case audit.Failed:
			next.Failed++
		case audit.Errored:
			next.Errored++
		}
	}
	const (
		move = `update poolpatrol.pass set after_van = $3, verified = $4, failed = $5, errored = $6 where id = $1 and after_van = $2 and state = 'running'`
		keep = `insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, recheck_on, at)
			select $1, r.id, $2, r.van, r.outcome, string_to_array(r.checks, ','), r.verdicts, r.reason, r.recheck::date, $3
			from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[], $9::text[], $10::text[]) r(id, van, outcome, checks, verdicts, reason, recheck)`
		forget = `delete from poolpatrol.gap where vanpool_id = any($1)`
		note   = `insert into poolpatrol.gap (org, vanpool_id, employee_id, check_name, field, pass, seen_at)
			select $1, g.van, g.who, g.name, g.field, $2, $3 from unnest($4::text[], $5::text[], $6::text[], $7::text[]) g(van, who, name, field) on conflict do nothing`
	)
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		moved, err := tx.Exec(ctx, move, p.ID, p.After, next.After, next.Verified, next.Failed, next.Errored)
		if err != nil {
			return err
		}
		if moved.RowsAffected() == 0 {
			return fault.New(fault.Unavailable, "pass %s has been moved on by another try", p.ID)
		}
		var b pgx.Batch
		b.Queue(keep, org, p.ID, s.clock.Now(), t.ids, t.vans, t.outcomes, t.checks, t.verdicts, t.reasons, t.rechecks)
		b.Queue(forget, t.vans)
		b.Queue(note, org, p.ID, s.clock.Now(), t.gapVans, t.gapWho, t.gapNames, t.gapFields)
		b.Queue(tell, org, liveObject(p.ID), next.Looked())
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		return p, fmt.Errorf("write down audit runs: %w", err)
	}
	return next, nil
}

// A table is runs in columns, as they are written.
type table struct {
	ids, vans, outcomes, checks, reasons []string
	verdicts                             []*string
	rechecks                             []*string

	gapVans, gapWho, gapNames, gapFields []string
}

func tabulate(runs []audit.Run) (t table) {
	for _, r := range runs {
		t.ids, t.vans, t.outcomes = append(t.ids, newID("RUN")), append(t.vans, string(r.Vanpool)), append(t.outcomes, string(r.Outcome))
		t.checks, t.verdicts, t.reasons = append(t.checks, failedChecks(r)), append(t.verdicts, verdictsOf(r)), append(t.reasons, reasonOf(r))
		var day *string
		if d := r.Recheck(); d != 0 {
			text := d.String()
			day = &text
		}
		t.rechecks = append(t.rechecks, day)
		for _, g := range r.Gaps() {
			t.gapVans, t.gapWho = append(t.gapVans, string(r.Vanpool)), append(t.gapWho, string(g.Employee))
			t.gapNames, t.gapFields = append(t.gapNames, string(g.Check)), append(t.gapFields, g.Mark)
		}
	}
	return t
}

// failedChecks are the names of the checks that failed, with commas between.
func failedChecks(r audit.Run) string {
	names := ""
	for _, v := range r.Verdicts {
		if v.Label != check.Pass {
			if names != "" {
				names += ","
			}
			names += string(v.Check)
		}
	}
	return names
}

// verdictsOf are the verdicts as they are kept: none of a van with which nothing is
// wrong, since they can be computed again from the snapshot.
func verdictsOf(r audit.Run) *string {
	if r.Outcome != audit.Failed {
		return nil
	}
	text, err := json.Marshal(r.Verdicts)
	if err != nil {
		panic(err) // values of our own
	}
	s := string(text)
	return &s
}

func reasonOf(r audit.Run) string {
	if r.Err == nil {
		return ""
	}
	words, _ := fault.Words(r.Err)
	return words
}

// endPass ends a pass and puts that on record.
func (s *Store) endPass(ctx context.Context, tx pgx.Tx, in PassInput, state PassState, reason string) error {
	now := s.clock.Now()
	rows, _ := tx.Query(ctx, `update poolpatrol.pass set state = $2, reason = $3, ended_at = $4 where id = $1 and state = 'running' returning `+passColumns, in.Pass, state, reason, now)
	ended, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Pass])
	if err != nil || len(ended) == 0 {
		return err
	}
	p := ended[0]
	_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordPass, App: Name, Actor: identity.Gavel(in.Org), Subject: p.ID, Body: map[string]any{
		"did": string(state), "snapshot": p.Snapshot, "policy": p.Policy, "verified": p.Verified, "failed": p.Failed, "errored": p.Errored}})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, tell, in.Org, liveObject(p.ID), p.Looked()+1)
	return err
}
