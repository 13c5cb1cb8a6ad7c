package devstack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A tool is a server built from its own pinned module under devstack/tools.
type tool struct {
	name  string   // folder of the module
	takes string   // how long a first build takes on two cores, for the person waiting
	tags  []string // what is left out of it: drivers and clouds that no part of ours uses
	noC   bool     // where C of its own would have to be compiled; else as Gavel is, so that what both use is compiled once
}

// flags are what else decides how it is built.
func (t tool) flags() []string {
	return []string{"-trimpath", "-ldflags=-s -w", "-tags=" + strings.Join(t.tags, ",")}
}

// env is what its build is run with.
func (t tool) env() []string {
	env := append(os.Environ(), "GOWORK=off")
	if t.noC {
		env = append(env, "CGO_ENABLED=0")
	}
	return env
}

// toolDir is where a tool's binaries are, or will be once built. The folder is
// named by everything that decides what they are.
func (s *Stack) toolDir(ctx context.Context, t tool) (string, error) {
	if s.source == "" {
		return "", notHere(t.name)
	}
	sum := sha256.New()
	own, err := filepath.Glob(filepath.Join(s.moduleDir(t), "*.go")) // few tools have files of their own
	if err != nil {
		return "", fault.From(fault.Internal, err, "list the files of %s", t.name)
	}
	for _, name := range append([]string{s.moduleDir(t) + "/go.mod", s.moduleDir(t) + "/go.sum"}, own...) {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", fault.From(fault.NotFound, err, "read the pinned versions of %s", t.name)
		}
		sum.Write(data)
	}
	fmt.Fprintln(sum, t.flags())
	compiler := exec.CommandContext(ctx, "go", "env", "GOVERSION", "CGO_ENABLED")
	compiler.Dir, compiler.Env = s.moduleDir(t), t.env()
	out, err := compiler.Output()
	if err != nil {
		return "", fault.From(fault.Unavailable, err, "run go env").WithNext("install Go 1.26 and put it on the PATH")
	}
	sum.Write(bytes.TrimSpace(out))
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "tools", t.name, hex.EncodeToString(sum.Sum(nil))[:16]), nil
}

func (s *Stack) moduleDir(t tool) string {
	return filepath.Join(s.source, "devstack", "tools", t.name)
}

// notHere refuses to build what only a checkout has the source of.
func notHere(what string) error {
	return fault.New(fault.NotFound, "build %s: not in a checkout of Gavel", what).
		WithNext("change to your clone of Gavel, the folder with its README.md, and run it there")
}

// build makes a tool's binaries unless the cache has them. Two processes never
// build the same tool at once, and a half-built one is never seen.
func (s *Stack) build(ctx context.Context, t tool) error {
	dir, err := s.toolDir(ctx, t)
	if err != nil || exists(dir) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fault.From(fault.Invalid, err, "make the tool cache %s", parent)
	}
	unlock, err := lockFile(ctx, filepath.Join(parent, "lock"), func() {
		s.say("another process is building %s; waiting for it", t.name)
	})
	if err != nil {
		return err
	}
	defer unlock()
	if exists(dir) {
		return nil
	}
	half, err := os.MkdirTemp(parent, "building-")
	if err != nil {
		return fault.From(fault.Internal, err, "make a folder to build %s in", t.name)
	}
	defer os.RemoveAll(half)
	if err := s.compile(ctx, t, half); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(half, 0o755), os.Rename(half, dir)); err != nil {
		return fault.From(fault.Internal, err, "keep the built %s", t.name)
	}
	return nil
}

// compile builds all tools of a module into a folder and reports its progress.
func (s *Stack) compile(ctx context.Context, t tool, into string) error {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, t.flags(), []string{"-o", into + "/", "tool"})...)
	cmd.Dir, cmd.Env = s.moduleDir(t), t.env()
	// Go asks the compilers it started to stop before it ends itself.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	s.say("building %s, once for this version: about %s on two cores", t.name, t.takes)
	return s.timed(cmd, "building "+t.name)
}

// timed runs a command, saying every ten seconds that it still runs.
func (s *Stack) timed(cmd *exec.Cmd, what string) error {
	start := time.Now()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	done := make(chan error, 1)
	go func() { done <- cmd.Run() }()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.say("  still %s, %s so far", what, time.Since(start).Round(time.Second))
		case err := <-done:
			took := time.Since(start).Round(100 * time.Millisecond)
			if err != nil {
				return fault.From(fault.Internal, err, "%s failed after %s:\n%s", what, took, lastLines(out.String(), 20))
			}
			if took > time.Second {
				s.say("  done %s in %s", what, took)
			}
			return nil
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// lastLines is the end of a text, for error messages.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
