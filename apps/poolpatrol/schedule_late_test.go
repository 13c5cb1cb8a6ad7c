package poolpatrol

import (
	"testing"
)

// TestALostCalendarIsBegunAgain promises that whoever says that records are current
// begins the calendar again where a turn has been due for an hour and more, and not
// where it keeps time.
func TestALostCalendarIsBegunAgain(t *testing.T) {
	r := newRig(t)
	told := func() int {
		return ask[int](r, `select count(*)::int from gavel.outbox where target = 'poolpatrol/north/calendar:passes'`)
	}
	current := func() {
		r.want(204, "staff", "POST", "/v1/poolpatrol/syncs", `{"kinds":["employees","vanpools"]}`)
	}
	current()
	if n := told(); n != 0 {
		t.Fatalf("a programme without a schedule has a calendar told %d times", n)
	}
	r.want(200, "manager", "PUT", scheduleAddress, `{"monthly":true,"day":15,"daily":false,"hour":3}`)
	for _, tt := range []struct {
		at   string
		want int // the first is of the schedule being set
	}{{"now() + interval '1 day'", 1}, {"now() - interval '10 minutes'", 1}, {"now() - interval '2 hours'", 2}} {
		r.sql(`update gavel.timetable_slot set next_at = ` + tt.at + ` where name = 'monthly'`)
		current()
		if n := told(); n != tt.want {
			t.Errorf("with a turn at %s it was told %d times, want %d", tt.at, n, tt.want)
		}
	}
}
