package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// WriteLook writes one van's audit down and ends its pass.
func WriteLook(ctx context.Context, tx pgx.Tx, org identity.Org, p Pass, run audit.Run, id casefile.CaseID) (string, error) {
	const there = `select id from poolpatrol.audit_run where pass = $1 and vanpool_id = $2`
	var name string
	err := tx.QueryRow(ctx, there, p.ID, run.Vanpool).Scan(&name)
	if !errors.Is(err, pgx.ErrNoRows) {
		return name, err
	}
	t := tabulate([]audit.Run{run})
	const insert = `insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, at, case_id, settled)
		values ($1, $2, $3, $4, $5, string_to_array($6, ','), $7::jsonb, $8, $9, $10, true) on conflict (org, id) do nothing`
	for range Tries {
		name = NewID("RUN")
		tag, err := tx.Exec(ctx, insert, org, name, p.ID, run.Vanpool, t.outcomes[0], t.checks[0], t.verdicts[0], t.reasons[0], p.BeganAt,
			id)
		if err != nil {
			return "", fmt.Errorf("write down an audit run: %w", err)
		}
		if tag.RowsAffected() == 1 {
			break
		}
	}
	counts := map[audit.Outcome]string{audit.Verified: "verified", audit.Failed: "failed", audit.Errored: "errored"}
	_, err = tx.Exec(ctx, `update poolpatrol.pass set state = 'done', ended_at = began_at, after_van = $2, `+counts[run.Outcome]+` = 1
		where id = $1 and state = 'running'`, p.ID, run.Vanpool)
	return name, err
}

// WriteRuns writes down what was found about some vans and how far the pass has
// come, in one transaction: a try that was given up and goes on all the same finds
// the pass elsewhere, and writes nothing.
func (s *Store) WriteRuns(ctx context.Context, org identity.Org, p Pass, runs []audit.Run) (Pass, error) {
	for n := 1; ; n++ {
		next, err := s.tryRuns(ctx, org, p, runs)
		if n == Tries || !collided(err, "audit_run") {
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
		move = `update poolpatrol.pass set after_van = $3, verified = $4, failed = $5, errored = $6 where id = $1 and after_van = $2
			and state = 'running'`
		keep = `insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, recheck_on, at)
			select $1, r.id, $2, r.van, r.outcome, string_to_array(r.checks, ','), r.verdicts, r.reason, r.recheck::date, $3
			from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[], $9::text[], $10::text[]) r(id, van, outcome, checks,
			verdicts, reason, recheck)`
		forget = `delete from poolpatrol.gap where vanpool_id = any($1)`
		note   = `insert into poolpatrol.gap (org, vanpool_id, employee_id, check_name, field, pass, seen_at)
			select $1, g.van, g.who, g.name, g.field, $2, $3 from unnest($4::text[], $5::text[], $6::text[], $7::text[]) g(van, who, name,
			field) on conflict do nothing`
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
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		return s.Report(ctx, tx, org, &next)
	})
	if err != nil {
		return p, fmt.Errorf("write down audit runs: %w", err)
	}
	return next, nil
}

// Report says how far a pass is, and ends it where somebody has called it off: its state
// says so then.
func (s *Store) Report(ctx context.Context, tx pgx.Tx, org identity.Org, p *Pass) error {
	how := job.Progress{Done: p.Looked(), Total: p.Planned, Doing: DoingVans}
	if p.Snapshot == "" {
		how.Doing = DoingRecords
	}
	j, err := job.Report(ctx, tx, PassJob, org, p.ID, how)
	if end, off := j.CalledOff(); err == nil && off {
		p.State = job.Refused
		return s.endPass(ctx, tx, org, p.ID, end)
	}
	return err
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
		t.ids, t.vans, t.outcomes = append(t.ids, NewID("RUN")), append(t.vans, string(r.Vanpool)), append(t.outcomes, string(r.Outcome))
		t.checks, t.verdicts, t.reasons = append(t.checks, failedChecks(r)), append(t.verdicts, verdictsOf(r)),
			append(t.reasons, ReasonOf(r))
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

// ReasonOf says in words why a van could not be judged.
func ReasonOf(r audit.Run) string {
	if r.Err == nil {
		return ""
	}
	words, _ := fault.Words(r.Err)
	return words
}

// EndPass ends a pass and puts that on record.
func (s *Store) EndPass(ctx context.Context, in PassInput, e job.End) error {
	return s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return s.endPass(ctx, tx, in.Org, in.Pass, e) })
}

func (s *Store) endPass(ctx context.Context, tx pgx.Tx, org identity.Org, id string, e job.End) error {
	e.At = s.clock.Now()
	ended, err := closePass(ctx, tx, id, e)
	if err != nil || len(ended) == 0 {
		return err
	}
	p := ended[0]
	e.Body = map[string]any{"snapshot": p.Snapshot, "policy": p.Policy, "verified": p.Verified, "failed": p.Failed, "errored": p.Errored}
	return job.Finish(ctx, tx, PassJob, org, p.ID, e)
}

// closePass writes down how a pass has ended: none is given where it had before. One that
// was called off counts as refused.
func closePass(ctx context.Context, tx pgx.Tx, id string, e job.End) ([]Pass, error) {
	const end = `update poolpatrol.pass set state = case $2 when 'done' then 'done' else 'refused' end, reason = $3, ended_at = $4
		where id = $1 and state = 'running' returning ` + passColumns
	rows, _ := tx.Query(ctx, end, id, e.State, e.Reason, e.At)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Pass])
}
