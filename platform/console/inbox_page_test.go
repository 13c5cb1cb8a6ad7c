package console_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// due makes a proposal that wants an answer by a moment.
func due(at time.Time) func(*review.Proposal) {
	return func(p *review.Proposal) {
		p.DueAt, p.CreatedAt = at, time.Now().Add(-240*time.Hour)
		p.ExpiresAt = time.Now().Add(240 * time.Hour)
	}
}

// exhibit puts a piece of evidence on a case.
func (s *stage) exhibit(t *testing.T, c casefile.Case, title string, side evidence.Side) {
	t.Helper()
	snap, err := s.Evidence.Take(t.Context(), bundletest.Analyst, evidence.Receipt{Source: "cpcb", ContentType: "text/plain"},
		strings.NewReader(title))
	if err == nil {
		_, _, err = s.Evidence.Put(t.Context(), bundletest.Analyst, c.ID, evidence.Putting{SHA256: snap.SHA256, Title: title, Side: side})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// byDay gives the organisation a zone in which it is the middle of the day now, so
// that no midnight passes during a test. It returns the last second of that day.
func (s *stage) byDay(t *testing.T) time.Time {
	t.Helper()
	name := fmt.Sprintf("Etc/GMT%+d", time.Now().UTC().Hour()-12) // their signs are the other way round
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	s.set(t, `update gavel_sys.organisation set zone = $1 where org = 'north'`, name)
	now := time.Now().In(zone)
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, zone).Add(-time.Second)
}

func TestTheInboxIsInGroupsWithExactCounts(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "groups", "Groups", 0)
	tonight := s.byDay(t)
	late := s.offer(t, c, "send_letter", due(time.Now().Add(-3*time.Hour)))
	today := s.offer(t, c, "send_letter", due(tonight))
	for range 55 {
		s.offer(t, c, "send_letter", due(tonight.Add(2*time.Second)))
	}
	page := s.ask(t, "/inbox", nil)
	for _, want := range []string{"Overdue", "Today", "Later"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page has no group %s", want)
		}
	}
	heads := regexp.MustCompile(`(?s)<h2 class="group-head.*?</h2>`).FindAllString(page.body, -1)
	if len(heads) != 3 {
		t.Fatalf("%d groups", len(heads))
	}
	for i, n := range []int{1, 1, 55} {
		if !strings.Contains(heads[i], fmt.Sprintf(`<span class="count">%d</span>`, n)) {
			t.Errorf("group %d does not count %d: %s", i, n, heads[i])
		}
	}
	if !strings.Contains(heads[2], "group=later") {
		t.Error("a group that the page does not hold whole leads nowhere")
	}
	if rows := strings.Count(page.body, `id="row-`); rows != 50 {
		t.Errorf("%d rows on a page", rows)
	}
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(page.body)
	if next == nil {
		t.Fatal("there is no next page")
	}
	if more := s.ask(t, strings.ReplaceAll(next[1], "&amp;", "&"), nil); strings.Count(more.body, `id="row-`) != 7 {
		t.Errorf("the next page has %d rows", strings.Count(more.body, `id="row-`))
	}
	only := s.ask(t, "/inbox?group=overdue", nil)
	if !strings.Contains(only.body, "row-"+late.ID) || strings.Contains(only.body, "row-"+today.ID) {
		t.Error("a group alone is another list")
	}
	wantAll(t, s.ask(t, "/inbox?app=poolpatrol", nil), http.StatusOK, "Nothing fits this filter", "Clear the filter")
}

func TestARowSaysWhatItRestsOnAndWhoIsLooking(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "marks", "Marks", 0)
	both := func(p *review.Proposal) { p.Deciders = []identity.Role{identity.Officer, identity.ProgrammeManager} }
	p := s.offer(t, c, "send_letter", both, func(p *review.Proposal) {
		p.Shown = canon(t, map[string]any{"tool": "send_letter", "line": "Send 3 e-mails about van 14.", "effect": "outside",
			"args": p.Args, "agent": "clerk", "case": c.ID,
			"verdict": map[string]any{"label": "likely", "would_change": "a closure notice for Sector 9",
				"confidence": map[string]any{"value": 0.78, "low": 0.64, "high": 0.87, "scale": "share"}}})
	})
	page := s.ask(t, "/inbox", nil)
	wantAll(t, page, http.StatusOK, "Likely", "0.64–0.87", "a closure notice for Sector 9", "What would change this")
	if strings.Contains(page.body, "Evidence changed") {
		t.Error("evidence is said to have changed that has not")
	}
	if r := s.askAs(t, identity.ProgrammeManager, "/proposals/"+p.ID+"/claim",
		url.Values{"do": {"claim"}}); r.status != http.StatusSeeOther {
		t.Fatalf("claiming answers %d", r.status)
	}
	s.exhibit(t, c, "Roster export", evidence.Against)
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, "claimed by Demo programme manager (north)", "Evidence changed", "Roster export")
	wantAll(t, s.askAs(t, identity.ProgrammeManager, "/inbox", nil), http.StatusOK, "your role: Programme manager")
}

func TestAfterDecidingTheNextOpens(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "next", "Next", 0)
	first, second, third := s.offer(t, c, "send_letter"), s.offer(t, c, "send_letter"), s.offer(t, c, "place_order")
	page := s.ask(t, "/inbox", nil)
	wantAll(t, page, http.StatusOK, `data-shows="list"`, `id="open-h"`, `class="item is-open" id="row-`+first.ID)
	form := hidden(page.body)
	form.Set("verdict", "approve")
	r := s.ask(t, "/proposals/"+first.ID+"/decisions", form)
	want := "/inbox?open=" + second.ID + "&did=" + first.ID + "#open-h"
	if got := r.header.Get("Location"); r.status != http.StatusSeeOther || got != want {
		t.Fatalf("deciding answers %d and leads to %q, want %q", r.status, got, want)
	}
	page = s.ask(t, r.header.Get("Location"), nil)
	wantAll(t, page, http.StatusOK, `data-shows="detail"`, "Approved: Send a letter to a rider ("+first.ID+").", "Now open:",
		`data-left="35`, `value="`+second.ShownSHA256)
	if strings.Contains(page.body, `id="row-`+first.ID) {
		t.Error("the row stays")
	}

	// It leaves the organisation, so it can be undone from here; the other does not.
	undo := formAt(t, page.body, "/proposals/"+first.ID+"/undo")
	if r = s.ask(t, "/proposals/"+first.ID+"/undo", undo); r.status != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"),
		"/inbox?open="+second.ID) {
		t.Fatalf("undoing answers %d and leads to %q: %s", r.status, r.header.Get("Location"), r.body)
	}
	page = s.ask(t, r.header.Get("Location"), nil)
	wantAll(t, page, http.StatusOK, "Called off: Send a letter to a rider ("+first.ID+"). Nothing was sent.")
	if strings.Contains(page.body, "data-left=") {
		t.Error("what is undone can be undone again")
	}
	page = s.ask(t, "/inbox?open="+third.ID, nil)
	form = hidden(page.body)
	form.Set("verdict", "approve")
	if r = s.ask(t, "/proposals/"+third.ID+"/decisions", form); r.header.Get("Location") != "/inbox?did="+third.ID+"#open-h" {
		t.Fatalf("after the last of the list: %q", r.header.Get("Location"))
	}
	page = s.ask(t, r.header.Get("Location"), nil)
	wantAll(t, page, http.StatusOK, "Approved: Order things for the depot ("+third.ID+").", `data-shows="list"`)
	if strings.Contains(page.body, "data-left=") {
		t.Error("an act inside the organisation is offered to be undone")
	}
}

func TestOnlyTheInboxIsGoneBackTo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "back", "Back", 0)
	for _, back := range []string{"https://elsewhere.example/", "//elsewhere.example", "/cases", "/inbox/../x", "/inbox?view=nonsense%00",
		"javascript:alert(1)"} {
		p := s.offer(t, c, "place_order")
		form := hidden(s.ask(t, "/proposals/"+p.ID, nil).body)
		form.Set("verdict", "approve")
		form.Set("back", back)
		form.Set("next", "//elsewhere.example")
		if r := s.ask(t, "/proposals/"+p.ID+"/decisions", form); r.header.Get("Location") != "/proposals/"+p.ID+"?done=approve" {
			t.Errorf("from %q it leads to %q (%d)", back, r.header.Get("Location"), r.status)
		}
	}
}

func TestPuttingOffFromTheInboxOpensTheNext(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "off", "Off", 0)
	p, next := s.offer(t, c, "send_letter"), s.offer(t, c, "send_letter")
	form := url.Values{"until": {"hour"}, "back": {"/inbox"}, "next": {next.ID}}
	r := s.ask(t, "/proposals/"+p.ID+"/snooze", form)
	if r.header.Get("Location") != "/inbox?open="+next.ID+"&done=snooze#open-h" {
		t.Errorf("putting off leads to %q (%d)", r.header.Get("Location"), r.status)
	}
	wantAll(t, s.ask(t, r.header.Get("Location"), nil), http.StatusOK, "Snoozed: it is out of your inbox for now")
	form = url.Values{"to": {"dev:programme_manager@north"}, "back": {"/inbox"}}
	wantAll(t, s.ask(t, "/proposals/"+next.ID+"/assign", form), http.StatusUnprocessableEntity, "have access to decide")
	shared := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Deciders = []identity.Role{identity.Officer, identity.ProgrammeManager}
	})
	if r = s.ask(t, "/proposals/"+shared.ID+"/assign", form); r.header.Get("Location") != "/inbox?done=assign#open-h" {
		t.Fatalf("handing over leads to %q (%d): %s", r.header.Get("Location"), r.status, r.body)
	}
	if page := s.ask(t, "/inbox", nil); strings.Contains(page.body, "row-"+shared.ID) {
		t.Error("what was handed over is still listed")
	}
	wantAll(t, s.askAs(t, identity.ProgrammeManager, "/inbox", nil), http.StatusOK, "row-"+shared.ID, "assigned to you")
}

func TestAFilingHasNoKeyAndKeysCanBeTurnedOff(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "keys", "Keys", 0)
	s.offer(t, c, "send_letter")
	page := s.ask(t, "/inbox", nil)
	wantAll(t, page, http.StatusOK, `data-inbox="keys"`, `data-answer="approve"`, "something weighty has no key")
	filing := s.offer(t, c, "send_letter", func(p *review.Proposal) { p.Kind = filingKind })
	page = s.ask(t, "/inbox?open="+filing.ID, nil)
	wantAll(t, page, http.StatusOK, "Legal filing", "class=\"badge weighty\"")
	if strings.Contains(page.body, `data-answer="approve"`) {
		t.Error("a key would file this")
	}
	off := s.ask(t, "/inbox", nil, "Cookie", "gavel_keys=off; gavel_dev="+token(t, postgrestest.North, identity.Officer))
	wantAll(t, off, http.StatusOK, `data-inbox="no-keys"`, "Keys are off")
}

// TestAllTimesOnTheInboxAreTheOrganisationsAndSaySo promises that no time stands
// on the page in another zone, or without saying which.
func TestAllTimesOnTheInboxAreTheOrganisationsAndSaySo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "zone", "Zone", 0)
	at := time.Now().Add(2 * time.Hour).Truncate(time.Minute)
	p := s.offer(t, c, "send_letter", due(at))
	zone, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	page := s.ask(t, "/inbox", nil)
	wantAll(t, page, http.StatusOK, "times in IST", "due "+dayAndTime(at.In(zone), time.Now().In(zone)))
	for _, stamp := range regexp.MustCompile(`datetime="([^"]*)"`).FindAllStringSubmatch(page.body, -1) {
		if !strings.HasSuffix(stamp[1], "+05:30") {
			t.Errorf("a time of the page is in another zone: %s", stamp[1])
		}
	}
	said := machineText.ReplaceAllString(page.body, " ") // without choices such as "until 17:00"
	if utc := at.UTC().Format("15:04"); strings.Contains(said, utc+"<") {
		t.Errorf("%s: the page shows %s, which is not the organisation's time", p.ID, utc)
	}
}

// dayAndTime is a moment as a page of now has it.
func dayAndTime(t, now time.Time) string {
	if t.Year() != now.Year() {
		return t.Format("02-01-2006 15:04")
	}
	return t.Format("2 Jan 15:04")
}

// TestAFileHoldsExactlyTheFilteredRows promises that CSV and JSON are the rows of
// the list under its filter, on record, and that asking with GET makes none.
func TestAFileHoldsExactlyTheFilteredRows(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "file", "=File", 0)
	for range 53 {
		s.offer(t, c, "send_letter")
	}
	late := s.offer(t, c, "place_order", due(time.Now().Add(-time.Hour)))
	r := s.ask(t, "/inbox/export", url.Values{"format": {"csv"}})
	if r.status != http.StatusOK || !strings.HasPrefix(r.header.Get("Content-Type"), "text/csv") {
		t.Fatalf("it answers %d %s", r.status, r.header.Get("Content-Type"))
	}
	rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
	if err != nil || len(rows) != 55 || rows[1][0] != late.ID || rows[1][7] != "'=File" {
		t.Errorf("%d rows, %v; the first %v", len(rows), err, rows[1])
	}
	r = s.ask(t, "/inbox/export", url.Values{"format": {"json"}, "group": {"overdue"}})
	var file struct {
		Items    []struct{ Proposal, Group string }
		Complete bool
	}
	if err := json.Unmarshal([]byte(r.body), &file); err != nil || len(file.Items) != 1 || file.Items[0].Proposal != late.ID ||
		!file.Complete {
		t.Errorf("the group alone: %+v, %v", file, err)
	}
	if n := one[int](t, s.db, `select count(*) from gavel.record where kind = 'export'`); n != 2 {
		t.Errorf("%d of 2 files that left are on record", n)
	}
	if r := s.ask(t, "/inbox/export", nil); r.status != http.StatusSeeOther {
		t.Errorf("GET answers %d", r.status)
	}
	if r := s.ask(t, "/inbox/export", url.Values{"format": {"exe"}}); r.status != http.StatusUnprocessableEntity {
		t.Errorf("another format answers %d", r.status)
	}
}

// formAt are the hidden fields of the form that goes to an address.
func formAt(t *testing.T, body, action string) url.Values {
	t.Helper()
	at := strings.Index(body, `action="`+action)
	if at < 0 {
		t.Fatalf("no form goes to %s", action)
	}
	end := strings.Index(body[at:], "</form>")
	return hidden(body[at : at+end])
}
