package poolpatrol

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/timetable"
)

// sql runs one statement as north.
func (r *rig) sql(text string, args ...any) {
	r.t.Helper()
	err := r.DB.App.InOrg(r.t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(r.t.Context(), text, args...)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// ask reads one value as north.
func ask[T any](r *rig, query string, args ...any) (v T) {
	r.t.Helper()
	err := r.DB.App.InOrg(r.t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(r.t.Context(), query, args...).Scan(&v)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// settled has every van of a town audited and cases opened for those that fail.
func (r *rig) settled() {
	r.t.Helper()
	r.Deps.Cases = casefile.NewStore(casefile.Config{DB: r.DB.App, Rules: r.Deps.Rules, Kinds: []casefile.Kind{r.App.Cases}})
	if err := r.app.open(r.Deps); err != nil {
		r.t.Fatal(err)
	}
	r.fill("manager", apiTown())
	pass := r.audited("manager")
	if _, err := r.app.work.Steps().Settle(r.t.Context(), store.PassInput{Org: postgrestest.North, Pass: pass}); err != nil {
		r.t.Fatal(err)
	}
}

// farHour is an hour that does not come while a test runs.
func (r *rig) farHour() int {
	r.t.Helper()
	zone, _ := r.want(200, "manager", "GET", scheduleAddress, nil).JSON["tz"].(string)
	return (time.Now().In(placeOf(zone)).Hour() + 12) % 24
}

// farDay is a day of the month that is about two weeks off, and does not come while
// a test looks a day ahead.
func (r *rig) farDay() int {
	r.t.Helper()
	zone, _ := r.want(200, "manager", "GET", scheduleAddress, nil).JSON["tz"].(string)
	return (time.Now().In(placeOf(zone)).Day()+14)%28 + 1
}

// due lets the calendar look at a moment.
func (r *rig) due(at time.Time) time.Time {
	r.t.Helper()
	next, err := r.app.work.Steps().Due(r.t.Context(), timetable.Input{Org: postgrestest.North}, at)
	if err != nil {
		r.t.Fatal(err)
	}
	return next
}

const (
	passesOf  = `select count(*)::int from poolpatrol.pass where kind = $1`
	newestOf  = `select id from poolpatrol.pass where kind = $1 order by began_at desc, id desc limit 1`
	bothNotes = `select string_agg(note, ' ' order by name desc) from gavel.timetable_slot`
)

// TestPassesBeginWhenItIsTime promises: nothing before its hour; the monthly pass
// looks at every van and the daily one only at those with an open case; what was
// missed many times runs once; and a pass is not begun while another is at it.
func TestPassesBeginWhenItIsTime(t *testing.T) {
	r := newRig(t)
	r.settled()
	if next := r.due(time.Now()); !next.IsZero() {
		t.Errorf("without a schedule: got %s, want nothing to be due", next)
	}
	set := r.want(200, "manager", "PUT", scheduleAddress, map[string]any{"monthly": true, "day": r.farDay(), "daily": true,
		"hour": r.farHour()})
	if set.Header.Get("ETag") != `"1"` || set.JSON["set_by"] != "manager" {
		t.Errorf("got %s", set.Body)
	}
	next := r.due(time.Now())
	if next.Before(time.Now()) || ask[int](r, passesOf, "monthly")+ask[int](r, passesOf, "daily") != 0 {
		t.Fatalf("before the hour: next is %s, and a pass was begun", next)
	}
	// Both were missed for weeks: each is taken once, the daily one left to the monthly.
	r.sql(`update gavel.timetable_slot set next_at = now() - interval '20 days'`)
	now := time.Now()
	if next = r.due(now); !next.After(now) || next.Sub(now) > 25*time.Hour {
		t.Errorf("next is %s", next)
	}
	if n, m, note := ask[int](r, passesOf, "monthly"), ask[int](r, passesOf, "daily"), ask[string](r, bothNotes); n != 1 || m != 0 ||
		note != " running" {
		t.Fatalf("got %d monthly and %d daily passes and %q, want one and the other left out", n, m, note)
	}
	if r.due(now); ask[int](r, passesOf, "monthly") != 1 {
		t.Error("looking again began another pass")
	}
	monthly := ask[string](r, newestOf, "monthly")
	r.finish(postgrestest.North, monthly)
	if got := r.want(200, "manager", "GET", "/v1/poolpatrol/passes/"+monthly, nil).JSON; got["looked"] != 30.0 ||
		got["asked_by"] != identity.Gavel(postgrestest.North).ID {
		t.Errorf("the monthly pass: got %v", got)
	}
	open := ask[int](r, `select count(*)::int from poolpatrol.case where ended_at is null`)
	r.due(next)
	daily := ask[string](r, newestOf, "daily")
	r.finish(postgrestest.North, daily)
	got := r.want(200, "manager", "GET", "/v1/poolpatrol/passes/"+daily, nil).JSON
	if open < 3 || open == 30 || got["planned"] != float64(open) || got["looked"] != float64(open) || got["state"] != "done" {
		t.Errorf("%d cases are open; the daily pass: got %v", open, got)
	}
	if note := ask[string](r, bothNotes); note != " " {
		t.Errorf("the note is still %q", note)
	}
	// A person's newest pass is one over every van.
	if first := r.want(200, "manager", "GET", passesAddress, nil).Items()[0].(map[string]any); first["id"] != monthly {
		t.Errorf("the newest pass is %v, want %s", first["id"], monthly)
	}
}

// TestOldRecordsPutAPassOff promises that nobody is judged on old records by a
// schedule either, that this is said, that a monthly pass is tried again the next
// day, and that it runs once the records have come.
func TestOldRecordsPutAPassOff(t *testing.T) {
	r := newRig(t)
	r.settled()
	r.want(200, "manager", "PUT", scheduleAddress, `{"monthly":true,"day":1,"daily":true,"hour":6}`)
	r.sql(`update gavel.timetable_slot set next_at = now() - interval '1 hour'`)
	r.sql(`update poolpatrol.sync set at = at - interval '50 hours'`)
	now := time.Now()
	next := r.due(now)
	got := r.want(200, "auditor", "GET", scheduleAddress, nil).JSON
	month, day := got["monthly_pass"].(map[string]any), got["daily_pass"].(map[string]any)
	if month["left_out"] != "stale" || day["left_out"] != "stale" || month["left_out_at"] == nil || month["last_pass"] != "" {
		t.Errorf("got %v and %v", month, day)
	}
	if month["next_at"] != day["next_at"] || next.Sub(now) > 25*time.Hour {
		t.Errorf("the monthly pass is tried again on %v, want the next day", month["next_at"])
	}
	if ask[int](r, `select count(*)::int from gavel.record where kind = 'poolpatrol_schedule' and json like '%left_out%'`) != 2 {
		t.Error("what was left out is not on record")
	}
	r.want(204, "staff", "POST", "/v1/poolpatrol/syncs", `{"kinds":["employees","vanpools"]}`)
	r.due(next)
	if n := ask[int](r, passesOf, "monthly"); n != 1 {
		t.Errorf("once the records had come, %d monthly passes were begun", n)
	}
	r.want(200, "manager", "PUT", scheduleAddress, `{"monthly":false,"day":1,"daily":false,"hour":6}`)
	if next := r.due(next.AddDate(1, 0, 0)); !next.IsZero() || ask[int](r, passesOf, "monthly") != 1 {
		t.Errorf("turned off: next is %s", next)
	}
}

// TestSavingKeepsWhatIsOwed promises that a monthly pass which was put off or missed
// is not lost because somebody saves the schedule, or moves its hours to another
// zone; and that one which died does not stop those after it.
func TestSavingKeepsWhatIsOwed(t *testing.T) {
	r := newRig(t)
	r.settled()
	set := map[string]any{"monthly": true, "day": r.farDay(), "daily": false, "hour": r.farHour()}
	r.want(200, "manager", "PUT", scheduleAddress, set)
	r.sql(`update gavel.timetable_slot set next_at = now() - interval '1 hour' where name = 'monthly'`)
	r.sql(`update poolpatrol.sync set at = at - interval '50 hours'`)
	r.due(time.Now())
	owed := func(what string) time.Time {
		got := r.want(200, "manager", "GET", scheduleAddress, nil)
		next := nextOf(t, got)
		if month := got.JSON["monthly_pass"].(map[string]any); month["left_out"] != "stale" || month["left_out_at"] == nil ||
			time.Until(next) > 25*time.Hour {
			t.Errorf("%s: the monthly pass is %v, want it put off to the next day", what, month)
		}
		return next
	}
	owed("put off")
	set["daily"] = true
	r.want(200, "manager", "PUT", scheduleAddress, set)
	before := owed("then daily is switched on")
	r.want(200, "manager", "PUT", officeAddress, map[string]any{"programme": "P", "portal": "https://p.example", "contact": "c",
		"appeal": "a", "tz": "Pacific/Honolulu", "manual_minutes": 30, "cost_per_hour": 0, "currency": ""})
	if after := owed("then the zone is changed"); after.Equal(before) {
		t.Errorf("in another zone it is still tried at %s", after)
	}

	r.sql(`update gavel.timetable_slot set next_at = now() - interval '30 minutes', note = '', noted_at = null, owed = false
		where name = 'monthly'`)
	r.want(204, "staff", "POST", "/v1/poolpatrol/syncs", `{"kinds":["employees","vanpools"]}`)
	got := r.want(200, "manager", "PUT", scheduleAddress, set)
	if next := nextOf(t, got); next.After(time.Now()) {
		t.Errorf("missed half an hour ago and saved, it comes on %s", next)
	}
	for n := 1; n <= 2; n++ { // the first dies
		r.due(time.Now())
		if got := ask[int](r, passesOf, "monthly"); got != n {
			t.Errorf("%d monthly passes were begun, want %d: %q", got, n, ask[string](r, bothNotes))
		}
		r.sql(`update gavel.job set heard_at = heard_at - interval '25 hours' where state = 'running'`)
		r.sql(`update gavel.timetable_slot set next_at = now() - interval '1 minute' where name = 'monthly'`)
	}
}

// TestTheCalendarIsToldOfChanges promises that whoever changes the schedule, or the
// zone its hour is told in, wakes the workflow that keeps it.
func TestTheCalendarIsToldOfChanges(t *testing.T) {
	r := newRig(t)
	told := func() int {
		return ask[int](r, `select count(*)::int from gavel.outbox where target = 'poolpatrol/north/calendar:passes'`)
	}
	first := r.want(200, "manager", "PUT", scheduleAddress, `{"monthly":true,"day":15,"daily":false,"hour":3}`)
	if told() != 1 {
		t.Fatalf("told %d times, want once", told())
	}
	office := map[string]any{"programme": "Vanpools", "portal": "https://portal.example", "contact": "c", "appeal": "a",
		"tz": "Pacific/Honolulu", "manual_minutes": 30, "cost_per_hour": 0, "currency": ""}
	r.want(200, "manager", "PUT", officeAddress, office)
	second := r.want(200, "manager", "GET", scheduleAddress, nil)
	before, after := nextOf(t, first), nextOf(t, second)
	if second.JSON["tz"] != "Pacific/Honolulu" || after.UTC().Hour() != 13 || after.Equal(before) || told() != 2 {
		t.Errorf("the next pass moved from %s to %s, %v, told %d times", before, after, second.JSON["tz"], told())
	}
}

func nextOf(t *testing.T, a platformtest.Answer) time.Time {
	t.Helper()
	text, _ := a.JSON["monthly_pass"].(map[string]any)["next_at"].(string)
	return moment(t, text)
}
