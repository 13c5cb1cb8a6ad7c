package outside_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// theKey is an invented key.
const theKey = "0123456789abcdef0123456789abcdef"

var (
	thursday = time.Date(2026, 11, 12, 0, 0, 0, 0, time.UTC)
	friday   = thursday.AddDate(0, 0, 1)
)

// A stopwatch is waited by instead of the real time, and keeps how long.
type stopwatch struct {
	mu    sync.Mutex
	waits []time.Duration
}

func (s *stopwatch) wait(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, d)
	return ctx.Err()
}

func (s *stopwatch) seconds() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []int
	for _, d := range s.waits {
		out = append(out, int(d/time.Second))
	}
	return out
}

// network is a Network whose pauses take no time.
func network() (outside.Network, *stopwatch) {
	var s stopwatch
	return outside.Network{Now: time.Now, Wait: s.wait}, &s
}

// A service is a loopback server that keeps what it was asked.
type service struct {
	*httptest.Server

	mu    sync.Mutex
	asked []string // path and query
}

func serve(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		n := len(s.asked)
		s.asked = append(s.asked, r.URL.RequestURI())
		s.mu.Unlock()
		answer(n, w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../testdata/source/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func known(t *testing.T) fire.Constellation {
	t.Helper()
	c, err := fire.Known()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func firms(t *testing.T, n outside.Network, s *service) *outside.Firms {
	t.Helper()
	return outside.NewFirms(n, outside.FirmsConfig{Base: s.URL, Key: theKey, Known: known(t)})
}

// isAway checks that an error is of a source that is away, of a kind, says what it
// costs and shows no key.
func isAway(t *testing.T, err error, source string, kind fault.Kind) {
	t.Helper()
	a, ok := errors.AsType[*outside.Away](err)
	if !ok {
		t.Errorf("got %v, want the fault of a source that is away", err)
		return
	}
	text, _ := fault.Words(err)
	if a.Source != source || a.Costs == "" || !strings.Contains(text, a.Costs) || fault.KindOf(err) != kind {
		t.Errorf("got %v of %s: %s, want %v of %s, with what it costs", fault.KindOf(err), a.Source, text, kind, source)
	}
	if strings.Contains(err.Error(), theKey) {
		t.Errorf("the fault shows the key: %v", err)
	}
}

// noKey checks that snapshots show no key and that their hashes are right.
func noKey(t *testing.T, snaps []outside.Snapshot) {
	t.Helper()
	for _, s := range snaps {
		if strings.Contains(s.URL, theKey) || strings.Contains(string(s.Body), theKey) {
			t.Errorf("snapshot %s shows the key", s.URL)
		}
		if int64(len(s.Body)) != s.Bytes || s.SHA256.IsZero() || s.FetchedAt.IsZero() || s.Name == "" {
			t.Errorf("snapshot %s of %d bytes lacks something", s.URL, s.Bytes)
		}
	}
}

// fires asks for a day of the whole box.
func fires(t *testing.T, f *outside.Firms) (outside.FireAnswers, error) {
	t.Helper()
	return f.Fires(t.Context(), feed.Around(), thursday, friday, false)
}
