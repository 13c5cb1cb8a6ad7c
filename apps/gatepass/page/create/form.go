// Package create is where HR makes passes: one by a form whose answers are checked before they are sent, and many by pasting
// a list.
package create

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// Pages are the pages on which passes are made.
type Pages struct{ *frame.Frame }

// New makes them.
func New(f *frame.Frame) *Pages { return &Pages{f} }

// maxList is the most a pasted list may be, in bytes.
const maxList = 512 << 10

// Routes registers them.
func (g *Pages) Routes(m *web.Mux) {
	may := web.Needs(store.ActMake)
	m.Handle("GET "+frame.NewAt, g.blank, may)
	m.Handle("POST "+frame.NewAt, g.sent, may, web.MaxBody(frame.MaxSmallForm))
	m.Handle("GET "+frame.PasteAt, g.blankList, may)
	m.Handle("POST "+frame.PasteAt, g.sentList, may, web.MaxBody(maxList))
}

// A formItem is a line of the form for something that is taken along.
type formItem struct{ Name, Quantity, Serial, Back string }

// A form is a pass as it is typed.
type form struct {
	Key                               string // that it is sent by: a form makes one pass
	Person, Purpose, Back, Type, Site string
	Employee, Host, Plate             string
	From, Until, Due                  string
	Items                             []formItem
	errors                            map[string]string // by field, what is wrong with it
	refused                           error             // of the pass as a whole
	sites                             []store.Site
	checked                           bool // it could become a pass: its answers are shown to be checked
}

// lines are how many things the form has room for at first, and how many more are asked for at a time.
const lines = 3

// newKey is what a form is called.
func newKey() string { return "form-" + rand.Text() }

// blank is an empty form, or one filled with who had a pass before.
func (g *Pages) blank(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	f := form{Key: newKey(), Items: make([]formItem, lines)}
	if again := r.URL.Query().Get("again"); again != "" {
		ref, err := store.ParseRef(again)
		if err != nil {
			return fault.New(fault.NotFound, "there is no pass %.40q", again)
		}
		k, err := g.Store.Get(r.Context(), actor.Org, ref)
		if err != nil {
			return err
		}
		f.Person, f.Purpose, f.Type, f.Site = k.PersonName, k.Description, string(k.Type), k.SiteID
		f.Employee, f.Host, f.Plate = k.EmployeeRef, k.HostRef, k.VehiclePlate
	}
	return g.show(w, r, actor, http.StatusOK, f)
}

func (g *Pages) show(w http.ResponseWriter, r *http.Request, actor identity.Actor, status int, f form) error {
	setup, err := g.Store.Setup(r.Context(), actor.Org)
	if err != nil {
		return err
	}
	f.sites = setup.Sites
	if f.checked {
		return g.Site.Render(w, r, status, g.Page(r, "gp.check_title"), checkScreen(g.Page(r, "gp.check_title"), f))
	}
	p := g.Page(r, "gp.new_title")
	f.words(p)
	return g.Site.Render(w, r, status, p, formScreen(p, f))
}

// sent takes the form: to be checked, to be changed again, to have more lines, or to become a pass.
func (g *Pages) sent(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	f := readForm(r.PostForm)
	switch r.PostForm.Get("do") {
	case "more":
		f.Items = append(f.Items, make([]formItem, lines)...)
		return g.show(w, r, actor, http.StatusOK, f)
	case "change":
		return g.show(w, r, actor, http.StatusOK, f)
	}
	draft, err := g.draft(r, actor, &f)
	if err == nil && r.PostForm.Get("do") != "make" {
		f.checked = true
		return g.show(w, r, actor, http.StatusOK, f)
	}
	if err == nil {
		var made store.Kept
		if made, err = g.Desk.MakeOnce(r.Context(), actor, draft, f.Key); err == nil {
			http.Redirect(w, r, g.Site.Page(r).Href(web.Address(frame.PassAt(made.Number, ""), "done", "made")), http.StatusSeeOther)
			return nil
		}
	}
	if !frame.Mends(err) {
		return err
	}
	f.refused = err
	return g.show(w, r, actor, web.Status(fault.KindOf(err)), f)
}

// draft is the pass that a form asks for, or everything that is wrong with it.
func (g *Pages) draft(r *http.Request, actor identity.Actor, f *form) (pass.Draft, error) {
	setup, err := g.Store.Setup(r.Context(), actor.Org)
	if err != nil {
		return pass.Draft{}, err
	}
	site, known := setup.Site(f.Site)
	if !known {
		return pass.Draft{}, wrong(pass.FieldError{Field: "site_id", Code: "unknown"})
	}
	f.Site = site.ID
	d, bad := f.draft(site)
	bad = append(bad, d.Wrong(g.Store.Now(), site.Location())...)
	if len(bad) > 0 {
		return d, wrong(bad...)
	}
	return d, nil
}

func wrong(fields ...pass.FieldError) error {
	return &pass.Refusal{Code: pass.Validation, Event: pass.Create, Status: http.StatusUnprocessableEntity, Fields: fields}
}

// draft reads what was typed.
func (f form) draft(site store.Site) (d pass.Draft, bad []pass.FieldError) {
	d = pass.Draft{PersonName: f.Person, Description: f.Purpose, Type: pass.Type(f.Type), SiteID: site.ID, EmployeeRef: f.Employee,
		HostRef: f.Host, VehiclePlate: f.Plate}
	if f.Back != "" {
		back := f.Back == "yes"
		d.IsReturnable = &back
	}
	for _, m := range []struct {
		field, text string
		to          *time.Time
	}{{"valid_from", f.From, &d.ValidFrom}, {"valid_until", f.Until, &d.ValidUntil}, {"expected_return_at", f.Due, &d.ExpectedReturnAt}} {
		t, err := frame.ReadMoment(m.field, m.text, site.Location())
		if err != nil {
			bad = append(bad, pass.FieldError{Field: m.field, Code: "moment"})
		}
		*m.to = t
	}
	for _, one := range f.Items {
		if one.Name == "" && one.Serial == "" && one.Quantity == "" {
			continue
		}
		it := item.Item{Name: one.Name, Quantity: item.One, Serial: one.Serial, Returnable: one.Back == "yes"}
		if one.Quantity != "" {
			qty, err := item.ParseQuantity(one.Quantity)
			if err != nil {
				bad = append(bad, pass.FieldError{Field: "items", Code: "quantity"})
			}
			it.Quantity = qty
		}
		d.Items = append(d.Items, it)
	}
	return d, bad
}

// words are what is wrong, beside each field.
func (f *form) words(p *web.Page) {
	f.errors = map[string]string{}
	no, is := errors.AsType[*pass.Refusal](f.refused)
	if !is {
		return
	}
	for _, one := range no.Fields {
		if f.errors[one.Field] == "" {
			f.errors[one.Field] = p.Word("gp.bad.", one.Code)
		}
	}
}

// fields are the single fields of a form, by the names they are sent under.
func (f *form) fields() map[string]*string {
	return map[string]*string{"form": &f.Key, "person_name": &f.Person, "description": &f.Purpose, "is_returnable": &f.Back,
		"type":    &f.Type,
		"site_id": &f.Site, "employee_ref": &f.Employee, "host_ref": &f.Host, "vehicle_plate": &f.Plate, "valid_from": &f.From,
		"valid_until": &f.Until, "expected_return_at": &f.Due}
}

// itemFields are the fields of a line.
func (one *formItem) fields() map[string]*string {
	return map[string]*string{"item_name": &one.Name, "item_quantity": &one.Quantity, "item_serial": &one.Serial, "item_back": &one.Back}
}

func itemField(name string, line int) string { return name + "." + strconv.Itoa(line) }

func readForm(q url.Values) (f form) {
	for name, to := range f.fields() {
		*to = strings.TrimSpace(q.Get(name))
	}
	if f.Key == "" || len(f.Key) > 60 {
		f.Key = newKey()
	}
	for line := 0; line < item.Most && q.Has(itemField("item_name", line)); line++ {
		var one formItem
		for name, to := range one.fields() {
			*to = strings.TrimSpace(q.Get(itemField(name, line)))
		}
		f.Items = append(f.Items, one)
	}
	if len(f.Items) == 0 {
		f.Items = make([]formItem, lines)
	}
	return f
}

// A hidden is a field that a page carries along.
type hidden struct{ Name, Value string }

// carried is the whole form, for the page on which its answers are checked.
func (f *form) carried() (all []hidden) {
	for name, value := range f.fields() {
		all = append(all, hidden{name, *value})
	}
	for line := range f.Items {
		for name, value := range f.Items[line].fields() {
			all = append(all, hidden{itemField(name, line), *value})
		}
	}
	slices.SortFunc(all, func(a, b hidden) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// taken is what is taken along, as it was typed.
func (f form) taken() []item.Item {
	d, _ := f.draft(store.Site{})
	return d.Items
}

func (f form) site() store.Site {
	s, _ := store.Setup{Sites: f.sites}.Site(f.Site)
	return s
}
