package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
)

// TestMain lets the test binary be the command itself, for tests that need a
// process to send signals to.
func TestMain(m *testing.M) {
	if os.Getenv("DEVSTACK_TEST_AS_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// devstackCommand is the command as a process of its own, with its temporary
// files in a folder of the test.
func devstackCommand(t *testing.T, tmp string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "DEVSTACK_TEST_AS_COMMAND=1", "TMPDIR="+tmp)
	cmd.Stderr = t.Output()
	return cmd
}

func TestUpStatusEnvAndDownTellAProgramWhatItNeeds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	run := func(args ...string) []byte {
		t.Helper()
		out, err := devstackCommand(t, t.TempDir(), append(args, "--dir", dir)...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	t.Cleanup(func() { run("reset") })
	type report struct {
		Parts []struct {
			Part      string
			Alive     bool
			PID       int
			Addresses map[string]string
		}
		Tokens []devstack.Token
	}
	var up, down report
	if err := json.Unmarshal(run("up", "postgres", "-o", "json"), &up); err != nil {
		t.Fatal(err)
	}
	if len(up.Parts) != 1 || !up.Parts[0].Alive || up.Parts[0].Addresses["sql"] == "" || len(up.Tokens) != 20 {
		t.Errorf("up: got %+v", up)
	}
	if env := string(run("env", "--export")); !strings.Contains(env, "export GAVEL_DATABASE_URL='postgres://gavel_app:") {
		t.Errorf("env: got %s", env)
	}
	run("down")
	if err := json.Unmarshal(run("status", "-o", "json"), &down); err != nil {
		t.Fatal(err)
	}
	if len(down.Parts) != 1 || down.Parts[0].Alive || down.Parts[0].PID != up.Parts[0].PID {
		t.Errorf("status after down: got %+v", down)
	}
}

func TestExecPassesSettingsAndStatusAndCleansUp(t *testing.T) {
	tmp := t.TempDir()
	cmd := devstackCommand(t, tmp, "exec", "--ephemeral", "--parts", "postgres", "--",
		"sh", "-c", `test -f "$GAVEL_DEVSTACK/state.json" && echo "$GAVEL_DATABASE_URL" && cat "$GAVEL_DEVSTACK"/state.json && exit 7`)
	out, err := cmd.Output()
	ended, ok := errors.AsType[*exec.ExitError](err)
	if !ok || ended.ExitCode() != 7 {
		t.Errorf("status: got %v, want 7", err)
	}
	if !bytes.HasPrefix(out, []byte("postgres://gavel_app:")) {
		t.Errorf("settings: got %s", out)
	}
	nothingLeft(t, tmp, out)
}

func TestExecCleansUpWhenTerminated(t *testing.T) {
	tmp := t.TempDir()
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := devstackCommand(t, tmp, "exec", "--ephemeral", "--parts", "postgres", "--",
		"sh", "-c", `cp "$GAVEL_DEVSTACK/state.json" `+ready+`.tmp; mv `+ready+`.tmp `+ready+`; exec sleep 600`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // where it was not waited for
	var state []byte
	wait.Until(t, "the command runs", func() bool {
		state, _ = os.ReadFile(ready) // nil until then
		return state != nil
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("status: got %v, want 143", err)
	}
	nothingLeft(t, tmp, state)
}

func TestInterruptedUpOfAnEphemeralStackCleansUp(t *testing.T) {
	tmp := t.TempDir()
	// which is interrupted, if the stack was up sooner
	cmd := devstackCommand(t, tmp, "exec", "--ephemeral", "--parts", "postgres", "--", "sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // where it was not waited for
	wait.Until(t, "a stack is begun", func() bool {
		made, _ := filepath.Glob(filepath.Join(tmp, "gavel-devstack-*", "state.json"))
		return len(made) == 1
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("an interrupted up succeeded")
	}
	nothingLeft(t, tmp, []byte("{}"))
}

// nothingLeft checks that neither a folder nor a process of a state remains.
// Output before the state's first brace is skipped.
func nothingLeft(t *testing.T, tmp string, state []byte) {
	t.Helper()
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("folders are left: %v, %v", left, err)
	}
	var saved struct {
		PostgresHome string `json:"postgres_home"`
		Parts        map[string]struct{ PID int }
	}
	if err := json.Unmarshal(state[max(0, bytes.IndexByte(state, '{')):], &saved); err != nil {
		t.Fatal(err)
	}
	if saved.PostgresHome != "" {
		if _, err := os.Stat(saved.PostgresHome); err == nil {
			t.Errorf("%s is left", saved.PostgresHome)
		}
	}
	for part, p := range saved.Parts {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
		if err == nil && !bytes.Contains(stat, []byte(") Z ")) { // a zombie only waits for init
			t.Errorf("process %d of %s is left: %s", p.PID, part, stat)
		}
	}
}
