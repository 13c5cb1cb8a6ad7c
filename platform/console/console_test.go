package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestAnOrganisationSeesOnlyItsOwnCases(t *testing.T) {
	s := newStage(t)
	ours := s.open(t, postgrestest.North, "k1", "Smoke over the ridge", 0)
	theirs := s.open(t, postgrestest.South, "k1", "A matter of the south", 0)

	list := s.ask(t, "/cases", nil)
	if !strings.Contains(list.body, ours.Ref) || strings.Contains(list.body, theirs.Ref) {
		t.Errorf("the list shows %s: %t, %s: %t; want only the first", ours.Ref, strings.Contains(list.body, ours.Ref), theirs.Ref,
			strings.Contains(list.body, theirs.Ref))
	}
	for _, part := range []string{"", "/head", "/sheet", "/acts"} {
		got := s.ask(t, "/cases/"+string(theirs.ID)+part, nil)
		if got.status != http.StatusNotFound || strings.Contains(got.body, theirs.Title) {
			t.Errorf("another organisation's %q answered %d", part, got.status)
		}
	}
}

func TestPagesWithoutAnActorLeadToSignIn(t *testing.T) {
	s := newStage(t)
	got := s.ask(t, "/cases?state=open", nil, "Cookie", "")
	if want := "/dev/sign-in?next=%2Fcases%3Fstate%3Dopen"; got.status != http.StatusSeeOther || got.header.Get("Location") != want {
		t.Errorf("got %d to %q, want 303 to %q", got.status, got.header.Get("Location"), want)
	}
}

func TestTheListPagesNewestFirst(t *testing.T) {
	s := newStage(t)
	for i := range 53 {
		s.open(t, postgrestest.North, fmt.Sprintf("k%d", i), fmt.Sprintf("Matter number %02d", i), 0)
		time.Sleep(time.Millisecond) // ids sort by the millisecond
	}
	first := s.ask(t, "/cases", nil)
	if got, want := titles(first.body), 50; len(got) != want || got[0] != "52" {
		t.Fatalf("the first page has %d cases beginning with %s, want %d beginning with 52", len(got), got[0], want)
	}
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first.body)
	if next == nil {
		t.Fatal("the first page has no link to older cases")
	}
	second := s.ask(t, strings.ReplaceAll(next[1], "&amp;", "&"), nil)
	if got, want := titles(second.body), []string{"02", "01", "00"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the second page has %v, want %v", got, want)
	}
	if strings.Contains(second.body, `rel="next"`) {
		t.Error("the last page links to an older one")
	}
}

func titles(body string) []string {
	var found []string
	for _, m := range regexp.MustCompile(`Matter number (\d\d)`).FindAllStringSubmatch(body, -1) {
		found = append(found, m[1])
	}
	return found
}

func TestEmptyListsSayWhy(t *testing.T) {
	s := newStage(t)
	for _, tt := range []struct{ path, want string }{
		{"/cases", "No case has been opened yet"},
		{"/cases?state=closed", "No case is in this state"},
		{"/cases?before=case_00000000000000000000000001", "No older cases"},
		{"/cases?lang=hi", "अभी तक कोई मामला नहीं खुला"},
	} {
		if got := s.ask(t, tt.path, nil); got.status != http.StatusOK || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s answered %d without %q", tt.path, got.status, tt.want)
		}
	}
}

func TestACaseIsOpenedOnceByWhoMay(t *testing.T) {
	s := newStage(t)
	form := url.Values{"title": {"Smoke over the <ridge>"}, "once": {"page-1"}}
	var at string
	for range 2 { // sent twice it is one case
		got := s.ask(t, "/cases", form)
		if at = got.header.Get("Location"); got.status != http.StatusSeeOther || !strings.HasPrefix(at, "/cases/case_") {
			t.Fatalf("got %d to %q: %.400s", got.status, at, got.body)
		}
	}
	list := s.ask(t, "/cases", nil)
	if n := strings.Count(list.body, "Smoke over the &lt;ridge&gt;"); n != 1 || !strings.Contains(list.body, `action="/cases"`) {
		t.Errorf("the list has it %d times", n)
	}
	got := s.ask(t, "/cases", url.Values{"title": {"  "}, "once": {"page-2"}})
	if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "the title is empty") ||
		!strings.Contains(got.body, `value="page-2"`) {
		t.Errorf("without a title: %d", got.status)
	}
	auditor := "gavel_dev=" + token(t, postgrestest.North, identity.Auditor)
	if got := s.ask(t, "/cases", form, "Cookie", auditor); got.status != http.StatusForbidden {
		t.Errorf("an auditor got %d", got.status)
	}
	if got := s.ask(t, "/cases", nil, "Cookie", auditor); strings.Contains(got.body, `id="open-case"`) {
		t.Error("an auditor is offered to open a case")
	}
}

func TestWrongAddressesAreToldApart(t *testing.T) {
	s := newStage(t)
	for _, tt := range []struct {
		path string
		want int
	}{
		{"/cases/case_01ARZ3NDEKTSV4RRFFQ69G5FAV", http.StatusNotFound},
		{"/cases/nonsense", http.StatusNotFound},
		{"/cases?state=sleeping", http.StatusUnprocessableEntity},
		{"/cases?before=nonsense", http.StatusUnprocessableEntity},
	} {
		if got := s.ask(t, tt.path, nil); got.status != tt.want {
			t.Errorf("%s answered %d, want %d", tt.path, got.status, tt.want)
		}
	}
}

func TestANoteAppearsOnTheSheetUnderItsAuthor(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke over the ridge", 0)
	at := "/cases/" + string(c.ID)
	got := s.ask(t, at+"/notes", url.Values{"text": {"Rang the depot. <b>No answer</b>"}})
	if got.status != http.StatusSeeOther || got.header.Get("Location") != at+"?done=note#latest" {
		t.Fatalf("got %d to %q", got.status, got.header.Get("Location"))
	}
	page := s.ask(t, at+"?done=note", nil)
	for _, want := range []string{"Rang the depot. &lt;b&gt;No answer&lt;/b&gt;", "Demo officer (north)", `id="note-2"`,
		"Your note is on the sheet"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestARoleIsOfferedOnlyWhatItMayDo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	at := "/cases/" + string(c.ID)
	for _, tt := range []struct {
		role                     identity.Role
		reads, annotates, closes bool
	}{
		{identity.Officer, true, true, true},
		{identity.Analyst, true, true, false},
		{identity.Auditor, true, false, false},
		{identity.Operator, false, false, false},
		{identity.Gate, false, false, false},
	} {
		t.Run(string(tt.role), func(t *testing.T) {
			cookie := "gavel_dev=" + token(t, postgrestest.North, tt.role)
			for _, path := range []string{"/cases", "/cases/rows", at, at + "/head", at + "/sheet", at + "/acts", "/cases/" + c.Ref} {
				got := s.ask(t, path, nil, "Cookie", cookie)
				if refused := got.status == http.StatusForbidden; refused == tt.reads || refused && strings.Contains(got.body, c.Title) {
					t.Errorf("%s answered %d, reads %t", path, got.status, tt.reads)
				}
				if rail := strings.Contains(got.body, `<span>Cases</span>`); rail != tt.reads && strings.Contains(got.body, "<html") {
					t.Errorf("%s has the cases in the rail: %t", path, rail)
				}
				if !tt.reads && !strings.Contains(got.body, "You don&#39;t have access") {
					t.Errorf("%s is refused without the page for it", path)
				}
			}
			body := s.ask(t, at, nil, "Cookie", cookie).body
			if note, closing := strings.Contains(body, `id="note-text"`), strings.Contains(body, `id="close-case"`); note != tt.annotates ||
				closing != tt.closes {
				t.Errorf("offered a note %t and closing %t, want %t and %t", note, closing, tt.annotates, tt.closes)
			}
			if told := strings.Contains(body, "You can read this file"); told != (tt.reads && !tt.annotates) {
				t.Errorf("told to be a reader: %t", told)
			}
		})
	}
}

func TestACaseIsFoundByTheNamePeopleSay(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	theirs := s.open(t, postgrestest.South, "k", "Smoke in the south", 0)
	for _, tt := range []struct {
		path, location string
		status         int
	}{
		{"/cases/" + c.Ref, "/cases/" + string(c.ID), http.StatusSeeOther},
		{"/cases/" + strings.ToLower(c.Ref) + "?before=5&lang=hi", "/cases/" + string(c.ID) + "?before=5&lang=hi", http.StatusSeeOther},
		{"/cases/" + c.Ref + "/sheet", "", http.StatusOK},
		{"/cases/" + theirs.Ref, "", http.StatusNotFound},
		{"/cases/GEN-00000000", "", http.StatusNotFound},
	} {
		if got := s.ask(t, tt.path, nil); got.status != tt.status || got.header.Get("Location") != tt.location {
			t.Errorf("%s answered %d to %q, want %d to %q", tt.path, got.status, got.header.Get("Location"), tt.status, tt.location)
		}
	}
}

func TestAFormThatIsRefusedKeepsWhatWasTyped(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	at := "/cases/" + string(c.ID)
	auditor := "gavel_dev=" + token(t, postgrestest.North, identity.Auditor)
	for _, tt := range []struct {
		name, path string
		form       url.Values
		cookie     string
		status     int
		want       string // on the page, in either form of answer
	}{
		{"empty note", "/notes", url.Values{"text": {"  "}}, "", 422, "the note is empty"},
		{"long note", "/notes", url.Values{"text": {strings.Repeat("क", 10_001)}}, "", 413, strings.Repeat("क", 10_001)},
		{"no reason", "/close", url.Values{"version": {"1"}, "reason": {""}}, "", 422, "the reason is empty"},
		{"old version", "/close", url.Values{"version": {"7"}, "reason": {"all done"}}, "", 412, "all done</textarea>"},
		{"no version", "/close", url.Values{"reason": {"all done"}}, "", 428, "all done</textarea>"},
		{"auditor", "/notes", url.Values{"text": {"I was here"}}, auditor, 403, "You don&#39;t have access to this."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, headers := range [][]string{nil, {"HX-Request", "true"}} {
				if tt.cookie != "" {
					headers = append(headers, "Cookie", tt.cookie)
				}
				got := s.ask(t, at+tt.path, tt.form, headers...)
				if got.status != tt.status || !strings.Contains(got.body, tt.want) {
					t.Errorf("with %v got %d, want %d and %.40q in\n%.2000s", headers, got.status, tt.status, tt.want, got.body)
				}
				if whole := strings.Contains(got.body, "<html"); whole == (headers != nil && headers[0] == "HX-Request") {
					t.Errorf("with %v a whole page is %t", headers, whole)
				}
			}
		})
	}
	if now, err := s.store.Get(t.Context(), postgrestest.North, c.ID); err != nil || now.Version != c.Version {
		t.Errorf("refused forms left the case at version %d (%v), want %d", now.Version, err, c.Version)
	}
}

func TestAFormOverItsBoundIsTooLarge(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	for path, field := range map[string]string{"/notes": "text", "/close": "reason"} {
		got := s.ask(t, "/cases/"+string(c.ID)+path, url.Values{field: {strings.Repeat("x", 256<<10)}})
		if got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.body, "256 KiB") {
			t.Errorf("%s answered %d, want 413 and the bound", path, got.status)
		}
	}
}

func TestANoteSentTwiceIsMadeOnceThoughTheCaseMoved(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	at := "/cases/" + string(c.ID)
	page := s.ask(t, at, nil)
	hidden := regexp.MustCompile(`(?s)action="[^"]+/notes".*?<input type="hidden" name="([a-z]+)" value="([^"]+)"([^>]*)>`).
		FindStringSubmatch(page.body)
	if hidden == nil {
		t.Fatal("the form of a note carries nothing to know it by")
	}
	if strings.Contains(hidden[3], "data-version-of") {
		t.Error("live.js would give the form another name while its answer is on the way")
	}
	for range 2 {
		if got := s.ask(t, at+"/notes", url.Values{hidden[1]: {hidden[2]}, "text": {"Rang the depot"}}); got.status != http.StatusSeeOther {
			t.Fatalf("got %d", got.status)
		}
		if err := s.store.Note(t.Context(), person(postgrestest.North, identity.Officer), c.ID, "", "meanwhile"); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(s.ask(t, at, nil).body, "Rang the depot"); got != 1 {
		t.Errorf("the sheet has the note %d times, want once", got)
	}
}

func TestClosingIsAskedForOnTheVersionRead(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	at := "/cases/" + string(c.ID)
	got := s.ask(t, at+"/close", url.Values{"version": {fmt.Sprint(c.Version)}, "reason": {"Fire is out"}})
	if got.status != http.StatusSeeOther {
		t.Fatalf("got %d: %.400s", got.status, got.body)
	}
	page := s.ask(t, at, nil)
	for _, want := range []string{"Being closed", "Fire is out", "Asked for the case to be closed"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page.body, `name="reason"`) {
		t.Error("the page still offers to close")
	}
}

func TestAClosedFileOffersNothing(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	s.set(t, `update gavel.case set state = 'closed', status = 'done', closed_at = now() where id = $1`, c.ID)
	page := s.ask(t, "/cases/"+string(c.ID), nil)
	if !strings.Contains(page.body, "This file is closed") || strings.Contains(page.body, "<textarea") {
		t.Error("a closed file must say so and hold no form")
	}
	got := s.ask(t, "/cases/"+string(c.ID)+"/notes", url.Values{"text": {"one more thing"}})
	if got.status != http.StatusConflict {
		t.Errorf("a note on a closed file got %d, want 409", got.status)
	}
}

func TestReadingChangesNothing(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", time.Hour)
	for _, part := range []string{"", "/head", "/sheet", "/acts", "/notes", "/close", "?done=close"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			req, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+"/cases/"+string(c.ID)+part, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+token(t, postgrestest.North, identity.Officer))
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if part == "/notes" || part == "/close" {
				if res.StatusCode != http.StatusMethodNotAllowed {
					t.Errorf("%s %s got %d, want 405", method, part, res.StatusCode)
				}
			}
		}
	}
	now, err := s.store.Get(t.Context(), postgrestest.North, c.ID)
	if err != nil || now.Version != c.Version || now.State != c.State {
		t.Errorf("after reading, the case is %+v (%v), want %+v", now, err, c)
	}
}

func TestARegionIsFetchedAgainOnlyWhenItChanged(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	at := "/cases/" + string(c.ID) + "/sheet"
	first := s.ask(t, at, nil, "Gavel-Region", "1")
	tag := first.header.Get("ETag")
	if first.status != http.StatusOK || tag == "" || strings.Contains(first.body, "<html") {
		t.Fatalf("got %d, ETag %q, whole page %t", first.status, tag, strings.Contains(first.body, "<html"))
	}
	if whole := s.ask(t, at, nil); !strings.Contains(whole.body, "<html") || !strings.Contains(whole.body,
		`data-etag="`+strings.ReplaceAll(tag, `"`, "&#34;")) {
		t.Error("asked for by a browser, the region must come as a whole page that carries the same tag")
	}
	if same := s.ask(t, at, nil, "Gavel-Region", "1", "If-None-Match", tag); same.status != http.StatusNotModified || same.body != "" {
		t.Errorf("unchanged, it got %d and %d bytes, want 304 and none", same.status, len(same.body))
	}
	if err := s.store.Note(t.Context(), person(postgrestest.North, identity.Officer), c.ID, "", "news"); err != nil {
		t.Fatal(err)
	}
	if changed := s.ask(t, at, nil, "Gavel-Region", "1", "If-None-Match", tag); changed.status != http.StatusOK ||
		!strings.Contains(changed.body, "news") {
		t.Errorf("changed, it got %d", changed.status)
	}
}

func TestALongSheetShowsItsNewestNotes(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	for i := range 120 {
		if err := s.store.Note(t.Context(), person(postgrestest.North, identity.Officer), c.ID, "",
			fmt.Sprintf("note text %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	page := s.ask(t, "/cases/"+string(c.ID), nil)
	if n := strings.Count(page.body, `class="note green`); n != 100 {
		t.Errorf("the page shows %d notes, want 100", n)
	}
	if !strings.Contains(page.body, "?before=22") || !strings.Contains(page.body, "note text 119") {
		t.Error("the page must show the newest note and link to those before 22")
	}
	older := s.ask(t, "/cases/"+string(c.ID)+"?before=22", nil)
	if n := strings.Count(older.body, `class="note green`); n != 21 || !strings.Contains(older.body, `id="note-1"`) {
		t.Errorf("the older page shows %d notes, want 21 with the first", n)
	}
}

func TestEveryTimeIsInTheOrganisationsZoneAndSaysSo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	s.set(t, `update gavel.case set opened_at = '2026-11-14T15:28:00Z' where id = $1`, c.ID)
	page := s.ask(t, "/cases/"+string(c.ID), nil)
	if !regexp.MustCompile(`opened (14 Nov|14-11-2026) 20:58 IST`).MatchString(page.body) {
		t.Error("15:28 UTC must read 20:58 IST")
	}
	for _, m := range regexp.MustCompile(`datetime="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		if !strings.HasSuffix(m[1], "+05:30") {
			t.Errorf("a time on the page is %s, in another zone", m[1])
		}
	}
}
