package gatepass_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// lived makes passes in every lane of the board, some of them several, and returns one of each.
func (r *rig) lived(t *testing.T) map[pass.Lane]string {
	t.Helper()
	later := func(h int) string { return time.Now().Add(time.Duration(h) * time.Hour).UTC().Format(time.RFC3339) }
	all := map[pass.Lane]string{}
	all[pass.LaneWaiting] = r.create(t, "hr", "person_name", "Rekha Devi", "description", "Laptop to the service centre",
		"valid_until", later(30))["pass_number"].(string)
	r.create(t, "hr2", "person_name", "S. Iyer", "is_returnable", false, "valid_until", later(30))
	all[pass.LaneReady] = r.approved(t, "person_name", "P. Nair", "description", "Courier bag", "valid_until", later(30))
	tools := []map[string]any{{"name": "Laptop", "qty": 1, "serial": "L-2207", "returnable": true},
		{"name": "Charger", "qty": 2, "uom": "pc", "returnable": true}}
	all[pass.LaneOut] = r.approved(t, "person_name", "Arif Khan", "description", "Site visit", "items", tools, "valid_until", later(30))
	wants(t, r.scan(t, "gate", "scan-exit", all[pass.LaneOut], face(t, 64, 64)), http.StatusOK, "")
	all[pass.LaneLate] = r.approved(t, "person_name", "Vikram Rathore", "description", "Tool kit", "valid_until", later(30))
	wants(t, r.scan(t, "gate", "scan-exit", all[pass.LaneLate], face(t, 64, 64)), http.StatusOK, "")
	r.Set(t, `update gatepass.pass set created_at = now() - interval '5 hours', approved_at = now() - interval '4 hours',
		exit_time = now() - interval '3 hours', expected_return_at = now() - interval '2 hours' where number = $1`, all[pass.LaneLate])
	all[pass.LaneBack] = r.approved(t, "person_name", "L. Das", "valid_until", later(30))
	wants(t, r.scan(t, "gate", "scan-exit", all[pass.LaneBack], face(t, 64, 64)), http.StatusOK, "")
	wants(t, r.scan(t, "gate", "scan-return", all[pass.LaneBack], face(t, 64, 64)), http.StatusOK, "")
	all[pass.LaneRefused] = r.create(t, "hr", "person_name", "H. Singh", "valid_until", later(30))["pass_number"].(string)
	wants(t, r.act(t, "admin", all[pass.LaneRefused], "reject", map[string]string{"reason": "Nobody covers the desk."}), http.StatusOK, "")
	return all
}

// laneForm is a lane on the page: its name, its count, and its rows.
var laneForm = regexp.MustCompile(`(?s)id="lane-([a-z]+)".*?class="count[^"]*">\s*(\d+)(.*?)</section>`)

// TestTheBoardCountsTheRowsItShows promises that every lane says as many as it has, that each pass stands in the lane that the
// rule puts it into and in no other, and that the list of a lane has the same passes.
func TestTheBoardCountsTheRowsItShows(t *testing.T) {
	r := newRig(t, durable.Clock{})
	all := r.lived(t)
	page := r.Get(t, identity.PassAdmin, "/gatepass")
	page.Holds(t, http.StatusOK, "Arif Khan", "1 is overdue", "Vikram Rathore")
	lanes := laneForm.FindAllStringSubmatch(page.Body, -1)
	if len(lanes) != len(pass.Lanes()) {
		t.Fatalf("the board has %d lanes", len(lanes))
	}
	for _, l := range lanes {
		n, _ := strconv.Atoi(l[2])
		if rows := strings.Count(l[3], "<li"); rows != n || n == 0 {
			t.Errorf("lane %s says %d and has %d rows", l[1], n, rows)
		}
		if !strings.Contains(l[3], "/gatepass/passes/"+all[pass.Lane(l[1])]) {
			t.Errorf("lane %s lacks %s", l[1], all[pass.Lane(l[1])])
		}
		list := r.Get(t, identity.HR, "/gatepass/passes?lane="+l[1])
		list.Holds(t, http.StatusOK, all[pass.Lane(l[1])])
		if rows := strings.Count(list.Main(), `<th scope="row"`); rows != n {
			t.Errorf("the list of %s has %d rows, the board says %d", l[1], rows, n)
		}
	}
	s := r.kept()
	board, err := s.Board(t.Context(), people()["admin"], "", pass.DayOf(time.Now(), time.UTC), 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range board {
		for _, k := range l.First {
			if got := k.Lane(s.Now(), pass.DayOf(time.Now(), time.UTC)); got != l.Lane {
				t.Errorf("%s is in lane %s, and the rule says %q", k.Number, l.Lane, got)
			}
		}
	}
}

// kept is the application's store, for what is asked of it directly.
func (r *rig) kept() *store.Store {
	s := &store.Store{}
	s.Open(store.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules, Keys: r.Deps.Keys})
	return s
}

// wanted is a form that could become a pass.
func wanted() url.Values {
	return url.Values{"form": {"form-1"}, "person_name": {"Rekha Devi"}, "description": {"Laptop to the service centre"},
		"is_returnable": {"yes"}, "item_name.0": {"Laptop"}, "item_serial.0": {"L-3391"}, "item_back.0": {"yes"}, "item_name.1": {""},
		"valid_until": {time.Now().UTC().Add(30 * time.Hour).Format("2006-01-02T15:04")}}
}

// hiddenForm is a field that a page carries along.
var hiddenForm = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)

// carried are the fields that a page carries along.
func carried(body string) url.Values {
	q := url.Values{}
	for _, m := range hiddenForm.FindAllStringSubmatch(body, -1) {
		q.Set(m[1], html.UnescapeString(m[2]))
	}
	return q
}

// done sends a form that is done, and opens the page that it leads to.
func (r *rig) done(t *testing.T, role identity.Role, path string, form url.Values) platformtest.Answer {
	t.Helper()
	a := r.Post(t, role, path, form)
	if a.Status != http.StatusSeeOther {
		t.Fatalf("%s: got %d, want 303: %.1500s", path, a.Status, a.Main())
	}
	return r.Get(t, role, a.Header.Get("Location"))
}

// TestAFormMakesOnePass promises that answers are shown before anything is sent, that nothing is typed twice, that a form which
// is sent twice makes one pass, and that the pass says what was typed.
func TestAFormMakesOnePass(t *testing.T) {
	r := newRig(t, durable.Clock{})
	form := wanted()
	form.Set("do", "check")
	check := r.Post(t, identity.HR, "/gatepass/new", form)
	check.Holds(t, http.StatusOK, "Check the answers", "Rekha Devi", "L-3391")
	if n := r.Number(t, `select count(*)::int from gatepass.pass`); n != 0 {
		t.Fatalf("checking made %d passes", n)
	}
	again := carried(check.Body)
	again.Set("do", "change")
	r.Post(t, identity.HR, "/gatepass/new", again).Holds(t, http.StatusOK, `value="Rekha Devi"`, `value="L-3391"`, "Laptop to the service")
	again.Set("do", "make")
	for range 2 {
		r.done(t, identity.HR, "/gatepass/new", again).Holds(t, http.StatusOK, "Sent for approval", "Rekha Devi", "L-3391")
	}
	if n := r.Number(t, `select count(*)::int from gatepass.pass`); n != 1 {
		t.Errorf("one form, sent twice, made %d passes", n)
	}
	if n := r.Number(t, `select count(*)::int from gavel.proposal where kind = 'gatepass_approve'`); n != 1 {
		t.Errorf("%d proposals, want 1", n)
	}
}

// TestWhatIsWrongStandsBesideTheField promises that nothing is guessed: whether somebody comes back is said, and what was typed
// is still there.
func TestWhatIsWrongStandsBesideTheField(t *testing.T) {
	r := newRig(t, durable.Clock{})
	form := wanted()
	form.Del("is_returnable")
	form.Set("valid_until", "2020-01-01T10:00")
	form.Set("do", "make")
	r.Post(t, identity.HR, "/gatepass/new", form).Holds(t, http.StatusUnprocessableEntity, "This is needed.", "Choose a time", "Rekha Devi")
	if n := r.Number(t, `select count(*)::int from gatepass.pass`); n != 0 {
		t.Errorf("%d passes were made", n)
	}
	r.Get(t, identity.PassAdmin, "/gatepass/new").Holds(t, http.StatusForbidden)
}

// TestAPastedListIsMadeWholeOrNotAtAll promises that lines which cannot be taken are named and then nothing is made, that what
// was previewed is what is made, and that the same list sent twice is made once.
func TestAPastedListIsMadeWholeOrNotAtAll(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for name, level := range map[string]string{"Mohammed Ali": "ask", "John Refused": "hard"} {
		r.Want(t, http.StatusCreated, "admin", http.MethodPost, rest.Base+"/admin/watchlist",
			map[string]string{"name": name, "level": level, "reason": "x"})
	}
	until := time.Now().UTC().Add(30 * time.Hour).Format("2006-01-02 15:04")
	good := "name\tpurpose\tcomes_back\titem\tserial\titem_back\tvalid_until\nRekha Devi\tService\tyes\tLaptop\tL-1\tyes\t" + until +
		"\nMohamed Ali\tBank\tno\t\t\t\t" + until + "\n"
	for bad, why := range map[string]string{good + "Asha\tBank\t\t\t\t\t" + until + "\n": "say yes or no",
		good + "John Refused\tBank\tyes\t\t\t\t" + until + "\n": "refuses it"} {
		r.Post(t, identity.HR, "/gatepass/new/list", url.Values{"form": {"f"}, "list": {bad}}).
			Holds(t, http.StatusOK, "1 line cannot be taken", why)
	}
	preview := r.Post(t, identity.HR, "/gatepass/new/list", url.Values{"form": {"f"}, "list": {good}})
	preview.Holds(t, http.StatusOK, "Ask for 2 passes", "Like a name on the watchlist")
	found := regexp.MustCompile(`name="sha256" value="([0-9a-f]{64})"`).FindStringSubmatch(preview.Body)
	if found == nil {
		t.Fatal("the preview has no digest")
	}
	other := r.Post(t, identity.HR, "/gatepass/new/list", url.Values{"form": {"f"}, "list": {good + "Asha\tBank\tyes\t\t\t\t" + until},
		"sha256": {found[1]}})
	other.Holds(t, http.StatusPreconditionFailed, "No pass was made")
	if n := r.Number(t, `select count(*)::int from gatepass.pass`); n != 0 {
		t.Fatalf("%d passes of another list than was seen", n)
	}
	for range 2 {
		r.Post(t, identity.HR, "/gatepass/new/list", url.Values{"form": {"f"}, "list": {good}, "sha256": {found[1]}}).
			Holds(t, http.StatusOK, "2 passes sent for approval")
	}
	if n := r.Number(t, `select count(*)::int from gatepass.pass`); n != 2 {
		t.Errorf("a list of two, sent twice, made %d passes", n)
	}
}

// TestAdministratorsTakeBackAndExtendOnThePage promises that a pass is revoked with a reason, extended to a later end, and that
// who makes passes does neither.
func TestAdministratorsTakeBackAndExtendOnThePage(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.approved(t, "valid_until", time.Now().Add(20*time.Hour).UTC().Format(time.RFC3339))
	at := "/gatepass/passes/" + number
	r.Get(t, identity.HR, at).Lacks(t, "Revoke the pass")
	r.Post(t, identity.HR, at+"/revoke", url.Values{"reason": {"x"}}).Holds(t, http.StatusForbidden)
	early := time.Now().UTC().Add(10 * time.Hour).Format("2006-01-02T15:04")
	r.Post(t, identity.PassAdmin, at+"/extend", url.Values{"valid_until": {early}}).
		Holds(t, http.StatusUnprocessableEntity, "not extended", "Choose a later time")
	later := time.Now().UTC().Add(48 * time.Hour).Format("2006-01-02T15:04")
	r.done(t, identity.PassAdmin, at+"/extend", url.Values{"valid_until": {later}}).Holds(t, http.StatusOK, "The pass was extended")
	r.Post(t, identity.PassAdmin, at+"/revoke", url.Values{}).Holds(t, http.StatusUnprocessableEntity, "Reason: This is needed.")
	r.done(t, identity.PassAdmin, at+"/revoke", url.Values{"reason": {"Called off."}}).Holds(t, http.StatusOK, "taken back", "Called off.")
	r.Get(t, identity.HR, at).Holds(t, http.StatusForbidden)
}

// TestAPassShowsWhatCameBackOfIt promises that of a pass on which part of the things came back the page says what is still out,
// the board has the person as in, and the printed pass is handed out.
func TestAPassShowsWhatCameBackOfIt(t *testing.T) {
	r := newRig(t, durable.Clock{})
	all := r.lived(t)
	wants(t, r.scan(t, "gate", "scan-return", all[pass.LaneOut], face(t, 64, 64), "items",
		`[{"item_id":"1","qty":1,"condition":"damaged"}]`),
		http.StatusOK, "")
	page := r.Get(t, identity.HR, "/gatepass/passes/"+all[pass.LaneOut])
	page.Holds(t, http.StatusOK, "L-2207", "1 damaged", "2 still out", "Things still out", "Let in")
	r.Get(t, identity.HR, "/gatepass").Holds(t, http.StatusOK, "Things still out")
	r.Get(t, identity.HR, "/gatepass/passes/"+all[pass.LaneOut]+"/print?size=80mm").Holds(t, http.StatusOK, "<svg", all[pass.LaneOut])
	r.Post(t, identity.Gate, "/gatepass/sites/main/onsite/copy", url.Values{"do": {"keep"}}).
		Holds(t, http.StatusOK, "Arif Khan", "Vikram Rathore")
	if n := r.Number(t, `select count(*)::int from gavel.record where kind = 'export'`); n != 1 {
		t.Errorf("that the list left is on record %d times, want 1", n)
	}
	r.Get(t, identity.Gate, "/gatepass/sites/main/onsite").Holds(t, http.StatusOK, "Not known", "Vikram Rathore", "P. Nair")
	r.Get(t, identity.Analyst, "/gatepass/sites/main/onsite").Holds(t, http.StatusForbidden)
}

// crowd has so many people at a site, half of them out, some of whom should have been back.
func (r *rig) crowd(t testing.TB, people int) {
	t.Helper()
	r.Set(t, `insert into gatepass.pass (org, id, number, code, case_id, proposal, person_name, description, type, site_id, employee_ref,
			returnable, status, version, valid_from, valid_until, expected_return_at, created_at, created_by, created_by_name, approved_at,
			exit_time, return_time)
		select p.org, 'crowd-' || lpad(n::text, 30, '0'), 'GP-2020-' || 10000 + n, translate(lpad(n::text, 6, '0'), '01', 'AB'), p.case_id,
			p.proposal, 'Person ' || n, 'Shift', 'employee_out', p.site_id, 'E-' || n, true,
			case when n % 2 = 0 then 'exited' else 'returned' end, 3, now() - interval '5 hours', now() + interval '5 hours',
			now() + make_interval(mins => n % 100 - 10), now() - interval '6 hours', 'x', 'X', now() - interval '5 hours',
			now() - interval '4 hours', case when n % 2 = 1 then now() end
		from generate_series(1, $1::int) n, (select * from gatepass.pass limit 1) p`, people)
}

// TestTwentyThousandPeopleAreListedInTime promises the evacuation list of 20,000 people within two seconds, as an answer of the
// API and as a copy to be printed, with everybody on it.
func TestTwentyThousandPeopleAreListedInTime(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.create(t, "hr")
	const crowd = 20_000
	r.crowd(t, crowd)
	r.Set(t, `analyze gatepass.pass`)
	begun := time.Now()
	a := r.Call(t, "admin", http.MethodGet, rest.Base+"/sites/main/onsite", nil)
	took := time.Since(begun)
	people, _ := a.JSON["people"].([]any)
	if a.Status != http.StatusOK || len(people) != crowd+1 {
		t.Fatalf("%d, %d people: %.300s", a.Status, len(people), a.Body)
	}
	wait.Within(t, fmt.Sprintf("an evacuation list of %d people", crowd), took, 2*time.Second)
	begun = time.Now()
	copied := r.Post(t, identity.PassAdmin, "/gatepass/sites/main/onsite/copy", url.Values{"do": {"keep"}})
	took = time.Since(begun)
	if rows := strings.Count(copied.Body, "<tr><td"); copied.Status != http.StatusOK || rows != crowd+1 {
		t.Fatalf("%d, %d rows", copied.Status, rows)
	}
	wait.Within(t, "the same as a copy to be printed", took, 2*time.Second)
}

// TestTheWatchlistIsKeptOnItsPage promises that a row is added with a reason, is there, and is taken off again, and that another
// organisation has it not.
func TestTheWatchlistIsKeptOnItsPage(t *testing.T) {
	r := newRig(t, durable.Clock{})
	row := url.Values{"name": {"Mohammed Ali"}, "level": {"ask"}, "aliases": {"M. Ali\nMd Ali"}}
	r.Post(t, identity.PassAdmin, "/gatepass/watchlist", row).Holds(t, http.StatusUnprocessableEntity, "Nobody was added")
	row.Set("reason", "Owes a laptop.")
	row.Set("until", "tomorrow")
	r.Post(t, identity.PassAdmin, "/gatepass/watchlist", row).Holds(t, http.StatusUnprocessableEntity, "Nobody was added", "Md Ali")
	row.Set("until", time.Now().AddDate(0, 1, 0).Format(time.DateOnly))
	r.done(t, identity.PassAdmin, "/gatepass/watchlist", row).Holds(t, http.StatusOK, "Owes a laptop.", "M. Ali, Md Ali")
	id := platformtest.Rows[string](t, r.Installation, `select id from gatepass.watch`)[0]
	if a := r.Call(t, "south-admin", http.MethodGet, rest.Base+"/admin/watchlist", nil); strings.Contains(a.Body, "Ali") {
		t.Error("another organisation reads it")
	}
	r.done(t, identity.PassAdmin, "/gatepass/watchlist/"+id+"/end", nil).Holds(t, http.StatusOK, "Nobody is on the watchlist")
	r.Get(t, identity.HR, "/gatepass/watchlist").Holds(t, http.StatusForbidden)
}
