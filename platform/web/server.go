package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds on a connection. An ordinary answer must be written within the time
// given here; streams set their own limit before each write.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// Drain is how long a stopping server waits for requests to finish.
const Drain = 20 * time.Second

// A Server serves a site until it is told to stop, then lets requests finish.
type Server struct {
	site *Site
	http *http.Server
}

// NewServer makes a server for a handler made with Site.Handler.
func NewServer(site *Site, handler http.Handler) *Server {
	return &Server{site: site, http: &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(site.cfg.Log.Handler(), slog.LevelWarn),
	}}
}

// Run serves on a listener until ctx ends. It then reports itself not ready,
// ends streams at once, takes no new connection, and waits up to Drain for
// requests under way. A clean stop returns nil.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	s.site.close()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), Drain)
	defer cancel()
	if err := s.http.Shutdown(drain); err != nil {
		_ = s.http.Close()
		return fmt.Errorf("requests were still running after %s: %w", Drain, err)
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
