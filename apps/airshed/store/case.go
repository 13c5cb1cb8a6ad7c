package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Cases says how cases are named and who works them.
func Cases() casefile.Kind {
	return casefile.Kind{App: Name, RefPrefix: "CAQM", Workflow: CaseName, Ref: caseRef}
}

// caseRef names a case as its report is named: by the day in India it was opened on
// and a number that counts up, CAQM-2026-11-14-001.
func caseRef(ctx context.Context, tx pgx.Tx, c casefile.Case) (string, error) {
	return casefile.NextRef(ctx, tx, c, "CAQM-"+c.OpenedAt.In(aqi.India()).Format("2006-01-02")+"-")
}

// caseKey is an episode's key as the key of a case, which has no @ in it.
func caseKey(key surge.Key) string { return strings.Replace(string(key), "@", ":", 1) }

// follow sees to what follows from an answer: a case for an episode that has none,
// word to the case it has.
func (s *Store) follow(ctx context.Context, tx pgx.Tx, org identity.Org, key surge.Key, g Sighting) error {
	if s.cases == nil {
		return nil
	}
	id, err := caseOf(ctx, tx, key)
	if err != nil {
		return err
	}
	if id != "" {
		file, err := casefile.Lock(ctx, tx, id)
		if err != nil || file.State == casefile.Closed {
			return err
		}
		return s.cases.Rouse(ctx, tx, file)
	}
	since := g.Episode.Start.Start().In(aqi.India()).Format("2 January 2006, 15:04 IST")
	file, _, err := s.cases.OpenIn(ctx, tx, identity.Gavel(org), casefile.Opening{App: Name, Key: caseKey(key), Title: "Surge at " +
		g.Station + " since " + since})
	if err != nil {
		return fmt.Errorf("open the case of %s: %w", key, err)
	}
	_, err = tx.Exec(ctx, `insert into airshed.case (org, id, key, opened_at) values ($1, $2, $3, $4)`, org, file.ID, string(key),
		file.OpenedAt)
	return err
}

// caseOf is the case of an episode; none where there is none.
func caseOf(ctx context.Context, tx pgx.Tx, key surge.Key) (id casefile.CaseID, err error) {
	err = tx.QueryRow(ctx, `select id from airshed.case where key = $1`, string(key)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// CaseOf is the case of an episode, for who may read episodes; none where there is
// none.
func (s *Store) CaseOf(ctx context.Context, actor identity.Actor, key surge.Key) (id casefile.CaseID, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return "", err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		id, err = caseOf(ctx, tx, key)
		return err
	})
	return id, err
}

// EpisodeOfCase is the episode a case is about, with its newest answer.
func EpisodeOfCase(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (Episode, error) {
	rows, _ := tx.Query(ctx, episodes+` where e.key = (select key from airshed.case where id = $1)`, id)
	e, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Episode])
	if errors.Is(err, pgx.ErrNoRows) {
		return e, fault.New(fault.NotFound, "case %.60q is about no episode", id).Because("no_episode", "id", string(id))
	}
	return e, err
}

// A CaseRow is what the application notes of a case beside the case itself.
type CaseRow struct {
	Attempt  int
	Renew    bool
	Thoughts []string
}

// CaseRowOf reads it.
func CaseRowOf(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (r CaseRow, err error) {
	const row = `select attempt, renew, thoughts from airshed.case where id = $1`
	err = tx.QueryRow(ctx, row, id).Scan(&r.Attempt, &r.Renew, &r.Thoughts)
	return r, err
}

// AnotherAttempt has people asked about a case once more, at most so often; asked says
// whether they are.
func AnotherAttempt(ctx context.Context, tx pgx.Tx, id casefile.CaseID, renew bool, most int) (asked bool, err error) {
	const more = `update airshed.case set attempt = attempt + 1, renew = renew or $2 where id = $1 and attempt < $3`
	tag, err := tx.Exec(ctx, more, id, renew, most)
	return tag.RowsAffected() > 0, err
}

// Renewed notes that a draft was made anew, as it was wished for in an attempt.
func Renewed(ctx context.Context, tx pgx.Tx, id casefile.CaseID, attempt int) error {
	_, err := tx.Exec(ctx, `update airshed.case set renew = false where id = $1 and attempt = $2`, id, attempt)
	return err
}

// AddThoughts notes what the agent was asked about a case.
func (s *Store) AddThoughts(ctx context.Context, org identity.Org, id casefile.CaseID, tasks []string) error {
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update airshed.case set thoughts = thoughts || $2 where id = $1`, id, tasks)
		return err
	})
}

// Unsettled is the draft of a case that the commission may have, and the act that put it
// there; 0 where there is none.
func Unsettled(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (n int, by string, err error) {
	const one = `select n, act from airshed.submission where case_id = $1 and outcome = '' order by n desc limit 1`
	err = tx.QueryRow(ctx, one, id).Scan(&n, &by)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, "", nil
	}
	return n, by, err
}

// Submitting notes that a draft is on its way to the commission.
func Submitting(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, f Filing) error {
	const note = `insert into airshed.submission as s (org, case_id, n, act, at) values ($1, $2, $3, $4, $5)
		on conflict (org, case_id, n) do update set act = excluded.act, at = excluded.at, outcome = '', doubted = s.doubted
		or s.outcome = ''`
	_, err := tx.Exec(ctx, note, org, id, f.N, f.Act, f.At)
	return err
}

// EarlierFiling is what became of filing a case's report before, with success or by an act;
// nil where it was not.
func EarlierFiling(ctx context.Context, tx pgx.Tx, id casefile.CaseID, by string) (*Filing, error) {
	rows, _ := tx.Query(ctx, `select `+filingColumns+` from airshed.filing where case_id = $1 and (status = 'success' or act = $2)
		order by status = 'success' desc limit 1`, id, by)
	return oneOrNone[Filing](rows)
}

// recordFiling is the kind of the records of filings in the log.
const recordFiling log.Kind = "airshed_filing"

// AddFiling writes down what became of filing a draft and of putting it to the commission,
// with a record; fresh is false where that was written before.
func AddFiling(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, d Draft, f Filing, outcome string) (
	fresh bool, err error,
) {
	const settle = `update airshed.submission set outcome = case when doubted and $3 = 'refused' then '' else $3 end
		where case_id = $1 and n = $2`
	if _, err := tx.Exec(ctx, settle, id, f.N, outcome); err != nil {
		return false, err
	}
	const insert = `insert into airshed.filing (org, case_id, ` + filingColumns + `)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`
	tag, err := tx.Exec(ctx, insert, org, id, f.Act, f.N, f.Status, f.Place, f.Receipt, f.Simulated, f.Why, f.At)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	_, err = log.Append(ctx, tx, log.Record{At: f.At, Kind: recordFiling, App: Name, Actor: identity.Gavel(org), Subject: string(id),
		Body: map[string]any{"report": d.ReportID, "draft": d.N, "sha256": d.JSON, "status": f.Status, "receipt": f.Receipt,
			"simulated": f.Simulated, "place": f.Place}})
	return true, err
}
