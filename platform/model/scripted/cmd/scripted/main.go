// Command scripted runs the scripted model as a server of its own, for
// demonstrations, benchmarks and tests that kill it. Package scripted does the
// work.
//
//	scripted -script demo.yaml -listen 127.0.0.1:8099 -latency 40ms
//
// It prints its base URL when it answers, and ends on an interrupt. GET /healthz
// says how many requests there have been, in all and by agent.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "scripted:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("scripted", flag.ContinueOnError)
	file := flags.String("script", "", "the script, in YAML or JSON; without one every agent gets the same plain answer")
	address := flags.String("listen", "127.0.0.1:0", "the address to listen on")
	latency := flags.Duration("latency", -1, "how long every answer takes, instead of what the script says")
	if err := flags.Parse(args); err != nil {
		return err
	}
	script, err := read(*file)
	if err != nil {
		return err
	}
	if *latency >= 0 {
		script.Latency = scripted.Duration(*latency)
	}
	handler, err := scripted.New(scripted.Config{Script: script})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return fault.New(fault.Unavailable, "cannot listen on %s: %w", *address, err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	ended := context.AfterFunc(ctx, func() {
		server.Close() //nolint:errcheck // at once: an answer under way may be one that hangs
	})
	defer ended()
	fmt.Fprintf(out, "http://%s/v1\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fault.New(fault.Unavailable, "the server ended: %w", err)
	}
	return nil
}

func read(name string) (scripted.Script, error) {
	if name == "" {
		return scripted.Script{Agents: map[string][]scripted.Rule{
			scripted.Anyone: {{Answer: scripted.Answer{Text: "This answer comes from a server without a script."}}}}}, nil
	}
	file, err := os.Open(name) //nolint:gosec // whoever starts the program names the file
	if err != nil {
		return scripted.Script{}, fault.New(fault.NotFound, "there is no script %s", name)
	}
	defer file.Close()
	return scripted.Read(file)
}
