package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/web"
)

// TestWhoeverSendsALargeFileIsWaitedForButNotForEver promises that a slow line does not cost somebody their file, and that
// one which never ends does not keep a connection.
func TestWhoeverSendsALargeFileIsWaitedForButNotForEver(t *testing.T) {
	const ordinary = 100 * time.Millisecond // what a connection has for a form
	for _, tt := range []struct {
		what string
		most time.Duration // 0: the handler is not patient
		slow bool          // it pauses longer than a form has
		ends bool
		want bool // the whole file is read
	}{
		{"a file that is sent slowly", time.Hour, true, true, true},
		{"the same without patience", 0, true, true, false},
		{"a file that never ends", ordinary, false, false, false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			told := make(chan error, 1)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx := r.Context()
				if tt.most > 0 {
					var done func()
					ctx, done = web.Patient(w, r, tt.most)
					defer done()
				}
				body, err := io.ReadAll(r.Body)
				told <- ctx.Err()
				if _, err := io.WriteString(w, strconv.Itoa(len(body))+" "+strconv.FormatBool(err == nil)); err != nil {
					t.Log(err) // the connection's limit is over: what an impatient handler meets
				}
			}))
			server.Config.ReadTimeout = ordinary
			server.Start()
			t.Cleanup(server.Close)
			if got := sendSlowly(t, server.URL, tt.slow, tt.ends, 3*ordinary); got != tt.want {
				t.Errorf("the whole file was read: %v, want %v", got, tt.want)
			}
			if end := <-told; errors.Is(end, context.DeadlineExceeded) == tt.ends {
				t.Errorf("the handler was told %v", end)
			}
		})
	}
}

// sendSlowly sends ten bytes in two parts, and says whether the server read both.
func sendSlowly(t *testing.T, url string, slow, ends bool, pause time.Duration) bool {
	t.Helper()
	file, sender := io.Pipe()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.WriteString(sender, "first")
		if slow {
			time.Sleep(pause)
		}
		_, _ = io.WriteString(sender, "after") // who is not waited for has lost the connection by then
		if ends {
			_ = sender.Close()
		}
	}()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, file)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	_ = file.Close()
	<-gone
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return err == nil && string(body) == "10 true"
}
