package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
)

var quiet = slog.New(slog.DiscardHandler)

// A ground is what all contestants stand on: one engine, one PostgreSQL, one
// model.
type ground struct {
	done      chan struct{} // closed when the bench is over
	admin     string        // the superuser's address
	settings  map[string]string
	engine    durable.Config
	client    client.Client
	model     *loopbackModel
	mark      string // part of the name of everything we make
	enginePID int
	peerPIDs  []int
	made      []string // databases
	closers   []func() error
	wg        sync.WaitGroup
}

func newGround(ctx context.Context, p pace) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{done: make(chan struct{}), admin: stack.AdminURL(), settings: stack.Settings(),
		mark: "gavel_bench_" + strings.ToLower(rand.Text()[:10])}
	if err := g.durablePostgres(ctx); err != nil {
		return nil, err
	}
	if g.enginePID, err = pidOf(stack, devstack.Temporal); err != nil {
		return nil, err
	}
	keys, err := durable.ParseKeys(durable.NewKey("bench"))
	if err != nil {
		return nil, err
	}
	g.engine = durable.Config{Address: g.settings["GAVEL_TEMPORAL_ADDRESS"], Namespace: g.settings["GAVEL_TEMPORAL_NAMESPACE"], Keys: keys,
		Logger: quiet}
	if g.client, err = durable.Dial(ctx, g.engine); err != nil {
		return nil, err
	}
	g.model, err = newModel(p)
	return g, err
}

// durablePostgres refuses a PostgreSQL that promises what it does not keep: its
// figures would be worth nothing.
func (g *ground) durablePostgres(ctx context.Context) error {
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		var value string
		if err := g.ask(ctx, "postgres", "show "+setting, &value); err != nil {
			return err
		}
		if value != "on" {
			return fmt.Errorf("PostgreSQL runs with %s = %s", setting, value)
		}
	}
	return nil
}

// createDatabase makes a database that is dropped at the end.
func (g *ground) createDatabase(ctx context.Context, of string) (string, error) {
	name := g.mark + "_" + of
	if err := g.sql(ctx, "create database "+name+" owner "+postgres.OwnerRole); err != nil {
		return "", err
	}
	g.made = append(g.made, name)
	return name, nil
}

// sql runs one statement as the superuser, beside the databases under test.
func (g *ground) sql(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, g.admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// ask reads one row as the superuser.
func (g *ground) ask(ctx context.Context, database, query string, into ...any) error {
	return g.in(ctx, database, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, query).Scan(into...) })
}

func (g *ground) exec(ctx context.Context, database, statement string) error {
	return g.in(ctx, database, func(conn *pgx.Conn) error { _, err := conn.Exec(ctx, statement); return err })
}

// in opens a connection of the administrator to one of the databases.
func (g *ground) in(ctx context.Context, database string, do func(*pgx.Conn) error) error {
	address, err := postgres.WithDatabase(g.admin, database)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return do(conn)
}

// work runs a worker beside the contestants until the ground is closed.
func (g *ground) work(w durable.Work) {
	g.background(func(ctx context.Context) error { return durable.Run(ctx, g.client, durable.Version{}, quiet, w) })
}

// background runs something beside the contestants until the ground is closed.
func (g *ground) background(run func(context.Context) error) {
	g.wg.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { <-g.done; cancel() }()
		if err := run(ctx); err != nil && ctx.Err() == nil {
			fmt.Println("background:", err)
		}
	})
}

func (g *ground) close() {
	close(g.done)
	g.wg.Wait()
	for _, c := range g.closers {
		if err := c(); err != nil {
			fmt.Println("close:", err)
		}
	}
	g.client.Close()
	if err := g.model.close(); err != nil {
		fmt.Println("model:", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, name := range g.made {
		if err := g.sql(ctx, "drop database "+name+" with (force)"); err != nil {
			fmt.Println("drop the bench's database:", err)
		}
	}
}
