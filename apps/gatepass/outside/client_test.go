package outside_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/outside"
)

// answers is a server that answers with these statuses, one after another; 0 cuts the line.
func answers(t *testing.T, statuses ...int) (address string, keys *[]string) {
	t.Helper()
	keys = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*keys = append(*keys, r.Header.Get("Idempotency-Key"))
		status := statuses[min(len(*keys), len(statuses))-1]
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/problem+json")
		if status == 200 {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"detail":"said by the API","code":"invalid_state","current_status":"exited","allowed_events":["scan_return"]}`))
	}))
	t.Cleanup(s.Close)
	return s.URL, keys
}

// TestOnlyWhatCannotHappenTwiceIsTriedAgain promises three more tries after 2, 4 and 8 seconds for what reads or has a key, none for what
// has not, and none where the answer was a no.
func TestOnlyWhatCannotHappenTwiceIsTriedAgain(t *testing.T) {
	two, four, eight := 2*time.Second, 4*time.Second, 8*time.Second
	for _, tt := range []struct {
		name     string
		q        outside.Request
		statuses []int
		waits    []time.Duration
		status   int
	}{
		{"a look, and nobody there", outside.Request{Method: "GET"}, []int{0}, []time.Duration{two, four, eight}, 0},
		{"a look that succeeds the second time", outside.Request{Method: "GET"}, []int{503, 200}, []time.Duration{two}, 200},
		{"a look that succeeds the last time", outside.Request{Method: "GET"}, []int{0, 502, 429, 200}, []time.Duration{two, four, eight},
			200},
		{"a change without a key", outside.Request{Method: "POST"}, []int{0, 200}, nil, 0},
		{"a change with a key", outside.Request{Method: "POST", Key: "k1"}, []int{0, 504, 200}, []time.Duration{two, four}, 200},
		{"a no", outside.Request{Method: "POST", Key: "k1"}, []int{403}, nil, 403},
		{"a fault of the server", outside.Request{Method: "GET"}, []int{500}, nil, 500},
	} {
		address, keys := answers(t, tt.statuses...)
		var waited, told []time.Duration
		c, err := outside.New(outside.Config{Address: address, Sleep: func(_ context.Context, d time.Duration) error {
			waited = append(waited, d)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		tt.q.Path = "/x"
		res := c.Do(t.Context(), tt.q, "token", func(again outside.Trying) { told = append(told, again.In) })
		if !reflect.DeepEqual(waited, tt.waits) || !reflect.DeepEqual(told, tt.waits) || res.StatusCode != tt.status ||
			res.Tries != len(tt.waits)+1 {
			t.Errorf("%s: waited %v, told %v, %d after %d tries; want %v and %d", tt.name, waited, told, res.StatusCode, res.Tries, tt.waits,
				tt.status)
		}
		if slices.ContainsFunc(*keys, func(k string) bool { return k != tt.q.Key }) {
			t.Errorf("%s: the keys were %v", tt.name, *keys)
		}
	}
}

// TestAnErrorSaysWhatCanBeDone promises the first design's ErrorInfo for what comes back, with where the pass stands, and nothing of
// the machine.
func TestAnErrorSaysWhatCanBeDone(t *testing.T) {
	for status, want := range map[int]string{0: "network", 400: "bad_request", 401: "auth_expired", 403: "invalid_state", 404: "not_found",
		413: "validation", 422: "validation", 429: "busy", 500: "server", 502: "busy"} {
		address, _ := answers(t, status)
		c, err := outside.New(outside.Config{Address: address,
			Sleep: func(context.Context, time.Duration) error { return context.Canceled }})
		if err != nil {
			t.Fatal(err)
		}
		res := c.Do(t.Context(), outside.Request{Method: "GET", Path: "/x", About: "GP-2026-0001"}, "", nil)
		info := res.Info()
		if res.Success || info.ErrorType != want || info.ErrorMessage == "" || info.RelatedContext["asked_for"] != "GP-2026-0001" ||
			info.RetryPossible != slices.Contains([]string{"network", "busy", "server"}, want) {
			t.Errorf("%d: %+v", status, info)
		}
		if status >= 400 && info.RelatedContext["current_status"] == nil {
			t.Errorf("%d: nothing of where the pass stands: %+v", status, info)
		}
		if strings.Contains(info.ErrorMessage, "127.0.0.1") || strings.Contains(info.ErrorMessage, "EOF") {
			t.Errorf("%d tells of the machine: %s", status, info.ErrorMessage)
		}
	}
	for _, bad := range []string{"", "gavel.example", "ftp://x", "http://user:secret@x", "http://x?y=1"} {
		if _, err := outside.New(outside.Config{Address: bad}); err == nil {
			t.Errorf("%q is taken for an address", bad)
		}
	}
}
