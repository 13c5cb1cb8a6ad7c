package devstack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"

	"github.com/gavelhq/gavel/platform/fault"
)

func (s *Stack) commissionBinary() string { return s.path("bin", "commission") }

// buildCommission builds the checkout's own simulator of a commission.
func buildCommission(ctx context.Context, s *Stack) error {
	if s.source == "" {
		return notHere("the commission's simulator")
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", s.commissionBinary(), "./devstack/cmd/commission")
	cmd.Dir = s.source
	return s.timed(cmd, "building the commission's simulator")
}

func commissionVersion(_ context.Context, s *Stack) (string, error) {
	data, err := os.ReadFile(s.commissionBinary())
	if err != nil {
		return "", fault.From(fault.NotFound, err, "read %s", s.commissionBinary()).WithNext("go run ./devstack/cmd/devstack up commission")
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16], nil
}

func commissionCommand(_ context.Context, s *Stack) (command, error) {
	return command{
		path: s.commissionBinary(),
		args: []string{"--listen", s.address(Commission, "http"), "--dir", s.path("commission")},
		env:  serverEnv(),
	}, nil
}

func commissionAnswers(ctx context.Context, s *Stack) error {
	return answersOK(ctx, "http://"+s.address(Commission, "http")+"/reports")
}
