package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// TestARushIsAnsweredInTurn promises that of many requests only so many are answered at once, that all of them are answered, and that
// whoever leaves the line takes nobody's place.
func TestARushIsAnsweredInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(4)
		var now, answered, left atomic.Int64
		var all sync.WaitGroup
		for i := range 400 {
			all.Go(func() {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if i%4 == 3 {
					time.AfterFunc(time.Duration(i)*time.Millisecond, stop)
				}
				leave, err := l.enter(ctx)
				if err != nil {
					left.Add(1)
					return
				}
				defer leave()
				if n := now.Add(1); n > 4 {
					t.Errorf("%d are answered at once", n)
				}
				time.Sleep(100 * time.Millisecond)
				now.Add(-1)
				answered.Add(1)
			})
		}
		all.Wait()
		if answered.Load() < 300 || answered.Load()+left.Load() != 400 || len(l.places) != 0 || l.waiting.Load() != 0 {
			t.Errorf("answered %d, left %d; still in: %d, waiting %d", answered.Load(), left.Load(), len(l.places), l.waiting.Load())
		}
	})
}

// TestALineEnds promises that nobody stands in line for ever, and that it has an end: both are told to come again.
func TestALineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1)
		leave, err := l.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for range mostInLine {
			go func() {
				_, err := l.enter(t.Context())
				if !fault.Is(err, fault.Unavailable) || !errors.Is(err, ErrBusy) || time.Since(began) != lineWait {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			}()
		}
		synctest.Wait()
		if _, err := l.enter(t.Context()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("whoever came after %d others: %v", mostInLine, err)
		}
		time.Sleep(lineWait)
		synctest.Wait()
		leave()
	})
}

// TestReadsDoNotWaitBehindWrites promises that one can look while others write, that what waits for others stands in no line, and that the
// time of a request begins with its turn.
func TestReadsDoNotWaitBehindWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &API{reads: newLine(1), writes: newLine(1)}
		exchanged := func(route Route) (waited, left time.Duration) {
			began := time.Now()
			r := httptest.NewRequestWithContext(t.Context(), route.Method, "/", nil)
			x := &exchange{api: a, route: &route, w: httptest.NewRecorder(), r: r}
			err := x.inTurn(func() error {
				waited = time.Since(began)
				if end, ok := x.r.Context().Deadline(); ok {
					left = time.Until(end)
				}
				time.Sleep(5 * time.Second)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return waited, left
		}
		go exchanged(Route{Method: http.MethodPost})
		synctest.Wait()
		for _, tt := range []struct {
			route Route
			waits time.Duration
		}{{Route{Method: http.MethodGet}, 0}, {Route{Method: http.MethodPost, Slow: true}, 0}} {
			if waited, _ := exchanged(tt.route); waited != tt.waits {
				t.Errorf("%+v waited %s", tt.route, waited)
			}
		}
		go exchanged(Route{Method: http.MethodPut})
		synctest.Wait()
		if waited, left := exchanged(Route{Method: http.MethodDelete}); waited != 5*time.Second || left != 30*time.Second {
			t.Errorf("a second write waited %s and had %s", waited, left)
		}
	})
}
