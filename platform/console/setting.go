package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/fault"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	settings "github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const settingsPath = "/settings"

// settingRoutes registers the pages of what the organisation sets for its applications.
func (c *Console) settingRoutes(m *web.Mux) {
	const one = settingsPath + "/{app}/{name}"
	m.Handle("GET "+settingsPath, c.settings, web.Needs("setting.read"))
	m.Handle("GET "+settingsPath+"/{app}", c.settings, web.Needs("setting.read"))
	m.Handle("GET "+one, c.settingPage, web.Needs("setting.read"))
	m.Handle("GET "+one+"/diff", c.settingDiff, web.Needs("setting.read"))
	m.Handle("POST "+one, c.settingChange, web.Needs("setting.change"), web.MaxBody(maxForm))
	m.Handle("POST "+one+"/remove", c.settingRemove, web.Needs("setting.change"), web.MaxBody(maxForm))
}

// settingAddress is the page of a setting, or what lies under it.
func settingAddress(k settings.Kind, under, item string, more ...string) string {
	return web.Address(settingsPath+"/"+k.App+"/"+k.Name+under, append([]string{"item", item}, more...)...)
}

// settingTitle is what people call a setting: the application's words, or its title.
func settingTitle(p *web.Page, k settings.Kind) string {
	if text, given := spoken(p, "setting."+k.App+"."+k.Name); given {
		return text
	}
	return upperFirst(k.Title)
}

// A settingsView is all settings that the reader may see, of one application or of all.
type settingsView struct {
	app   string
	kinds []settingRow
	names map[string]string
}

type settingRow struct {
	settings.Kind
	held []settings.Held
}

func (c *Console) settingDesk(r *http.Request) (identity.Actor, *amend.Desk, error) {
	actor, err := signin.Require(r.Context())
	if err == nil && c.Setup.Settings == nil {
		err = fault.New(fault.Unavailable, "there are no settings on this server").Because("not_set_up")
	}
	return actor, c.Setup.Settings, err
}

// settings is the page of all settings.
func (c *Console) settings(w http.ResponseWriter, r *http.Request) error {
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return err
	}
	v := settingsView{app: r.PathValue("app"), names: map[string]string{}}
	for _, k := range desk.Readable(actor, v.app) {
		held, err := desk.All(r.Context(), actor, k)
		if err != nil {
			return err
		}
		for _, h := range held {
			v.names[h.ChangedBy] = c.nameOf(r.Context(), actor.Org, h.ChangedBy)
		}
		v.kinds = append(v.kinds, settingRow{k, held})
	}
	if v.app != "" && len(v.kinds) == 0 {
		return fault.New(fault.NotFound, "no application with settings is called %.40q", v.app).Because("nothing_called", "id", v.app)
	}
	p := c.adminPage(r, "setting.title")
	return c.site.Render(w, r, http.StatusOK, p, settingsBody(p, v))
}

// A settingView is one setting: as it is, as somebody changes it, and as it was.
type settingView struct {
	settings.Kind
	item    string
	held    settings.Held   // what is in force
	fresh   bool            // there is none of that name yet
	form    *forms.Form     // nil for who may not change it
	base    json.RawMessage // that the form was drawn from
	seen    int64           // the version that a change is made to
	edited  json.RawMessage // set: the check step
	preview settings.Preview
	fault   error
	done    string
	asked   string // the proposal that was made
	history []settings.Held
	next    string
	names   map[string]string
}

// tool is whose words the fields have.
func (v settingView) tool() string { return amend.ToolName(v.Kind) }

func (v settingView) at(under string, more ...string) string {
	return settingAddress(v.Kind, under, v.item, more...)
}

// before is the version before one of the history; 0 before the first that is kept.
func (v settingView) before(i int) int64 {
	if i+1 == len(v.history) && v.next == "" {
		return 0
	}
	return v.history[i].Version - 1
}

// settingPage is the page of one setting.
func (c *Console) settingPage(w http.ResponseWriter, r *http.Request) error {
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return err
	}
	k, err := desk.Find(actor, r.PathValue("app"), r.PathValue("name"))
	if err != nil {
		return err
	}
	item := r.URL.Query().Get("item")
	if k.Many > 0 && item == "" {
		http.Redirect(w, r, c.site.Page(r).Href(settingsPath+"/"+k.App), http.StatusSeeOther)
		return nil
	}
	v, err := c.readSetting(r, k, item)
	if err != nil {
		return err
	}
	if done := r.URL.Query().Get("done"); done == "set" || done == "removed" {
		v.done = done
	}
	if asked := r.URL.Query().Get("asked"); proposalForm.MatchString(asked) {
		v.asked = asked
	}
	return c.showSetting(w, r, http.StatusOK, v)
}

// readSetting reads a setting and a part of its history, with its form for who may change it.
func (c *Console) readSetting(r *http.Request, k settings.Kind, item string) (v settingView, err error) {
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return v, err
	}
	v = settingView{Kind: k, item: item, names: map[string]string{}}
	if v.held, err = desk.Current(r.Context(), actor, k, item); fault.Is(err, fault.NotFound) && desk.MayChange(actor, k) {
		v.fresh, v.held.Value, err = true, json.RawMessage(`{}`), nil
	}
	if err != nil {
		return v, err
	}
	if v.history, v.next, err = desk.Versions(r.Context(), actor, k, item, r.URL.Query().Get("before"), versionsPerPage); err != nil {
		return v, err
	}
	if v.fresh && len(v.history) > 0 { // one that was removed
		v.held.Version = v.history[0].Version
	}
	for _, h := range v.history {
		v.names[h.ChangedBy] = c.nameOf(r.Context(), actor.Org, h.ChangedBy)
	}
	v.base, v.seen = v.held.Value, v.held.Version
	v.form, err = forms.New(k.Schema(), v.base)
	return v, err
}

// versionsPerPage is how many versions stand on a page.
const versionsPerPage = 20

func (c *Console) showSetting(w http.ResponseWriter, r *http.Request, status int, v settingView) error {
	p := c.adminPage(r, "setting.title")
	p.Title = settingTitle(p, v.Kind)
	if v.item != "" {
		p.Title += ": " + v.item
	}
	if v.edited != nil {
		return c.site.Render(w, r, status, p, settingCheckBody(p, v))
	}
	return c.site.Render(w, r, status, p, settingBody(p, v))
}

// settingDiff is the page of what changed between two versions.
func (c *Console) settingDiff(w http.ResponseWriter, r *http.Request) error {
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return err
	}
	k, err := desk.Find(actor, r.PathValue("app"), r.PathValue("name"))
	if err != nil {
		return err
	}
	v := settingDiffView{Kind: k, item: r.URL.Query().Get("item")}
	if v.from, v.to, err = versionsOf(r.URL.Query()); err != nil {
		return err
	}
	if v.diff, err = desk.Between(r.Context(), actor, k, v.item, v.from, v.to); err != nil {
		return err
	}
	p := c.adminPage(r, "setting.title")
	p.Title = p.T("setting.between", "what", settingTitle(p, k), "from", strconv.FormatInt(v.from, 10), "to", strconv.FormatInt(v.to, 10))
	return c.site.Render(w, r, http.StatusOK, p, settingDiffBody(p, v))
}

// A settingDiffView is what changed between two versions.
type settingDiffView struct {
	settings.Kind
	item     string
	from, to int64
	diff     forms.Difference
}

func versionsOf(q url.Values) (from, to int64, err error) {
	for name, v := range map[string]*int64{"from": &from, "to": &to} {
		if q.Get(name) == "" {
			continue // the default, and what is in force
		}
		if *v, err = strconv.ParseInt(q.Get(name), 10, 64); err != nil || *v < 0 {
			return 0, 0, fault.New(fault.Invalid, "%s is the number of a version", name).Because("no_number", "value", q.Get(name))
		}
	}
	return from, to, nil
}
