// Package telemetry shows what Gavel is doing: traces, metrics and logs, with
// secrets and personal data taken out of all that is text.
//
// Setup makes everything at once and sets nothing global; what it returns is
// handed to those who need it. Read Telemetry first, then mask.go for what is
// never shown, handler.go for logs, http.go for requests, backlog.go for the outbox, local.go
// for who may look, and export.go for what happens while the collector is down.
//
// Metrics are OpenTelemetry instruments read by its Prometheus exporter, rather
// than Prometheus's own client: the engine's SDK and our code then share one
// MeterProvider, and a histogram's exemplars carry the trace they came from.
package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	promexport "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/gavelhq/gavel/platform/fault"
)

// scope names our own tracer and meter.
const scope = "github.com/gavelhq/gavel/platform/telemetry"

// maxSeries bounds the label combinations of one instrument; what comes beyond
// is counted together under otel_metric_overflow.
const maxSeries = 2000

// A Config says where telemetry goes. The zero value logs nothing, traces
// nothing and serves metrics.
type Config struct {
	Service  string     // "gavel-serve", "gavel-worker"
	Version  string     // of the binary
	Log      io.Writer  // nil: nowhere
	LogText  bool       // lines for a person instead of JSON
	LogLevel slog.Level // the least level that is written

	// OTLPEndpoint is the base URL of an OTLP/HTTP collector; spans go to
	// /v1/traces below it. Empty means that no span is recorded.
	OTLPEndpoint string
	// SampleShare is the share of new traces that is recorded, above 0 and up
	// to 1; 0 means all.
	SampleShare float64
}

// A Telemetry is the means to show what happens. All fields are set, whatever
// the Config.
type Telemetry struct {
	Logger  *slog.Logger
	Metrics http.Handler // serves /metrics
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider

	// Propagator carries trace ids between processes. Baggage is not carried:
	// it is text from outside.
	Propagator propagation.TextMapPropagator

	shutdown []func(context.Context) error
}

// Setup makes the parts of a Telemetry. It contacts nobody: a collector that is
// down is noticed later and stops nothing.
func Setup(ctx context.Context, c Config) (*Telemetry, error) {
	if c.SampleShare < 0 || c.SampleShare > 1 {
		return nil, fault.New(fault.Invalid, "the share of traces that is recorded lies between 0 and 1, not at %v", c.SampleShare)
	}
	res := resource.NewSchemaless(
		attribute.String("service.name", c.Service),
		attribute.String("service.version", c.Version),
	)
	t := &Telemetry{Propagator: propagation.TraceContext{}, Logger: newLogger(c)}
	if err := t.setupMetrics(res); err != nil {
		return nil, err
	}
	if err := t.setupTraces(ctx, c, res); err != nil {
		return nil, errors.Join(err, t.Shutdown(ctx))
	}
	return t, nil
}

func newLogger(c Config) *slog.Logger {
	out := c.Log
	if out == nil {
		out = io.Discard
	}
	options := &slog.HandlerOptions{Level: c.LogLevel}
	var lines slog.Handler = slog.NewJSONHandler(out, options)
	if c.LogText {
		lines = slog.NewTextHandler(out, options)
	}
	return slog.New(NewHandler(lines)).With("service", c.Service, "version", c.Version)
}

func (t *Telemetry) setupMetrics(res *resource.Resource) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	reader, err := promexport.New(promexport.WithRegisterer(registry), promexport.WithoutScopeInfo())
	if err != nil {
		return fault.From(fault.Internal, err, "metrics cannot be set up")
	}
	meters := sdkmetric.NewMeterProvider(
		sdkmetric.WithReader(reader),
		sdkmetric.WithResource(res),
		sdkmetric.WithCardinalityLimit(maxSeries),
		// The engine's SDK measures seconds and leaves the buckets to us; the
		// usual ones are for milliseconds.
		sdkmetric.WithView(sdkmetric.NewView(
			sdkmetric.Instrument{Name: "temporal_*", Kind: sdkmetric.InstrumentKindHistogram},
			sdkmetric.Stream{Aggregation: sdkmetric.AggregationExplicitBucketHistogram{Boundaries: buckets}})),
	)
	t.Meters = meters
	t.shutdown = append(t.shutdown, meters.Shutdown)
	t.Metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:            promErrors{t.Logger},
		ErrorHandling:       promhttp.ContinueOnError,
		EnableOpenMetrics:   true, // exemplars need it
		MaxRequestsInFlight: 4,    // a scrape walks every series
	})
	return nil
}

// promErrors puts errors met while serving metrics in the log.
type promErrors struct{ logger *slog.Logger }

func (p promErrors) Println(v ...any) { p.logger.Warn("metrics are incomplete", "problem", v) }

func (t *Telemetry) setupTraces(ctx context.Context, c Config, res *resource.Resource) error {
	if c.OTLPEndpoint == "" {
		t.Tracers = noop.NewTracerProvider()
		return nil
	}
	endpoint, err := url.Parse(c.OTLPEndpoint)
	if err != nil || (endpoint.Scheme != "http" && endpoint.Scheme != "https") || endpoint.Host == "" ||
		endpoint.User != nil || endpoint.RawQuery != "" || endpoint.Fragment != "" {
		return fault.New(fault.Invalid, "the collector's address must be http://host:port or https://host:port, without credentials")
	}
	out, err := newExporter(ctx, endpoint.JoinPath("v1", "traces").String(), t.Logger, t.Meters)
	if err != nil {
		return err
	}
	share := c.SampleShare
	if share == 0 {
		share = 1
	}
	sampler := sdktrace.TraceIDRatioBased(share)
	spans := sdktrace.NewTracerProvider(
		sdktrace.WithResource(res),
		// A caller's wish to be recorded is not obeyed: anyone can send one.
		sdktrace.WithSampler(sdktrace.ParentBased(sampler,
			sdktrace.WithRemoteParentSampled(sampler), sdktrace.WithRemoteParentNotSampled(sampler))),
		sdktrace.WithSpanProcessor(out.counting()),
		sdktrace.WithSpanProcessor(out.batching()),
	)
	t.Tracers = spans
	// Last in, first out: the exporter counts what it loses in its last flush.
	t.shutdown = append(t.shutdown, func(ctx context.Context) error {
		return errors.Join(spans.Shutdown(ctx), out.lastFailure())
	})
	return nil
}

// Shutdown sends what is still waiting and releases everything, the last made
// first. Unlike OpenTelemetry's own, it says so when the last spans were lost.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var all []error
	for i := len(t.shutdown) - 1; i >= 0; i-- {
		all = append(all, t.shutdown[i](ctx))
	}
	return errors.Join(all...)
}

// LogInternalErrors sends what OpenTelemetry itself complains about to our log,
// where secrets are taken out, instead of standard error. It is the one thing
// here that is global to the process, so main calls it and nobody else does.
func (t *Telemetry) LogInternalErrors() {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		t.Logger.Warn("telemetry has a problem of its own", "error", err)
	}))
}
