package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// CaseName is the workflow that works the case of a report.
const CaseName = "ReportCase"

// Cases says how cases are named and who works them: a report and its case bear one name.
func Cases() casefile.Kind {
	return casefile.Kind{App: Name, RefPrefix: "RPT", Workflow: CaseName,
		Ref: func(_ context.Context, _ pgx.Tx, c casefile.Case) (string, error) { return c.Key, nil }}
}

// A Report is an outline, and what belongs to it.
type Report struct {
	ID      string
	Case    casefile.CaseID
	Title   string
	Outline string
	SHA256  string // of the outline
	Map     string // which charts each section is written from, as JSON; empty: by what matches
	MadeBy  string
	MadeAt  time.Time
}

const reportColumns = `id, case_id, title, outline, outline_sha256, curated, made_by, made_at`

// ListedAt is where a report stands in a list, the newest first.
func (r Report) ListedAt() Cursor { return Cursor{At: r.MadeAt, ID: r.ID} }

// A Dataset is a run of the model that a report was given.
type Dataset struct {
	N         int
	Name      string
	Pack      string // digest of all its files in one
	Catalogue string
	Charts    int
	GivenBy   string
	GivenAt   time.Time
	Kept      bool // each of its tables is kept by itself, too: numbers can be cited from them
}

const (
	datasetColumns = `n, name, pack, catalogue, charts, given_by, given_at`
	datasetSeen    = datasetColumns + `, kept_at is not null`
)

var reportForm = regexp.MustCompile(`^RPT-[0-9A-F]{8}$`)

// IsID reports whether a text has the form of a report's id.
func IsID(text string) bool { return reportForm.MatchString(text) }

// recordReport is the kind of the records of reports in the log.
const recordReport log.Kind = "reportagent_report"

// AddReport keeps a report with its first run, opens its case and puts that on record.
func (s *Store) AddReport(ctx context.Context, actor identity.Actor, r Report, d Dataset) (Report, error) {
	if err := s.rules.May(actor, ActWrite); err != nil {
		return r, err
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	r.ID, r.MadeBy, r.MadeAt = fmt.Sprintf("RPT-%X", b), actor.ID, s.Now()
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		file, opened, err := s.cases.OpenIn(ctx, tx, actor, casefile.Opening{App: Name, Key: r.ID, Title: r.Title})
		if err != nil {
			return err
		}
		if !opened {
			return fault.New(fault.Unavailable, "no free id was found for the report").WithNext("ask again")
		}
		r.Case = file.ID
		const insert = `insert into reportagent.report (org, ` + reportColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
		if _, err := tx.Exec(ctx, insert, actor.Org, r.ID, r.Case, r.Title, r.Outline, r.SHA256, r.Map, r.MadeBy, r.MadeAt); err != nil {
			return err
		}
		_, err = s.addDataset(ctx, tx, actor, r.ID, d)
		return err
	})
	return r, err
}

// addDataset gives a report a run, unless it is the one that it has.
func (s *Store) addDataset(ctx context.Context, tx pgx.Tx, actor identity.Actor, report string, d Dataset) (Dataset, error) {
	newest, err := NewestDataset(ctx, tx, report)
	if err != nil {
		return d, err
	}
	if newest.N > 0 && newest.Pack == d.Pack {
		return newest, nil
	}
	d.N, d.GivenBy, d.GivenAt = newest.N+1, actor.ID, s.Now()
	const insert = `insert into reportagent.dataset (org, report, ` + datasetColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	if _, err := tx.Exec(ctx, insert, actor.Org, report, d.N, d.Name, d.Pack, d.Catalogue, d.Charts, d.GivenBy, d.GivenAt); err != nil {
		return d, err
	}
	_, err = log.Append(ctx, tx, log.Record{At: d.GivenAt, Kind: recordReport, App: Name, Actor: actor, Subject: report,
		Body: map[string]any{"did": "data_given", "dataset": d.N, "sha256": d.Pack, "catalogue": d.Catalogue}})
	return d, err
}

// GiveData gives a report a newer run of its model. Signed sections in which it changes a number are open again: why says of each how
// many those are.
func (s *Store) GiveData(ctx context.Context, actor identity.Actor, report string, d Dataset, why map[string]string) (Dataset, error) {
	if err := s.rules.May(actor, ActWrite); err != nil {
		return d, err
	}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := LockReport(ctx, tx, report); err != nil {
			return err
		}
		var err error
		if d, err = s.addDataset(ctx, tx, actor, report, d); err != nil {
			return err
		}
		return s.reopen(ctx, tx, actor.Org, report, why)
	})
	return d, err
}

// NewestDataset is the run that counts; the zero Dataset where a report has none.
func NewestDataset(ctx context.Context, tx pgx.Tx, report string) (Dataset, error) {
	rows, _ := tx.Query(ctx, `select `+datasetSeen+` from reportagent.dataset where report = $1 order by n desc limit 1`, report)
	d, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Dataset])
	if errors.Is(err, pgx.ErrNoRows) {
		return Dataset{}, nil
	}
	return d, err
}

// DatasetN is the run of a number.
func DatasetN(ctx context.Context, tx pgx.Tx, report string, n int) (Dataset, error) {
	rows, _ := tx.Query(ctx, `select `+datasetSeen+` from reportagent.dataset where report = $1 and n = $2`, report, n)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Dataset])
}

// TablesKept notes that each table of a run is kept by itself.
func (s *Store) TablesKept(ctx context.Context, org identity.Org, report string, n int) error {
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update reportagent.dataset set kept_at = coalesce(kept_at, $3) where report = $1 and n = $2`, report, n, s.Now())
		return err
	})
}

// ReportIn reads a report.
func ReportIn(ctx context.Context, tx pgx.Tx, id string) (Report, error) {
	return oneReport(ctx, tx, `where id = $1`, id)
}

// LockReport reads a report and keeps others from adding to it until the transaction ends.
func LockReport(ctx context.Context, tx pgx.Tx, id string) (Report, error) {
	return oneReport(ctx, tx, `where id = $1 for no key update`, id)
}

// ReportOfCase is the report that a case is about.
func ReportOfCase(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (Report, error) {
	return oneReport(ctx, tx, `where case_id = $1`, string(id))
}

func oneReport(ctx context.Context, tx pgx.Tx, where, id string) (Report, error) {
	rows, _ := tx.Query(ctx, `select `+reportColumns+` from reportagent.report `+where, id)
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Report])
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.New(fault.NotFound, "no report is called %.40q", id).WithNext("see the list of reports").
			Because("report_unknown", "id", id)
	}
	return r, err
}

// Reports lists reports, the newest first.
func (s *Store) Reports(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Report, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + reportColumns + ` from reportagent.report where $1::timestamptz is null or (made_at, id) < ($1, $2)
		order by made_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Report])
		return err
	})
	return all, err
}
