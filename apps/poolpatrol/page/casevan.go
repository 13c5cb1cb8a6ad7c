package page

import (
	"context"
	"encoding/json"
	"regexp"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
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
func (g *Pages) vanPart() console.Part {
	return console.Part{Panel: g.vanPanel, Picks: g.ridersOf, About: aboutRider, Records: recordsOf}
}

// recordsOf is the page of whom a piece of evidence is about, for who may read the records.
func recordsOf(p *web.Page, piece evidence.Piece) string {
	who := subjectForm.FindString(piece.Title)
	if who == "" || !p.May(programme.ActRead) {
		return ""
	}
	return whoAddress(who)
}

// subjectForm is how the title of evidence begins.
var subjectForm = regexp.MustCompile(`^(EMP|VP)-[0-9]{3,12}\b`)

// riderForm is how the title of evidence about somebody begins.
var riderForm = regexp.MustCompile(`^EMP-[0-9]{4,12}\b`)

// aboutRider reports whether a piece of evidence is about the rider whom a proposal names,
// or about the van. One that names nobody is about everybody on the case.
func aboutRider(one review.Proposal, piece evidence.Piece) bool {
	var args struct {
		Employee string `json:"employee_id"`
	}
	if json.Unmarshal(one.Args, &args) != nil || args.Employee == "" {
		return true
	}
	who := riderForm.FindString(piece.Title)
	return who == "" || who == args.Employee
}

// ridersOf are the riders that a case still turns on, to be picked by name.
func (g *Pages) ridersOf(ctx context.Context, one casefile.Case, _ review.Proposal) (map[string][]form.Option, error) {
	found, there, err := g.store.CaseVan(ctx, one)
	if err != nil || !there {
		return nil, err
	}
	var ids []fleet.EmployeeID
	for _, x := range found.Life.Subjects {
		if x.Open() {
			ids = append(ids, x.Employee)
		}
	}
	names, err := g.store.NamesOf(ctx, one.Org, ids)
	if err != nil {
		return nil, err
	}
	options := []form.Option{}
	for _, id := range ids {
		label := string(id)
		if name := names[id]; name != "" {
			label = name + " (" + label + ")"
		}
		options = append(options, form.Option{Value: string(id), Label: label})
	}
	return map[string][]form.Option{"employee_id": options}, nil
}

func (g *Pages) vanPanel(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error) {
	found, there, err := g.store.CaseVan(ctx, one)
	if err != nil || !there {
		return nil, err
	}
	life := found.Life
	v := caseVan{van: life.Vanpool, subjects: life.Subjects, findings: life.Van, fit: lifecycle.Fit(found.Verdicts, life.Subjects),
		run: found.Run}
	return caseVanPanel(p, v), nil
}

// fitWords counts those whom the case is not about.
func (v caseVan) fitWords(p *web.Page) string {
	if v.fit == 1 {
		return p.T("pool.case.fit_one")
	}
	return p.T("pool.case.fit", "n", web.Numeral(int64(v.fit)))
}
