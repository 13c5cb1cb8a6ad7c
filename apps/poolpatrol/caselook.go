package poolpatrol

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
)

// groundsNow pins the records of one van as they are now, under a pass of its own:
// the van, who rides in it, and where else they ride. Of nobody else anything is read.
func (a *app) groundsNow(ctx context.Context, tx pgx.Tx, org identity.Org, van fleet.VanpoolID, key string, at time.Time) (p Pass, g grounds, err error) {
	p, err = passBy(ctx, tx, "key", key)
	if err == nil { // an earlier try pinned what it read
		g, err = readGrounds(ctx, tx, p.Snapshot, areaIn)
		return p, g, err
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return p, g, err
	}
	if err := holdRecords(ctx, tx); err != nil {
		return p, g, err
	}
	of, err := areaOf(ctx, tx, van)
	if err != nil {
		return p, g, fmt.Errorf("read who rides in %s: %w", van, err)
	}
	records, err := readSome(ctx, tx, of)
	if err != nil {
		return p, g, err
	}
	kept, err := pin(ctx, tx, records, at)
	if err == nil {
		p = Pass{ID: newID("PASS"), Kind: ReAudit, AskedBy: identity.Gavel(org).ID, Snapshot: kept.ID, Policy: policyDigest(audit.Standard()), State: PassRunning, Planned: 1, BeganAt: at}
		const insert = `insert into poolpatrol.pass (org, id, kind, key, asked_by, snapshot, policy, planned, began_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
		_, err = tx.Exec(ctx, insert, org, p.ID, p.Kind, key, p.AskedBy, p.Snapshot, p.Policy, p.Planned, p.BeganAt)
	}
	if err != nil {
		return p, g, err
	}
	if g.book, err = fleet.NewBook(records); err != nil {
		return p, g, err
	}
	return p, g, g.readBeside(ctx, tx, of)
}

// areaOf is what bears on one van: those in which its riders have a seat, and
// everybody who rides in one of them.
func areaOf(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) (of area, err error) {
	const (
		vans = `select $1::text union select vanpool_id from poolpatrol.rider where removed_on is null
			and employee_id in (select employee_id from poolpatrol.rider where vanpool_id = $1 and removed_on is null)`
		people = `select distinct employee_id from poolpatrol.rider where removed_on is null and vanpool_id = any($1)`
	)
	rows, _ := tx.Query(ctx, vans, van)
	if of.vans, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return of, err
	}
	rows, _ = tx.Query(ctx, people, of.vans)
	of.people, err = pgx.AppendRows([]string{}, rows, pgx.RowTo[string])
	return of, err
}

// areaIn is what records are of.
func areaIn(r fleet.Records) area {
	of := area{vans: []string{}, people: []string{}}
	for _, v := range r.Vanpools {
		of.vans = append(of.vans, string(v.ID))
		for _, x := range v.Riders {
			of.people = append(of.people, string(x.Employee))
		}
	}
	return of
}

// everywhere is the area of a pass over every van.
func everywhere(fleet.Records) area { return area{} }

// only are the specialists of some checks.
func only(all []check.Specialist, names []check.Name) []check.Specialist {
	return slices.DeleteFunc(all, func(s check.Specialist) bool { return !slices.Contains(names, s.Name) })
}

// writeLook writes one van's audit down and ends its pass.
func writeLook(ctx context.Context, tx pgx.Tx, org identity.Org, p Pass, run audit.Run, id casefile.CaseID) (string, error) {
	const there = `select id from poolpatrol.audit_run where pass = $1 and vanpool_id = $2`
	var name string
	err := tx.QueryRow(ctx, there, p.ID, run.Vanpool).Scan(&name)
	if !errors.Is(err, pgx.ErrNoRows) {
		return name, err
	}
	t := tabulate([]audit.Run{run})
	const insert = `insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, at, case_id, settled)
		values ($1, $2, $3, $4, $5, string_to_array($6, ','), $7::jsonb, $8, $9, $10, true) on conflict (org, id) do nothing`
	for range tries {
		name = newID("RUN")
		tag, err := tx.Exec(ctx, insert, org, name, p.ID, run.Vanpool, t.outcomes[0], t.checks[0], t.verdicts[0], t.reasons[0], p.BeganAt, id)
		if err != nil {
			return "", fmt.Errorf("write down an audit run: %w", err)
		}
		if tag.RowsAffected() == 1 {
			break
		}
	}
	counts := map[audit.Outcome]string{audit.Verified: "verified", audit.Failed: "failed", audit.Errored: "errored"}
	_, err = tx.Exec(ctx, `update poolpatrol.pass set state = 'done', ended_at = began_at, after_van = $2, `+counts[run.Outcome]+` = 1 where id = $1 and state = 'running'`, p.ID, run.Vanpool)
	return name, err
}

// judged are the findings of a look at the van of a case. Who could not be judged,
// because something is missing from the records or they are away, stands as they
// stood: nobody is cleared by a gap.
func (s *step) judged(run audit.Run) []check.Finding {
	all, gaps := run.Findings(), run.Gaps()
	for _, x := range s.life.Subjects {
		for _, f := range x.Findings {
			gap := slices.ContainsFunc(gaps, func(g check.Finding) bool { return g.Employee == f.Employee && g.Check == f.Check })
			known := slices.ContainsFunc(all, func(o check.Finding) bool { return o.Employee == f.Employee && o.Check == f.Check })
			if (gap || x.Away) && !known && (x.Standing == lifecycle.SubjectOpen || x.Standing == lifecycle.CancelPending) {
				all = append(all, f)
			}
		}
	}
	return all
}
