package outside_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestARequestIsTriedAgainAfterOneTwoAndFourSeconds promises three more tries where
// they may help, and none where they cannot.
func TestARequestIsTriedAgainAfterOneTwoAndFourSeconds(t *testing.T) {
	none := fixture(t, "firms_none.csv")
	status := func(code int, header ...string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			fmt.Fprint(w, "no: "+theKey)
		}
	}
	says := func(text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { fmt.Fprint(w, text) }
	}
	cut := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "5000")
		fmt.Fprint(w, none)
		panic(http.ErrAbortHandler)
	}
	date := "Fri, 13 Nov 2026 09:00:00 GMT"
	for _, tt := range []struct {
		name   string
		bad    func(http.ResponseWriter)
		times  int // how often it is bad; then it is good
		waited []int
		want   fault.Kind // Internal: it came right
	}{
		{"away once", status(503), 1, []int{1}, fault.Internal},
		{"away three times", status(502), 3, []int{1, 2, 4}, fault.Internal},
		{"away for good", status(500), 99, []int{1, 2, 4}, fault.Unavailable},
		{"cut short twice", cut, 2, []int{1, 2}, fault.Internal},
		{"too often, come back", status(429, "Retry-After", "7"), 1, []int{7}, fault.Internal},
		{"too often, at once", status(429, "Retry-After", "0"), 1, []int{1}, fault.Internal},
		{"too often, until a moment", status(429, "Retry-After", "Fri, 13 Nov 2026 09:00:30 GMT", "Date", date), 1, []int{30},
			fault.Internal},
		{"too often, and nothing more", status(429), 2, []int{1, 2}, fault.Internal},
		{"too often, come back in an hour", status(429, "Retry-After", "3600"), 99, nil, fault.TooMany},
		{"the key is refused", status(403), 99, nil, fault.Refused},
		{"not there", status(404), 99, nil, fault.NotFound},
		{"a bad question", status(400), 99, nil, fault.Invalid},
		{"a key refused in plain text", says("Invalid MAP_KEY."), 99, nil, fault.Refused},
		{"an area refused in plain text", says("Invalid area coordinates."), 99, nil, fault.Invalid},
		{"a limit told in plain text", says("Exceeding allowed transaction limit."), 99, nil, fault.TooMany},
		{"nothing at all", says(""), 1, []int{1}, fault.Internal},
		{"a page", says("<html>busy</html>"), 1, []int{1}, fault.Internal},
		{"a page for good", says("<html>busy</html>"), 99, []int{1, 2, 4}, fault.Unavailable},
		{"our own key", says("latitude," + theKey), 99, nil, fault.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n < tt.times {
					tt.bad(w)
					return
				}
				fmt.Fprint(w, none)
			})
			n, watch := network()
			got, err := fires(t, firms(t, n, s))
			if !slices.Equal(watch.seconds(), tt.waited) {
				t.Errorf("waited %v seconds, want %v", watch.seconds(), tt.waited)
			}
			noKey(t, got.Snapshots())
			if tt.want == fault.Internal {
				if err != nil || len(got.Answers) != 2 {
					t.Errorf("got %d answers, %v", len(got.Answers), err)
				}
				return
			}
			isAway(t, err, origin.Firms, tt.want)
		})
	}
}

// TestNoAnswerIsReadBeyondItsBound promises that an answer without end is cut and
// refused, whether or not it says its length.
func TestNoAnswerIsReadBeyondItsBound(t *testing.T) {
	for name, length := range map[string]string{"said": "999999999", "not said": ""} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				block := strings.Repeat(" ", 1<<20)
				for r.Context().Err() == nil {
					if _, err := io.WriteString(w, block); err != nil {
						return
					}
				}
			})
			n, watch := network()
			_, err := outside.NewDataGov(n, outside.DataGovConfig{Base: s.URL, Key: theKey}).Indices(t.Context(), "")
			isAway(t, err, origin.DataGov, fault.TooLarge)
			if text, _ := fault.Words(err); !strings.Contains(text, "its answer is larger than 16 MB") {
				t.Errorf("refused only after it was read: %s", text)
			}
			if len(s.requests()) != 1 || watch.seconds() != nil {
				t.Error("what is too large was asked for again")
			}
		})
	}
}

// TestAKeyGoesToNoOtherHost promises that a redirect elsewhere is refused, and one
// within the host followed.
func TestAKeyGoesToNoOtherHost(t *testing.T) {
	other := serve(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host was asked for %s", r.URL)
	})
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
	})
	n, watch := network()
	_, err := fires(t, firms(t, n, s))
	isAway(t, err, origin.Firms, fault.Refused)
	if watch.seconds() != nil {
		t.Error("a redirect was tried again")
	}

	none := fixture(t, "firms_none.csv")
	s = serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/moved") {
			http.Redirect(w, r, "/moved"+r.URL.Path, http.StatusFound)
			return
		}
		fmt.Fprint(w, none)
	})
	if _, err := fires(t, firms(t, n, s)); err != nil {
		t.Errorf("a redirect within the host: %v", err)
	}
	s = serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	_, err = fires(t, firms(t, n, s))
	isAway(t, err, origin.Firms, fault.Refused)
}

// TestASlowServiceIsNotWaitedForEver promises an end to patience, and that an end of
// the caller's context is the caller's.
func TestASlowServiceIsNotWaitedForEver(t *testing.T) {
	s := serve(t, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	n, watch := network()
	n.Patience = 50 * time.Millisecond
	_, err := fires(t, firms(t, n, s))
	isAway(t, err, origin.Firms, fault.Unavailable)
	if !slices.Equal(watch.seconds(), []int{1, 2, 4}) {
		t.Errorf("waited %v seconds", watch.seconds())
	}

	ctx, cancel := context.WithCancel(t.Context())
	n.Patience = time.Hour
	gone := serve(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err = firms(t, n, gone).Files(ctx, "24h", friday)
	if _, ok := errors.AsType[*outside.Away](err); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// TestAServiceThatIsNotThereIsAway promises the same fault for a port nobody
// listens at.
func TestAServiceThatIsNotThereIsAway(t *testing.T) {
	s := serve(t, func(int, http.ResponseWriter, *http.Request) {})
	s.Close()
	n, watch := network()
	_, err := fires(t, firms(t, n, s))
	isAway(t, err, origin.Firms, fault.Unavailable)
	if !slices.Equal(watch.seconds(), []int{1, 2, 4}) {
		t.Errorf("waited %v seconds", watch.seconds())
	}
}

// TestEverySourceSaysWhatItsLossCosts promises a licence, a bound and a cost for
// each.
func TestEverySourceSaysWhatItsLossCosts(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range origin.All() {
		if s.Without == "" || s.Licence == "" || s.Title == "" || s.MaxBytes <= 0 || s.Every <= 0 || seen[s.Name] {
			t.Errorf("source %+v lacks something, or is there twice", s)
		}
		seen[s.Name] = true
	}
}
