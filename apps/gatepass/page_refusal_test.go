package gatepass_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
)

// twoSites is what an organisation with a second site has set, beside what sets fills in.
func (r *rig) twoSites(t *testing.T) {
	t.Helper()
	r.setup(t, `{"sites":[{"id":"main","name":"Main","tz":"Asia/Kolkata","opens":"","shuts":"","gates":["north"]},`+
		`{"id":"depot","name":"Depot","tz":"UTC","opens":"09:00","shuts":"17:00","gates":["east"]}],"grace_minutes":15,`+
		`"photo_bytes":5242880}`)
}

// TestWhatIsNotThereIsSaidOnEveryPage promises that an address which names a pass, a photo, a site, a lane or a row that is not there, or a
// word that no page of ours writes, is told so, and is no empty page and no error of ours.
func TestWhatIsNotThereIsSaidOnEveryPage(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.approved(t)
	wants(t, r.scan(t, "gate", "scan-exit", number, face(t, 9, 9)), 200, "")
	soon := r.Texts(t, `select id from gatepass.photo`)[0]
	before := r.state(t)
	const hr, admin = identity.HR, identity.PassAdmin
	const gone, none = "/gatepass/passes/GP-1999-0001", "/gatepass/passes/nonsense"
	read, why := url.Values(nil), url.Values{"reason": {"x"}}
	for _, tt := range []struct {
		as     identity.Role
		path   string
		form   url.Values // nil: it is read
		status int
	}{
		{hr, gone, read, 404}, {hr, none, read, 404}, {hr, gone + "/now", read, 404}, {hr, none + "/print", read, 404},
		{hr, "/gatepass/passes/" + number + "/print?size=A3", read, 422},
		{admin, gone + "/revoke", why, 404}, {admin, none + "/extend", why, 404}, {admin, gone + "/recall", why, 404},
		{admin, gone + "/returnable", why, 404},
		{hr, "/gatepass/photos/nothing", read, 404}, {hr, "/gatepass/photos/" + soon, read, 404}, // not drawn yet
		{hr, "/gatepass?site=moon", read, 404}, {hr, "/gatepass/now?site=moon", read, 404},
		{hr, "/gatepass/passes?site=moon", read, 404}, {hr, "/gatepass/passes?lane=somewhere", read, 422},
		{hr, "/gatepass/passes?q=%00", read, 422}, {hr, "/gatepass/passes?after=%0a", read, 422},
		{admin, "/gatepass/passes/file", url.Values{"site": {"moon"}}, 404},
		{admin, "/gatepass/passes/file", url.Values{"lane": {"x"}}, 422},
		{hr, "/gatepass/new?again=nonsense", read, 404}, {hr, "/gatepass/new?again=GP-1999-0001", read, 404},
		{hr, "/gatepass/sites/moon/onsite", read, 404}, {hr, "/gatepass/sites/moon/onsite/copy", url.Values{"do": {"keep"}}, 404},
		{admin, "/gatepass/watchlist/nobody/end", url.Values{}, 404},
		{hr, "/gatepass/chat/stop", url.Values{}, 404}, {admin, "/gatepass/chat/cards", url.Values{"card": {"p s"}}, 404},
	} {
		got := r.asked(t, tt.as, tt.path, tt.form)
		if got.Status != tt.status || got.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s %v: got %d, want %d: %.500s", tt.path, tt.form, got.Status, tt.status, got.Main())
		}
	}
	if after := r.state(t); after != before {
		t.Errorf("something was done: there are %s, and were %s", after, before)
	}
}

// TestAFormSaysEachThingThatIsWrong promises that what cannot become a pass is named beside its field or above the form, in words, with
// everything that was typed still there, and that nothing is made.
func TestAFormSaysEachThingThatIsWrong(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.Want(t, http.StatusCreated, "admin", http.MethodPost, rest.Base+"/admin/watchlist",
		map[string]string{"name": "John Refused", "level": "hard", "reason": "x"})
	for name, tt := range map[string]struct {
		field, value string
		status       int
		says         []string
	}{
		"no such site": {"site_id", "moon", 422, []string{"This is not known here."}},
		"no moment":    {"valid_from", "soon", 422, []string{"Write day and time."}},
		"an end before it begins": {"valid_from", time.Now().UTC().Add(60 * time.Hour).Format("2006-01-02T15:04"), 422,
			[]string{"Choose a time"}},
		"no quantity":                {"item_quantity.0", "a few", 422, []string{"A quantity is a number above zero.", "a few"}},
		"nobody":                     {"person_name", "  ", 422, []string{"This is needed."}},
		"whom the watchlist refuses": {"person_name", "John Refused", 403, []string{"The watchlist refuses this name.", "John Refused"}},
	} {
		form := wanted()
		form.Set(tt.field, tt.value)
		for _, do := range []string{"check", "make"} {
			if form.Set("do", do); do == "check" && tt.status == 403 {
				continue // answers are checked by themselves; the list is asked when it is made
			}
			a := r.Post(t, identity.HR, "/gatepass/new", form)
			if a.Status != tt.status {
				t.Errorf("%s: got %d, want %d: %.600s", name, a.Status, tt.status, a.Main())
			}
			a.Holds(t, a.Status, append(tt.says, "Laptop to the service centre", "L-3391")...)
		}
	}
	form := wanted()
	form.Set("do", "more")
	more := r.Post(t, identity.HR, "/gatepass/new", form)
	more.Holds(t, http.StatusOK, `value="Rekha Devi"`, `name="item_name.4"`)
	bare := url.Values{"do": {"change"}, "form": {strings.Repeat("x", 61)}}
	r.Post(t, identity.HR, "/gatepass/new", bare).Holds(t, http.StatusOK, `name="item_name.2"`, `name="form" value="form-`)
	if n := r.Number(t, `select count(*)::int from gatepass.pass`); n != 0 {
		t.Errorf("%d passes were made", n)
	}
}

// TestAPassIsAskedForAgain promises that for somebody who had a pass before, another is asked for without typing, with no time of the
// old one.
func TestAPassIsAskedForAgain(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.create(t, "hr", "person_name", "Arif Khan", "description", "Site visit", "employee_ref", "E-17",
		"vehicle_plate", "KA01AB1234", "valid_until", time.Now().Add(3*time.Hour).UTC().Format(time.RFC3339))["pass_number"].(string)
	a := r.Get(t, identity.HR, "/gatepass/new?again="+number)
	a.Holds(t, http.StatusOK, `value="Arif Khan"`, "Site visit", `value="E-17"`, `value="KA01AB1234"`)
	a.Lacks(t, `value="`+time.Now().UTC().Format("2006-01-02T"))
	r.Get(t, identity.PassAdmin, "/gatepass/new?again="+number).Holds(t, http.StatusForbidden)
}

// TestAListThatIsNoListIsRefusedWhole promises that a pasted text with no line, with other columns, with too many people or for a site
// that is not there is refused in words, that it is still there, and that nothing is made of it.
func TestAListThatIsNoListIsRefusedWhole(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.Get(t, identity.HR, "/gatepass/new/list").Holds(t, http.StatusOK, `name="form" value="form-`, "comes_back")
	const head = "name\tpurpose\tcomes_back\n"
	var crowd strings.Builder
	crowd.WriteString(head)
	for i := range 201 {
		fmt.Fprintf(&crowd, "Person %d\tShift\tyes\n", i)
	}
	for name, tt := range map[string]struct {
		list, site string
		status     int
		says       string
	}{
		"nothing":            {"", "", http.StatusUnprocessableEntity, "No pass was made"},
		"no columns of ours": {"a\tb\n1\t2\n", "", http.StatusUnprocessableEntity, "No pass was made"},
		"a site of nobody's": {head + "Asha Rao\tBank\tyes\n", "moon", http.StatusUnprocessableEntity, "No pass was made"},
		"more than at once":  {crowd.String(), "", http.StatusRequestEntityTooLarge, "No pass was made"},
		"more than is taken": {strings.Repeat("x", 600<<10), "", http.StatusRequestEntityTooLarge, ""},
		"a time that is none": {"name\tpurpose\tcomes_back\tleaves\nAsha Rao\tBank\tyes\tsoon\n", "", http.StatusOK,
			"1 line cannot be taken"},
	} {
		for _, seen := range []string{"", strings.Repeat("0", 64)} { // checked, and sent as if it had been
			form := url.Values{"form": {strings.Repeat("f", 61)}, "list": {tt.list}, "site": {tt.site}, "sha256": {seen}}
			a := r.Post(t, identity.HR, "/gatepass/new/list", form)
			if seen == "" {
				a.Holds(t, tt.status, tt.says)
			} else if a.Status < 400 {
				t.Errorf("%s: sent unseen, it is answered %d", name, a.Status)
			}
		}
	}
	if n := r.Number(t, `select count(*)::int from gatepass.pass`); n != 0 {
		t.Errorf("%d passes were made", n)
	}
}

// TestTheListLeavesAsAFileWithTheSameRows promises that the file of a list has the passes that the list has and no other, that it left is
// on record, and that who makes passes takes none.
func TestTheListLeavesAsAFileWithTheSameRows(t *testing.T) {
	r := newRig(t, durable.Clock{})
	all := r.lived(t)
	out := r.Post(t, identity.PassAdmin, "/gatepass/passes/file", url.Values{"lane": {string(pass.LaneOut)}})
	out.Holds(t, http.StatusOK, all[pass.LaneOut], "Arif Khan", "exited")
	out.Lacks(t, all[pass.LaneWaiting], all[pass.LaneLate])
	name := out.Header.Get("Content-Disposition")
	if rows := strings.Count(strings.TrimSpace(out.Body), "\n"); rows != 1 || !strings.Contains(name, ".csv") {
		t.Errorf("%d rows, %s: %s", rows, name, out.Body)
	}
	r.Post(t, identity.PassAdmin, "/gatepass/passes/file", url.Values{"q": {"Nobody Like This"}}).Lacks(t, "GP-")
	if n := r.Number(t, `select count(*)::int from gavel.record where kind = 'export'`); n != 2 {
		t.Errorf("that two lists left is on record %d times", n)
	}
	r.Post(t, identity.HR, "/gatepass/passes/file", url.Values{}).Holds(t, http.StatusForbidden)
	r.crowd(t, 10_001)
	r.Post(t, identity.PassAdmin, "/gatepass/passes/file", url.Values{}).Holds(t, http.StatusRequestEntityTooLarge, "narrow it")
}

// TestAListIsReadAPageAtATime promises that a long list is read to its end and back to its beginning, each pass once.
func TestAListIsReadAPageAtATime(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.create(t, "hr")
	r.crowd(t, 120)
	seen, at := map[string]bool{}, "/gatepass/passes?q="
	for pages := 0; at != ""; pages++ {
		a := r.Get(t, identity.HR, at)
		a.Holds(t, http.StatusOK, "121 passes")
		for _, part := range strings.Split(a.Main(), `href="/gatepass/passes/`)[1:] {
			number, _, _ := strings.Cut(part, `"`)
			if seen[number] {
				t.Errorf("%s is there twice", number)
			}
			seen[number] = true
		}
		if (pages > 0) != strings.Contains(a.Body, "First page") || pages > 3 {
			t.Fatalf("page %d leads nowhere: %.300s", pages, a.Main())
		}
		_, next, more := strings.Cut(a.Main(), `href="/gatepass/passes?after=`)
		if at = ""; more {
			link, _, _ := strings.Cut(next, `"`)
			at = "/gatepass/passes?after=" + html.UnescapeString(link)
		}
	}
	if len(seen) != 121 {
		t.Errorf("%d passes are on the pages", len(seen))
	}
}

// TestABoardIsOfItsSite promises that where there are several sites the board and the list of one have its passes and no other's, and that
// who clears sites chooses one.
func TestABoardIsOfItsSite(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.twoSites(t)
	here := r.create(t, "hr", "person_name", "Rekha Devi")["pass_number"].(string)
	there := r.create(t, "hr", "person_name", "Gopal Iyer", "site_id", "depot")["pass_number"].(string)
	for path, tt := range map[string][2]string{"/gatepass": {here, there}, "/gatepass/passes": {here, there}} {
		r.Get(t, identity.HR, path).Holds(t, http.StatusOK, tt[0], tt[1], "Depot")
		one := r.Get(t, identity.HR, path+"?site=depot")
		one.Holds(t, http.StatusOK, tt[1])
		one.Lacks(t, tt[0])
	}
	now := r.Get(t, identity.HR, "/gatepass/now?site=depot")
	now.Holds(t, http.StatusOK, there)
	now.Lacks(t, here)
	r.Get(t, identity.Gate, "/gatepass/sites").Holds(t, http.StatusOK, "Main", "Depot", "/gatepass/sites/depot/onsite")
	r.Get(t, identity.Gate, "/gatepass/sites/depot/onsite").Lacks(t, "Rekha Devi")
	page := r.Get(t, identity.PassAdmin, "/gatepass/passes/"+there)
	page.Holds(t, http.StatusOK, "Depot", "UTC")
	r.setup(t, `{"sites":[{"id":"main","name":"Main","tz":"Asia/Kolkata","opens":"","shuts":"","gates":[]}],"grace_minutes":15,`+
		`"photo_bytes":5242880}`)
	r.Get(t, identity.PassAdmin, "/gatepass/passes/"+there).Holds(t, http.StatusOK, "Gopal Iyer") // its site is set up no more
}

// TestAnEmptyDaySaysSo promises that where there is nothing the pages say so, and who can begin something is led to it.
func TestAnEmptyDaySaysSo(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for _, tt := range []struct {
		as   identity.Role
		path string
		says []string
	}{
		{identity.HR, "/gatepass", []string{"No passes today", "/gatepass/new"}},
		{identity.PassAdmin, "/gatepass", []string{"No passes today"}}, {identity.HR, "/gatepass/passes", nil},
		{identity.Gate, "/gatepass/sites/main/onsite", []string{"No passes today", "can&#39;t say who"}},
		{identity.PassAdmin, "/gatepass/watchlist", []string{"Nobody is on the watchlist"}},
		{identity.PassAdmin, "/gatepass/chat", []string{"No conversation yet"}},
	} {
		r.Get(t, tt.as, tt.path).Holds(t, http.StatusOK, tt.says...)
	}
}

// TestAOneWayPassIsMadeReturnableOnItsPage promises that it takes a time to be back by, which is one, and that the gate takes the person in
// afterwards; and that a time which is none is said and changes nothing.
func TestAOneWayPassIsMadeReturnableOnItsPage(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.approved(t, "is_returnable", false, "valid_until", time.Now().Add(40*time.Hour).UTC().Format(time.RFC3339))
	at := "/gatepass/passes/" + number
	wants(t, r.scan(t, "gate", "scan-exit", number, face(t, 9, 9)), 200, "")
	wants(t, r.scan(t, "gate", "scan-return", number, face(t, 9, 9)), 403, "not_returnable")
	r.Get(t, identity.PassAdmin, at).Holds(t, http.StatusOK, "Let the person come back")
	for _, bad := range []string{"soon", "2020-01-01T10:00"} {
		r.Post(t, identity.PassAdmin, at+"/returnable", url.Values{"expected_return_at": {bad}}).
			Holds(t, http.StatusUnprocessableEntity, "The pass was not changed")
	}
	r.Post(t, identity.PassAdmin, at+"/extend", url.Values{"valid_until": {"soon"}}).
		Holds(t, http.StatusUnprocessableEntity, "The pass was not extended", "Write day and time.")
	back := time.Now().UTC().Add(20 * time.Hour).Format("2006-01-02T15:04")
	r.done(t, identity.PassAdmin, at+"/returnable", url.Values{"expected_return_at": {back}}).
		Holds(t, http.StatusOK, "The person may come back")
	wants(t, r.scan(t, "gate", "scan-return", number, face(t, 9, 9)), 200, "")
	out := r.approved(t)
	wants(t, r.scan(t, "gate", "scan-exit", out, face(t, 9, 9)), 200, "")
	r.done(t, identity.PassAdmin, "/gatepass/passes/"+out+"/recall", url.Values{"reason": {"The pass was lost."}}).
		Holds(t, http.StatusOK, "Another administrator is asked")
	r.Post(t, identity.PassAdmin, "/gatepass/passes/"+out+"/revoke", url.Values{"reason": {"x"}}).
		Holds(t, http.StatusConflict, "The pass was not taken back", "Somebody is out on this pass.")
}

// TestAPhotoIsShownOnceItIsDrawn promises that a page shows a photo as it was drawn and never as it was taken, says where it is not there
// yet or cannot be shown, and that who has no part in passes sees none.
func TestAPhotoIsShownOnceItIsDrawn(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.approved(t)
	wants(t, r.scan(t, "gate", "scan-exit", number, face(t, 900, 600)), 200, "")
	at, photo := "/gatepass/passes/"+number, "/gatepass/photos/"+r.Texts(t, `select id from gatepass.photo`)[0]
	r.Get(t, identity.HR, at).Holds(t, http.StatusOK, "The photo is being prepared.")
	_, desk := r.behind()
	if err := desk.Steps().DrawPhotos(t.Context(), r.caseOf(t, number)); err != nil {
		t.Fatal(err)
	}
	r.Get(t, identity.HR, at).Holds(t, http.StatusOK, photo)
	small, large := r.Get(t, identity.HR, photo), r.Get(t, identity.HR, photo+"?large=1")
	if small.Status != 200 || large.Status != 200 || small.Body == large.Body || !strings.HasPrefix(small.Body, "\xff\xd8") ||
		large.Body == string(face(t, 900, 600)) {
		t.Errorf("small is %d, %d bytes; large is %d, %d bytes", small.Status, len(small.Body), large.Status, len(large.Body))
	}
	r.Get(t, identity.Analyst, photo).Holds(t, http.StatusForbidden)
	r.Set(t, `update gatepass.photo set jpeg = '', jpeg_bytes = 0, thumb = '', trouble = 'photo_corrupt'`)
	r.Get(t, identity.HR, at).Holds(t, http.StatusOK, "This photo cannot be shown.")
	r.Get(t, identity.HR, photo).Holds(t, http.StatusNotFound)
}
