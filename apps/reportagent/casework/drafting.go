package casework

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// Steps are the activities of reports.
type Steps struct{ desk *Desk }

// PlanDraft says which sections are drafted: level by level, those without others below them first.
func (s *Steps) PlanDraft(ctx context.Context, in store.DraftInput) (levels [][]string, err error) {
	d := s.desk
	st, err := d.store.StandingOf(ctx, in.Org, in.Report, store.NoFacts)
	if err != nil {
		return nil, err
	}
	if err := s.keepFirst(ctx, in, st.Data); err != nil {
		return nil, err
	}
	doc, err := outline.Parse([]byte(st.Outline))
	if err != nil {
		return nil, err
	}
	if in.Section != "" {
		one, err := doc.Find(in.Section)
		if err != nil {
			return nil, err
		}
		levels = [][]string{{one.ID}}
	} else {
		levels = byHeight(doc)
	}
	err = d.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		goOn, err := d.store.Work(ctx, tx, in, job.Progress{Total: count(levels), Doing: store.DoingPlan})
		if !goOn {
			levels = nil
		}
		return err
	})
	return levels, err
}

// keepFirst keeps the tables of the run that counts, and says so while it does.
func (s *Steps) keepFirst(ctx context.Context, in store.DraftInput, data store.Dataset) error {
	d := s.desk
	if data.Kept {
		return nil
	}
	goOn := false
	err := d.store.In(ctx, in.Org, func(tx pgx.Tx) (err error) {
		goOn, err = d.store.Work(ctx, tx, in, job.Progress{Doing: store.DoingKeep})
		return err
	})
	if err != nil || !goOn {
		return err
	}
	return d.keepTables(ctx, in.Org, in.Report, data)
}

func count(levels [][]string) (n int) {
	for _, l := range levels {
		n += len(l)
	}
	return n
}

// byHeight are the sections of an outline by how much stands below them, each level in the order of the outline.
func byHeight(doc *outline.Document) [][]string {
	height := map[string]int{}
	most := 0
	for i := len(doc.Sections) - 1; i >= 0; i-- { // what stands below a section comes after it
		s := doc.Sections[i]
		if s.Parent != "" {
			height[s.Parent] = max(height[s.Parent], height[s.ID]+1)
		}
		most = max(most, height[s.ID])
	}
	levels := make([][]string, most+1)
	for _, s := range doc.Sections {
		levels[height[s.ID]] = append(levels[height[s.ID]], s.ID)
	}
	return levels
}

// mostTries is how often a section is written anew because somebody changed it meanwhile.
const mostTries = 5

// DraftSection writes one section by templates, unless it holds a person's words, or was written in this drafting before.
func (s *Steps) DraftSection(ctx context.Context, in store.DraftInput, section string) error {
	for try := 1; ; try++ {
		err := s.desk.draftOne(ctx, in, section)
		if !fault.Is(err, fault.Stale) || try == mostTries {
			return err
		}
	}
}

func (d *Desk) draftOne(ctx context.Context, in store.DraftInput, section string) error {
	st, err := d.store.StandingOf(ctx, in.Org, in.Report, store.FactsOf(section))
	if err != nil {
		return err
	}
	if st.Drafted[section].Job == in.Job {
		return nil
	}
	if err := d.keepTables(ctx, in.Org, in.Report, st.Data); err != nil { // of a run that was given since the drafting began
		return err
	}
	e, text, err := d.generate(ctx, in, st, section)
	if err != nil {
		return err
	}
	if _, signed := st.Signed[section]; signed && e.Status == report.Written {
		e.Status, e.Why, e.Dropped = report.Kept, "it is signed", 0
	}
	return d.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		if _, err := store.LockReport(ctx, tx, in.Report); err != nil {
			return err
		}
		done, err := store.OutcomesOfJob(ctx, tx, in.Job)
		if err != nil {
			return err
		}
		if _, before := done[section]; before {
			return nil
		}
		j, err := job.Find(ctx, tx, store.DraftJob, in.Job)
		if err != nil {
			return err
		}
		goOn, err := d.store.Work(ctx, tx, in, job.Progress{Done: len(done) + 1, Total: j.Total, Doing: store.DoingText})
		if err != nil || !goOn {
			return err
		}
		now := d.store.Now()
		if e.Status == report.Written {
			v := store.Version{Section: section, How: store.Templates, Job: in.Job, Dataset: st.Data.N, Hash: e.Hash, Text: text,
				Entry: e, At: now}
			if _, err := store.AddVersion(ctx, tx, identity.Gavel(in.Org), in.Report, v, st.Newest[section].N); err != nil {
				return err
			}
		}
		return store.AddOutcome(ctx, tx, in.Org, in.Report, store.Outcome{Job: in.Job, Section: section, Status: e.Status, Why: e.Why,
			Dropped: e.Dropped, At: now})
	})
}

// generate writes a section out of what the report holds now. Whose words it holds is the rules' to tell.
func (d *Desk) generate(ctx context.Context, in store.DraftInput, st store.Standing, section string) (e report.Entry, text string,
	err error) {
	cat, err := d.library.open(ctx, in.Org, st.Data.Pack)
	if err != nil {
		return e, "", err
	}
	doc, ledger, err := report.Assemble([]byte(st.Outline), metaOf(st), held(st.Newest))
	if err != nil {
		return e, "", err
	}
	plan, err := d.plan(in.Org, st, doc, cat)
	if err != nil {
		return e, "", err
	}
	made, err := report.Generate(report.Request{Outline: []byte(st.Outline), Catalogue: cat, Plan: plan,
		Meta:   meta(in.Job, report.NoModel, draft.Code, time.Unix(0, 0)),
		Before: &report.Before{Document: doc.Render(), Ledger: ledger}, OnlyChanged: in.OnlyChanged, Section: section})
	if err != nil {
		return e, "", err
	}
	e = *made.Ledger.Find(section)
	after, err := outline.Parse(made.Document)
	if err != nil {
		return e, "", err
	}
	now, err := after.Find(section)
	return e, now.Prose, err
}

// GiveUpDraft ends a drafting in which a step has failed for good.
func (s *Steps) GiveUpDraft(ctx context.Context, in store.DraftInput, why string) error {
	return s.end(ctx, in, job.Refused, why)
}

func (s *Steps) end(ctx context.Context, in store.DraftInput, state job.State, why string) error {
	d := s.desk
	return d.store.In(ctx, in.Org, func(tx pgx.Tx) error { return d.store.EndDraft(ctx, tx, in, state, why) })
}
