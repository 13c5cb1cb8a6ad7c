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
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

const org identity.Org = "north"

var quiet = slog.New(slog.DiscardHandler)

// A ground is what both contestants stand on: one engine, one database, one
// client, in one process.
type ground struct {
	done   chan struct{} // closed when the bench is over
	db     *postgres.DB
	sys    *postgres.System
	client client.Client
	engine durable.Config
	admin  string
	name   string // of the database, and part of every queue's
	wg     sync.WaitGroup
}

func newGround(ctx context.Context) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	s := stack.Settings()
	g := &ground{name: "gavel_bench_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL()}
	g.done = make(chan struct{})
	if err := g.sql(ctx, "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
		return nil, err
	}
	if err := g.openDatabase(ctx, s); err != nil {
		return nil, err
	}
	keys, err := durable.ParseKeys(durable.NewKey("bench"))
	if err != nil {
		return nil, err
	}
	g.engine = durable.Config{Address: s["GAVEL_TEMPORAL_ADDRESS"], Namespace: s["GAVEL_TEMPORAL_NAMESPACE"], Keys: keys, Logger: quiet}
	g.client, err = durable.Dial(ctx, g.engine)
	return g, err
}

func (g *ground) openDatabase(ctx context.Context, settings map[string]string) error {
	var urls [3]string
	for i, name := range []string{"GAVEL_DATABASE_OWNER_URL", "GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL"} {
		var err error
		if urls[i], err = postgres.WithDatabase(settings[name], g.name); err != nil {
			return err
		}
	}
	if _, err := postgres.Migrate(ctx, urls[0], platform.Migrations()...); err != nil {
		return err
	}
	var err error
	if g.db, err = postgres.Open(ctx, urls[1]); err != nil {
		return err
	}
	if g.sys, err = postgres.OpenSystem(ctx, urls[2]); err != nil {
		return err
	}
	return g.sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"})
}

// sql runs one statement as the superuser, beside the database under test.
func (g *ground) sql(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, g.admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// work runs a worker beside the contestants until the ground is closed.
func (g *ground) work(w durable.Work) {
	g.background(func(ctx context.Context) error {
		return durable.Run(ctx, g.client, durable.Version{}, quiet, w)
	})
}

func (g *ground) background(run func(context.Context) error) {
	g.wg.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { <-g.done; cancel() }()
		if err := run(ctx); err != nil {
			fmt.Println("background:", err) // the cases that needed it run into their time limit
		}
	})
}

func (g *ground) close() {
	close(g.done)
	g.wg.Wait()
	g.client.Close()
	g.db.Close()
	g.sys.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := g.sql(ctx, "drop database "+g.name+" with (force)"); err != nil {
		fmt.Println("drop the bench's database:", err)
	}
}

// bells wake the goroutine that waits for something to happen to a thing.
type bells struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func newBells() *bells { return &bells{waiting: map[string]chan struct{}{}} }

// bell is rung once, by ring with the same name, before or after it is asked for.
func (b *bells) bell(name string) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch, ok := b.waiting[name]
	if !ok {
		ch = make(chan struct{})
		b.waiting[name] = ch
	}
	return ch
}

func (b *bells) ring(name string) {
	ch := b.bell(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-ch:
	default:
		close(ch)
	}
}

func (b *bells) wait(ctx context.Context, name string) error {
	select {
	case <-b.bell(name):
		b.mu.Lock()
		delete(b.waiting, name)
		b.mu.Unlock()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
