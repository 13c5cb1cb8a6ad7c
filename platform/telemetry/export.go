package telemetry

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/gavelhq/gavel/platform/fault"
)

// How spans travel. Waiting spans are bounded: beyond queued, new ones are
// dropped and the application goes on.
const (
	queued        = 4096
	batch         = 512
	batchEvery    = 2 * time.Second
	exportTimeout = 10 * time.Second // one batch, with its retries
	sendTimeout   = 5 * time.Second  // one try
)

// An exporter sends spans to the collector, takes secrets out of them first,
// and counts those that did not arrive: OpenTelemetry's own says nothing to its
// caller when a batch is lost, not even on Shutdown.
type exporter struct {
	next   sdktrace.SpanExporter
	logger *slog.Logger
	ended  metric.Int64Counter
	sent   metric.Int64Counter
	lost   metric.Int64Counter

	mu      sync.Mutex
	failure error // of the last batch; nil when it arrived
}

func newExporter(ctx context.Context, address string, logger *slog.Logger, meters metric.MeterProvider) (*exporter, error) {
	// Every option is given, because those left out are read from OTEL_
	// variables of the environment.
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpointURL(address),
		otlptracehttp.WithHeaders(map[string]string{}),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithTimeout(sendTimeout),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: 500 * time.Millisecond, MaxInterval: 2 * time.Second, MaxElapsedTime: exportTimeout,
		}),
	}
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" {
		options = append(options, otlptracehttp.WithTLSClientConfig(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	next, err := otlptrace.New(ctx, otlptracehttp.NewClient(options...))
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "spans cannot be sent to the collector's address")
	}
	e := &exporter{next: next, logger: logger}
	meter := meters.Meter(scope)
	for name, counter := range map[string]*metric.Int64Counter{
		"gavel.telemetry.spans.ended": &e.ended,
		"gavel.telemetry.spans.sent":  &e.sent,
		"gavel.telemetry.spans.lost":  &e.lost,
	} {
		if *counter, err = meter.Int64Counter(name, metric.WithDescription(spanCounters[name])); err != nil {
			return nil, fault.From(fault.Internal, err, "metric %s", name)
		}
	}
	e.lost.Add(ctx, 0) // shown from the start, so that an alert can watch it
	return e, nil
}

var spanCounters = map[string]string{
	"gavel.telemetry.spans.ended": "Recorded spans that ended; those neither sent nor lost are waiting or were dropped from a full queue.",
	"gavel.telemetry.spans.sent":  "Spans that the collector took.",
	"gavel.telemetry.spans.lost":  "Spans that the collector did not take.",
}

func (e *exporter) batching() sdktrace.SpanProcessor {
	return sdktrace.NewBatchSpanProcessor(e,
		sdktrace.WithMaxQueueSize(queued),
		sdktrace.WithMaxExportBatchSize(batch),
		sdktrace.WithBatchTimeout(batchEvery),
		sdktrace.WithExportTimeout(exportTimeout),
	)
}

// ExportSpans sends a batch. It never returns an error: nobody above can do
// more about one than has been done here.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.next.ExportSpans(ctx, maskSpans(spans))
	counter := e.sent
	if err != nil {
		counter = e.lost
	}
	counter.Add(context.WithoutCancel(ctx), int64(len(spans)))

	e.mu.Lock()
	before := e.failure
	e.failure = err
	e.mu.Unlock()
	switch { // one line when it begins and one when it ends, not one per batch
	case err != nil && before == nil:
		e.logger.WarnContext(ctx, "the trace collector does not take spans; they are being lost", "spans", len(spans), "error", err)
	case err == nil && before != nil:
		e.logger.InfoContext(ctx, "the trace collector takes spans again")
	}
	return nil
}

// lastFailure is why the last batch was lost, nil if it was not.
func (e *exporter) lastFailure() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failure == nil {
		return nil
	}
	return fault.From(fault.Unavailable, e.failure, "the last spans did not reach the collector")
}

// Shutdown closes the connection to the collector.
func (e *exporter) Shutdown(ctx context.Context) error { return e.next.Shutdown(ctx) }

// counting counts spans as they end, before the queue can drop them.
func (e *exporter) counting() sdktrace.SpanProcessor { return spanCounter{e.ended} }

type spanCounter struct{ ended metric.Int64Counter }

func (spanCounter) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (c spanCounter) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.ended.Add(context.Background(), 1)
	}
}
func (spanCounter) Shutdown(context.Context) error   { return nil }
func (spanCounter) ForceFlush(context.Context) error { return nil }
