package page

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/web"
)

// perPage is how many reports the list has on a page.
const perPage = 50

// A listView is a page of reports, the newest first.
type listView struct {
	rows  []listRow
	after string
	next  string
	fault error // why a report was not brought in
	title string
}

// A listRow is one report of the list.
type listRow struct {
	store.Report
	store.Tally

	sections int
}

func (g *Pages) list(w http.ResponseWriter, r *http.Request) error {
	return g.showList(w, r, http.StatusOK, listView{})
}

func (g *Pages) showList(w http.ResponseWriter, r *http.Request, status int, v listView) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	v.after = r.URL.Query().Get("after")
	all, next, err := list.Part(v.after, perPage, store.Report.ListedAt, func(from list.Cursor, most int) ([]store.Report, error) {
		return g.store.Reports(r.Context(), actor, from, most)
	})
	if err != nil {
		return err
	}
	v.next = next
	tallies, err := g.store.Tallies(r.Context(), actor, list.Each(all, func(one store.Report) string { return one.ID }))
	if err != nil {
		return err
	}
	for _, one := range all {
		row := listRow{Report: one, Tally: tallies[one.ID]}
		if doc, err := outline.Parse([]byte(one.Outline)); err == nil { // it was parsed when it was brought in
			row.sections = len(doc.Sections)
		}
		v.rows = append(v.rows, row)
	}
	p := g.page(r)
	p.Title = p.T("app.reportagent")
	return g.site.Render(w, r, status, p, listScreen(p, v))
}

// bring takes an outline and the run it is written from, and leads to the report.
func (g *Pages) bring(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	ctx, done := web.Patient(w, r, maxSending)
	defer done()
	made, err := g.brought(r, func(b casework.Brought) (store.Report, error) { return g.desk.Bring(ctx, actor, b) })
	if err != nil {
		if !mends(err) {
			return err
		}
		return g.showList(w, r, web.Status(fault.KindOf(err)), listView{fault: err, title: r.FormValue("title")})
	}
	http.Redirect(w, r, g.site.Page(r).Href(reportAt(made.ID, "")), http.StatusSeeOther)
	return nil
}

// brought reads the form of a report and does something with it.
func (g *Pages) brought(r *http.Request, do func(casework.Brought) (store.Report, error)) (made store.Report, err error) {
	text, _, err := fileIn(r, "outline", outline.MaxBytes)
	if err != nil {
		return made, err
	}
	run, err := runIn(r)
	if err != nil {
		return made, err
	}
	return do(casework.Brought{Title: r.FormValue("title"), Outline: text, Run: run})
}

// runIn reads the files of a run out of a form: a zip, or the name of a folder of the server.
func runIn(r *http.Request) (run casework.Run, err error) {
	run = casework.Run{Name: r.FormValue("name"), Folder: r.FormValue("folder")}
	if run.Folder == "" {
		run.Zip, run.Name, err = fileIn(r, "zip", maxRun)
	}
	return run, err
}

// fileIn reads a file of a form, and what it is called.
func fileIn(r *http.Request, field string, most int64) (body []byte, name string, err error) {
	f, head, err := r.FormFile(field)
	if err != nil {
		return nil, "", fault.From(fault.Invalid, err, "there is no file %s in the form", field).
			WithNext("choose the file and send the form again").Because("report_no_file")
	}
	defer f.Close()
	body, err = io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, "", fault.From(fault.Invalid, err, "the file could not be read").WithNext("send it again").Because("report_no_file")
	}
	if int64(len(body)) > most {
		return nil, "", fault.New(fault.TooLarge, "the file has more than %d MB", most>>20).WithNext("use a folder of the server").
			Because("report_file_large")
	}
	return body, store.Cut(head.Filename, 200), nil
}

// parts are the pages of a report that newest leads to, besides its sections.
var parts = []string{partChanges, partContradictions, partCoverage, partWorth}

// newest leads to the report that was brought in last, or to a part of it; to the list where there is none.
func (g *Pages) newest(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	to := HomeAt
	all, err := g.store.Reports(r.Context(), actor, list.Cursor{}, 1)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		to = reportAt(all[0].ID, "")
		part := r.URL.Query().Get("part")
		if id, is := strings.CutPrefix(part, "sections/"); is && web.Plain(id) == nil {
			to = sectionAt(all[0].ID, id, "")
		} else if part = "/" + part; slices.Contains(parts, part) {
			to = reportAt(all[0].ID, part)
		}
	}
	http.Redirect(w, r, g.site.Page(r).Href(to), http.StatusSeeOther)
	return nil
}
