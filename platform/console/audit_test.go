package console_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// drain waits until the log has taken everything in. The stage keeps the log by
// itself, too, and while that has its turn a second sequencer finds nothing to do.
func (s *stage) drain(t testing.TB) {
	t.Helper()
	wait.Try(t, func() error {
		if _, err := s.Log.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, _ := s.db.System.Query(t.Context(), `select count(*) from gavel_sys.log_queue`)
		waiting, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		if err != nil {
			t.Fatal(err)
		}
		if waiting > 0 {
			return fmt.Errorf("%d records wait for the log to take them in", waiting)
		}
		return nil
	})
}

// publish copies the log's state out, as a server does every few seconds.
func (s *stage) publish(t testing.TB) {
	t.Helper()
	publisher, err := audit.NewPublisher(audit.PublisherConfig{System: s.db.System, Shelf: s.Blobs})
	if err != nil {
		t.Fatal(err)
	}
	if err := publisher.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

var recordForm = regexp.MustCompile(`href="/audit/(rec_[0-9A-Z]+)"`)

// records are the records that a page links to, in its order.
func records(body string) []string {
	var found []string
	for _, m := range recordForm.FindAllStringSubmatch(body, -1) {
		found = append(found, m[1])
	}
	return found
}

// TestTheLogSpeaksOfPeopleAndCasesByTheirNames: what is in a record by its id is
// listed as people know it, and the record says what was done.
func TestTheLogSpeaksOfPeopleAndCasesByTheirNames(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke over the school", 0)
	s.answer(t, identity.Officer, s.offer(t, c, "place_order"), review.Approve, "")
	s.drain(t)
	page := s.ask(t, "/audit", nil)
	wantAll(t, page, http.StatusOK, "Decision: approved", `href="/cases/`+string(c.ID)+`">`+c.Ref+`</a>`, "Smoke over the school")
	if got := s.askAs(t, identity.Operator, "/audit", nil); strings.Contains(got.body, "Smoke over the school") {
		t.Error("who may not read cases reads their titles in the log")
	}
}

func TestOnlyTheLogsReadersReadTheLog(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	s.drain(t)
	rec := records(s.ask(t, "/audit", nil).body)[0]
	may := map[identity.Role]bool{identity.Auditor: true, identity.OrgAdmin: true, identity.Operator: true,
		identity.Officer: true, identity.Analyst: true, identity.ProgrammeManager: true}
	for _, role := range identity.Roles() {
		cookie := "gavel_dev=" + token(t, postgrestest.North, role)
		for _, path := range []string{"/audit", "/audit.csv", "/audit/" + rec} {
			want := http.StatusForbidden
			if may[role] {
				want = http.StatusOK
			}
			got := s.ask(t, path, asked(path), "Cookie", cookie)
			if got.status != want || want != http.StatusOK && strings.Contains(got.body, string(c.ID)) {
				t.Errorf("%s got %d for %s, want %d", role, got.status, path, want)
			}
		}
	}
	operator := s.ask(t, "/audit/"+rec, nil, "Cookie", "gavel_dev="+token(t, postgrestest.North, identity.Operator))
	if strings.Contains(operator.body, `href="/cases/`) {
		t.Error("an operator, who may not read cases, is led to one")
	}
	if got := s.ask(t, "/audit", nil, "Cookie", ""); got.status != http.StatusSeeOther {
		t.Errorf("nobody signed in got %d, want the way to sign in", got.status)
	}
}

func TestTheLogOfAnotherOrganisationIsNotThere(t *testing.T) {
	s := newStage(t)
	s.open(t, postgrestest.North, "k", "Smoke", 0)
	foreign := s.Foreign(t)
	s.drain(t)
	for _, path := range []string{"/audit", "/audit.csv", "/audit?subject=case_01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		if got := s.ask(t, path, asked(path)); got.status != http.StatusOK || strings.Contains(got.body, string(foreign)) {
			t.Errorf("%s answered %d and shows another organisation's record: %t", path, got.status,
				strings.Contains(got.body, string(foreign)))
		}
	}
	if got := s.ask(t, "/audit/"+string(foreign), nil); got.status != http.StatusNotFound {
		t.Errorf("another organisation's record answered %d, want 404", got.status)
	}
}

func TestTheExplorerSaysWhyItShowsNothing(t *testing.T) {
	s := newStage(t)
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"/audit", 200, "Nothing is on record yet"},
		{"/audit?lang=hi", 200, "अभी कुछ भी अभिलेख में नहीं है"},
		{"/audit?kind=decision", 200, "No record matches"},
		{"/audit?actor=nobody&app=none", 200, "Clear the filters"},
		{"/audit?before=rec_00000000000000000000000000", 200, "No older records"},
		{"/audit?before=nonsense", 422, "no page that begins there"},
		{"/audit?subject=" + strings.Repeat("x", 201), 422, "at most 200 characters"},
		{"/audit?subject=%00", 422, "at most 200 characters"},
		{"/audit/rec_00000000000000000000000000", 404, "There is nothing here"},
		{"/audit/nonsense", 404, "There is nothing here"},
	} {
		if got := s.ask(t, tt.path, nil); got.status != tt.status || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s answered %d, want %d with %q", tt.path, got.status, tt.status, tt.want)
		}
	}
}

func TestFiltersNarrowThePageAndTheFile(t *testing.T) {
	s := newStage(t)
	one, two := s.open(t, postgrestest.North, "a", "One", 0), s.open(t, postgrestest.North, "b", "Two", 0)
	id := s.Case(t, 3) // has facts, evidence and snapshots
	actor := url.QueryEscape("dev:officer@north")
	for _, tt := range []struct {
		query string
		want  int
	}{
		{"subject=" + string(one.ID), 1},
		{"subject=" + two.Ref, 1}, // as people call it
		{"kind=facts&subject=" + string(id), 5},
		{"kind=snapshot", 3},
		{"actor=" + actor, 2},
		{"actor=" + actor + "&app=general&kind=case", 2},
		{"kind=erasure", 0},
	} {
		// By another: the file that leaves is a record of who took it.
		page, file := s.ask(t, "/audit?"+tt.query, nil), s.ask(t, "/audit.csv?"+tt.query, url.Values{}, "Cookie",
			"gavel_dev="+token(t, postgrestest.North, identity.Auditor))
		rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if got := len(records(page.body)); got != tt.want || len(rows)-1 != tt.want {
			t.Errorf("%s shows %d records and files %d, want %d", tt.query, got, len(rows)-1, tt.want)
		}
	}
}

func TestTheExplorerPagesAndTheFileHasEverything(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	for i := range 54 {
		if err := s.store.Note(t.Context(), person(postgrestest.North, identity.Officer), c.ID, "", fmt.Sprint("note ", i)); err != nil {
			t.Fatal(err)
		}
	}
	first := s.ask(t, "/audit?kind=case", nil)
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first.body)
	if next == nil {
		t.Fatal("the first page has no link to older records")
	}
	second := s.ask(t, strings.ReplaceAll(next[1], "&amp;", "&"), nil)
	all := append(records(first.body), records(second.body)...)
	if len(all) != 55 || len(records(second.body)) != 5 || strings.Contains(second.body, `rel="next"`) {
		t.Errorf("the pages show %d records, the second %d, want 55 and 5", len(all), len(records(second.body)))
	}
	file := s.ask(t, "/audit.csv", url.Values{})
	rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
	if err != nil || len(rows) != 56 {
		t.Fatalf("the file has %d lines (%v), want 56", len(rows), err)
	}
	for i, rec := range all {
		if rows[i+1][0] != rec {
			t.Fatalf("line %d is %s, want %s", i+2, rows[i+1][0], rec)
		}
	}
	if _, rec, err := audit.ParseRecord([]byte(rows[1][8])); err != nil || rec.Subject != string(c.ID) {
		t.Errorf("the last column is not the record itself: %v", err)
	}
}

func TestARecordIsVerifiedInFrontOfTheReader(t *testing.T) {
	s := setUp(t) // nothing keeps the log but drain and publish: what waits for it waits until it was looked at
	s.server = httptest.NewServer(s.handler)
	t.Cleanup(s.server.Close)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	rec := records(s.ask(t, "/audit", nil).body)[0]
	if got := s.ask(t, "/audit/"+rec, nil); got.status != http.StatusOK || !strings.Contains(got.body, "Not checked yet") {
		t.Errorf("a record that waits for the log answered %d", got.status)
	}
	if got := s.ask(t, "/audit", nil); !strings.Contains(got.body, "1, the oldest since") {
		t.Error("the page does not say that a record waits for the log")
	}
	s.drain(t)
	if got := s.ask(t, "/audit/"+rec, nil); !strings.Contains(got.body, "A step is open") || strings.Contains(got.body, "FAILS") ||
		strings.Contains(got.body, "steps hold") {
		t.Error("a record that no copy covers yet is not said to wait for one")
	}
	s.publish(t)
	page := s.ask(t, "/audit/"+rec, nil)
	for _, want := range []string{"All 5 steps hold", "sha256sum", "Does not prove", `href="/cases/` + string(c.ID),
		"which the log itself names"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	_, other, err := audit.NewKey("gavel.test/log")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{string(s.Public): "a key that you trust", string(other): "it is none that you trust",
		"nonsense": "not a public key"} {
		if got := s.ask(t, "/audit/"+rec+"?key="+url.QueryEscape(key), nil); !strings.Contains(got.body, want) {
			t.Errorf("with the key %.20s the page lacks %q", key, want)
		}
	}
}

func TestATamperedRecordIsShownAsSuch(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	s.drain(t)
	s.publish(t)
	rec := records(s.ask(t, "/audit", nil).body)[0]
	if got := s.ask(t, "/audit/"+rec, nil); !strings.Contains(got.body, "All 5 steps hold") {
		t.Fatal("the record does not hold before it is changed")
	}
	s.set(t, `alter table gavel.record disable trigger user`) // as only the database's owner can
	s.set(t, `update gavel.record set json = replace(json, '"step":"opened"', '"step":"closed"') where id = $1`, rec)
	got := s.ask(t, "/audit/"+rec, nil)
	if got.status != http.StatusOK || !strings.Contains(got.body, "FAILS") || strings.Contains(got.body, "steps hold") {
		t.Errorf("a record with other content answered %d; want a step that fails", got.status)
	}
	s.set(t, `update gavel.record set json = replace(json, '"kind"', '"kind" ') where id = $1`, rec)
	if !strings.Contains(got.body, "Steps that fail: 1") || !strings.Contains(got.body, "Case: closed") {
		t.Error("the page does not count the step that fails, or hides what now stands there")
	}
	for _, path := range []string{"/audit/" + rec, "/audit?subject=" + string(c.ID)} {
		if got := s.ask(t, path, nil); got.status != http.StatusOK || !strings.Contains(got.body, "record "+rec+" is damaged") {
			t.Errorf("%s of a record that cannot be read answered %d without naming it", path, got.status)
		}
	}
}

// TestADamagedRecordHidesNoOther promises a row of its own, on the page and in
// the file, for a record that cannot be read.
func TestADamagedRecordHidesNoOther(t *testing.T) {
	s := newStage(t)
	s.open(t, postgrestest.North, "a", "One", 0)
	two := s.open(t, postgrestest.North, "b", "Two", 0)
	s.open(t, postgrestest.North, "c", "Three", 0)
	s.drain(t)
	rec := records(s.ask(t, "/audit?subject="+string(two.ID), nil).body)[0]
	s.set(t, `alter table gavel.record disable trigger user`)
	s.set(t, `update gavel.record set json = '=' || json where id = $1`, rec)
	page := s.ask(t, "/audit", nil)
	if page.status != http.StatusOK || len(records(page.body)) != 3 || strings.Count(page.body, "is damaged: this is not a record") != 1 {
		t.Errorf("the page answered %d with %d records", page.status, len(records(page.body)))
	}
	rows, err := csv.NewReader(strings.NewReader(s.ask(t, "/audit.csv", url.Values{}).body)).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("the file has %d lines, %v; want 4", len(rows), err)
	}
	for _, row := range rows[1:] {
		damaged := row[0] == rec
		if damaged != strings.Contains(row[9], "is damaged") || damaged != strings.HasPrefix(row[8], "'=") {
			t.Errorf("%s: %q, %.20s", row[0], row[9], row[8])
		}
	}
}

// TestAFileOfRecordsIsOnRecord promises that no list leaves without a record of
// exactly these bytes, and that following a link leaves nothing.
func TestAFileOfRecordsIsOnRecord(t *testing.T) {
	s := newStage(t)
	s.open(t, postgrestest.North, "k", "Smoke", 0)
	file := s.ask(t, "/audit.csv?kind=case", url.Values{})
	e, left, err := s.log.FindExport(t.Context(), blob.Sum([]byte(file.body)))
	if err != nil || left.File != "records" || left.Rows != 1 || left.Size != int64(len(file.body)) ||
		e.Record.Actor.ID != "dev:officer@north" || e.Record.Kind != audit.Export {
		t.Errorf("got %+v %+v, %v", e, left, err)
	}
	got := s.ask(t, "/audit.csv", nil)
	if n := len(records(s.ask(t, "/audit?kind=export", nil).body)); got.status != http.StatusSeeOther || n != 1 {
		t.Errorf("GET answered %d, and %d departures are on record, want 1", got.status, n)
	}
}

// asked is the form for what leaves with a record, and nil for a page.
func asked(path string) url.Values {
	if strings.HasPrefix(path, "/audit.csv") {
		return url.Values{}
	}
	return nil
}

func TestTheCaseLeadsToItsFactsAndRecords(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	page := s.ask(t, "/cases/"+string(c.ID), nil)
	for _, path := range []string{"/cases/" + string(c.ID) + "/facts", "/audit?subject=" + string(c.ID)} {
		if !strings.Contains(page.body, `href="`+path+`"`) || s.ask(t, path, nil).status != http.StatusOK {
			t.Errorf("the case does not lead to %s", path)
		}
	}
	if got := len(records(s.ask(t, "/audit?subject="+string(c.ID), nil).body)); got != 1 {
		t.Errorf("the case has %d records, want 1", got)
	}
}
