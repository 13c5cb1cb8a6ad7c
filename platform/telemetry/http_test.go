package telemetry_test

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/gavelhq/gavel/platform/telemetry"
)

// serve runs a few routes behind the middleware, as the real server does.
func serve(t *testing.T, tel *telemetry.Telemetry) *httptest.Server {
	t.Helper()
	requests, err := tel.Requests()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /cases/{id}", func(w http.ResponseWriter, r *http.Request) {
		tel.Logger.InfoContext(r.Context(), "shown")
		_, _ = io.WriteString(w, "case")
	})
	mux.HandleFunc("POST /cases", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusCreated) })
	mux.HandleFunc("/silent", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusBadGateway) })
	mux.HandleFunc("/panics", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("flush by controller: %v", err)
		}
		w.(http.Flusher).Flush()
	})
	inner := http.NewServeMux()
	inner.HandleFunc("GET /app/passes/{id}", func(w http.ResponseWriter, r *http.Request) { telemetry.Route(r) })
	type key struct{}
	mux.HandleFunc("/app/", func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 1))) // a copy
	})
	server := httptest.NewServer(requests.Around(mux))
	t.Cleanup(server.Close)
	return server
}

func send(t *testing.T, method, url string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	r.Close = true // on a new connection no broken-off request is tried again
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return // the handler broke off, as one of them means to
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
}

func TestRequestsAreMeasuredByPatternAndNeverByAddress(t *testing.T) {
	collector := newCollector(t)
	tel := setup(t, telemetry.Config{OTLPEndpoint: collector.URL})
	server := serve(t, tel)
	for _, r := range [][2]string{
		{"GET", "/cases/case_7301?who=someone@example.org"}, {"GET", "/cases/case_7302"}, {"HEAD", "/cases/case_7303"},
		{"POST", "/cases"}, {"GET", "/silent"}, {"GET", "/broken"}, {"GET", "/panics"}, {"GET", "/stream"},
		{"GET", "/invented-7304"}, {"BREW", "/invented-7305"}, {"GET", "/app/passes/7306"},
	} {
		send(t, r[0], server.URL+r[1], nil)
	}
	server.Close()
	shown := scrape(t, tel)
	for _, labels := range []string{
		`http_request_method="GET",http_response_status_class="2xx",http_route="/cases/{id}"} 2`,
		`http_request_method="HEAD",http_response_status_class="2xx",http_route="/cases/{id}"} 1`,
		`http_request_method="POST",http_response_status_class="2xx",http_route="/cases"} 1`,
		`http_request_method="GET",http_response_status_class="2xx",http_route="/silent"} 1`,
		`http_request_method="GET",http_response_status_class="5xx",http_route="/broken"} 1`,
		`http_request_method="GET",http_response_status_class="5xx",http_route="/panics"} 1`,
		`http_request_method="GET",http_response_status_class="2xx",http_route="/stream"} 1`,
		`http_request_method="GET",http_response_status_class="4xx",http_route="unmatched"} 1`,
		`http_request_method="other",http_response_status_class="4xx",http_route="unmatched"} 1`,
		`http_request_method="GET",http_response_status_class="2xx",http_route="/app/passes/{id}"} 1`,
	} {
		expectLine(t, shown, "http_server_request_duration_seconds_count{"+labels)
	}
	expectLine(t, shown, "http_server_active_requests 0")

	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, span := range collector.received() {
		names[span.Name]++
		for _, address := range []string{"case_73", "invented", "passes/7306", "example"} {
			if strings.Contains(span.String(), address) {
				t.Errorf("a span shows the address %s: %s", address, span)
			}
		}
		if span.Kind != tracepb.Span_SPAN_KIND_SERVER {
			t.Errorf("span %s is of kind %s", span.Name, span.Kind)
		}
	}
	if names["GET /cases/{id}"] != 2 || names["other unmatched"] != 1 || names["GET /app/passes/{id}"] != 1 {
		t.Errorf("got spans %v", names)
	}
	for _, address := range []string{"case_73", "invented", "passes/7306"} {
		if strings.Contains(shown, address) {
			t.Errorf("a metric shows the address %s", address)
		}
	}
}

func TestARequestContinuesTheTraceOfItsCaller(t *testing.T) {
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	collector, log := newCollector(t), &journal{}
	tel := setup(t, telemetry.Config{Log: log, OTLPEndpoint: collector.URL})
	server := serve(t, tel)
	send(t, http.MethodGet, server.URL+"/cases/1", http.Header{"Traceparent": {"00-" + traceID + "-00f067aa0ba902b7-01"}})
	server.Close()
	if line := decode(t, []byte(log.String())); line["trace_id"] != traceID {
		t.Errorf("got line %v, want trace %s", line, traceID)
	}
}

func TestMetricsLinkToTraces(t *testing.T) {
	collector := newCollector(t)
	tel := setup(t, telemetry.Config{OTLPEndpoint: collector.URL})
	server := serve(t, tel)
	send(t, http.MethodGet, server.URL+"/cases/1", nil)
	server.Close()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	w := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(w, r)
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := collector.received()
	if len(spans) != 1 || !strings.Contains(w.Body.String(), `trace_id="`+hex.EncodeToString(spans[0].TraceId)+`"`) {
		t.Errorf("no exemplar of the trace in %v\n%s", spans, grep(w.Body.String(), "http_server"))
	}
}
