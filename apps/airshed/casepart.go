package airshed

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// reportPart is what the page of a case shows of ours: its life so far, and its report.
func (a *app) reportPart() console.Part {
	return console.Part{Standing: a.caseStanding, Panel: a.casePanel, Papers: a.filingPapers}
}

// A caseReport is the newest report of a case, for its page.
type caseReport struct {
	key    surge.Key
	opened time.Time
	draft  *Draft // nil: none was made yet
	filing *Filing
	again  againView
}

// word is what the draft found, in the reader's language.
func (d Draft) word(p *web.Page) string {
	return p.Word("air.case.verdict.", strings.ReplaceAll(d.Verdict, " ", "_"))
}

func (a *app) caseReport(ctx context.Context, one casefile.Case) (c caseReport, err error) {
	err = a.store.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `select key, opened_at from airshed.case where id = $1`, one.ID).Scan(&c.key, &c.opened); err != nil {
			return err
		}
		if c.draft, err = newestDraft(ctx, tx, one.ID); err != nil {
			return err
		}
		c.filing, err = newestFiling(ctx, tx, one.ID)
		return err
	})
	return c, err
}

// caseStanding is the life of a case: found, drafted, filed.
func (a *app) caseStanding(ctx context.Context, p *web.Page, one casefile.Case) (console.Standing, error) {
	c, err := a.caseReport(ctx, one)
	if err != nil {
		return console.Standing{}, err
	}
	stages := []console.Stage{{Name: p.T("air.case.found"), Reach: console.Reached, At: c.opened}}
	if c.draft != nil {
		stages = append(stages, console.Stage{Name: p.T("air.case.drafted"), Reach: console.Reached, At: c.draft.MadeAt, Note: c.draft.word(p)})
	}
	switch {
	case c.filing != nil && c.filing.Status == success:
		stages = append(stages, console.Stage{Name: p.T("air.case.filed"), Reach: console.Reached, At: c.filing.At, Note: c.filing.Receipt})
	case one.State == casefile.Closed:
		at := time.Time{}
		if one.ClosedAt != nil {
			at = *one.ClosedAt
		}
		stages = append(stages, console.Stage{Name: p.Word("air.case.end.", one.Status), Reach: console.Reached, At: at})
	case c.filing != nil:
		stages = append(stages, console.Stage{Name: p.T("air.case.kept"), Reach: console.Current, At: c.filing.At, Note: c.filing.Why, Bad: true})
	default:
		stages = append(stages, console.Stage{Name: p.T("air.case.decides"), Reach: console.Current}, console.Stage{Name: p.T("air.case.filed")})
	}
	return console.Standing{Owner: p.T("air.case.owner"), Stages: stages}, nil
}

// filingPapers are the pages of the very draft that a proposal would file, which may not
// be the newest.
func (a *app) filingPapers(ctx context.Context, p *web.Page, one casefile.Case, proposal review.Proposal) (all []console.Paper, err error) {
	var in sendArgs
	if proposal.Tool != toolSend || !p.May(actRead) || json.Unmarshal(proposal.Args, &in) != nil {
		return nil, nil
	}
	var d *Draft
	err = a.store.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error {
		d, err = draftBy(ctx, tx, one.ID, string(in.Report.SHA256))
		return err
	})
	if err != nil || d == nil {
		return nil, err
	}
	for _, form := range []string{"en", "hi", "json"} {
		all = append(all, console.Paper{Name: p.T("air.paper." + form), Path: reportAddress(d.ReportID, form, d.N)})
	}
	return all, nil
}

// casePanel is where the report can be read, and put before officers again.
func (a *app) casePanel(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error) {
	c, err := a.caseReport(ctx, one)
	if err != nil {
		return nil, err
	}
	if c.again, err = a.again(ctx, p, one); err != nil {
		return nil, err
	}
	return casePanel(p, one.Ref, c, a.paper.Available()), nil //nolint:contextcheck // templ is given one when the part is drawn
}
