package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/recovery"
	"github.com/gavelhq/gavel/platform/seal"
)

const org identity.Org = "north"

var (
	quiet   = slog.New(slog.DiscardHandler)
	clerk   = identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: org, Roles: []identity.Role{identity.Analyst}}
	officer = identity.Actor{Kind: identity.Person, ID: "olga", Name: "Olga", Org: org, Roles: []identity.Role{identity.Officer}}
)

// A ground is a whole installation of its own, to be lost.
type ground struct {
	options
	ahead  bool
	stack  *devstack.Stack
	place  place
	db     *postgres.DB
	sys    *postgres.System
	yard   *agenttest.Yard
	inbox  *mailpit
	office commission
	model  net.Listener
	worker *child
	log    *logKeeper
	round  int // of decisions: none is the same before and after the restore
	backup string

	before map[string]int // what had left when the backup was taken
	lost   map[string]int // what had left when everything was killed
	begun  recovery.Recovery
	ended  recovery.Recovery
	fsck   []string // what it said, in order
}

func newGround(ctx context.Context, o options, ahead bool) (*ground, error) {
	g := &ground{options: o, ahead: ahead}
	if err := g.build(ctx); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *ground) build(ctx context.Context) (err error) {
	if err := g.raise(ctx); err != nil {
		return err
	}
	mind, err := scripted.New(scripted.Config{Reply: agenttest.Reply,
		Script: scripted.Script{Latency: scripted.Duration(20 * time.Millisecond)}})
	if err != nil {
		return err
	}
	if g.model, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	go func() { _ = (&http.Server{Handler: mind, ReadHeaderTimeout: 10 * time.Second}).Serve(g.model) }() // until it is closed
	g.place.Model = "http://" + g.model.Addr().String()
	if _, err := postgres.Migrate(ctx, g.stack.Settings()["GAVEL_DATABASE_OWNER_URL"], platform.Migrations()...); err != nil {
		return err
	}
	if err := g.open(ctx); err != nil {
		return err
	}
	if err := g.sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"}); err != nil {
		return err
	}
	if g.log, err = newLogKeeper(filepath.Join(g.stack.Dir(), "blobs")); err != nil {
		return err
	}
	return g.man(ctx)
}

// raise brings up the parts in a folder that is removed at the end.
func (g *ground) raise(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "gavel-restore-")
	if err != nil {
		return err
	}
	parts := []devstack.Part{devstack.Postgres, devstack.Temporal, devstack.Mail, devstack.Commission}
	_, err = devstack.Up(ctx, devstack.Options{Dir: dir, Parts: parts, Log: os.Stderr})
	stack, openErr := devstack.Open(dir) // also when Up was interrupted, so that what it started is removed
	if openErr != nil {
		return errors.Join(err, openErr, os.RemoveAll(dir))
	}
	if g.stack = stack; err != nil {
		return err
	}
	s := stack.Settings()
	g.inbox = &mailpit{base: "http://" + stack.Addresses(devstack.Mail)["http"]}
	g.office = commission{base: s["GAVEL_AIRSHED_COMMISSION"]}
	g.place = place{App: s["GAVEL_DATABASE_URL"], System: s["GAVEL_DATABASE_SYSTEM_URL"], Temporal: s["GAVEL_TEMPORAL_ADDRESS"],
		Namespace: s["GAVEL_TEMPORAL_NAMESPACE"],
		Keys:      durable.NewKey("bench"), Masters: seal.NewMaster("bench"), SMTP: s["GAVEL_SMTP_ADDRESS"], Inbox: g.inbox.base,
		Commission: g.office.base, Asks: g.ahead}
	return nil
}

// open opens the database, anew after a restore.
func (g *ground) open(ctx context.Context) (err error) {
	g.shut()
	if g.db, err = postgres.Open(ctx, g.place.App); err != nil {
		return err
	}
	if g.sys, err = postgres.OpenSystem(ctx, g.place.System); err != nil {
		return err
	}
	g.yard, _, err = g.place.yard(g.db)
	g.round++
	return err
}

func (g *ground) shut() {
	if g.db != nil {
		g.db.Close()
	}
	if g.sys != nil {
		g.sys.Close()
	}
	g.db, g.sys = nil, nil
}

// man starts the worker.
func (g *ground) man(ctx context.Context) (err error) {
	g.worker, err = launch(ctx, g.place, filepath.Join(g.stack.Dir(), "bench-worker.log"))
	return err
}

// words of a case's effects: no two are the same.
func mailWord(n, i int) string { return fmt.Sprintf("m-%d-%d", n, i) }
func fileWord(n, i int) string { return fmt.Sprintf("f-%d-%d", n, i) }

// openCases has every case begun: a mail and a report in turn, then the last step.
func (g *ground) openCases(ctx context.Context) error {
	for n := range g.cases {
		script := ""
		for i := range g.pairs {
			script += mails + " " + mailWord(n, i) + " | " + files + " " + fileWord(n, i) + " | "
		}
		_, _, err := g.yard.Cases.Open(ctx, clerk, casefile.Opening{App: agenttest.DefaultApp, Key: fmt.Sprintf("clerk.%d", n),
			Title: script + ends + fmt.Sprintf(" e-%d", n)})
		if err != nil {
			return err
		}
	}
	return nil
}

// outside is what has left, by its word.
func (g *ground) outside(ctx context.Context) (map[string]int, error) {
	all, err := g.inbox.arrived(ctx)
	if err != nil {
		return nil, err
	}
	filed, err := g.office.filed(ctx)
	for word, n := range filed {
		all[word] += n
	}
	return all, err
}

func (g *ground) count(ctx context.Context, sql string, args ...any) (int, error) {
	rows, err := g.sys.Query(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	return pgx.CollectOneRow(rows, pgx.RowTo[int])
}

func (g *ground) recovery() recovery.Config {
	return recovery.Config{System: g.sys, Cases: g.yard.Cases, Wake: agent.WakeHeld(g.yard.Cases)}
}

// close stops everything and removes it.
func (g *ground) close() {
	if g.worker != nil {
		g.worker.kill()
	}
	if g.model != nil {
		g.model.Close()
	}
	g.shut()
	if g.stack == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := g.stack.Remove(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "remove the stack:", err)
	}
	if g.backup != "" {
		_ = os.RemoveAll(g.backup)
	}
}
