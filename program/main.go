// Package program is Gavel as people start it: server, worker and command line, for
// the applications it is handed. An application that lives in a repository of its own
// has a main that hands itself over, as cmd/gavel does with those that ship.
//
// This package only wires, and knows no application. root.go is the tree of commands;
// each command has a file of its own; apps.go is what is gathered from the applications;
// package config is the settings, package output the forms of output, package client the
// way to a running server. Exit codes are in exit.go.
package program

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/gavelhq/gavel/platform"
)

// Main runs the command that the program was called with, with these applications, to
// its end. It is all of a main but its last line: it returns the exit status, and what
// the codes mean never changes (gavel help exit-codes). Ctrl-C and a request to end
// break the command off cleanly; the second one ends the process at once.
func Main(apps ...platform.App) int {
	c := &cli{
		apps: apps,
		in:   os.Stdin, out: os.Stdout, talk: os.Stderr, environ: os.Environ(),
		terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		browse:   startBrowser,
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	return c.run(ctx, os.Args[1:])
}

// A Call is one call of the program by a program: everything that Main takes from the
// process. Nobody can be asked.
type Call struct {
	Apps      []platform.App
	Args      []string // without the program's name
	Environ   []string
	In        io.Reader
	Out, Talk io.Writer // data, and what is said about it
}

// Run carries out a call until it ends or the context does, and returns the exit status.
func Run(ctx context.Context, call Call) int {
	c := &cli{apps: call.Apps, in: call.In, out: call.Out, talk: call.Talk, environ: call.Environ}
	return c.run(ctx, call.Args)
}

// untilSignal ends the context on the first Ctrl-C or request to end, with the
// reason as its cause. The second one ends the program at once.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			if s == os.Interrupt {
				cancel(errInterrupted)
			} else {
				cancel(errTerminated)
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
