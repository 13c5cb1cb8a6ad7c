package page

import (
	"context"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/web"
)

// A caseVan is whom a case is about among the riders of its van. Whoever fits is
// counted, and shown on the pages of the van and of the audit.
type caseVan struct {
	van      fleet.VanpoolID
	subjects []lifecycle.Subject
	findings []check.Finding // on the van itself
	fit      int             // riders with whom the audit found nothing
	run      string          // the newest audit that found anything
}

// vanPart shows who works a case whom it is about, and how many it is not about.
func (g *Pages) vanPart() console.Part { return console.Part{Panel: g.vanPanel} }

func (g *Pages) vanPanel(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error) {
	found, there, err := g.store.CaseVan(ctx, one)
	if err != nil || !there {
		return nil, err
	}
	life := found.Life
	v := caseVan{van: life.Vanpool, subjects: life.Subjects, findings: life.Van, fit: lifecycle.Fit(found.Verdicts, life.Subjects), run: found.Run}
	return caseVanPanel(p, v), nil
}

// fitWords counts those whom the case is not about.
func (v caseVan) fitWords(p *web.Page) string {
	if v.fit == 1 {
		return p.T("pool.case.fit_one")
	}
	return p.T("pool.case.fit", "n", web.Numeral(int64(v.fit)))
}
