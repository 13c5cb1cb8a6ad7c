package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Report is a report as lists show it: its newest draft, or the one that was filed.
type Report struct {
	Case casefile.CaseID
	Draft

	Key     surge.Key
	Status  string     // draft, success or partial_success
	Receipt string     // the commission's
	Place   string     // of the copy in the lake
	Mock    bool       // no commission received anything
	FiledAt *time.Time // nil: it was not
}

// reports picks, of each case, the draft that was filed with success, else the
// newest.
const reports = `select r.case_id, r.n, r.report_id, r.answer, r.worded_by, r.station, r.aqi, r.surge_at, r.verdict, r.first_state,
	r.category, r.json, r.english, r.hindi, r.made_at,
		c.key, coalesce(f.status, 'draft'), coalesce(f.receipt, ''), coalesce(f.place, ''), coalesce(f.simulated, false), f.at
	from airshed.case c
	left join lateral (select * from airshed.filing f where f.org = c.org and f.case_id = c.id order by f.status = 'success' desc, f.at desc
	limit 1) f on true
	join lateral (select * from airshed.report r where r.org = c.org and r.case_id = c.id order by r.n = f.n desc nulls last, r.n desc
	limit 1) r on true`

// reportRow reads a row of reports.
func reportRow(row pgx.CollectableRow) (r Report, err error) {
	d := &r.Draft
	return r, row.Scan(&r.Case, &d.N, &d.ReportID, &d.Answer, &d.WordedBy, &d.Station, &d.AQI, &d.SurgeAt, &d.Verdict, &d.First,
		&d.Category, &d.JSON, &d.English, &d.Hindi, &d.MadeAt,
		&r.Key, &r.Status, &r.Receipt, &r.Place, &r.Mock, &r.FiledAt)
}

// Reports lists reports, the newest first, from a place on, which may be zero.
func (s *Store) Reports(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Report, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = reports + ` where $1::timestamptz is null or (r.made_at, r.report_id) < ($1, $2) order by r.made_at desc, r.report_id desc
		limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
		all, err = pgx.CollectRows(rows, reportRow)
		return err
	})
	return all, err
}

// ListedAt is where it stands in the list.
func (r Report) ListedAt() Cursor { return Cursor{At: r.MadeAt, ID: r.ReportID} }

// Report reads one report by its number.
func (s *Store) Report(ctx context.Context, actor identity.Actor, id string) (r Report, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return r, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, reports+` where r.report_id = $1`, id)
		r, err = pgx.CollectExactlyOneRow(rows, reportRow)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fault.New(fault.NotFound, "no report is called %.40q", id).WithNext("see the list of reports: gavel airshed report log").
			Because("no_report", "id", id)
	}
	return r, err
}

// ReportFile reads one of a report's files, byte for byte as it was kept: the JSON, or
// its page in a language; of a draft, or with 0 of the one that stands.
func (s *Store) ReportFile(ctx context.Context, actor identity.Actor, id string, draft int,
	page report.Lang) (r Report, body []byte, err error) {
	if r, err = s.Report(ctx, actor, id); err != nil {
		return r, nil, err
	}
	if draft != 0 && draft != r.N { // what became of the one that stands is not the other's
		if r.Draft, err = s.draftNo(ctx, actor.Org, r.Case, draft); err != nil {
			return r, nil, err
		}
		r.Status, r.Receipt, r.Place, r.FiledAt = "draft", "", "", nil
	}
	if err := s.Keeps(); err != nil {
		return r, nil, err
	}
	digest := map[report.Lang]string{"": r.JSON, report.English: r.English, report.Hindi: r.Hindi}[page]
	d, err := blob.Parse(digest)
	if err != nil {
		return r, nil, err
	}
	body, err = s.BytesOf(ctx, actor.Org, d, report.MaxBytes)
	return r, body, err
}

// draftNo is the draft of a case with a number.
func (s *Store) draftNo(ctx context.Context, org identity.Org, id casefile.CaseID, n int) (d Draft, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select `+draftColumns+` from airshed.report where case_id = $1 and n = $2`, id, n)
		d, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Draft])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return d, fault.New(fault.NotFound, "the report has no draft %d", n).WithNext("see the drafts on the page of its case").
			Because("no_draft", "n", strconv.Itoa(n))
	}
	return d, err
}

// AnalysisOf reads an analysis by its digest.
func (s *Store) AnalysisOf(ctx context.Context, org identity.Org, digest string) ([]byte, error) {
	if err := s.Keeps(); err != nil {
		return nil, err
	}
	d, err := blob.Parse(digest)
	if err != nil {
		return nil, err
	}
	return s.BytesOf(ctx, org, d, analysis.MaxBytes)
}

// A Basis is the answer that a draft rests on.
type Basis struct {
	N        int // of the answers of the episode
	Analysis string
	Data     string // that the analysis is of
	Peak     int
}

// BasisAt is an answer of an episode, the newest or an earlier one.
func (s *Store) BasisAt(ctx context.Context, org identity.Org, key surge.Key, n int) (on Basis, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		const one = `select n, analysis, data, peak_index from airshed.answer where key = $1 and n = $2`
		return tx.QueryRow(ctx, one, string(key), n).Scan(&on.N, &on.Analysis, &on.Data, &on.Peak)
	})
	return on, err
}

// Organisation is what an organisation is called.
func (s *Store) Organisation(ctx context.Context, org identity.Org) (title string, err error) {
	o, err := s.db.Organisation(ctx, org)
	return o.Title, err
}

// FiledAs is what a filing that succeeded makes of a report's files, on the page where
// strangers check them.
func FiledAs(simulated bool) string {
	if simulated {
		return log.Rehearsed
	}
	return log.Filed
}

// HandOut puts on record that a file of a report leaves, once for all the times it does,
// as what it is: filed, or a draft. Only so is it known again when somebody brings it back.
func (s *Store) HandOut(ctx context.Context, actor identity.Actor, r Report, body []byte) error {
	d := log.Departure{File: log.Drafted, Name: r.ReportID, Subject: string(r.Case), SHA256: blob.Sum(body), Size: int64(len(body))}
	if r.Status == Success {
		d.File = FiledAs(r.Mock)
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return log.NoteExportOnce(ctx, tx, actor, s.clock.Now(), d) })
}
