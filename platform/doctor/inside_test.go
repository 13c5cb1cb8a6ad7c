package doctor

import (
	"testing"
	"time"
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
