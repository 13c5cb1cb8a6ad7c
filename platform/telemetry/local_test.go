package telemetry_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/telemetry"
)

func TestLocalIsWhoAsksThisMachineFromThisMachine(t *testing.T) {
	for _, tt := range []struct {
		name, peer, host string
		header           string
		want             bool
	}{
		{"this machine", "127.0.0.1:5000", "127.0.0.1:8080", "", true},
		{"by name", "127.0.0.1:5000", "localhost", "", true},
		{"over IPv6", "[::1]:5000", "[::1]:8080", "", true},
		{"elsewhere", "10.0.0.9:5000", "127.0.0.1:8080", "", false},
		{"no peer", "", "127.0.0.1:8080", "", false},
		{"a page that renamed itself", "127.0.0.1:5000", "evil.example:8080", "", false},
		{"no host", "127.0.0.1:5000", "", "", false},
		{"forwarded", "127.0.0.1:5000", "127.0.0.1", "Forwarded", false},
		{"forwarded for", "127.0.0.1:5000", "127.0.0.1", "X-Forwarded-For", false},
		{"with a real address", "127.0.0.1:5000", "127.0.0.1", "X-Real-Ip", false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		r.RemoteAddr, r.Host = tt.peer, tt.host
		if tt.header != "" {
			r.Header.Set(tt.header, "10.0.0.9")
		}
		if got := telemetry.Local(r); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestMetricsAreServedToThisMachineUntilTheContextEnds(t *testing.T) {
	tel := setup(t, telemetry.Config{})
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- tel.ServeMetrics(ctx, on) }()
	for _, tt := range []struct {
		path, host string
		want       int
	}{{"/metrics", "", http.StatusOK}, {"/metrics", "evil.example", http.StatusForbidden}, {"/", "", http.StatusNotFound}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+on.Addr().String()+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.want || strings.Contains(string(body), "go_goroutines") != (tt.want == http.StatusOK) {
			t.Errorf("%s of %q: got %d", tt.path, tt.host, resp.StatusCode)
		}
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(wait.Patience()):
		t.Error("it did not end")
	}
}
