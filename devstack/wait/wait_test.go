package wait

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A listener is a test that keeps what it is failed with.
type listener struct {
	testing.TB
	said string
}

func (l *listener) Helper() {}

func (l *listener) Fatalf(format string, args ...any) {
	l.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failed is what a wait ends its test with, and after how long; nothing where it goes on.
func failed(wait func(testing.TB)) (said string, took time.Duration) {
	l, began, done := &listener{}, time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		wait(l)
	}()
	<-done
	return l.said, time.Since(began)
}

func TestAWaitEndsWithTheStateOrSaysWhatDidNotHappen(t *testing.T) {
	Patience() // measured by a real clock
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		arrives := func() bool { return time.Since(began) > time.Minute }
		if said, took := failed(func(t testing.TB) { Until(t, "the letter arrives", arrives) }); said != "" || took > 62*time.Second {
			t.Errorf("after a minute: got %q after %s", said, took)
		}
		said, took := failed(func(t testing.TB) { Until(t, "the letter arrives", func() bool { return false }) })
		if !strings.Contains(said, "until the letter arrives") || took < Patience() {
			t.Errorf("never: got %q after %s", said, took)
		}
		said, _ = failed(func(t testing.TB) { Try(t, func() error { return errors.New("no letter") }) })
		if !strings.Contains(said, "no letter") {
			t.Errorf("tried: got %q", said)
		}
	})
}

func (l *listener) Logf(string, ...any) {}

func (l *listener) Errorf(format string, args ...any) { l.said = fmt.Sprintf(format, args...) }

func TestAPromiseOfSecondsBindsOnlyWhereItIsMeasured(t *testing.T) {
	for _, tt := range []struct {
		times string
		took  time.Duration
		fails bool
	}{{"", 3 * time.Second, false}, {"hard", time.Second, false}, {"hard", 3 * time.Second, true}} {
		t.Setenv("TIMES", tt.times)
		l := &listener{}
		if Within(l, "a letter", tt.took, 2*time.Second); (l.said != "") != tt.fails {
			t.Errorf("%+v: got %q", tt, l.said)
		}
	}
}

func TestPatienceGrowsOnASlowMachine(t *testing.T) {
	for took, want := range map[time.Duration]float64{time.Millisecond: 1, 80 * time.Millisecond: 2, time.Hour: 2} {
		times := []time.Time{{}, time.Time{}.Add(took)}
		got := slowness(func() time.Time { now := times[0]; times = times[1:]; return now })
		if got != want {
			t.Errorf("work that takes %s: got %v, want %v", took, got, want)
		}
	}
}
