package poolpatrol

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/a-h/templ"
	"github.com/jackc/pgx/v5"

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
func (a *app) vanPart() console.Part { return console.Part{Panel: a.vanPanel} }

func (a *app) vanPanel(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error) {
	v, err := a.vanOf(ctx, one)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return caseVanPanel(p, v), nil //nolint:contextcheck // templ is given one when the part is drawn
}

func (a *app) vanOf(ctx context.Context, one casefile.Case) (v caseVan, err error) {
	var life lifecycle.Case
	var verdicts []check.Verdict
	err = a.store.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error {
		var text []byte
		const stands = `select c.life, coalesce((select r.id from poolpatrol.audit_run r where (r.id = c.audit_run or r.case_id = c.id) and r.outcome = 'failed' order by r.at desc, r.id limit 1), c.audit_run)
			from poolpatrol.case c where c.id = $1`
		if err := tx.QueryRow(ctx, stands, one.ID).Scan(&text, &v.run); err != nil {
			return err
		}
		if err := json.Unmarshal(text, &life); err != nil {
			return err
		}
		verdicts, err = verdictsIn(ctx, tx, v.run)
		return err
	})
	v.van, v.subjects, v.findings = life.Vanpool, life.Subjects, life.Van
	v.fit = fitIn(verdicts, life.Subjects)
	return v, err
}

// fitIn counts the riders who were judged and about whom verdicts found nothing, and
// the case is not.
func fitIn(verdicts []check.Verdict, asked []lifecycle.Subject) int {
	seen := map[fleet.EmployeeID]bool{}
	for _, x := range asked {
		seen[x.Employee] = false
	}
	for _, v := range verdicts {
		for _, f := range v.Findings {
			seen[f.Employee] = false
		}
		for _, e := range v.Unknown { // whoever could not be judged was not found to fit
			seen[fleet.EmployeeID(e.Data.Text("employee_id"))] = false
		}
	}
	for _, v := range verdicts {
		for _, e := range slices.Concat(v.For, v.Against) {
			who := fleet.EmployeeID(e.Data.Text("employee_id"))
			if _, known := seen[who]; !known && who != "" {
				seen[who] = true
			}
		}
	}
	n := 0
	for _, fits := range seen {
		if fits {
			n++
		}
	}
	return n
}

// fitWords counts those whom the case is not about.
func (v caseVan) fitWords(p *web.Page) string {
	if v.fit == 1 {
		return p.T("pool.case.fit_one")
	}
	return p.T("pool.case.fit", "n", web.Numeral(int64(v.fit)))
}
