package web_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

func TestAStoppingServerLetsRequestsFinish(t *testing.T) {
	s := newStand(t, nil)
	begun, finish := make(chan struct{}), make(chan struct{})
	s.handle("GET /work", func(w http.ResponseWriter, _ *http.Request) error {
		close(begun)
		<-finish
		_, err := io.WriteString(w, "done")
		return err
	})
	health := web.NewHealth(s.site, nil)
	health.Routes(s.mux)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- web.NewServer(s.site, s.http).Run(ctx, ln) }()
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + ln.Addr().String() + "/work")
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		answer <- string(text)
	}()
	<-begun
	stop()
	wait.Until(t, "a stopping server says that it is not ready",
		func() bool { return s.ask("GET", "/readyz", "").Code == http.StatusServiceUnavailable })
	close(finish)
	if got := <-answer; got != "done" {
		t.Errorf("the request under way got %q", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("a clean stop returned %v", err)
	}
}

func TestAServerThatCannotServeSaysSo(t *testing.T) {
	s := newStand(t, nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := web.NewServer(s.site, s.http).Run(t.Context(), ln); err == nil {
		t.Error("serving on a closed listener returned nil")
	}
}

func TestReadinessNamesThePartAndTheFix(t *testing.T) {
	hang := func(ctx context.Context) error {
		select {} // a part that does not even heed its context
	}
	for name, tt := range map[string]struct {
		check web.Check
		code  int
		want  []string
		not   string
	}{
		"well": {web.Check{Name: "database", Run: func(context.Context) error { return nil }}, 200,
			[]string{`"status":"ready"`, `"name":"database","ok":true`}, "fix"},
		"without": {web.Check{Name: "engine", Fix: "gavel doctor", Optional: true,
			Run: func(context.Context) error { return errors.New(secret) }}, 200,
			[]string{`"status":"ready"`, `"name":"engine","ok":false,"required":false`, `"fix":"gavel doctor"`}, secret},
		"broken": {web.Check{Name: "engine", Fix: "gavel doctor", Run: func(context.Context) error { return errors.New(secret) }}, 503,
			[]string{`"status":"not ready"`, `"name":"engine","ok":false`, `"fix":"gavel doctor"`}, secret},
		"explained": {web.Check{Name: "store", Fix: "x", Run: func(context.Context) error {
			return fault.New(fault.Unavailable,
				"bucket is missing")
		}}, 503, []string{"bucket is missing"}, ""},
		"hanging": {web.Check{Name: "mail", Fix: "x", Run: hang}, 503, []string{"no answer within 2s"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, nil)
			web.NewHealth(s.site, []web.Check{tt.check}).Routes(s.mux)
			for _, accept := range []string{"*/*", "text/html"} {
				w := s.ask("GET", "/readyz", "", "Accept", accept)
				got := w.Body.String()
				if w.Code != tt.code || (tt.code == 503) != (w.Header().Get("Retry-After") != "") {
					t.Errorf("%s got %d", accept, w.Code)
				}
				if tt.not != "" && strings.Contains(got, tt.not) {
					t.Errorf("%s shows %q", accept, tt.not)
				}
				if accept == "text/html" {
					if !strings.Contains(got, tt.check.Name) || tt.code == 503 && !strings.Contains(got, tt.check.Fix) {
						t.Error("the page lacks the part or the fix")
					}
					continue
				}
				for _, want := range tt.want {
					if !strings.Contains(got, want) {
						t.Errorf("%s lacks %s", got, want)
					}
				}
			}
			if w := s.ask("GET", "/healthz", ""); w.Code != 200 {
				t.Errorf("/healthz got %d; it must not look at other parts", w.Code)
			}
		})
	}
}

func TestAskingOftenDoesNotAskThePartsOften(t *testing.T) {
	s := newStand(t, nil)
	asked := 0
	web.NewHealth(s.site, []web.Check{{Name: "x", Run: func(context.Context) error { asked++; return nil }}}).Routes(s.mux)
	began := time.Now()
	for range 50 {
		s.ask("GET", "/readyz", "")
	}
	if took := time.Since(began); asked > 3+int(took/time.Second) { // an answer holds for a second
		t.Errorf("50 questions in %v asked the part %d times", took, asked)
	}
}
