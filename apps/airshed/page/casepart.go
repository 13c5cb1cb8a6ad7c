package page

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// CasePart is what the page of a case shows of ours: its life so far, and its report.
func (g *Pages) CasePart() console.Part {
	return console.Part{Standing: g.caseStanding, Panel: g.casePanel, Papers: g.filingPapers}
}

// A caseReport is the newest report of a case, for its page.
type caseReport struct {
	store.CaseReport

	again filing.Again
}

// draftWord is what a draft found, in the reader's language.
func draftWord(p *web.Page, d store.Draft) string {
	return p.Word("air.case.verdict.", strings.ReplaceAll(d.Verdict, " ", "_"))
}

// caseStanding is the life of a case: found, drafted, filed.
func (g *Pages) caseStanding(ctx context.Context, p *web.Page, one casefile.Case) (console.Standing, error) {
	c, err := g.Store.CaseReport(ctx, one.Org, one.ID)
	if err != nil {
		return console.Standing{}, err
	}
	stages := []console.Stage{{Name: p.T("air.case.found"), Reach: console.Reached, At: c.Opened}}
	if c.Draft != nil {
		stages = append(stages, console.Stage{Name: p.T("air.case.drafted"), Reach: console.Reached, At: c.Draft.MadeAt,
			Note: draftWord(p, *c.Draft)})
	}
	switch {
	case c.Filing != nil && c.Filing.Status == store.Success:
		stages = append(stages, console.Stage{Name: p.T("air.case.filed"), Reach: console.Reached, At: c.Filing.At, Note: c.Filing.Receipt})
	case one.State == casefile.Closed:
		at := time.Time{}
		if one.ClosedAt != nil {
			at = *one.ClosedAt
		}
		stages = append(stages, console.Stage{Name: p.Word("air.case.end.", one.Status), Reach: console.Reached, At: at})
	case c.Filing != nil:
		stages = append(stages, console.Stage{Name: p.T("air.case.kept"), Reach: console.Current, At: c.Filing.At, Note: c.Filing.Why,
			Bad: true})
	default:
		stages = append(stages, console.Stage{Name: p.T("air.case.decides"), Reach: console.Current},
			console.Stage{Name: p.T("air.case.filed")})
	}
	return console.Standing{Owner: p.T("air.case.owner"), Stages: stages}, nil
}

// filingPapers are the pages of the very draft that a proposal would file, which may not
// be the newest.
func (g *Pages) filingPapers(ctx context.Context, p *web.Page, one casefile.Case,
	proposal review.Proposal) (all []console.Paper, err error) {
	sum := filing.FilesOf(proposal)
	if sum == "" || !p.May(store.ActRead) {
		return nil, nil
	}
	d, err := g.Store.DraftOf(ctx, one.Org, one.ID, sum)
	if err != nil || d == nil {
		return nil, err
	}
	read := web.Address(reportsAt+"/"+d.ReportID, "draft", strconv.Itoa(d.N), "proposal", proposal.ID)
	all = append(all, console.Paper{Name: p.T("air.paper.read"), Path: read})
	for _, form := range []string{"en", "hi", "json"} {
		all = append(all, console.Paper{Name: p.T("air.paper." + form), Path: reportAddress(d.ReportID, form, d.N)})
	}
	return all, nil
}

// casePanel is where the report can be read, and put before officers again.
func (g *Pages) casePanel(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error) {
	var c caseReport
	var err error
	if c.CaseReport, err = g.Store.CaseReport(ctx, one.Org, one.ID); err != nil {
		return nil, err
	}
	if c.again, err = g.again(ctx, p, one); err != nil {
		return nil, err
	}
	return casePanel(p, one.Ref, c, g.paper.Available()), nil
}
