package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

// The sizes of the matter: an answer and an effect take as long as pause, and a
// claim on an act is held for twice as long as sendTimeout. Everything else is
// the product's own.
const (
	pause       = 40 * time.Millisecond
	sendTimeout = 2 * time.Second
)

// A place says where everything is. It holds secrets, and is handed to processes
// on their standard input.
type place struct {
	App, System         string // addresses of the database, by role
	Temporal, Namespace string
	Keys                string
	Model               string // where it listens, host and port
	Mind, Effects       string // where workers find it, and the other side
}

// roles are the processes that this program can be, besides the bench.
func roles() map[string]func(context.Context, place) error {
	return map[string]func(context.Context, place) error{"worker": beWorker, "model": beModel}
}

// perform plays a role until the bench has gone: standard input ends with it.
func perform(ctx context.Context, play func(context.Context, place) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var p place
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&p); err != nil {
		return fmt.Errorf("read where everything is: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // nobody is left to work for
	}()
	return play(ctx, p)
}

// ready tells the bench that the work begins.
func ready() { fmt.Println("ready") }

// beWorker carries the agents' runs, and what is in the outbox.
func beWorker(ctx context.Context, p place) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := postgres.Open(ctx, p.App)
	if err != nil {
		return err
	}
	sys, err := postgres.OpenSystem(ctx, p.System)
	if err != nil {
		return err
	}
	yard, err := agenttest.New(p.yard(db))
	if err != nil {
		return err
	}
	keys, err := durable.ParseKeys(p.Keys)
	if err != nil {
		return err
	}
	engine := durable.Config{Address: p.Temporal, Namespace: p.Namespace, Keys: keys, Logger: log}
	c, err := durable.Dial(ctx, engine)
	if err != nil {
		return err
	}
	ready()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return durable.Run(ctx, c, durable.Version{}, log, yard.Work()) })
	g.Go(func() error {
		return outbox.NewDispatcher(sys, outbox.NewEngine(c, engine.Memo, sys), 1e6, log).Run(ctx)
	})
	return g.Wait()
}

// yard is the small institution whose agents work here.
func (p place) yard(db *postgres.DB) agenttest.Config {
	return agenttest.Config{DB: db, ModelURL: "http://" + p.Mind, Effects: "http://" + p.Effects, SendTimeout: sendTimeout}
}

// beModel answers from the runs' own scripts.
func beModel(_ context.Context, p place) error {
	mind, err := scripted.New(scripted.Config{Reply: agenttest.Reply, Script: scripted.Script{Latency: scripted.Duration(pause)}})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", p.Model)
	if err != nil {
		return err
	}
	ready()
	return serve(l, mind)
}

func serve(l net.Listener, h http.Handler) error {
	err := (&http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}).Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
