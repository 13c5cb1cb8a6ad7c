package casework

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/job"
)

// mostCharts is how many charts a section is worded from.
const mostCharts = 12

// ConcludeDraft ends a drafting; or, where there is a model, hands the sections that it wrote to the writer, who works in the case of
// the report and ends the drafting with the last of them.
func (s *Steps) ConcludeDraft(ctx context.Context, in store.DraftInput) error {
	d := s.desk
	if !d.Thinks() {
		return s.end(ctx, in, job.Done, "")
	}
	st, err := d.store.StandingOf(ctx, in.Org, in.Report, store.NoFacts)
	if err != nil {
		return err
	}
	if err := d.keepTables(ctx, in.Org, in.Report, st.Data); err != nil {
		return err
	}
	all, err := d.wordings(ctx, in, st)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return s.end(ctx, in, job.Done, "")
	}
	return d.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		if _, err := store.LockReport(ctx, tx, in.Report); err != nil {
			return err
		}
		for _, w := range all {
			if err := store.AddWording(ctx, tx, in.Org, w); err != nil {
				return err
			}
		}
		done, err := store.OutcomesOfJob(ctx, tx, in.Job)
		if err != nil {
			return err
		}
		goOn, err := d.store.Work(ctx, tx, in, job.Progress{Done: len(done), Total: len(done) + len(all), Doing: store.DoingWords})
		if err != nil || !goOn {
			return err
		}
		return d.store.Rouse(ctx, tx, st.Case)
	})
}

// wordings are the sections that a drafting wrote by templates, with what they are worded from.
func (d *Desk) wordings(ctx context.Context, in store.DraftInput, st store.Standing) (all []store.Wording, err error) {
	cat, err := d.library.open(ctx, in.Org, st.Data.Pack)
	if err != nil {
		return nil, err
	}
	doc, err := outline.Parse([]byte(st.Outline))
	if err != nil {
		return nil, err
	}
	plan, err := d.plan(in.Org, st, doc, cat)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Concat(byHeight(doc)...) {
		if o := st.Drafted[id]; o.Job != in.Job || o.Status != report.Written {
			continue
		}
		i := slices.IndexFunc(plan.Sections, func(a mapping.Assignment) bool { return a.Section == id })
		w := store.Wording{Task: fmt.Sprintf("word-%s-%d", in.Job, i), Report: in.Report, Section: id, Job: in.Job, Place: len(all),
			Charts: []string{}, Below: []string{}, Dataset: st.Data.N}
		for _, p := range plan.Sections[i].Charts {
			if ch, err := cat.Find(p.Chart); err == nil && ch.Citable() && p.Why != mapping.Inherited && len(w.Charts) < mostCharts {
				w.Charts = append(w.Charts, ch.Key)
			}
		}
		for _, c := range doc.Children(id) {
			w.Below = append(w.Below, c.ID)
		}
		all = append(all, w)
	}
	return all, nil
}
