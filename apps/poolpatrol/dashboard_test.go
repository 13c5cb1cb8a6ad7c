package poolpatrol

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/timetable"
)

// arranged has one case wait for each of those a case can wait for, one of them
// overdue, one ended as resolved after four days and one as cancelled after ten,
// and returns how many cases there are.
func (r *rig) arranged() int {
	r.t.Helper()
	r.settled()
	put := func(n int, set string) {
		r.t.Helper()
		r.sql(`update poolpatrol.case set `+set+` where id = (select id from poolpatrol.case order by vanpool_id offset $1 limit 1)`, n)
	}
	put(0, `state = 'pending_reply', deadline_at = now() + interval '3 days'`)
	put(1, `state = 'pending_reply', deadline_at = now() - interval '1 hour'`)
	put(2, `state = 'pending_reply', life = life || '{"due_at":"2026-01-01T00:00:00Z"}'`)
	put(3, `state = 'open'`)
	put(4, `state = 'resolved', opened_at = now() - interval '5 days', ended_at = now() - interval '1 day', life = life || '{"sub_reason":"data_fixed"}'`)
	put(5, `state = 'cancelled', opened_at = now() - interval '11 days', ended_at = now() - interval '1 day', life = life || '{"sub_reason":"membership_cancelled"}'`)
	r.sql(`update poolpatrol.case_subject set state = 'cancelled', cancelled_at = now() - interval '2 days' where (case_id, employee_id) = (
		select case_id, employee_id from poolpatrol.case_subject where case_id = (select id from poolpatrol.case where state = 'cancelled')
		order by employee_id limit 1)`)
	return ask[int](r, `select count(*)::int from poolpatrol.case`)
}

// TestTheDashboardCountsWhatItLinksTo promises that every number of the dashboard
// is how many cases the list it leads to has.
func TestTheDashboardCountsWhatItLinksTo(t *testing.T) {
	r := newRig(t)
	all := r.arranged()
	d, err := r.app.store.Dashboard(t.Context(), rigPeople["auditor"])
	if err != nil {
		t.Fatal(err)
	}
	listed := func(query string) int {
		return len(r.want(200, "auditor", "GET", casesAddress+"?page_size=200&"+query, nil).Items())
	}
	if d.Open != all-2 || d.Open != listed("open=true") || d.Overdue != 1 || listed("overdue=true") != 1 || d.Ended != 2 ||
		listed("ended=true") != 2 {
		t.Errorf("of %d cases: got %+v", all, d)
	}
	for _, w := range store.Waitings() {
		if got := listed("waiting_on=" + string(w)); got != d.Waiting[w] || got == 0 {
			t.Errorf("waiting for %s: got %d on the dashboard, %d in the list", w, d.Waiting[w], got)
		}
	}
	for _, s := range lifecycle.States() {
		want := d.States[s]
		if s.Ended() {
			want = 1
		}
		if got := listed("state=" + string(s)); got != want {
			t.Errorf("%s: got %d on the dashboard, %d in the list", s, want, got)
		}
	}
	r.sql(`update poolpatrol.case set ended_at = ended_at - interval '91 days', opened_at = opened_at - interval '91 days'
		where state = 'cancelled'`)
	if old, err := r.app.store.Dashboard(t.Context(), rigPeople["auditor"]); err != nil || old.Ended != 1 || listed("ended=true") != 1 {
		t.Errorf("of what ended long ago: got %d on the dashboard, %d in the list, %v", old.Ended, listed("ended=true"), err)
	}
	if d.Median != 7*24*time.Hour || d.P90.Round(time.Minute) != 225*time.Hour+36*time.Minute { // of 4 and 10 days
		t.Errorf("half within %s, nine in ten within %s", d.Median, d.P90)
	}
	if d.Opened != all || d.Minutes != 45 || d.Saved() != time.Duration(all)*45*time.Minute || d.Ends != 1 || d.Reversed != 0 {
		t.Errorf("got %+v", d)
	}
}

// TestASeatGivenBackIsAReversal promises that a membership which a case ended and
// an import brought back is counted as reversed, once, if it was within 60 days.
func TestASeatGivenBackIsAReversal(t *testing.T) {
	r := newRig(t)
	r.arranged()
	const seat = `(select c.vanpool_id, s.employee_id from poolpatrol.case_subject s join poolpatrol.case c on c.id = s.case_id
		where s.cancelled_at is not null)`
	van, who := ask[string](r, `select vanpool_id from `+seat+` x`), ask[string](r, `select employee_id from `+seat+` x`)
	r.sql(`update poolpatrol.rider set removed_on = current_date - 2,
		removed_case_id = (select id from poolpatrol.case where state = 'cancelled') where vanpool_id = $1 and employee_id = $2`, van, who)
	reversed := func() int {
		d, err := r.app.store.Dashboard(t.Context(), rigPeople["manager"])
		if err != nil {
			t.Fatal(err)
		}
		return d.Reversed
	}
	r.hand("manager", "sites", "site_id,name,tz\nPLANT-9,Plant 9,UTC\n")
	if reversed() != 0 {
		t.Fatal("who is out of the van counts as back")
	}
	body := aFile("riders", "vanpool_id,employee_id,since\n"+van+","+who+","+time.Now().UTC().Format(time.DateOnly)+"\n", false)
	body["sha256"] = r.want(200, "manager", "POST", "/v1/poolpatrol/previews", body).JSON["sha256"]
	r.want(200, "manager", "POST", "/v1/poolpatrol/imports", body)
	if reversed() != 1 {
		t.Errorf("got %d, want one", reversed())
	}
	r.sql(`update poolpatrol.case_subject set cancelled_at = put_back_at - interval '61 days' where cancelled_at is not null`)
	if reversed() != 0 {
		t.Error("after 61 days it is still counted")
	}
}

// TestACaseIsShownWhole promises that a case is found by both its names, with its
// subjects and history, names nobody, and is not found by another organisation.
func TestACaseIsShownWhole(t *testing.T) {
	r := newRig(t)
	r.arranged()
	d := &desk{rig: r, as: "manager"}
	if err := d.run("case", "list", "--waiting-on", "programme_manager", "--limit", "1"); err != nil || len(d.printed) != 1 {
		t.Fatalf("got %v, %s", err, d.printed)
	}
	ref, _ := d.field("ref").(string)
	if err := d.run("case", "show", ref); err != nil || d.field("why") == "" || d.field("state") != "hitl_review" {
		t.Errorf("got %v, %s", err, d.printed)
	}
	people, _ := d.field("subjects").([]any)
	events, _ := d.field("events").([]any)
	if len(people) == 0 || len(events) == 0 {
		t.Errorf("got %d people and %d events: %s", len(people), len(events), d.printed)
	}
	id, _ := d.field("id").(string)
	if byID := r.want(200, "auditor", "GET", of("cases", id), nil); byID.JSON["ref"] != ref {
		t.Errorf("by its id: got %s", byID.Body)
	}
	name := ask[string](r, `select e.name from poolpatrol.employee e join poolpatrol.case_subject s on s.employee_id = e.id
		where s.case_id = $1 and e.name <> '' limit 1`, id)
	if text := string(d.printed[0]); name == "" || strings.Contains(text, name) || strings.Contains(text, "@") {
		t.Errorf("it names somebody: %s", text)
	}
	r.want(404, "south", "GET", of("cases", ref), nil)
	r.want(403, "officer", "GET", of("cases", ref), nil)
	for _, c := range []struct {
		args []string
		kind fault.Kind
	}{{[]string{"case", "show", "CASE-00000000"}, fault.NotFound}, {[]string{"case", "show", "x"}, fault.Invalid},
		{[]string{"case", "list", "--state", "lost"}, fault.Invalid},
		{[]string{"case", "list", "--van", "x"}, fault.Invalid}, {[]string{"case", "list", "--limit", "0"}, fault.Invalid}} {
		if err := d.run(c.args...); !fault.Is(err, c.kind) {
			t.Errorf("%v: got %v", c.args, err)
		}
	}
}

// TestCaseListsGoOnWhereTheyEnded promises that pages of the list have every case
// once.
func TestCaseListsGoOnWhereTheyEnded(t *testing.T) {
	r := newRig(t)
	all := r.arranged()
	seen, after := map[any]bool{}, ""
	for range all {
		page := r.want(200, "manager", "GET", casesAddress+"?page_size=2&page_token="+after, nil)
		for _, one := range page.Items() {
			seen[one.(map[string]any)["id"]] = true
		}
		if after, _ = page.JSON["next_page_token"].(string); after == "" {
			break
		}
	}
	if len(seen) != all {
		t.Errorf("got %d cases of %d", len(seen), all)
	}
	r.want(422, "manager", "GET", casesAddress+"?page_token=bm9uc2Vuc2U", nil)
}

// TestTheFirstPageShowsTheProgramme promises that the first page has the numbers
// with their links, says what is off or stale, and that the pages it leads to
// open; and that a new programme is told what to do first.
func TestTheFirstPageShowsTheProgramme(t *testing.T) {
	s := newStage(t)
	if got := s.Get(t, identity.ProgrammeManager, homeAt); got.Status != http.StatusOK ||
		!strings.Contains(got.Body, "No records have been imported yet") {
		t.Fatalf("a new programme: got %d", got.Status)
	}
	s.fill(t, apiTown())
	got := s.Get(t, identity.ProgrammeManager, homeAt)
	for _, want := range []string{"No case is open", "None scheduled", "No case was opened or ended"} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("an empty programme does not say %q", want)
		}
	}
	r := &rig{t: t, Installation: s.Installation, app: s.app}
	if _, err := s.app.store.SetSchedule(t.Context(), stageManager(), store.Timetable{Monthly: true, Day: 1, Daily: true, Hour: 6},
		0); err != nil {
		t.Fatal(err)
	}
	r.sql(`update gavel.timetable_slot set next_at = now() - interval '1 hour' where name = 'daily'`)
	r.sql(`update poolpatrol.sync set at = at - interval '50 hours'`)
	if _, err := s.app.work.Steps().Due(t.Context(), timetable.Input{Org: postgrestest.North}, time.Now()); err != nil {
		t.Fatal(err)
	}
	got = s.Get(t, identity.Auditor, homeAt)
	for _, want := range []string{"Every van: ", "Not begun on ", "too old to judge anybody on"} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("a programme with old records does not say %q", want)
		}
	}
	for _, path := range []string{casesAt, casesAt + "?state=pre_cancel&overdue=yes", settingsAt, settingsAt + "?lang=hi"} {
		if got := s.Get(t, identity.Auditor, path); got.Status != http.StatusOK {
			t.Errorf("%s: got %d", path, got.Status)
		}
	}
	if got := s.Get(t, identity.Auditor, casesAt+"?ended=yes"); !strings.Contains(got.Body, `name="ended" value="yes" checked`) {
		t.Error("to filter a list of ended cases further forgets that it is one")
	}
	if got := s.Get(t, identity.Auditor, casesAt+"?state=lost"); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("a state there is not: got %d", got.Status)
	}
}
