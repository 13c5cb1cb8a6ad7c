package poolpatrol

import (
	"bufio"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestTheProgrammesPageSaysWhereThingsStand promises its states: nothing imported,
// ready, running, done, and too old; each says what to do.
func TestTheProgrammesPageSaysWhereThingsStand(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.ProgrammeManager, homeAt).Holds(t, 200, "No records have been imported yet", "Import the first file")
	empty := s.Get(t, identity.Auditor, homeAt)
	empty.Holds(t, 200, "A programme manager can import them")
	empty.Lacks(t, "Import the first file")

	s.fill(t, town(40))
	ready := s.Get(t, identity.ProgrammeManager, homeAt)
	ready.Holds(t, 200, "No van has been audited yet", "Audit every van", "fresh", "by you", "The badge check is left out")
	ready.Lacks(t, "too old", "disabled")

	p := s.begin(t)
	s.Get(t, identity.ProgrammeManager, homeAt).Holds(t, 200, "The records are being read", "disabled", p.ID,
		`data-live="`+store.PassJob.Live("*")+`"`)
	s.finish(t, p)
	done := s.Get(t, identity.ProgrammeManager, homeAt)
	done.Holds(t, 200, "Done", "Vans that failed", "The last 90 days", "No case was opened or ended", "of 5:", "Plant 1")

	s.grow(t, 50*time.Hour)
	old := s.Get(t, identity.ProgrammeManager, homeAt)
	old.Holds(t, 200, "too old to audit anybody on", "Employees: since", "Import the records again", "disabled")
	refused := s.Post(t, identity.ProgrammeManager, passesAt, url.Values{"after": {p.ID}})
	refused.Holds(t, http.StatusConflict, "No pass was started", "older than 48 hours", "Import the records again.")
	s.Get(t, identity.ProgrammeManager, homeAt+"?lang=hi").Holds(t, 200, "अभिलेख इतने पुराने हैं", "हर वैन की जाँच करें")
}

// TestAnAuditOfEveryVanAsksFirst promises that the first page starts nothing: it leads to a
// question with what would follow, counted, which writes nothing.
func TestAnAuditOfEveryVanAsksFirst(t *testing.T) {
	s := newStage(t)
	s.fill(t, town(40))
	home := s.Get(t, identity.ProgrammeManager, homeAt)
	home.Holds(t, 200, `href="`+passesAt+`/new"`)
	home.Lacks(t, `action="`+passesAt+`"`)
	actor := stageManager()
	told, err := s.app.store.Forecast(t.Context(), actor)
	if err != nil || told.Vans != 40 || told.Cases == 0 || told.Letters == 0 || told.Going != 0 {
		t.Fatalf("%+v, %v: nothing to foretell", told, err)
	}
	count := strconv.Itoa
	asks := s.Get(t, identity.ProgrammeManager, passesAt+"/new")
	asks.Holds(t, 200, "Audit 40 vans?", "40 vans with "+count(told.Riders)+" riders", "New: "+count(told.Cases)+".",
		"Audit 40 vans and send "+count(told.Letters)+" letter")
	s.Get(t, identity.ProgrammeManager, passesAt+"/new?lang=hi").Holds(t, 200, "40 वैन की जाँच करें?", "यात्रियों")
	s.Get(t, identity.Auditor, passesAt+"/new").Holds(t, http.StatusForbidden)
	if passes, _, err := s.app.store.Passes(t.Context(), actor, "", 5); err != nil || len(passes) != 0 {
		t.Fatalf("asking started %d passes, %v", len(passes), err)
	}
}

// TestAnAuditDoesWhatWasForetold promises that the audit opens as many cases and writes as many
// letters as its page said before, and that asked again it is told that those are open.
func TestAnAuditDoesWhatWasForetold(t *testing.T) {
	inst := platformtest.New(t, New()).Keep(t).Ask(t)
	var err error
	inst.Deps.Post, err = notify.New(notify.Config{DB: inst.Deps.DB, Vault: inst.Deps.Vault, From: "cell@gavel.test",
		Book: address.Book{Domain: "mail.gavel.test", Inbound: "in.gavel.test", Keys: [][]byte{make([]byte, 32)}}})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{Installation: inst, app: newRooms()}
	if err := s.app.open(inst.Deps); err != nil {
		t.Fatal(err)
	}
	s.fill(t, town(40))
	told, err := s.app.store.Forecast(t.Context(), stageManager())
	if err != nil {
		t.Fatal(err)
	}
	p := s.audit(t)
	for done := false; !done; {
		if done, err = s.app.work.Steps().Settle(t.Context(), store.PassInput{Org: postgrestest.North, Pass: p.ID}); err != nil {
			t.Fatal(err)
		}
	}
	cases, letters := s.Number(t, `select count(*)::int from poolpatrol.case`), s.Number(t, `select count(*)::int from gavel.mail`)
	if cases != told.Cases || letters != told.Letters || letters == 0 {
		t.Errorf("%d cases and %d letters; %+v was foretold", cases, letters, told)
	}
	again, err := s.app.store.Forecast(t.Context(), stageManager())
	if err != nil || again.Going != cases || again.Cases != 0 || again.Letters != 0 {
		t.Errorf("asked again: %+v, %v; %d cases are open", again, err, cases)
	}
}

// TestAPassIsStartedOnceHoweverOftenItsButtonIsPressed promises it also of two
// people who press it on the same page.
func TestAPassIsStartedOnceHoweverOftenItsButtonIsPressed(t *testing.T) {
	s := newStage(t)
	s.fill(t, town(10))
	form := regexp.MustCompile(`name="after" value="([^"]+)"`).FindStringSubmatch(s.Get(t, identity.ProgrammeManager, passesAt+"/new").Body)
	if form == nil {
		t.Fatal("the page has no form that starts a pass")
	}
	first := s.Post(t, identity.ProgrammeManager, passesAt, url.Values{"after": {form[1]}})
	again := s.Post(t, identity.ProgrammeManager, passesAt, url.Values{"after": {form[1]}})
	if first.Status != http.StatusSeeOther || first.Header.Get("Location") != again.Header.Get("Location") {
		t.Fatalf("got %d to %q, then %d to %q", first.Status, first.Header.Get("Location"), again.Status, again.Header.Get("Location"))
	}
	s.Get(t, identity.ProgrammeManager, first.Header.Get("Location")).Holds(t, 200, "Under way", "The records are being read",
		"A person asked for it")
	if got := s.Post(t, identity.Auditor, passesAt, url.Values{"after": {form[1]}}); got.Status != http.StatusForbidden {
		t.Errorf("an auditor starts a pass: %d", got.Status)
	}
	s.Get(t, identity.Auditor, homeAt).Lacks(t, "Audit every van")
}

// TestAPassShowsEveryVanOnce promises its pages: what failed, what could not be
// judged, and what is well, fifty at a time.
func TestAPassShowsEveryVanOnce(t *testing.T) {
	s := newStage(t)
	of := town(200)
	s.fill(t, of)
	s.Set(t, `update poolpatrol.rider set removed_on = current_date where vanpool_id = (select min(id) from poolpatrol.vanpool)`)
	p := s.audit(t)
	at := passAddress(p.ID, "")
	rows := regexp.MustCompile(`<th scope="row"><a class="mono nowrap" href="/poolpatrol/vanpools/(VP-\d+)"`)
	seen := map[string]int{}
	for _, outcome := range outcomes() {
		next := at + "?outcome=" + string(outcome)
		for next != "" {
			page := s.Get(t, identity.Auditor, next)
			page.Holds(t, 200, p.ID)
			found := rows.FindAllStringSubmatch(page.Body, -1)
			if len(found) > perPage {
				t.Errorf("%s has %d rows", next, len(found))
			}
			for _, m := range found {
				seen[m[1]]++
			}
			next = ""
			if more := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page.Body); more != nil {
				next = strings.ReplaceAll(more[1], "&amp;", "&")
			}
		}
	}
	for _, v := range of.Vanpools {
		if seen[string(v.ID)] != 1 {
			t.Errorf("%s is shown %d times", v.ID, seen[string(v.ID)])
		}
	}
	s.Get(t, identity.Auditor, at).Holds(t, 200, "Failed, by check", "A van that failed two checks is counted in both", p.Policy)
	s.Get(t, identity.Auditor, at+"?outcome=error").Holds(t, 200, "has no riders")
	s.Get(t, identity.Auditor, passesAt).Holds(t, 200, p.ID, "Done")
}

// TestAnAuditIsToldWithItsEvidence promises the page of a run and those of its van
// and riders: what was found, how sure, for, against, unknown, and what would
// change it.
func TestAnAuditIsToldWithItsEvidence(t *testing.T) {
	s := newStage(t)
	of := town(40)
	s.fill(t, of)
	p := s.audit(t)
	wrong := of.Wrong[0]
	runs, _, err := s.app.store.Runs(t.Context(), stageManager(), store.RunQuery{Pass: p.ID, Vanpool: wrong.Vanpool})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	who, run := string(wrong.Employee), runsAt+"/"+string(runs[0].ID)
	page := s.Get(t, identity.Auditor, run)
	page.Holds(t, 200, "Does not pass", "For the verdict", "Against it", "Not known", "What would change this", "of 5", "Passes", who)
	page.Lacks(t, "Person EMP-", "Made-up Road", "@staff.example")
	van := s.Get(t, identity.Auditor, vansAt+"/"+string(wrong.Vanpool))
	van.Holds(t, 200, "Person "+who, "straight line", "Mon ", "Newest audit", "Does not pass", run, "Personal data")
	van.Lacks(t, "Made-up Road", "@staff.example")
	van.Holds(t, 200, "Riders who pass this check")
	page.Holds(t, 200, `id="others-`)
	rider := s.Get(t, identity.Auditor, ridersAt+"/"+who)
	rider.Holds(t, 200, "Person "+who, string(wrong.Vanpool), run, "None was granted", "None on record", "A finding is a question")
	rider.Lacks(t, "Made-up Road", "@staff.example", "home_lat")
	s.Set(t, `insert into poolpatrol.exception (org, id, subject, check_name, until_day, reason, granted_by, granted_at)
		values ('north', 'EXC-0000000A', $1, 'location', current_date + 30, 'Cares for a parent.', 'p-1', now())`, who)
	s.Set(t, `insert into poolpatrol.away (org, employee_id, from_day) values ('north', $1, '2026-11-02')`, who)
	s.Get(t, identity.Auditor, ridersAt+"/"+who).Holds(t, 200, "Cares for a parent.", "Granted by p-1", "2 Nov", " – no end")
	var clean string
	for _, v := range of.Vanpools {
		if !strings.Contains(s.Get(t, identity.Auditor, passAddress(p.ID, "")).Body, string(v.ID)) {
			clean = string(v.ID)
			break
		}
	}
	s.Get(t, identity.Auditor, vansAt+"/"+clean).Holds(t, 200, "Nothing is wrong with this van", "can be computed again")
}

// TestVansAreFoundBySiteOutcomeAndNumber promises the filter and that no name is
// looked for, so that none is in an address.
func TestVansAreFoundBySiteOutcomeAndNumber(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.Auditor, vansAt).Holds(t, 200, "No vans are on record", "A programme manager can import them")
	s.Get(t, identity.ProgrammeManager, vansAt).Holds(t, 200, "Import records", `href="`+importAt+`"`)
	of := town(60)
	s.fill(t, of)
	first := string(of.Vanpools[0].ID)
	s.Get(t, identity.Auditor, vansAt).Holds(t, 200, first, "Not audited yet", `rel="next"`)
	s.audit(t)
	s.Get(t, identity.Auditor, vansAt+"?van="+strings.TrimPrefix(first, "VP-")).Holds(t, 200, first)
	s.Get(t, identity.Auditor, vansAt+"?site=PLANT-1&outcome=failed").Holds(t, 200, "Failed", "Plant 1")
	s.Get(t, identity.Auditor, vansAt+"?site=PLANT-1&outcome=failed").Lacks(t, `<td dir="auto">Plant 2`)
	s.Get(t, identity.Auditor, vansAt+"?van=Person").Holds(t, 200, "No van is like that", "Clear the filters")
	s.Get(t, identity.Auditor, vansAt+"?outcome=asleep").Holds(t, http.StatusUnprocessableEntity, "The filter outcome",
		"verified, failed, error")
	s.Get(t, identity.Auditor, vansAt+"?van="+strings.Repeat("1", 99)).Holds(t, http.StatusUnprocessableEntity)
	for _, odd := range []string{vansAt + "?after=%00", vansAt + "?site=%ff", vansAt + "?van=%00", gapsAt + "?after=%00",
		passesAt + "/PASS-%00", passesAt + "?before=%00"} {
		s.Get(t, identity.Auditor, odd).Holds(t, http.StatusUnprocessableEntity)
	}
}

// TestGapsAccuseNobody promises that what is missing is listed apart from what is
// wrong.
func TestGapsAccuseNobody(t *testing.T) {
	s := newStage(t)
	none := s.Get(t, identity.ProgrammeManager, gapsAt)
	none.Holds(t, 200, "No vans are on record", "there is nothing to audit yet", "Import records")
	none.Lacks(t, "Nothing is missing")
	of := town(10)
	s.fill(t, of)
	s.Get(t, identity.Auditor, gapsAt).Holds(t, 200, "Nothing is missing from the records")
	who := string(of.Vanpools[0].Riders[0].Employee)
	s.Set(t, `update poolpatrol.employee set home_lat = null, home_lng = null where id = $1`, who)
	s.audit(t)
	s.Get(t, identity.Auditor, gapsAt).Holds(t, 200, who, "where they live", "Location")
	s.Get(t, identity.Auditor, homeAt).Holds(t, 200, "1 thing is missing. Nobody is written to about it")
}

// TestWhoMaySeeThePages promises that an officer and another organisation see
// nothing, and that an auditor changes nothing.
func TestWhoMaySeeThePages(t *testing.T) {
	s := newStage(t)
	of := town(10)
	s.fill(t, of)
	p := s.audit(t)
	van, who := string(of.Vanpools[0].ID), string(of.Employees[0].ID)
	for _, path := range []string{homeAt, homeAt + "/last", passesAt, passAddress(p.ID, ""), passAddress(p.ID, "/results"), vansAt,
		vansAt + "/" + van, ridersAt + "/" + who, gapsAt, simulateAt, importAt} {
		if got := s.Get(t, identity.Officer, path); got.Status != http.StatusForbidden || strings.Contains(got.Body, "Plant") ||
			strings.Contains(got.Body, "Person ") {
			t.Errorf("an officer gets %d from %s", got.Status, path)
		}
	}
	for _, path := range []string{passAddress(p.ID, ""), vansAt + "/" + van, ridersAt + "/" + who, vansAt + "/nonsense",
		ridersAt + "/nonsense", runsAt + "/nonsense"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: platformtest.Token(t, postgrestest.South, identity.ProgrammeManager)})
		if got := s.Do(t, identity.ProgrammeManager, req); got.Status != http.StatusNotFound {
			t.Errorf("south gets %d from %s", got.Status, path)
		}
	}
	if got := s.Get(t, identity.Auditor, importAt); got.Status != http.StatusForbidden {
		t.Errorf("an auditor gets %d from the import", got.Status)
	}
	if got := s.send(t, identity.Auditor, importAt, fileOf(t, of, intake.Sites), "sha256",
		strings.Repeat("0", 64)); got.Status != http.StatusForbidden {
		t.Errorf("an auditor imports: %d", got.Status)
	}
}

// TestOpenPagesHearOfAPass promises that a pass, as it moves on and ends, tells open
// pages under the name that they listen to.
func TestOpenPagesHearOfAPass(t *testing.T) {
	s := newStage(t)
	s.fill(t, town(10))
	p := s.begin(t)
	if page := s.Get(t, identity.ProgrammeManager, passAddress(p.ID, "")); !strings.Contains(page.Body,
		`data-live="`+store.PassJob.Live(p.ID)+`" data-version="0"`) {
		t.Fatal("the page of a pass does not listen to it")
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: platformtest.Token(t, postgrestest.North, identity.Auditor)})
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	heard := func(want string) {
		t.Helper()
		for deadline := time.After(wait.Patience()); ; {
			select {
			case line := <-lines:
				if strings.Contains(line, want) {
					return
				}
			case <-deadline:
				t.Fatalf("nobody said %s", want)
			}
		}
	}
	heard(`"live":true`)
	s.finish(t, p)
	heard(`{"object":"` + store.PassJob.Live(p.ID) + `","version":4}`) // begun, read, looked at, and its end
}

// TestARidersPageIsInWords promises names in place of ids where people have given
// some, and days of which nobody has to guess which number is the month.
func TestARidersPageIsInWords(t *testing.T) {
	s := newStage(t)
	of := town(10)
	s.fill(t, of)
	page := s.Get(t, identity.ProgrammeManager, ridersAt+"/"+string(of.Vanpools[0].Riders[0].Employee))
	page.Holds(t, 200, "Plant ", "Day shift", "6 Jan 2025")
	page.Lacks(t, ">PLANT-", ">SHIFT_")
	for _, at := range []string{ridersAt + "/" + string(of.Vanpools[0].Riders[0].Employee), vansAt + "/" + string(of.Vanpools[0].ID)} {
		if day := regexp.MustCompile(`\b\d{2}-\d{2}-\d{4}\b`).FindString(s.Get(t, identity.ProgrammeManager, at).Main()); day != "" {
			t.Errorf("%s writes a day as %s", at, day)
		}
	}
}
