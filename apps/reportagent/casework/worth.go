package casework

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/evaluation"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Worth is what people thought of the draftings of a report, the first first.
type Worth struct {
	Records []evaluation.Record
	People  int // scores of words that people wrote, which are no drafting's
}

// Worth evaluates the draftings of a report as the command does a reviewed file: the scores of the versions that each wrote.
func (d *Desk) Worth(ctx context.Context, actor identity.Actor, id string) (out Worth, err error) {
	w, err := d.store.WorthOf(ctx, actor, id)
	if err != nil {
		return out, err
	}
	out.People = w.People
	drafts := map[string][]store.Version{}
	for _, v := range w.Versions {
		drafts[v.Job] = append(drafts[v.Job], v)
	}
	for job, all := range drafts {
		r, err := recordOf(job, all, w)
		if err != nil {
			return out, err
		}
		out.Records = append(out.Records, r)
	}
	slices.SortFunc(out.Records, func(a, b evaluation.Record) int {
		return cmp.Or(a.Timestamp.Compare(b.Timestamp), cmp.Compare(a.RunID, b.RunID))
	})
	return out, nil
}

// recordOf is the record of one drafting.
func recordOf(job string, all []store.Version, w store.Worth) (evaluation.Record, error) {
	doc, ledger := &outline.Document{}, &report.Ledger{}
	m := report.Meta{RunID: job, Model: report.NoModel, Prompt: draft.Code, Tool: tool, Catalogue: w.Catalogue[all[0].Dataset],
		Generated: all[0].At.UTC().Truncate(time.Second)}
	for _, v := range all {
		if v.How == store.Model {
			m.Model = string(store.Model)
		}
		s := outline.Section{ID: v.Section, Title: v.Entry.Title, Level: v.Entry.Level, Prose: v.Text, Content: v.Text}
		for _, r := range w.Ratings {
			if r.Section == v.Section && r.Version == v.N {
				s.Reviews = append(s.Reviews, reviewOf(r))
			}
		}
		doc.Sections, ledger.Sections = append(doc.Sections, s), append(ledger.Sections, v.Entry)
	}
	r, err := evaluation.Evaluate(doc, m, ledger)
	r.Unrated = max(w.Drafted[job]-len(all), 0)
	return r, err
}

// reviewOf is a person's scores as a reviewed file has them.
func reviewOf(r store.Rating) outline.Review {
	scores := map[string]int{}
	for i, dim := range outline.Dimensions() {
		scores[dim] = []int{r.Accuracy, r.Completeness, r.Clarity, r.DataUse}[i]
	}
	return outline.Review{Author: r.Author, Ratings: scores, Notes: r.Words}
}
