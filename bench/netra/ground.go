package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/gavelhq/gavel/apps/netra"
	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

const org identity.Org = "north"

// A ground is a database of its own that knows districts.
type ground struct {
	o     options
	name  string
	admin string
	db    *postgres.DB
	bare  *pgxpool.Pool // as the owner of the tables
	store *store.Store
	desk  *casework.Desk
	until time.Time // of the signals
}

func who(role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "bench", Name: "bench", Org: org, Roles: []identity.Role{role}}
}

func newGround(ctx context.Context, o options) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{o: o, name: "gavel_bench_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL(), store: store.New()}
	if err := g.sql(ctx, "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
		return nil, err
	}
	if err := g.open(ctx, stack.Settings()); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// open migrates the database and opens the application on it.
func (g *ground) open(ctx context.Context, settings map[string]string) error {
	app := netra.New()
	owner, err := postgres.WithDatabase(settings["GAVEL_DATABASE_OWNER_URL"], g.name)
	if err != nil {
		return err
	}
	if _, err := postgres.Migrate(ctx, owner, platform.Migrations(app)...); err != nil {
		return err
	}
	if g.bare, err = pgxpool.New(ctx, owner); err != nil {
		return err
	}
	url, err := postgres.WithDatabase(settings["GAVEL_DATABASE_URL"], g.name)
	if err != nil {
		return err
	}
	if g.db, err = postgres.Open(ctx, url); err != nil {
		return err
	}
	system, err := postgres.WithDatabase(settings["GAVEL_DATABASE_SYSTEM_URL"], g.name)
	if err != nil {
		return err
	}
	sys, err := postgres.OpenSystem(ctx, system)
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "North", Zone: "Asia/Kolkata"}); err != nil {
		return err
	}
	rules, err := policy.Load(nil, platform.Policies(app))
	if err != nil {
		return err
	}
	g.store.Open(store.Config{DB: g.db, Rules: rules})
	g.desk = casework.New(g.store)
	g.until = g.store.Now().Truncate(time.Minute).Add(-time.Minute)
	return g.settle(ctx)
}

// settle imports districts, and makes the table that bare COPY fills: the same, with its indexes and a part for each day.
func (g *ground) settle(ctx context.Context) error {
	from := g.until.AddDate(-2, 0, 0).Truncate(24 * time.Hour)
	var all []gazette.Entry
	for i := 1; i <= g.o.districts; i++ {
		e := gazette.Entry{LGD: i, Name: fmt.Sprintf("Made-up %d", i), State: fmt.Sprintf("State %d", i%36), From: from}
		if i%5 == 0 {
			e.Tags, e.ReviewedBy, e.ReviewedOn = []signal.Tag{signal.NearBorder}, "A. Officer", from
		}
		all = append(all, e)
	}
	if _, err := g.store.ImportDistricts(ctx, who(identity.Officer), all); err != nil {
		return err
	}
	const same = `create schema bare; create table bare.signal (like netra.signal including all) partition by range (ts)`
	if _, err := g.bare.Exec(ctx, same); err != nil {
		return err
	}
	for day := g.until.AddDate(0, 0, -g.o.days-1).Truncate(24 * time.Hour); !day.After(g.until.AddDate(0, 0, 2)); day = day.AddDate(0, 0,
		1) {
		part := fmt.Sprintf(`create table bare.signal_%s partition of bare.signal for values from ('%s') to ('%s')`, day.Format("20060102"),
			day.Format(time.RFC3339), day.AddDate(0, 0, 1).Format(time.RFC3339))
		if _, err := g.bare.Exec(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// sql runs a statement as the superuser.
func (g *ground) sql(ctx context.Context, text string) error {
	conn, err := pgx.Connect(ctx, g.admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, text)
	return err
}

func (g *ground) close() {
	if g.db != nil {
		g.db.Close()
	}
	if g.bare != nil {
		g.bare.Close()
	}
	if err := g.sql(context.Background(), "drop database if exists "+g.name+" with (force)"); err != nil {
		fmt.Fprintln(os.Stderr, "bench netra:", err)
	}
}
