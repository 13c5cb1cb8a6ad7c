package devstack

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/platform/fault"
)

// Received is the file to which the collector appends what it takes: one
// request a line, as OTLP writes it in JSON.
func (s *Stack) Received() string { return s.path("collector", "received.jsonl") }

// prepareCollector writes the collector's configuration as JSON, which is YAML
// too.
func prepareCollector(_ context.Context, s *Stack) error {
	if err := os.MkdirAll(s.path("collector"), 0o700); err != nil {
		return fault.From(fault.Internal, err, "make the collector's folder")
	}
	type object = map[string]any
	return writeJSON(s.collectorConfig(), object{
		"receivers": object{"otlp": object{"protocols": object{"http": object{"endpoint": s.address(Collector, "http")}}}},
		// Whoever reads the file does not have to guess whether more is on its way.
		"exporters": object{"file": object{"path": s.Received(), "append": true, "flush_interval": "50ms"}},
		"service": object{
			"pipelines": object{"traces": object{"receivers": []string{"otlp"}, "exporters": []string{"file"}}},
			// Its own metrics would be served on a port that every collector shares.
			"telemetry": object{"metrics": object{"level": "none"}, "logs": object{"level": "warn"}},
		},
	}, 0o600)
}

func (s *Stack) collectorConfig() string { return s.path("collector", "collector.json") }

func collectorCommand(ctx context.Context, s *Stack) (command, error) {
	dir, err := s.toolDir(ctx, specOf(Collector).tool)
	return command{
		path: filepath.Join(dir, "collector"),
		args: []string{"--config", "file:" + s.collectorConfig()},
		env:  serverEnv(),
	}, err
}

// collectorAnswers hands over a request without spans, which is taken and
// leaves no trace.
func collectorAnswers(ctx context.Context, s *Stack) error {
	address := "http://" + s.address(Collector, "http") + "/v1/traces"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewBufferString("{}"))
	if err != nil {
		return fault.From(fault.Internal, err, "ask %s", address)
	}
	req.Header.Set("Content-Type", "application/json")
	return answeredOK(req)
}
