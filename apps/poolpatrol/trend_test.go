package poolpatrol

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestAVanIsLookedAtAgainOnceSomebodyIsBack promises that a daily pass looks at a van, beside
// those with an open case, once the day has come on which its newest audit said to look
// again, and not every day after it.
func TestAVanIsLookedAtAgainOnceSomebodyIsBack(t *testing.T) {
	r := newRig(t)
	r.settled()
	open := r.Number(t, `select count(*)::int from poolpatrol.case where ended_at is null`)
	const clean = `select min(vanpool_id) from poolpatrol.audit_run r where outcome = 'verified'
		and not exists (select from poolpatrol.case c where c.vanpool_id = r.vanpool_id and c.ended_at is null)`
	van := r.Texts(t, clean)[0]
	turn := 0
	planned := func() (int, int) {
		turn++ // each is of another minute: a pass is known by when it was due
		r.Set(t, `update gavel.timetable_slot set next_at = now() - make_interval(mins => 10 - $1) where name = 'daily'`, turn)
		r.due(time.Now())
		pass := ask[string](r, newestOf, "daily")
		r.finish(postgrestest.North, pass)
		return r.Number(t, `select planned from poolpatrol.pass where id = $1`, pass),
			r.Number(t, `select count(*)::int from poolpatrol.audit_run where pass = $1 and vanpool_id = $2`, pass, van)
	}
	r.want(200, "manager", "PUT", scheduleAddress, map[string]any{"monthly": false, "day": 1, "daily": true, "hour": r.farHour()})
	r.Set(t, `update poolpatrol.audit_run set recheck_on = current_date + 3 where vanpool_id = $1`, van)
	if n, looked := planned(); n != open || looked != 0 {
		t.Errorf("before the day %d vans are looked at, want the %d with a case", n, open)
	}
	r.Set(t, `update poolpatrol.audit_run set recheck_on = current_date - 1 where vanpool_id = $1`, van)
	if n, looked := planned(); n != open+1 || looked != 1 {
		t.Errorf("on the day %d vans are looked at, %s %d times; want %d and it once", n, van, looked, open+1)
	}
	if n, looked := planned(); n != open || looked != 0 {
		t.Errorf("the day after it is looked at again: %d vans, want %d", n, open)
	}
}

// TestTheProgrammeIsReadMonthByMonth promises that programs read the numbers of the first
// page, with a trend of what audits found and of the work that people had.
func TestTheProgrammeIsReadMonthByMonth(t *testing.T) {
	r := newCaseRig(t)
	r.fill("manager", madeup.Plan{Seed: 7, Vans: 12, Riders: 8, Percent: 60}.Build())
	pass := r.audited("manager")
	r.settles(pass)
	r.Set(t, `update poolpatrol.pass set began_at = now() - interval '65 days' where id = $1`, pass)
	r.Set(t, `update poolpatrol.case set opened_at = now() - interval '65 days', ended_at = now(), state = 'resolved'
		where id = (select min(id) from poolpatrol.case)`)
	again := r.audited("manager")
	cases := float64(r.Number(t, `select count(*)::int from poolpatrol.case`))
	failed := float64(r.Number(t, `select failed from poolpatrol.pass where id = $1`, again))
	got := r.want(200, "auditor", "GET", "/v1/poolpatrol/metrics", nil).JSON
	months, _ := got["months"].([]any)
	if len(months) != 12 || got["open_cases"] != cases-1 || got["ended"] != 1.0 || got["false_cancel_rate"] != nil {
		t.Fatalf("got %v", got)
	}
	now, _ := months[0].(map[string]any)
	if now["vans_looked_at"] != 12.0 || now["vans_failed"] != failed || now["failed_share"] != failed/12 || now["opened"] != cases-1 ||
		now["ended"] != 1.0 {
		t.Errorf("this month is %v; want 12 vans, %v failed, %v opened", now, failed, cases-1)
	}
	sum := map[string]float64{}
	for _, m := range months {
		for name, n := range m.(map[string]any) {
			if f, is := n.(float64); is {
				sum[name] += f
			}
		}
	}
	if sum["vans_looked_at"] != 24 || sum["opened"] != cases {
		t.Errorf("the months add up to %v", sum)
	}
	r.want(403, "officer", "GET", "/v1/poolpatrol/metrics", nil)
}
