// Command devstack runs the real parts Gavel stands on, on loopback, for
// development and tests. Package devstack does the work; this is its face.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/fault"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := newCommand().ExecuteContext(ctx)
	stop()
	os.Exit(exitCode(err))
}

// exitCode tells a person what went wrong; a command run by exec has told its
// own story and only its status is passed on.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if ended, ok := errors.AsType[*commandEnded](err); ok {
		return ended.status
	}
	fmt.Fprintln(os.Stderr, "devstack:", err)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Next != "" {
		fmt.Fprintln(os.Stderr, "next:", e.Next)
	}
	return 1
}

// flags are shared by all subcommands.
type flags struct {
	dir    string
	output string
}

func newCommand() *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:   "devstack",
		Short: "Run the real parts Gavel stands on, on loopback",
		Long: `devstack runs PostgreSQL, Temporal and what else Gavel stands on, privately, on
free loopback ports. Servers are built once per version and kept in
${GAVEL_CACHE:-${XDG_CACHE_HOME:-~/.cache}/gavel}/tools. Everything else (data,
logs, ports, secrets) is in one data folder.

Parts: postgres, temporal, s3, mail, oidc, collector, ui, serve, worker;
"gavel" is serve and worker, "all" is everything but collector and ui.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().StringVar(&f.dir, "dir", "", "data folder (default .dev in the checkout)")
	root.AddCommand(buildCommand(), upCommand(&f), downCommand(&f), resetCommand(&f), statusCommand(&f), envCommand(&f), execCommand(&f))
	return root
}

func buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "build [part…]",
		Short:   "Build the parts' servers into the cache and start nothing",
		Example: "  devstack build postgres temporal s3",
		RunE: func(cmd *cobra.Command, args []string) error {
			parts, err := devstack.ParseParts(args)
			if err != nil {
				return err
			}
			return devstack.Build(cmd.Context(), devstack.Options{Parts: parts, Log: cmd.ErrOrStderr()})
		},
	}
}

func upCommand(f *flags) *cobra.Command {
	var ui, inMemory bool
	cmd := &cobra.Command{
		Use:   "up [part…]",
		Short: "Start what is asked for and wait until it answers",
		Long: `Start the parts asked for (PostgreSQL and Temporal when none is named) and what
they need, wait until each really answers, and print the addresses and the
development tokens. What runs already is left alone; what has died is started
again on the same port and data.`,
		Example: "  devstack up\n  devstack up gavel mail --ui\n  devstack up all -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(f.output); err != nil {
				return err
			}
			if ui {
				if len(args) == 0 {
					args = []string{string(devstack.Postgres), string(devstack.Temporal)}
				}
				args = append(args, string(devstack.UI))
			}
			s, err := up(cmd, devstack.Options{Dir: f.dir, InMemory: inMemory}, args)
			if err != nil {
				return err
			}
			return printStack(cmd.OutOrStdout(), s, f.output)
		},
	}
	cmd.Flags().BoolVar(&ui, "ui", false, "Temporal's Web UI too")
	inMemoryFlag(cmd, &inMemory)
	outputFlag(cmd, f)
	return cmd
}

func inMemoryFlag(cmd *cobra.Command, inMemory *bool) {
	cmd.Flags().BoolVar(inMemory, "in-memory", false, "keep a new cluster's files in memory, where 4 GiB are free: for tests")
}

// up brings up the named parts, with progress on stderr.
func up(cmd *cobra.Command, o devstack.Options, names []string) (*devstack.Stack, error) {
	parts, err := devstack.ParseParts(names)
	if err != nil {
		return nil, err
	}
	o.Parts, o.Log = parts, cmd.ErrOrStderr()
	return devstack.Up(cmd.Context(), o)
}

func downCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop everything that up started; the data stays",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStack(f.dir, func(s *devstack.Stack) error {
				if err := s.Down(cmd.Context()); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "nothing of %s is running\n", s.Dir())
				return nil
			})
		},
	}
}

func resetCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Stop everything and wipe the data folder",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStack(f.dir, func(s *devstack.Stack) error {
				if err := s.Remove(cmd.Context()); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is wiped\n", s.Dir())
				return nil
			})
		},
	}
}

// withStack runs f on the stack of a folder; where there is none there is
// nothing to stop.
func withStack(dir string, f func(*devstack.Stack) error) error {
	s, err := devstack.Open(dir)
	if fault.Is(err, fault.NotFound) {
		text, _ := fault.Words(err)
		fmt.Println(text + ": nothing to do")
		return nil
	}
	if err != nil {
		return err
	}
	return f(s)
}

func statusCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show each part and whether its process is alive",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(f.output); err != nil {
				return err
			}
			s, err := devstack.Open(f.dir)
			if err != nil {
				return err
			}
			return printStatus(cmd.OutOrStdout(), s, f.output)
		},
	}
	outputFlag(cmd, f)
	return cmd
}

func envCommand(f *flags) *cobra.Command {
	var export bool
	cmd := &cobra.Command{
		Use:     "env",
		Short:   "Print the settings that point Gavel at the stack",
		Example: "  eval \"$(devstack env --export)\"",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := devstack.Open(f.dir)
			if err != nil {
				return err
			}
			printSettings(cmd.OutOrStdout(), s, export)
			return nil
		},
	}
	cmd.Flags().BoolVar(&export, "export", false, "as shell export lines")
	return cmd
}

func outputFlag(cmd *cobra.Command, f *flags) {
	cmd.Flags().StringVarP(&f.output, "output", "o", "text", "text or json")
}

func checkOutput(output string) error {
	if output != "text" && output != "json" {
		return fault.New(fault.Invalid, "output %.20q: use text or json", output)
	}
	return nil
}
