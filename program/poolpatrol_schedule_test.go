package program

import (
	"slices"
	"testing"
	"time"
)

// TestPassesBeginByThemselves promises that a programme whose schedule is on is
// audited without anybody asking: every van when its day of the month comes, the
// vans with a case the days after it, on the installation's clock; that people are
// given the times a card promises; and that it ends when it is turned off.
func TestPassesBeginByThemselves(t *testing.T) {
	p := newProgramme(t, 2)
	day := min(time.Now().UTC().Day()+1, 28) // in at most a month, which takes a minute
	set := map[string]any{"monthly": true, "day": day, "daily": true, "hour": 6}
	if status, text := p.call("PUT", "/v1/poolpatrol/schedule", set, nil); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	const done = `select planned || ' ' || failed from poolpatrol.pass where kind = $1 and state = 'done' order by began_at`
	p.until("the day of the month comes", func() bool { return len(p.one(done, "monthly")) > 0 })
	if got := p.one(done, "monthly"); len(got) == 0 || got[0] != "2 2" {
		t.Fatalf("every van: got %v, want one pass over two vans that fail", got)
	}
	p.until("the vans with a case are looked at again", func() bool { return slices.Contains(p.one(done, "daily"), "2 2") })
	if got := p.one(`select distinct asked_by from poolpatrol.pass where kind in ('monthly', 'daily')`); !slices.Equal(got,
		[]string{"gavel"}) {
		t.Errorf("asked for by %v", got)
	}
	card := p.proposal("VP-101", "cancel_membership")
	const times = `select concat_ws(' ', extract(epoch from remind_at - created_at)::int / 3600,
		extract(epoch from escalate_at - created_at)::int / 3600,
		round(extract(epoch from expires_at - created_at) / 3600)::int) from gavel.proposal where id = $1`
	if got := p.one(times, card); !slices.Equal(got, []string{"24 72 168"}) {
		t.Errorf("the card reminds, escalates and expires after %v hours, want 24, 72 and 168", got)
	}
	set["monthly"], set["daily"] = false, false
	if status, text := p.call("PUT", "/v1/poolpatrol/schedule", set, nil); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	if got := p.one(`select string_agg(coalesce(next_at::text, 'never'), ' ') from gavel.timetable_slot
		where kind like 'poolpatrol/%'`); !slices.Equal(got, []string{"never never"}) {
		t.Errorf("turned off, the next are %v", got)
	}
}
