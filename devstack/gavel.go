package devstack

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
)

func (s *Stack) gavelBinary() string { return cmp.Or(s.gavel, s.path("bin", "gavel")) }

// buildGavel builds the checkout's own gavel, or that of the application around, whose
// main is at the root of its module. Where nothing has changed the go command leaves the
// binary as it is.
func buildGavel(ctx context.Context, s *Stack) error {
	if s.gavel != "" {
		return nil
	}
	if s.source == "" {
		return notHere("gavel")
	}
	list := "./cmd/gavel"
	if s.home != s.source {
		list = "."
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", s.gavelBinary(), list)
	cmd.Dir = s.home
	return s.timed(cmd, "building gavel")
}

// gavelVersion is a digest of the program and its settings: when either changes
// the next up starts it anew.
func gavelVersion(_ context.Context, s *Stack) (string, error) {
	sum := sha256.New()
	for _, name := range []string{s.gavelBinary(), s.SettingsFile()} {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", fault.From(fault.NotFound, err, "read %s", name).WithNext("go run ./devstack/cmd/devstack up gavel")
		}
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// migrate brings the database up to date and makes the demo organisations.
func migrate(ctx context.Context, s *Stack) error {
	cmd := exec.CommandContext(ctx, s.gavelBinary(), "migrate", "--config", s.SettingsFile())
	cmd.Env, cmd.Dir = serverEnv(), s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fault.From(fault.Internal, err, "migrate the database:\n%s", lastLines(string(out), 12))
	}
	db, err := postgres.OpenSystem(ctx, s.databaseURL(postgres.SystemRole, s.secrets[secretSystem], "gavel"))
	if err != nil {
		return err
	}
	defer db.Close()
	for _, org := range []postgres.Organisation{
		{Org: "north", Title: "North Commission", Zone: "Asia/Kolkata"},
		{Org: "south", Title: "South Commission", Zone: "Asia/Kolkata"},
	} {
		if err := db.AddOrganisation(ctx, org); err != nil {
			return err
		}
	}
	return nil
}

// gavelSpec is a part that runs this checkout's own program.
func gavelSpec(subcommand string, answers func(context.Context, *Stack) error) spec {
	return spec{
		needs:    []Part{Postgres, Temporal},
		patience: time.Minute,
		build:    buildGavel, version: gavelVersion, prepare: migrate,
		command: gavelCommand(subcommand), answers: answers,
	}
}

func serveSpec() spec {
	sp := gavelSpec("serve", serveAnswers)
	sp.ports = []string{"http"}
	sp.endpoints = []endpoint{{"http://", "http", ""}}
	return sp
}

// gavelCommand runs one of gavel's long-running subcommands.
func gavelCommand(subcommand string) func(context.Context, *Stack) (command, error) {
	return func(_ context.Context, s *Stack) (command, error) {
		return command{
			path: s.gavelBinary(),
			args: []string{subcommand, "--config", s.SettingsFile()},
			env:  serverEnv(),
		}, nil
	}
}

func serveAnswers(ctx context.Context, s *Stack) error {
	return answersOK(ctx, "http://"+s.address(Serve, "http")+"/readyz")
}

// workerReady is what the worker logs once it polls for work. It listens on no
// port that could be asked instead.
const workerReady = "worker ready"

func workerAnswers(_ context.Context, s *Stack) error {
	rec := s.state.Parts[Worker]
	if rec.Settled || bytes.Contains(rec.output(), []byte(workerReady)) {
		return nil
	}
	return fault.New(fault.Unavailable, "the worker has not said %q yet", workerReady)
}
