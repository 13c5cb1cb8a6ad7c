package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// A Tally is how far a report is, as a list says it.
type Tally struct {
	Report  string
	Written int // sections that have a text
	Signed  int
	Notes   int // that nobody has answered
}

// Tallies are those of some reports, by id.
func (s *Store) Tallies(ctx context.Context, actor identity.Actor, reports []string) (map[string]Tally, error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const count = `select r.id, (select count(distinct v.section) from reportagent.version v where v.report = r.id),
			(select count(*) from reportagent.signoff f where f.report = r.id and f.reopened_at is null),
			(select count(*) from reportagent.note n where n.report = r.id and n.became = 'open')
		from reportagent.report r where r.id = any ($1)`
	out := map[string]Tally{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, count, reports)
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Tally])
		for _, one := range all {
			out[one.Report] = one
		}
		return err
	})
	return out, err
}

// NewestDraft is the drafting of a report that began last; the zero Job where none did.
func (s *Store) NewestDraft(ctx context.Context, actor identity.Actor, report string) (j job.Job, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return j, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		j, err = job.Newest(ctx, tx, DraftJob, report)
		return err
	})
	return j, err
}

// A Worth is what draftings of a report were thought of: those versions that somebody scored.
type Worth struct {
	Versions  []Version
	Ratings   []Rating
	Drafted   map[string]int // by drafting: how many sections it wrote
	Catalogue map[int]string // by the number of a run of the model: its version
	People    int            // scores of words that people wrote, which are no drafting's
}

// WorthOf reads it.
func (s *Store) WorthOf(ctx context.Context, actor identity.Actor, report string) (w Worth, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return w, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := ReportIn(ctx, tx, report); err != nil {
			return err
		}
		if err := w.readScored(ctx, tx, report); err != nil {
			return err
		}
		if w.Drafted, err = byJob(ctx, tx, report); err != nil {
			return err
		}
		w.Catalogue, err = catalogues(ctx, tx, report)
		return err
	})
	return w, err
}

func (w *Worth) readScored(ctx context.Context, tx pgx.Tx, report string) (err error) {
	const scored = `select ` + versionColumns + ` from reportagent.version v where v.report = $1 and v.job <> '' and exists (select
			from reportagent.rating r where r.report = v.report and r.section = v.section and r.version = v.n)
		order by v.made_at, v.section`
	rows, _ := tx.Query(ctx, scored, report)
	if w.Versions, err = pgx.CollectRows(rows, scanVersion); err != nil {
		return err
	}
	rows, _ = tx.Query(ctx, `select `+ratingColumns+` from reportagent.rating where report = $1 order by section, version, author`, report)
	if w.Ratings, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Rating]); err != nil {
		return err
	}
	const people = `select count(*) from reportagent.rating r join reportagent.version v on v.org = r.org and v.report = r.report and
			v.section = r.section and v.n = r.version where r.report = $1 and v.job = ''`
	return tx.QueryRow(ctx, people, report).Scan(&w.People)
}

func byJob(ctx context.Context, tx pgx.Tx, report string) (map[string]int, error) {
	const count = `select job, count(distinct section) from reportagent.version where report = $1 and job <> '' group by job`
	return pairs[string, int](ctx, tx, count, report)
}

func catalogues(ctx context.Context, tx pgx.Tx, report string) (map[int]string, error) {
	return pairs[int, string](ctx, tx, `select n, catalogue from reportagent.dataset where report = $1`, report)
}

// pairs are the rows of two columns.
func pairs[K comparable, V any](ctx context.Context, tx pgx.Tx, query, report string) (map[K]V, error) {
	rows, _ := tx.Query(ctx, query, report)
	out := map[K]V{}
	var k K
	var v V
	_, err := pgx.ForEachRow(rows, []any{&k, &v}, func() error {
		out[k] = v
		return nil
	})
	return out, err
}
