package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/fault"
)

// teardownPatience bounds how long an ephemeral stack may take to go away.
const teardownPatience = 2 * time.Minute

// commandEnded is the status of a command that did not succeed.
type commandEnded struct{ status int }

func (e *commandEnded) Error() string { return fmt.Sprintf("command ended with status %d", e.status) }

func execCommand(f *flags) *cobra.Command {
	var parts []string
	var ephemeral, inMemory bool
	cmd := &cobra.Command{
		Use:   "exec [flags] -- command [argument…]",
		Short: "Run a command with the stack up and the settings in its environment",
		Long: `Bring up the parts, run the command with the GAVEL_* settings and
GAVEL_DEVSTACK=<data folder> in its environment, and end with its status. With
--ephemeral the stack lives in a fresh temporary folder and is stopped and
removed afterwards, also when interrupted.`,
		Example: "  devstack exec --ephemeral -- go test ./...\n  devstack exec --parts postgres -- psql \"$GAVEL_DATABASE_URL\"",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			dir := f.dir
			if ephemeral {
				if dir != "" {
					return fault.New(fault.Invalid, "--dir and --ephemeral exclude each other")
				}
				var remove func() error
				if dir, remove, err = ephemeralDir(cmd); err != nil {
					return err
				}
				defer func() { err = errors.Join(err, remove()) }()
			}
			s, err := up(cmd, devstack.Options{Dir: dir, InMemory: inMemory}, parts)
			if err != nil {
				return err
			}
			return run(args, s)
		},
	}
	cmd.Flags().StringSliceVar(&parts, "parts", nil, "parts to bring up (default postgres,temporal)")
	cmd.Flags().BoolVar(&ephemeral, "ephemeral", false, "in a fresh folder, removed afterwards")
	inMemoryFlag(cmd, &inMemory)
	return cmd
}

// ephemeralDir makes a data folder; remove stops what runs in it and wipes it,
// whatever became of the command's own context.
func ephemeralDir(cmd *cobra.Command) (dir string, remove func() error, err error) {
	dir, err = os.MkdirTemp("", "gavel-devstack-")
	if err != nil {
		return "", nil, fault.From(fault.Internal, err, "make a temporary data folder")
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "devstack: data folder %s, removed afterwards\n", dir)
	return dir, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), teardownPatience)
		defer cancel()
		s, err := devstack.Open(dir)
		if fault.Is(err, fault.NotFound) { // it came to nothing: there is only the folder
			return os.RemoveAll(dir)
		}
		if err != nil {
			return err
		}
		return s.Remove(ctx)
	}, nil
}

// run runs the command to its end. SIGTERM and SIGHUP are passed on to it;
// Ctrl-C is not, because the terminal sends that to both of us. What it makes of
// the signal decides.
func run(args []string, s *devstack.Stack) error {
	child := exec.Command(args[0], args[1:]...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.Env = append(os.Environ(), "GAVEL_DEVSTACK="+s.Dir())
	for key, value := range s.Settings() {
		child.Env = append(child.Env, key+"="+value)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := child.Start(); err != nil {
		return fault.From(fault.Invalid, err, "run %s", args[0])
	}
	done := make(chan error, 1)
	go func() { done <- child.Wait() }()
	for {
		select {
		case sig := <-signals:
			if sig != os.Interrupt {
				_ = child.Process.Signal(sig) // it may have ended just now
			}
		case err := <-done:
			return status(err)
		}
	}
}

// status turns the end of a command into ours: its own status, or 128 and the
// signal's number as shells do.
func status(err error) error {
	ended, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if ws, ok := ended.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return &commandEnded{128 + int(ws.Signal())}
	}
	return &commandEnded{ended.ExitCode()}
}
