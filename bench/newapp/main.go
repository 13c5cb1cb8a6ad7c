// Command newapp tries what a developer would who wants an application of their own: it
// has the program write one into an empty folder outside the checkout, builds it, runs its
// tests on real parts, starts it, and has a browser open, decide and verify a case of it.
// It prints the minutes from the checkout to that decision.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavelhq/gavel/bench/visit"
)

// patience is for all of it, with everything to be compiled.
const patience = 25 * time.Minute

func main() {
	name := flag.String("name", "permits", "what the application is called")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, end := context.WithTimeout(ctx, patience)
	err := try(ctx, *name)
	end()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench newapp:", err)
		os.Exit(1)
	}
}

func try(ctx context.Context, name string) error {
	began := time.Now()
	home, err := visit.Home()
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	gavel, dir := filepath.Join(root, "bin", "gavel"), filepath.Join(home, name)
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // source is for everybody to read
		return err
	}
	for _, step := range []struct {
		in   string
		does []string
	}{
		{root, []string{"go", "build", "-o", "bin/gavel", "./cmd/gavel"}},
		{dir, []string{gavel, "new", "app", name}},
		{dir, []string{"go", "vet", "./..."}},
		{dir, []string{"go", "build", "-o", "bin/gavel", "."}},
		{dir, []string{"go", "tool", "devstack", "exec", "--ephemeral", "--in-memory", "--", "go", "test", "-count=1", "./..."}},
	} {
		if err := run(ctx, home, step.in, step.does...); err != nil {
			return err
		}
	}
	v, err := visit.Begin(ctx, filepath.Join(dir, "bin", "gavel"), dir, home)
	if err != nil {
		return err
	}
	_, err = v.Inside()
	if err == nil {
		err = v.Walk(ctx, "newapp.mjs", "newapp", "--app", name)
	}
	took := time.Since(began)
	if err := errors.Join(err, v.Leave()); err != nil {
		return err
	}
	fmt.Printf("from the checkout to an own case, decided and verified: %.1f minutes\n", took.Minutes())
	return nil
}

// run runs a command and says how long it took, and what it said where it failed.
func run(ctx context.Context, home, in string, does ...string) error {
	began := time.Now()
	cmd := exec.CommandContext(ctx, does[0], does[1:]...) //nolint:gosec // the commands are those above
	cmd.Dir, cmd.Env = in, append(os.Environ(), "TMPDIR="+home)
	said, err := cmd.CombinedOutput()
	line := strings.Join(append([]string{filepath.Base(does[0])}, does[1:]...), " ")
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", line, err, said)
	}
	fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), line)
	return nil
}
