package page

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/web"
)

// A changesView is what the newest run changes about a report as it stands.
type changesView struct {
	casework.View
	report.Changes

	job     job.Job
	all     bool  // every number is listed
	partial error // the files of the run cannot be read
}

// fewNumbers is how many changed numbers are listed before all are asked for.
const fewNumbers = 40

func (g *Pages) changes(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	v := changesView{all: r.URL.Query().Get("all") != ""}
	if v.View, err = g.overview(r, actor); err != nil {
		return err
	}
	if v.job, err = g.store.NewestDraft(r.Context(), actor, v.ID); err != nil {
		return err
	}
	v.Changes, err = g.desk.Changes(r.Context(), actor, v.View)
	if fault.Is(err, fault.Unavailable) {
		v.partial, err = err, nil
	}
	if err != nil {
		return err
	}
	p := g.page(r)
	p.Title = p.T("rp.changes_of", "title", v.Title)
	return g.site.Render(w, r, http.StatusOK, p, changesScreen(p, v))
}

// numbers are the changed numbers that are listed, and how many are not.
func (v changesView) numbers() (shown []report.Change, left int) {
	if v.all || len(v.Numbers) <= fewNumbers {
		return v.Numbers, 0
	}
	return v.Numbers[:fewNumbers], len(v.Numbers) - fewNumbers
}

// title is what a section is called.
func (v changesView) title(id string) string { return titleOf(v.View, id) }

// titleOf is a section's title; where several have it, with that of the section above.
func titleOf(v casework.View, id string) string {
	s, err := v.Document.Find(id)
	if err != nil {
		return id
	}
	same := 0
	for _, o := range v.Document.Sections {
		if o.Title == s.Title {
			same++
		}
	}
	if above, err := v.Document.Find(s.Parent); same > 1 && s.Parent != "" && err == nil {
		return above.Title + " › " + s.Title
	}
	return s.Title
}

// A coverageView is what a report tells, and what it leaves out.
type coverageView struct {
	casework.View
	casework.Covered

	partial error // the files of the run cannot be read
}

func (g *Pages) coverage(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	v := coverageView{}
	if v.View, err = g.overview(r, actor); err != nil {
		return err
	}
	v.Covered, err = g.desk.Coverage(r.Context(), actor, v.View)
	if fault.Is(err, fault.Unavailable) {
		v.partial, err = err, nil
	}
	if err != nil {
		return err
	}
	p := g.page(r)
	p.Title = p.T("rp.coverage_of", "title", v.Title)
	return g.site.Render(w, r, http.StatusOK, p, coverageScreen(p, v))
}

// told is how many of a hundred changes the report tells.
func (v coverageView) told() string {
	if v.Coverage.Changes == 0 {
		return "–"
	}
	return web.Numeral(int64(100*v.Told/v.Coverage.Changes)) + " %"
}

// mostListed is how many charts and files the page lists of each kind.
const mostListed = 100

// listed are the first of some names, and how many are left out.
func listed[T any](all []T) (shown []T, left int) {
	shown = all[:min(len(all), mostListed)]
	return shown, len(all) - len(shown)
}
