// Package mind is the agent that words sections, and the life of a report's case, in which it works: sections below others first,
// those above them from what they say.
//
// Read agent.go and tools.go: what it is told, and what it may ask. write.go takes its drafts: code judges every sentence, tells it
// what does not hold three times, and then drops what still does not. workflow.go and steps.go set it to work.
package mind

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// A Mind has sections worded. It is made before anything it stands on is there.
type Mind struct {
	store *store.Store
	desk  *casework.Desk
}

// New makes a mind.
func New(s *store.Store, d *casework.Desk) *Mind { return &Mind{store: s, desk: d} }

// Steps are its activities.
func (m *Mind) Steps() *Steps { return &Steps{m} }

// A ground is what a section is worded from, as it was fixed when that began.
type ground struct {
	wording store.Wording
	report  store.Report
	data    store.Dataset
	doc     *outline.Document // the outline, without drafts
	section outline.Section
	cat     *catalogue.Catalogue
	asked   []wording.Formula
	bench   *wording.Bench

	questions []wording.Asked
}

// ground reads what a call is about: its task names the section.
func (m *Mind) ground(ctx context.Context, tx pgx.Tx, e tool.Env) (*ground, error) {
	top, _, _ := strings.Cut(e.Task, "/")
	return m.groundOf(ctx, tx, e.Org, casefile.CaseID(e.Case), top)
}

func (m *Mind) groundOf(ctx context.Context, tx pgx.Tx, org identity.Org, file casefile.CaseID, task string) (g *ground, err error) {
	g = &ground{}
	if g.wording, err = store.WordingBy(ctx, tx, task); err != nil {
		return nil, err
	}
	if g.report, err = store.ReportOfCase(ctx, tx, file); err != nil {
		return nil, err
	}
	if g.report.ID != g.wording.Report || g.wording.Basis == nil {
		return nil, fault.New(fault.Conflict, "task %.80q is not at work in report %s", task, g.report.ID)
	}
	if g.data, err = store.DatasetN(ctx, tx, g.report.ID, g.wording.Dataset); err != nil {
		return nil, err
	}
	if g.doc, err = outline.Parse([]byte(g.report.Outline)); err != nil {
		return nil, err
	}
	if g.section, err = g.doc.Find(g.wording.Section); err != nil {
		return nil, err
	}
	if g.asked, err = store.Formulas(ctx, tx, task); err != nil {
		return nil, err
	}
	if g.questions, err = store.Questions(ctx, tx, task); err != nil {
		return nil, err
	}
	var below []wording.Child
	for _, id := range g.wording.Below {
		if n := g.wording.Basis[id]; n > 0 {
			v, err := store.VersionN(ctx, tx, g.report.ID, id, n)
			if err != nil {
				return nil, err
			}
			below = append(below, wording.Child{Title: v.Entry.Title, Entry: v.Entry})
		}
	}
	if g.cat, err = m.desk.Catalogue(ctx, org, g.data.Pack); err != nil {
		return nil, err
	}
	g.bench, err = wording.Lay(g.cat, g.section.ID, g.wording.Charts, below, g.asked, g.questions...)
	return g, err
}
