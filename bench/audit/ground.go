package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

const org identity.Org = "north"

// A ground is a database of its own on the dev stack's cluster, with a
// sequencer at work.
type ground struct {
	db        *postgres.DB
	sys       *postgres.System
	sequencer *audit.Sequencer
	public    audit.Verifier
	admin     string
	name      string
	stop      context.CancelFunc
	wg        sync.WaitGroup
}

func newGround(ctx context.Context, connections int) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	g := &ground{name: "gavel_bench_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL(), stop: stop}
	if err := g.sql(ctx, "postgres", "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
		stop()
		return nil, err
	}
	if err := g.start(running, stack.Settings(), connections); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// start opens the database and sets a sequencer to work on it.
func (g *ground) start(ctx context.Context, settings map[string]string, connections int) error {
	if err := g.open(ctx, settings, connections); err != nil {
		return err
	}
	secret, public, err := audit.NewKey("gavel.bench/log")
	if err != nil {
		return err
	}
	g.public = public
	g.sequencer, err = audit.NewSequencer(audit.SequencerConfig{System: g.sys, Signer: secret, Now: time.Now, Logger: slog.Default()})
	if err != nil {
		return err
	}
	g.wg.Go(func() {
		ticker := time.NewTicker(audit.Interval)
		defer ticker.Stop()
		_ = g.sequencer.Run(ctx, ticker.C)
	})
	return nil
}

func (g *ground) open(ctx context.Context, settings map[string]string, connections int) error {
	var urls [3]string
	for i, name := range []string{"GAVEL_DATABASE_OWNER_URL", "GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL"} {
		u, err := postgres.WithDatabase(settings[name], g.name)
		if err != nil {
			return err
		}
		urls[i] = u
	}
	if _, err := postgres.Migrate(ctx, urls[0], audit.Migrations()); err != nil {
		return err
	}
	var err error
	if g.db, err = postgres.Open(ctx, withConns(urls[1], connections)); err != nil {
		return err
	}
	if g.sys, err = postgres.OpenSystem(ctx, urls[2]); err != nil {
		return err
	}
	if err := g.sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"}); err != nil {
		return err
	}
	// What is recorded: a decision's row behind the wall, as review keeps it.
	return g.sql(ctx, g.name, `
		create table gavel.bench_decision (org text not null, id text not null, proposal text not null, decision text not null,
			decided_by text not null, args_sha256 text not null, at timestamptz not null, reason text not null, primary key (org, id));
		select gavel_sys.keep_apart('gavel.bench_decision');
		grant insert, select on gavel.bench_decision to gavel_app`)
}

// slowDisk makes every commit wait before its flush while others join it.
func (g *ground) slowDisk(ctx context.Context, flush time.Duration) error {
	if flush == 0 {
		return nil
	}
	return g.sql(ctx, "postgres", fmt.Sprintf("alter database %s set commit_delay = %d", g.name, flush.Microseconds()))
}

func withConns(address string, n int) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // the address came from the dev stack and was just parsed
	}
	q := u.Query()
	q.Set("pool_max_conns", strconv.Itoa(n))
	u.RawQuery = q.Encode()
	return u.String()
}

// sql runs statements as the superuser.
func (g *ground) sql(ctx context.Context, database, statements string) error {
	address, err := postgres.WithDatabase(g.admin, database)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statements)
	return err
}

func (g *ground) close() {
	g.stop()
	g.wg.Wait()
	if g.db != nil {
		g.db.Close()
	}
	if g.sys != nil {
		g.sys.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := g.sql(ctx, "postgres", "drop database "+g.name+" with (force)"); err != nil {
		fmt.Println("drop the bench's database:", err)
	}
}
