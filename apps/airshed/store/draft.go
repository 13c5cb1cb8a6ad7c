package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Draft is one draft of a report.
type Draft struct {
	N        int
	ReportID string
	Answer   int
	WordedBy string
	Station  string
	AQI      int
	SurgeAt  time.Time
	Verdict  string
	First    string
	Category string
	JSON     string // digest
	English  string
	Hindi    string
	MadeAt   time.Time
}

const draftColumns = `n, report_id, answer, worded_by, station, aqi, surge_at, verdict, first_state, category, json, english, hindi, made_at`

// Gist is what the draft says in short.
func (d Draft) Gist() docket.Gist {
	return docket.Gist{Verdict: d.Verdict, First: d.First, Category: d.Category}
}

// A Filing is what became of filing a report.
type Filing struct {
	Act       string
	N         int
	Status    string
	Place     string
	Receipt   string
	Simulated bool
	Why       string
	At        time.Time
}

const filingColumns = `act, n, status, place, receipt, simulated, why, at`

// The ways a filing ends, in the first design's words.
const (
	Success        = "success"
	PartialSuccess = "partial_success"
)

// NewestDraft is the newest draft of a case's report; nil where there is none.
func NewestDraft(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (*Draft, error) {
	rows, _ := tx.Query(ctx, `select `+draftColumns+` from airshed.report where case_id = $1 order by n desc limit 1`, id)
	return oneOrNone[Draft](rows)
}

// NewestFiling is the filing of a case that succeeded, else the newest; nil where there is
// none.
func NewestFiling(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (*Filing, error) {
	rows, _ := tx.Query(ctx, `select `+filingColumns+` from airshed.filing where case_id = $1 order by status = 'success' desc, at desc
		limit 1`, id)
	return oneOrNone[Filing](rows)
}

// oneOrNone collects a row that may be there.
func oneOrNone[T any](rows pgx.Rows) (*T, error) {
	one, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // none is no fault
	}
	return one, err
}

// DraftBy is the draft of a case with a digest.
func DraftBy(ctx context.Context, tx pgx.Tx, id casefile.CaseID, sha256 string) (*Draft, error) {
	rows, _ := tx.Query(ctx, `select `+draftColumns+` from airshed.report where case_id = $1 and json = $2 order by n desc
		limit 1`, id, sha256)
	return oneOrNone[Draft](rows)
}

// BegunBy is the draft that an act has put to the commission, or filed; none where it has
// not begun.
func BegunBy(ctx context.Context, tx pgx.Tx, id casefile.CaseID, act string) (*Draft, error) {
	const one = `select ` + draftColumns + ` from airshed.report r where r.case_id = $1 and r.n in (
			select s.n from airshed.submission s where s.case_id = $1 and s.act = $2
			union select f.n from airshed.filing f where f.case_id = $1 and f.act = $2) limit 1`
	rows, _ := tx.Query(ctx, one, id, act)
	return oneOrNone[Draft](rows)
}

// DraftN is the draft of a case with a number; nil where there is none.
func DraftN(ctx context.Context, tx pgx.Tx, id casefile.CaseID, n int) (*Draft, error) {
	rows, _ := tx.Query(ctx, `select `+draftColumns+` from airshed.report where case_id = $1 and n = $2`, id, n)
	return oneOrNone[Draft](rows)
}

// AddDraft writes a draft, unless one of its number is there; kept says which.
func AddDraft(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, d Draft) (kept bool, err error) {
	const insert = `insert into airshed.report (org, case_id, ` + draftColumns + `)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) on conflict do nothing`
	tag, err := tx.Exec(ctx, insert, org, id, d.N, d.ReportID, d.Answer, d.WordedBy, d.Station, d.AQI, d.SurgeAt, d.Verdict, d.First,
		d.Category,
		d.JSON, d.English, d.Hindi, d.MadeAt)
	return tag.RowsAffected() > 0, err
}

// DraftOf is the draft of a case with a digest, in a transaction of its own; nil where
// there is none.
func (s *Store) DraftOf(ctx context.Context, org identity.Org, id casefile.CaseID, sha256 string) (d *Draft, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		d, err = DraftBy(ctx, tx, id, sha256)
		return err
	})
	return d, err
}

// A CaseReport is the newest report of a case and what became of it.
type CaseReport struct {
	Key    surge.Key
	Opened time.Time
	Draft  *Draft // nil: none was made yet
	Filing *Filing
}

// CaseReport reads the newest report of a case.
func (s *Store) CaseReport(ctx context.Context, org identity.Org, id casefile.CaseID) (c CaseReport, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `select key, opened_at from airshed.case where id = $1`, id).Scan(&c.Key, &c.Opened); err != nil {
			return err
		}
		if c.Draft, err = NewestDraft(ctx, tx, id); err != nil {
			return err
		}
		c.Filing, err = NewestFiling(ctx, tx, id)
		return err
	})
	return c, err
}
