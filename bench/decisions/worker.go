package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/tool"
)

// workerRole is the argument that makes this program a worker, and workerReady
// what one says when it begins.
const (
	workerRole  = "worker"
	workerReady = "the worker begins"
)

// A place says where everything is. It holds secrets, and is handed to workers on
// their standard input.
type place struct {
	App                 string // address of the database
	Temporal, Namespace string
	Keys                string
	Model, Effects      string // addresses
}

func (p place) tell(w io.Writer) error { return json.NewEncoder(w).Encode(p) }

// sendTimeout is how long an effect may take; a claim on an act is held for twice
// as long.
const sendTimeout = 10 * time.Second

// yard is the small institution whose agents work here: its letters can be undone
// for a while.
func (p place) yard(db *postgres.DB) agenttest.Config {
	return agenttest.Config{DB: db, ModelURL: p.Model, Effects: p.Effects, SendTimeout: sendTimeout, ChangeTool: func(t *tool.Tool) {
		if t.Name == letter {
			t.Undo = undoWindow
		}
	}}
}

// beWorker works the cases until the bench has gone: standard input ends with it.
func beWorker(ctx context.Context) error {
	var p place
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&p); err != nil {
		return fmt.Errorf("read where everything is: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // nobody is left to work for
	}()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := postgres.Open(ctx, p.App)
	if err != nil {
		return err
	}
	defer db.Close()
	yard, err := agenttest.New(p.yard(db))
	if err != nil {
		return err
	}
	keys, err := durable.ParseKeys(p.Keys)
	if err != nil {
		return err
	}
	c, err := durable.Dial(ctx, durable.Config{Address: p.Temporal, Namespace: p.Namespace, Keys: keys, Logger: log})
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Fprintln(os.Stderr, workerReady)
	return durable.Run(ctx, c, durable.Version{}, log, yard.Work())
}
