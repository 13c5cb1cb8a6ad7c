package telemetry

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/gavelhq/gavel/platform/fault"
)

// unmatched is the route of a request that no pattern took. The address itself
// is never a label: anyone can invent addresses.
const unmatched = "unmatched"

// buckets of request times in seconds: 100 gate scans a second are judged by
// milliseconds, reports by seconds.
var buckets = []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// Requests measures HTTP requests: one span and one histogram entry for each.
type Requests struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	duration   metric.Float64Histogram
	active     metric.Int64UpDownCounter
}

// Requests makes the middleware for a server.
func (t *Telemetry) Requests() (*Requests, error) {
	meter := t.Meters.Meter(scope)
	duration, err := meter.Float64Histogram("http.server.request.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from a request's arrival to the end of its answer."),
		metric.WithExplicitBucketBoundaries(buckets...))
	if err != nil {
		return nil, fault.From(fault.Internal, err, "metric of request times")
	}
	active, err := meter.Int64UpDownCounter("http.server.active_requests",
		metric.WithDescription("Requests being answered now, event streams included."))
	if err != nil {
		return nil, fault.From(fault.Internal, err, "metric of active requests")
	}
	return &Requests{tracer: t.Tracers.Tracer(scope), propagator: t.Propagator, duration: duration, active: active}, nil
}

// Around measures every request that next answers. It names span and histogram
// entry by the pattern that took the request: the one given to Route, else the
// one that http.ServeMux found in the request passed on here.
func (m *Requests) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		name := new(atomic.Pointer[string])
		ctx := context.WithValue(r.Context(), routeKey{}, name)
		ctx = m.propagator.Extract(ctx, propagation.HeaderCarrier(r.Header))
		method := knownMethod(r.Method)
		ctx, span := m.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", method)))
		m.active.Add(ctx, 1)

		answer := &answer{ResponseWriter: w}
		r = r.WithContext(ctx)
		finished := false
		// Deferred, so that a panic is measured on its way to whoever handles it.
		defer func() {
			m.active.Add(ctx, -1)
			route := routeOf(name, r.Pattern)
			status := answer.outcome(finished)
			m.record(ctx, span, method, route, status, time.Since(began))
		}()
		next.ServeHTTP(answer, r)
		finished = true
	})
}

func (m *Requests) record(ctx context.Context, span trace.Span, method, route string, status int, took time.Duration) {
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, http.StatusText(status))
	}
	m.duration.Record(ctx, took.Seconds(), metric.WithAttributes(
		attribute.String("http.request.method", method),
		attribute.String("http.route", route),
		attribute.String("http.response.status_class", class(status)),
	))
	span.End()
}

type routeKey struct{}

// Route tells the middleware around a request which pattern took it. It is
// needed where the request was copied on the way (http.Request.WithContext): a
// ServeMux then leaves the pattern on the copy.
func Route(r *http.Request) {
	if name, ok := r.Context().Value(routeKey{}).(*atomic.Pointer[string]); ok && r.Pattern != "" {
		pattern := r.Pattern
		name.Store(&pattern)
	}
}

// routeOf is a pattern without its method and host, which are known otherwise.
func routeOf(name *atomic.Pointer[string], pattern string) string {
	if told := name.Load(); told != nil {
		pattern = *told
	}
	if slash := strings.IndexByte(pattern, '/'); slash >= 0 {
		return pattern[slash:]
	}
	return unmatched
}

func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

func class(status int) string {
	return string('0'+rune(status/100%10)) + "xx"
}

// An answer remembers the status that was sent.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the first status that is not merely informational.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.sent()
	return a.ResponseWriter.Write(p)
}

// Flush sends what is buffered, for handlers that ask by type.
func (a *answer) Flush() { _ = a.FlushError() }

// FlushError is Flush for http.ResponseController.
func (a *answer) FlushError() error {
	a.sent()
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// sent notes that the header is out, with the status it has when none was given.
func (a *answer) sent() {
	if a.status == 0 {
		a.status = http.StatusOK
	}
}

// Unwrap lets http.ResponseController reach the writer underneath.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) outcome(finished bool) int {
	switch {
	case a.status != 0:
		return a.status
	case finished:
		return http.StatusOK // what net/http sends for a handler that wrote nothing
	}
	return http.StatusInternalServerError
}
