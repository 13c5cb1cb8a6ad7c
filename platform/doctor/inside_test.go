package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/outbox"
)

func TestClocksMayDifferByLessThanPeopleNotice(t *testing.T) {
	for _, tt := range []struct {
		apart, trip time.Duration
		want        Status
	}{
		{0, time.Millisecond, OK},
		{900 * time.Millisecond, time.Millisecond, OK},
		{-1500 * time.Millisecond, time.Millisecond, Warn},
		{1500 * time.Millisecond, time.Second, OK}, // the trip was too slow to tell
		{11 * time.Second, time.Millisecond, Fail},
		{-11 * time.Second, time.Millisecond, Fail},
	} {
		if got := skew(tt.apart, tt.trip); got.Status != tt.want {
			t.Errorf("%s apart, trip %s: got %s, want %s", tt.apart, tt.trip, got.Status, tt.want)
		}
	}
}

func TestDiskIsJudgedByWhatIsLeft(t *testing.T) {
	for _, tt := range []struct {
		free uint64
		want Status
	}{{0, Fail}, {diskFail - 1, Fail}, {diskFail, Warn}, {diskWarn - 1, Warn}, {diskWarn, OK}} {
		if got := diskResult("/data", tt.free, 1<<40); got.Status != tt.want {
			t.Errorf("%d bytes: got %s, want %s", tt.free, got.Status, tt.want)
		}
	}
}

func TestAnOutboxIsJudgedByItsDeadAndItsOldest(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lanes  []outbox.LaneState
		want   Status
		detail string
		fix    string
	}{
		{"empty", nil, OK, "0 waiting", ""},
		{"busy", []outbox.LaneState{{Lane: outbox.Starts, Waiting: 5000, Oldest: outboxPatience}}, OK, "5000 waiting", ""},
		{"stuck", []outbox.LaneState{{Lane: outbox.Decisions, Waiting: 1, Oldest: 61 * time.Second}, {Lane: outbox.Starts, Waiting: 2,
			Oldest: time.Second}},
			Warn, "3 waiting, the oldest for 1m1s", "gavel serve"},
		{"dead", []outbox.LaneState{{Lane: outbox.Starts, Dead: 2}}, Warn, "2 can never be delivered; 0 waiting", "where dead"},
	} {
		got := drained(tt.lanes)
		if got.Status != tt.want || !strings.Contains(got.Detail, tt.detail) || !strings.Contains(got.Fix, tt.fix) ||
			(got.Fix == "") != (tt.want == OK) {
			t.Errorf("%s: got %+v, want %s with %q and %q", tt.name, got, tt.want, tt.detail, tt.fix)
		}
	}
}
