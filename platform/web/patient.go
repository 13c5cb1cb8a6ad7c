package web

import (
	"context"
	"net/http"
	"time"
)

// Patient gives whoever sends a large file more time than a connection has for an ordinary form, and ends the
// sending when that is over, too. What is done with the file is done under the context; the page that says how it
// ended under the request's own, for it is wanted most where the time ran out. The route is Streaming.
func Patient(w http.ResponseWriter, r *http.Request, most time.Duration) (ctx context.Context, done func()) {
	ctx, cancel := context.WithTimeout(r.Context(), most)
	control := http.NewResponseController(w) // a connection without limits of its own, in a test, needs none lifted
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	return ctx, func() {
		stop()
		cancel()
	}
}
