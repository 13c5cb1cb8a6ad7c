package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol"
	"github.com/gavelhq/gavel/apps/poolpatrol/casework"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

const org identity.Org = "north"

// A ground is a database of its own with a made-up town in it.
type ground struct {
	db    *postgres.DB
	app   platform.App
	steps *casework.Steps
	store *store.Store
	clock durable.Clock
	admin string
	name  string
	vans  int
	wrong map[fleet.VanpoolID]bool // vans with something wrong
}

func newGround(ctx context.Context, o options, vans int) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{name: "gavel_bench_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL(), app: poolpatrol.New()}
	if err := g.sql(ctx, "postgres", "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
		return nil, err
	}
	if err := g.open(ctx, stack.Settings()); err != nil {
		g.close()
		return nil, err
	}
	town := madeup.Plan{Seed: 8, Vans: vans, Riders: o.riders, Percent: o.percent}.Build()
	g.vans, g.wrong = vans, map[fleet.VanpoolID]bool{}
	for _, f := range town.Wrong {
		g.wrong[f.Vanpool] = true
	}
	if err := g.fill(ctx, town); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// open migrates the database and opens the application on it, at the time the
// made-up records are of.
func (g *ground) open(ctx context.Context, settings map[string]string) error {
	var urls [3]string
	for i, name := range []string{"GAVEL_DATABASE_OWNER_URL", "GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL"} {
		u, err := postgres.WithDatabase(settings[name], g.name)
		if err != nil {
			return err
		}
		urls[i] = u
	}
	if _, err := postgres.Migrate(ctx, urls[0], platform.Migrations(g.app)...); err != nil {
		return err
	}
	sys, err := postgres.OpenSystem(ctx, urls[2])
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "America/Los_Angeles"}); err != nil {
		return err
	}
	if g.db, err = postgres.Open(ctx, urls[1]); err != nil {
		return err
	}
	rules, err := policy.Load(nil, platform.Policies(g.app))
	if err != nil {
		return err
	}
	if err := g.openApp(rules); err != nil {
		return err
	}
	g.store = store.New(store.Config{DB: g.db, Clock: g.clock, Rules: rules})
	g.steps = g.app.Work.Activities[0].(*casework.Steps)
	return nil
}

// openApp opens the application with all that opening a case needs.
func (g *ground) openApp(rules *policy.Rules) error {
	masters, err := seal.ParseMasters(seal.NewMaster("bench"))
	if err != nil {
		return err
	}
	vault, err := seal.New(seal.Config{DB: g.db, Masters: masters, Now: time.Now})
	if err != nil {
		return err
	}
	post, err := notify.New(notify.Config{DB: g.db, Clock: g.clock, Vault: vault, From: "Transport cell <cell@mail.example>",
		Book: address.Book{Domain: "mail.example", Inbound: "in.example", Keys: [][]byte{bytes.Repeat([]byte{7}, 32)}}})
	if err != nil {
		return err
	}
	cases := casefile.NewStore(casefile.Config{DB: g.db, Clock: g.clock, Rules: rules, Kinds: []casefile.Kind{g.app.Cases}})
	return g.app.Open(platform.Deps{DB: g.db, Rules: rules, Clock: g.clock, Cases: cases, Vault: vault, Post: post,
		Logger: slog.New(slog.DiscardHandler)})
}

// fill writes the town down, in bulk, and lets PostgreSQL look at it.
func (g *ground) fill(ctx context.Context, town madeup.Town) error {
	text, err := json.Marshal(town.Records)
	if err != nil {
		return err
	}
	const tables = `
		with r as (select $1::jsonb as r),
		sites as (insert into poolpatrol.site (org, id, name, zone, lat, lng)
			select 'north', s->>'id', s->>'name', s->>'tz', (s#>>'{coords,lat}')::float8, (s#>>'{coords,lng}')::float8
			from r, jsonb_array_elements(r->'sites') s),
		shifts as (insert into poolpatrol.shift (org, id, name, schedule)
			select 'north', s->>'id', s->>'name', s->'schedule' from r, jsonb_array_elements(r->'shifts') s),
		people as (insert into poolpatrol.employee (org, id, status, site_id, name, email, home_zip, home_lat, home_lng, changed_at)
			select 'north', e->>'id', e->>'status', e->>'site_id', 'Made Up', lower(e->>'id') || '@example.org',
			coalesce(e#>>'{home,zip}', ''),
				(e#>>'{home,coords,lat}')::float8, (e#>>'{home,coords,lng}')::float8, now() from r, jsonb_array_elements(r->'employees') e),
		assignments as (insert into poolpatrol.assignment (org, employee_id, shift_id, from_day, until_day)
			select 'north', e->>'id', a->>'shift_id', (a->>'from')::date, (a->>'until')::date
			from r, jsonb_array_elements(r->'employees') e, jsonb_array_elements(e->'shifts') a),
		vans as (insert into poolpatrol.vanpool (org, id, site_id, pickup_lat, pickup_lng, capacity, status, changed_at)
			select 'north', v->>'id', v->>'site_id', (v#>>'{pickup_coords,lat}')::float8, (v#>>'{pickup_coords,lng}')::float8,
			(v->>'capacity')::int, v->>'status', now()
			from r, jsonb_array_elements(r->'vanpools') v),
		riders as (insert into poolpatrol.rider (org, vanpool_id, employee_id)
			select 'north', v->>'id', x->>'employee_id' from r, jsonb_array_elements(r->'vanpools') v, jsonb_array_elements(v->'riders') x)
		insert into poolpatrol.sync (org, kind, at, way, by) select 'north', k, now(), 'api', 'bench'
		from unnest(array['sites','shifts','employees','vanpools']) k`
	err = g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local statement_timeout = '10min'`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, tables, string(text))
		return err
	})
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return g.sql(ctx, g.name, "vacuum analyze")
}

// rehearse has every van judged and nothing written, and checks what was found.
func (g *ground) rehearse(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	r, err := g.store.Rehearse(ctx, manager())
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	for _, run := range r.Failed {
		if !g.wrong[run.Vanpool] {
			return 0, fmt.Errorf("%s fails and nothing is wrong with it", run.Vanpool)
		}
	}
	if len(r.Failed) != len(g.wrong) || len(r.Errored) != 0 || r.Planned() != g.vans {
		return 0, fmt.Errorf("%d vans fail and %d are errors, of %d; %d of %d have something wrong", len(r.Failed), len(r.Errored),
			r.Planned(), len(g.wrong), g.vans)
	}
	return took, nil
}

func manager() identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "bench", Org: org, Roles: []identity.Role{identity.ProgrammeManager}}
}

// pass has every van audited, as the engine would have it done, and checks what
// was found.
func (g *ground) pass(ctx context.Context) (store.PassInput, time.Duration, error) {
	began := time.Now()
	p, _, err := g.store.StartPass(ctx, manager(), store.Asked, "")
	if err != nil {
		return store.PassInput{}, 0, err
	}
	in := store.PassInput{Org: org, Pass: p.ID, Clock: g.clock}
	if more, err := g.steps.Pin(ctx, in); err != nil || !more {
		return in, 0, fmt.Errorf("the pass was refused: %w", err)
	}
	for done := false; !done; {
		if done, err = g.steps.Look(ctx, in); err != nil {
			return in, 0, err
		}
	}
	took := time.Since(began)
	p, err = g.store.Pass(ctx, manager(), p.ID)
	if err == nil && (p.Failed != len(g.wrong) || p.Errored != 0 || p.Looked() != p.Planned || p.Planned != g.vans) {
		err = fmt.Errorf("%d vans fail and %d are errors, of %d; %d have something wrong", p.Failed, p.Errored, p.Looked(), len(g.wrong))
	}
	return in, took, err
}

// outreach has every van audited and a case opened for each that fails, with the
// first letters queued; and says how long the cases took of it.
func (g *ground) outreach(ctx context.Context) (whole, opening time.Duration, err error) {
	in, took, err := g.pass(ctx)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	for done := false; !done; {
		if done, err = g.steps.Settle(ctx, in); err != nil {
			return 0, 0, err
		}
	}
	opening = time.Since(began)
	return took + opening, opening, g.opened(ctx)
}

// opened checks that there is a case for every van with something wrong and for no
// other, and a letter to everybody who can be written to.
func (g *ground) opened(ctx context.Context) error {
	var cases, asked, letters int
	err := g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		const count = `select (select count(distinct vanpool_id) from poolpatrol.case where state not in ('resolved', 'cancelled')),
			(select count(*) from poolpatrol.case where state = 'hitl_review'), (select count(*) from gavel.mail where state = 'queued')`
		return tx.QueryRow(ctx, count).Scan(&cases, &asked, &letters)
	})
	if err == nil && (cases != len(g.wrong) || cases != asked+letters) {
		err = fmt.Errorf("%d cases are open, %d before a person, %d letters queued; %d vans have something wrong", cases, asked, letters,
			len(g.wrong))
	}
	return err
}

// forget takes the cases away, so that the next round opens them anew. No user of
// Gavel can do that.
func (g *ground) forget(ctx context.Context) error {
	return g.sql(ctx, g.name, `set session_replication_role = replica; delete from poolpatrol.case_todo; delete
		from poolpatrol.case_event; delete from poolpatrol.case_subject;
		delete from poolpatrol.case; delete from gavel.case; delete from gavel.mail`)
}

// sql runs statements as the cluster's administrator.
func (g *ground) sql(ctx context.Context, database, text string) error {
	address, err := postgres.WithDatabase(g.admin, database)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, text)
	return err
}

// close drops the database.
func (g *ground) close() {
	if g.db != nil {
		g.db.Close()
	}
	if err := g.sql(context.Background(), "postgres", "drop database if exists "+g.name+" with (force)"); err != nil {
		fmt.Println("the database", g.name, "is left:", err)
	}
}
