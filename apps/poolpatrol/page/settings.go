package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// settingsAt is the address of the programme's settings.
const settingsAt = homeAt + "/settings"

// A settingsView is the schedule and the set-up, as they are or as somebody sent
// them.
type settingsView struct {
	schedule store.Schedule
	times    store.Timetable // in the form
	office   store.Office    // in the form
	version  int64           // that the form of the set-up was made to
	done     string          // which form was saved: schedule or programme
	fault    error
}

func (g *Pages) settingRoutes(m *web.Mux) {
	m.Handle("GET "+casesAt, g.cases, web.Needs(programme.ActRead))
	m.Handle("GET "+settingsAt, g.settings, web.Needs(programme.ActRead))
	m.Handle("POST "+settingsAt+"/schedule", g.setSchedule, web.Needs(programme.ActSettings), web.MaxBody(maxSmallForm))
	m.Handle("POST "+settingsAt+"/programme", g.setOffice, web.Needs(programme.ActSettings), web.MaxBody(maxSmallForm))
}

// settings is the page of the programme's settings.
func (g *Pages) settings(w http.ResponseWriter, r *http.Request) error {
	v, err := g.readSettings(r)
	if err != nil {
		return err
	}
	if done := r.URL.Query().Get("done"); slices.Contains([]string{"schedule", "programme"}, done) {
		v.done = done
	}
	return g.showSettings(w, r, http.StatusOK, v)
}

func (g *Pages) readSettings(r *http.Request) (v settingsView, err error) {
	actor, err := whoAsks(r)
	if err != nil {
		return v, err
	}
	if v.schedule, err = g.store.Schedule(r.Context(), actor); err != nil {
		return v, err
	}
	v.times = v.schedule.Timetable
	v.office, err = g.store.Office(r.Context(), actor)
	v.version = v.office.Version
	return v, err
}

func (g *Pages) showSettings(w http.ResponseWriter, r *http.Request, status int, v settingsView) error {
	p := g.headed(r, "pool.settings")
	return g.site.Render(w, r, status, p, settingsScreen(p, v))
}

// setSchedule takes the form of the schedule.
func (g *Pages) setSchedule(w http.ResponseWriter, r *http.Request) error {
	return g.save(w, r, "schedule", func(v *settingsView, f url.Values, seen int64) error {
		n := numbers{form: f}
		v.times = store.Timetable{Monthly: f.Get("monthly") == "yes", Day: n.of("day"), Daily: f.Get("daily") == "yes", Hour: n.of("hour")}
		if n.err != nil {
			return n.err
		}
		actor, err := whoAsks(r)
		if err == nil {
			_, err = g.store.SetSchedule(r.Context(), actor, v.times, seen)
		}
		return err
	})
}

// setOffice takes the form of the set-up.
func (g *Pages) setOffice(w http.ResponseWriter, r *http.Request) error {
	return g.save(w, r, "programme", func(v *settingsView, f url.Values, seen int64) error {
		n := numbers{form: f}
		v.office.OfficeDraft = store.OfficeDraft{Programme: f.Get("programme"), Portal: f.Get("portal"), Contact: f.Get("contact"),
			Appeal: f.Get("appeal"),
			Zone:   strings.TrimSpace(f.Get("zone")), Minutes: n.of("minutes"), HourCost: n.of("cost"),
			Currency: strings.ToUpper(strings.TrimSpace(f.Get("currency")))}
		if n.err != nil {
			return n.err
		}
		actor, err := whoAsks(r)
		if err == nil {
			_, err = g.store.SetOffice(r.Context(), actor, v.office.OfficeDraft, seen)
		}
		return err
	})
}

// save takes one of the two forms. What the person can mend is said above the form,
// which holds what they sent.
func (g *Pages) save(w http.ResponseWriter, r *http.Request, which string, do func(v *settingsView, f url.Values, seen int64) error) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v, err := g.readSettings(r)
	if err != nil {
		return err
	}
	seen, err := strconv.ParseInt(r.PostForm.Get("version"), 10, 64)
	if err != nil || seen < 0 {
		return fault.New(fault.Invalid, "the form does not say what it was made to").WithNext("open the page again").Because("form_stale")
	}
	if err := do(&v, r.PostForm, seen); err != nil {
		if !mends(err) {
			return err
		}
		v.fault = err
		return g.showSettings(w, r, web.Status(fault.KindOf(err)), v)
	}
	http.Redirect(w, r, g.site.Page(r).Href(web.Address(settingsAt, "done", which)), http.StatusSeeOther)
	return nil
}

// numbers reads whole numbers of a form; the first that is none is the error.
type numbers struct {
	form url.Values
	err  error
}

func (n *numbers) of(name string) int {
	v, err := strconv.Atoi(strings.TrimSpace(n.form.Get(name)))
	if err != nil && n.err == nil {
		n.err = fault.New(fault.Invalid, "%s is a whole number, not %.20q", name, n.form.Get(name)).
			Because("no_number", "value", n.form.Get(name))
	}
	return v
}
