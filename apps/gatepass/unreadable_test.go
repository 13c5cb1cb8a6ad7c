package gatepass_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// A part of the record, as a table of its own.
const (
	passTable = "gatepass.pass"
	things    = "gatepass.item"
	events    = "gatepass.event"
	pictures  = "gatepass.photo"
	watched   = "gatepass.watch"
	talks     = "gatepass.talk"
	records   = "gavel.record"
	settings  = "gavel.setting"
)

// without has one part of the record not be there while something is done.
func (r *rig) without(t *testing.T, table string, do func()) {
	t.Helper()
	_, name, _ := strings.Cut(table, ".")
	r.Set(t, `alter table `+table+` rename to "`+name+`_away"`)
	do()
	r.Set(t, `alter table `+table+`_away rename to "`+name+`"`)
}

// TestWhatCannotBeReadIsNotShownAsNone promises that where a part of the record cannot be read, no page is shown as if there were nothing:
// who is on a site, whom somebody must look at and what waits are not "nobody" and "nothing" then. What was asked for is not half done, and
// no file leaves.
func TestWhatCannotBeReadIsNotShownAsNone(t *testing.T) {
	r := newRig(t, durable.Clock{})
	all := r.lived(t)
	r.Post(t, identity.PassAdmin, "/gatepass/watchlist", url.Values{"name": {"Mohammed Ali"}, "level": {"ask"}, "reason": {"A laptop."}})
	watch := r.Texts(t, `select id from gatepass.watch`)[0]
	photo := r.Texts(t, `select id from gatepass.photo limit 1`)[0]
	const at = "/gatepass/passes/"
	out, waits, ready := at+all[pass.LaneOut], at+all[pass.LaneWaiting], at+all[pass.LaneReady]
	days := url.Values{"from": {time.Now().Format(time.DateOnly)}, "to": {time.Now().Format(time.DateOnly)}}
	form, why := wanted(), url.Values{"reason": {"Called off."}}
	form.Set("do", "make")
	list := url.Values{"form": {"f"}, "list": {"name\tpurpose\tcomes_back\nRekha Devi\tService\tyes\n"}}
	const hr, admin, gate = identity.HR, identity.PassAdmin, identity.Gate
	before := r.state(t)
	for _, tt := range []struct {
		as    identity.Role
		path  string
		form  url.Values // nil: it is read
		needs []string
	}{
		{hr, "/gatepass", nil, []string{passTable, things, settings}},
		{hr, "/gatepass/now", nil, []string{passTable, settings}},
		{hr, "/gatepass/passes", nil, []string{passTable, things, settings}},
		{admin, "/gatepass/passes/file", url.Values{}, []string{passTable, settings, records}},
		{hr, out, nil, []string{passTable, things, events, pictures, settings}},
		{admin, out + "/now", nil, []string{passTable, pictures, settings}},
		{hr, out + "/print", nil, []string{passTable, settings}},
		{hr, "/gatepass/photos/" + photo, nil, []string{pictures}},
		{admin, ready + "/revoke", why, []string{passTable, settings, events}},
		{admin, waits + "/revoke", why, []string{passTable, "gavel.proposal"}},
		{admin, out + "/recall", why, []string{passTable, settings, "gavel.proposal"}},
		{hr, "/gatepass/new", nil, []string{settings}},
		{hr, "/gatepass/new?again=" + all[pass.LaneOut], nil, []string{passTable, settings}},
		{hr, "/gatepass/new", form, []string{passTable, settings, watched, "gatepass.counter", "gavel.case", "gavel.proposal", events}},
		{hr, "/gatepass/new/list", nil, []string{settings}},
		{hr, "/gatepass/new/list", list, []string{settings, watched}},
		{hr, "/gatepass/chat", nil, []string{talks}},
		{hr, "/gatepass/chat/now", nil, []string{talks}},
		{hr, "/gatepass/chat/say", url.Values{"role": {"HR_User"}, "words": {"What waits?"}}, []string{talks, "gavel.case"}},
		{hr, "/gatepass/chat/stop", url.Values{}, []string{talks}},
		{hr, "/gatepass/chat/end", url.Values{}, []string{talks}},
		{admin, "/gatepass/chat/cards", url.Values{"card": {"p s"}, "answer": {"confirm"}}, []string{talks}},
		{gate, "/gatepass/sites", nil, []string{settings}},
		{gate, "/gatepass/sites/main/onsite", nil, []string{passTable, settings}},
		{gate, "/gatepass/sites/main/onsite/copy", url.Values{"do": {"keep"}}, []string{passTable, settings, records}},
		{admin, "/gatepass/register", days, []string{events, records}},
		{admin, "/gatepass/watchlist", nil, []string{watched}},
		{admin, "/gatepass/watchlist", url.Values{"name": {"X Y"}, "level": {"ask"}, "reason": {"x"}}, []string{watched}},
		{admin, "/gatepass/watchlist/" + watch + "/end", url.Values{}, []string{watched}},
	} {
		for _, table := range tt.needs {
			r.without(t, table, func() {
				a := r.asked(t, tt.as, tt.path, tt.form)
				if a.Status != http.StatusInternalServerError || strings.Contains(a.Main(), "Rathore") ||
					a.Header.Get("Content-Disposition") != "" {
					t.Errorf("%s %v without %s: got %d: %.600s", tt.path, tt.form, table, a.Status, a.Main())
				}
			})
		}
	}
	if after := r.state(t); after != before {
		t.Errorf("something was half done: there are %s, and were %s", after, before)
	}
}

// asked reads a page, or sends a form to it.
func (r *rig) asked(t *testing.T, as identity.Role, path string, form url.Values) platformtest.Answer {
	t.Helper()
	if form == nil {
		return r.Get(t, as, path)
	}
	return r.Post(t, as, path, form)
}

// state is how many rows the tables have that requests write to.
func (r *rig) state(t *testing.T) string {
	t.Helper()
	return r.Texts(t, `select concat_ws(' ', (select count(*) from gatepass.pass), (select sum(version) from gatepass.pass),
		(select count(*) from gatepass.event), (select count(*) from gatepass.item),
		(select count(*) from gatepass.watch where ended_at is null), (select count(*) from gatepass.talk where ended_at is null),
		(select count(*) from gatepass.photo), (select count(*) from gavel.proposal),
		(select count(*) from gavel.proposal where state = 'open'), (select count(*) from gavel.case),
		(select count(*) from gavel.record where kind = 'export'))`)[0]
}

// TestAFormThatCannotBeReadChangesNothing promises that a form which no browser of ours sent, or which is longer than any, is refused in
// words and leaves everything as it is, wherever it is sent to.
func TestAFormThatCannotBeReadChangesNothing(t *testing.T) {
	r := newRig(t, durable.Clock{})
	all := r.lived(t)
	out, ready := "/gatepass/passes/"+all[pass.LaneOut], "/gatepass/passes/"+all[pass.LaneReady]
	before := r.state(t)
	const hr, admin = identity.HR, identity.PassAdmin
	for _, tt := range []struct {
		as   identity.Role
		path string
	}{
		{admin, ready + "/revoke"}, {admin, ready + "/extend"}, {admin, ready + "/returnable"}, {admin, out + "/recall"},
		{admin, "/gatepass/passes/file"}, {hr, "/gatepass/new"}, {hr, "/gatepass/new/list"}, {hr, "/gatepass/chat/say"},
		{hr, "/gatepass/chat/cards"}, {hr, "/gatepass/sites/main/onsite/copy"}, {admin, "/gatepass/register"},
		{admin, "/gatepass/watchlist"},
	} {
		for body, want := range map[string]int{"reason=%zz&name=%": http.StatusUnprocessableEntity,
			"reason=" + strings.Repeat("a", 1<<20): http.StatusRequestEntityTooLarge} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+tt.path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if a := r.Do(t, tt.as, req); a.Status != want || a.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s with %.20s: got %d, want %d: %.600s", tt.path, body, a.Status, want, a.Main())
			}
		}
	}
	if after := r.state(t); after != before {
		t.Errorf("something was done: there are %s, and were %s", after, before)
	}
}
