package devstack

import (
	"context"
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/platform/fault"
)

// prepareUI writes the Web UI's configuration as JSON, which is YAML too.
func prepareUI(_ context.Context, s *Stack) error {
	if err := os.MkdirAll(s.path("ui"), 0o700); err != nil {
		return fault.From(fault.Internal, err, "make the Web UI's folder")
	}
	return writeJSON(s.path("ui", "base.yaml"), map[string]any{
		"temporalGrpcAddress": s.address(Temporal, "frontend"),
		"host":                loopback,
		"port":                s.port(UI, "http"),
		"enableUi":            true,
		"defaultNamespace":    Namespace,
		"disableNewsFetch":    true,
	}, 0o644)
}

func uiCommand(ctx context.Context, s *Stack) (command, error) {
	dir, err := s.toolDir(ctx, specOf(UI).tool)
	return command{
		path: filepath.Join(dir, "server"),
		args: []string{"--root", s.dir, "--config", "ui", "--env", "gavel", "start"},
		env:  serverEnv(),
	}, err
}

func uiAnswers(ctx context.Context, s *Stack) error {
	return answersOK(ctx, "http://"+s.address(UI, "http")+"/api/v1/namespaces/"+Namespace)
}
