package telemetry_test

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/telemetry"
)

func setup(t *testing.T, c telemetry.Config) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.Setup(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	return tel
}

// scrape is what /metrics shows now.
func scrape(t *testing.T, tel *telemetry.Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("metrics: got %d, %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func expectLine(t *testing.T, text, line string) {
	t.Helper()
	if !strings.Contains("\n"+text, "\n"+line+"\n") {
		t.Errorf("no line %q among\n%s", line, grep(text, strings.SplitN(line, "{", 2)[0]))
	}
}

// grep keeps a failure readable: a scrape has hundreds of lines.
func grep(text, part string) string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, strings.Fields(part)[0]) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

func TestSpansReachTheCollectorAndLogLinesNameThem(t *testing.T) {
	collector, log := newCollector(t), &journal{}
	tel := setup(t, telemetry.Config{Service: "gavel-test", Version: "v1", Log: log, OTLPEndpoint: collector.URL})
	ctx, span := tel.Tracers.Tracer("test").Start(t.Context(), "work")
	tel.Logger.InfoContext(ctx, "working")
	span.End()
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}

	got := collector.received()
	if len(got) != 1 || got[0].Name != "work" {
		t.Fatalf("the collector has %v, want the one span", got)
	}
	for _, want := range []string{"service.name=gavel-test", "service.version=v1"} {
		if !slices.Contains(collector.services, want) {
			t.Errorf("got resource %q, want %s", collector.services, want)
		}
	}
	line := decode(t, []byte(log.String()))
	if line["trace_id"] != hex.EncodeToString(got[0].TraceId) || line["span_id"] != hex.EncodeToString(got[0].SpanId) {
		t.Errorf("line %v does not name span %x of trace %x", line, got[0].SpanId, got[0].TraceId)
	}
	if line["service"] != "gavel-test" || line["version"] != "v1" {
		t.Errorf("line %v does not name its service", line)
	}
}

func TestSpansCarryNoSecrets(t *testing.T) {
	const secret = "hunter2hunter2"
	collector := newCollector(t)
	tel := setup(t, telemetry.Config{OTLPEndpoint: collector.URL})
	other := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})
	_, span := tel.Tracers.Tracer("test").Start(t.Context(), "get gvdev.north.officer."+secret,
		trace.WithLinks(trace.Link{SpanContext: other, Attributes: []attribute.KeyValue{attribute.String("password", secret)}}))
	span.SetAttributes(
		attribute.String("http.request.header.authorization", secret),
		attribute.String("note", "Bearer "+secret),
		attribute.StringSlice("to", []string{"x", secret + "@example.org"}),
		attribute.ByteSlice("body", []byte(secret)),
		attribute.Int("gen_ai.usage.input_tokens", 41),
		attribute.Int64("pin", 123456789),
		attribute.String("org", "north"),
	)
	span.RecordError(errors.New("dial postgres://app:" + secret + "@db/gavel"))
	span.AddEvent("sent to "+secret+"@example.org", trace.WithAttributes(attribute.String("token", secret)))
	span.SetStatus(codes.Error, "password="+secret)
	span.End()
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := collector.received()
	if len(got) != 1 {
		t.Fatalf("got %d spans, want 1", len(got))
	}
	text := got[0].String()
	for _, hidden := range []string{secret, "123456789"} {
		if strings.Contains(text, hidden) {
			t.Errorf("%s is in %s", hidden, text)
		}
	}
	for _, shown := range []string{`"north"`, "41", "postgres://[masked]@db/gavel"} {
		if !strings.Contains(text, shown) {
			t.Errorf("%s is not in %s", shown, text)
		}
	}
}

func TestTheApplicationGoesOnWhileTheCollectorIsDown(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	log := &journal{}
	tel := setup(t, telemetry.Config{Log: log, OTLPEndpoint: gone.URL})
	tracer := tel.Tracers.Tracer("test")
	began := time.Now()
	for range 20_000 { // several times what the queue holds
		_, span := tracer.Start(t.Context(), "work")
		span.End()
	}
	wait.Within(t, "20,000 spans that nobody collects", time.Since(began), 5*time.Second)

	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
	defer cancel()
	if err := tel.Shutdown(ctx); !fault.Is(err, fault.Unavailable) {
		t.Errorf("shutdown: got %v, want Unavailable: the last spans were lost", err)
	}
	if n := strings.Count(log.String(), "they are being lost"); n != 1 {
		t.Errorf("the log says %d times that spans are lost, want once:\n%s", n, log)
	}
}

func TestLostSpansAreCountedAndRecoveryIsLogged(t *testing.T) {
	collector, log := newCollector(t), &journal{}
	tel := setup(t, telemetry.Config{Log: log, OTLPEndpoint: collector.URL})
	send := func(n int) {
		for range n {
			_, span := tel.Tracers.Tracer("test").Start(t.Context(), "work")
			span.End()
		}
		flusher, ok := tel.Tracers.(interface{ ForceFlush(context.Context) error })
		if !ok {
			t.Fatalf("%T cannot be flushed", tel.Tracers)
		}
		if err := flusher.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	expectLine(t, scrape(t, tel), "gavel_telemetry_spans_lost_total 0")
	collector.refuseAll(true)
	send(3)
	collector.refuseAll(false)
	send(2)

	shown := scrape(t, tel)
	expectLine(t, shown, "gavel_telemetry_spans_ended_total 5")
	expectLine(t, shown, "gavel_telemetry_spans_lost_total 3")
	expectLine(t, shown, "gavel_telemetry_spans_sent_total 2")
	if got := len(collector.received()); got != 2 {
		t.Errorf("the collector has %d spans, want 2", got)
	}
	if !strings.Contains(log.String(), "takes nothing") || !strings.Contains(log.String(), "takes spans again") {
		t.Errorf("got log %s", log)
	}
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Errorf("shutdown after recovery: %v", err)
	}
}

func TestACallersWishToBeRecordedIsNotObeyed(t *testing.T) {
	collector := newCollector(t)
	tel := setup(t, telemetry.Config{OTLPEndpoint: collector.URL, SampleShare: 1e-9})
	remote := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{15: 1, 8: 0xff, 9: 0xff}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled, Remote: true,
	})
	_, span := tel.Tracers.Tracer("test").Start(trace.ContextWithSpanContext(t.Context(), remote), "work")
	span.End()
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := collector.received(); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
}

func TestWithoutACollectorNothingIsRecorded(t *testing.T) {
	tel := setup(t, telemetry.Config{})
	_, span := tel.Tracers.Tracer("test").Start(t.Context(), "work")
	if span.IsRecording() {
		t.Error("a span is recorded for nobody")
	}
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// OpenTelemetry reads the environment on its own; it may add to the resource
// but not change where spans go, which are recorded, or whose they are.
func TestTheEnvironmentDoesNotRedirectSpans(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-secret=1")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	t.Setenv("OTEL_SERVICE_NAME", "someone-else")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "service.version=other,a=b")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "0")
	TestSpansReachTheCollectorAndLogLinesNameThem(t)
}

func TestSetupRefusesWhatItCannotUse(t *testing.T) {
	for name, c := range map[string]telemetry.Config{
		"no scheme":   {OTLPEndpoint: "127.0.0.1:4318"},
		"odd scheme":  {OTLPEndpoint: "grpc://127.0.0.1:4317"},
		"no host":     {OTLPEndpoint: "http://"},
		"credentials": {OTLPEndpoint: "http://user:pw@host"},
		"a query":     {OTLPEndpoint: "http://host?x=1"},
		"share below": {SampleShare: -0.1},
		"share above": {SampleShare: 1.1},
	} {
		if _, err := telemetry.Setup(t.Context(), c); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

func TestTextLogsAreForPeople(t *testing.T) {
	log := &journal{}
	tel := setup(t, telemetry.Config{Service: "s", Version: "v", Log: log, LogText: true})
	tel.Logger.Debug("too fine")
	tel.Logger.Info("hello", "token", "hunter2")
	if got := log.String(); !strings.HasSuffix(got, "level=INFO msg=hello service=s version=v token=[masked]\n") ||
		strings.Contains(got, "too fine") {
		t.Errorf("got %q", got)
	}
}
