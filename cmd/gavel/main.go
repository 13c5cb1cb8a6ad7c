// Gavel runs AI agents for institutions that must be able to defend what was
// done in their name: agents do the casework, people hold the gavel.
//
// This package only wires. root.go is the tree of commands; each command has a
// file of its own; apps.go lists the applications; package config is the
// settings, package output the forms of output, package client the way to a
// running server. Exit codes are in exit.go.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	c := &cli{
		apps: builtIn(),
		in:   os.Stdin, out: os.Stdout, talk: os.Stderr, environ: os.Environ(),
		terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		browse:   startBrowser,
	}
	ctx, stop := untilSignal(context.Background())
	code := c.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
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
