// Package wait is how a test waits for what happens elsewhere: for a state, never
// for a time. A machine that is busy makes such a test slow, not red.
//
// There is one patience for all of them. It is long, because nobody waits for it
// unless something is broken, and longer on a machine that is slow when the tests
// begin. What has to happen within seconds is promised by a bar in bench/, not by a
// test.
package wait

import (
	"crypto/sha256"
	"os"
	"sync"
	"testing"
	"time"
)

// usual is how long anything may take on a machine like the ones we measured, which
// do the piece of work of slowness in less than that many milliseconds. It is long by
// itself, because a machine can be busy without being slow: with twenty at work on two
// cores that piece, which fits between two turns of the others, took 10 to 38 ms.
const (
	usual     = 5 * time.Minute
	usualWork = 40 * time.Millisecond
)

// Patience is how long a test waits before it says that something does not happen.
func Patience() time.Duration { return patience() }

var patience = sync.OnceValue(func() time.Duration {
	return time.Duration(float64(usual) * slowness(time.Now))
})

// slowness is how many times longer than usual a fixed piece of work takes now:
// from 1 to 2, so that a wait says what it waited for before `go test` ends them all.
func slowness(now func() time.Time) float64 {
	began := now()
	block := make([]byte, 1<<20)
	for range 16 {
		sum := sha256.Sum256(block)
		copy(block, sum[:])
	}
	return min(max(float64(now().Sub(began))/float64(usualWork), 1), 2)
}

// Until asks again and again, at first often and then four times a second, until
// done says true. Out of patience, the test fails with what was waited for.
func Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !Holds(1, done) {
		t.Fatalf("waited %s, and in vain, until %s", Patience(), what)
	}
}

// Try is Until for what says why it has not happened yet: the last reason is what
// the test fails with.
func Try(t testing.TB, f func() error) {
	t.Helper()
	var err error
	if !Holds(1, func() bool { err = f(); return err == nil }) {
		t.Fatalf("still so after %s: %v", Patience(), err)
	}
}

// Holds reports whether done came to say true, for who has more to say than Until when
// it does not, or waits for what takes weeks on a scaled clock and needs several
// patiences.
//
// Patience is counted in pauses, not by the clock: on a machine where asking takes
// long, it lasts longer. There is a last question when it is out, so that a test which
// was not let run for a minute is not told off.
func Holds(patiences int, done func() bool) bool {
	left := time.Duration(patiences) * Patience()
	for pause := 5 * time.Millisecond; left > 0; pause = min(2*pause, 250*time.Millisecond) {
		if done() {
			return true
		}
		time.Sleep(pause)
		left -= pause
	}
	return done()
}

// Within says how long something took beside how long it may. The promise binds where
// nothing else is at the machine: `make bar-quick` sets TIMES=hard and runs the tests
// that call this one by one. Everywhere else the figure is only printed.
func Within(t testing.TB, what string, took, most time.Duration) {
	t.Helper()
	t.Logf("%s: %s of %s", what, took.Round(time.Millisecond), most)
	if took > most && os.Getenv("TIMES") == "hard" {
		t.Errorf("%s took %s, and %s is promised", what, took, most)
	}
}
