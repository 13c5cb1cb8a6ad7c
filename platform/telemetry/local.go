package telemetry

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Local reports whether a request was made on this very machine, by somebody
// who knows where they ask. A proxy on the machine makes anybody look local, so
// what was forwarded is not; a page of another site can reach loopback by
// renaming itself, so neither is what asks for a Host that is not this machine.
func Local(r *http.Request) bool {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !loopback(peer) {
		return false
	}
	for _, h := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		if len(r.Header.Values(h)) > 0 {
			return false
		}
	}
	return loopback((&url.URL{Host: r.Host}).Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// ServeMetrics answers GET /metrics on a listener, to Local requests only, until
// the context ends. It is for processes that serve nothing else.
func (t *Telemetry) ServeMetrics(ctx context.Context, on net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !Local(r) {
			http.Error(w, "metrics are for a collector on this machine", http.StatusForbidden)
			return
		}
		t.Metrics.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: mux, MaxHeaderBytes: 16 << 10,
		ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // a scrape that is cut off is made again
	defer stop()
	if err := server.Serve(on); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
