package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// LifeIn reads what the lifecycle knows of a case.
func LifeIn(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (life lifecycle.Case, err error) {
	var text []byte
	if err := tx.QueryRow(ctx, `select life from poolpatrol.case where id = $1`, id).Scan(&text); err != nil {
		return life, err
	}
	return life, json.Unmarshal(text, &life)
}

// EmployeeOf is the employee a subject is; empty for anybody else.
func EmployeeOf(subject string) fleet.EmployeeID {
	id, ok := strings.CutPrefix(subject, RiderType+":")
	if !ok {
		return ""
	}
	return fleet.EmployeeID(id)
}

// Rider is somebody as erasures know them.
func Rider(id fleet.EmployeeID) seal.Subject { return seal.Subject{Type: RiderType, ID: string(id)} }

// LastFound is what the newest audit of a case that found anything about somebody
// found, and when; run is the newest. It may not have judged them: they were away, or
// something is missing from the records. Where none found anything that may be told,
// the error is Invalid.
func LastFound(ctx context.Context, tx pgx.Tx, run string, file casefile.CaseID, of post.Own) (about post.Own, at time.Time, err error) {
	all, err := looksOf(ctx, tx, run, file)
	if err != nil {
		return about, at, err
	}
	for _, one := range all {
		verdicts, read := VerdictsIn(ctx, tx, one.ID)
		if read != nil {
			return about, at, read
		}
		if about, err = post.About(of.Employee, of.Case, verdicts); err == nil {
			return about, one.At, nil
		}
	}
	return about, at, err
}

// A look is an audit of a case's van, and when it was.
type look struct {
	ID string
	At time.Time
}

func looksOf(ctx context.Context, tx pgx.Tx, run string, file casefile.CaseID) ([]look, error) {
	const looks = `select id, at from poolpatrol.audit_run where id = $1 or case_id = $2 and outcome = 'failed'
		order by id = $1 desc, at desc limit 20`
	rows, _ := tx.Query(ctx, looks, run, file)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[look])
}

// LooksOf are the ids of the audits of a case that found anything, the newest first, after
// the one that it rests on.
func LooksOf(ctx context.Context, tx pgx.Tx, run string, file casefile.CaseID) ([]string, error) {
	all, err := looksOf(ctx, tx, run, file)
	ids := make([]string, len(all))
	for i, one := range all {
		ids[i] = one.ID
	}
	return ids, err
}

// VerdictsIn are the verdicts of an audit run.
func VerdictsIn(ctx context.Context, tx pgx.Tx, run string) (all []check.Verdict, err error) {
	var text []byte
	if err := tx.QueryRow(ctx, `select coalesce(verdicts, '[]') from poolpatrol.audit_run where id = $1`, run).Scan(&text); err != nil {
		return nil, fmt.Errorf("read audit run %s: %w", run, err)
	}
	return all, json.Unmarshal(text, &all)
}

// Life is what the lifecycle knows of a case, and when something happens to it by itself;
// there is false where the case is none of ours.
func (s *Store) Life(ctx context.Context, one casefile.Case) (life lifecycle.Case, next time.Time, there bool, err error) {
	err = s.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error {
		if life, err = LifeIn(ctx, tx, one.ID); err != nil {
			return err
		}
		var version int64
		if err := tx.QueryRow(ctx, `select terms_version from poolpatrol.case where id = $1`, one.ID).Scan(&version); err != nil {
			return err
		}
		rules, _, err := term.RulesOf(ctx, tx, one.Org, life.Vanpool, version)
		next = life.Wake(rules)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return life, next, false, nil
	}
	return life, next, err == nil, err
}

// A CaseVan is a case with the newest audit of its van that found anything.
type CaseVan struct {
	Life     lifecycle.Case
	Run      string
	Verdicts []check.Verdict
}

// CaseVan reads it; there is false where the case is none of ours.
func (s *Store) CaseVan(ctx context.Context, one casefile.Case) (v CaseVan, there bool, err error) {
	const stands = `select c.life, coalesce((select r.id from poolpatrol.audit_run r
			where (r.id = c.audit_run or r.case_id = c.id) and r.outcome = 'failed' order by r.at desc, r.id limit 1), c.audit_run)
		from poolpatrol.case c where c.id = $1`
	err = s.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error {
		var text []byte
		if err := tx.QueryRow(ctx, stands, one.ID).Scan(&text, &v.Run); err != nil {
			return err
		}
		if err := json.Unmarshal(text, &v.Life); err != nil {
			return err
		}
		v.Verdicts, err = VerdictsIn(ctx, tx, v.Run)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}

// NamesOf are what people call some employees; one without a name, or who is not known any
// more, is left out.
func (s *Store) NamesOf(ctx context.Context, org identity.Org, ids []fleet.EmployeeID) (map[fleet.EmployeeID]string, error) {
	names := make(map[fleet.EmployeeID]string, len(ids))
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select id, name from poolpatrol.employee where id = any ($1) and name <> ''`, ids)
		var id fleet.EmployeeID
		var name string
		_, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error { names[id] = name; return nil })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("what employees are called: %w", err)
	}
	return names, nil
}
