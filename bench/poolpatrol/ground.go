package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol"
	"github.com/gavelhq/gavel/apps/poolpatrol/madeup"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

const org identity.Org = "north"

// A ground is a database of its own with a made-up town in it.
type ground struct {
	db    *postgres.DB
	app   platform.App
	steps *poolpatrol.Steps
	store *poolpatrol.Store
	clock durable.Clock
	admin string
	name  string
	wrong int // vans with something wrong
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
	wrong := map[string]bool{}
	for _, f := range town.Wrong {
		wrong[string(f.Vanpool)] = true
	}
	g.wrong = len(wrong)
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
	deps := platform.Deps{DB: g.db, Rules: rules, Clock: g.clock, Logger: slog.New(slog.DiscardHandler)}
	if err := g.app.Open(deps); err != nil {
		return err
	}
	g.store = poolpatrol.NewStore(poolpatrol.StoreConfig{DB: g.db, Clock: g.clock, Rules: rules})
	g.steps = g.app.Work.Activities[0].(*poolpatrol.Steps)
	return nil
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
			select 'north', s->>'id', s->>'name', s->>'tz', (s#>>'{coords,lat}')::float8, (s#>>'{coords,lng}')::float8 from r, jsonb_array_elements(r->'sites') s),
		shifts as (insert into poolpatrol.shift (org, id, name, schedule)
			select 'north', s->>'id', s->>'name', s->'schedule' from r, jsonb_array_elements(r->'shifts') s),
		people as (insert into poolpatrol.employee (org, id, status, site_id, name, email, home_zip, home_lat, home_lng, changed_at)
			select 'north', e->>'id', e->>'status', e->>'site_id', 'Made Up', lower(e->>'id') || '@example.org', coalesce(e#>>'{home,zip}', ''),
				(e#>>'{home,coords,lat}')::float8, (e#>>'{home,coords,lng}')::float8, now() from r, jsonb_array_elements(r->'employees') e),
		assignments as (insert into poolpatrol.assignment (org, employee_id, shift_id, from_day, until_day)
			select 'north', e->>'id', a->>'shift_id', (a->>'from')::date, (a->>'until')::date
			from r, jsonb_array_elements(r->'employees') e, jsonb_array_elements(e->'shifts') a),
		vans as (insert into poolpatrol.vanpool (org, id, site_id, pickup_lat, pickup_lng, capacity, status, changed_at)
			select 'north', v->>'id', v->>'site_id', (v#>>'{pickup_coords,lat}')::float8, (v#>>'{pickup_coords,lng}')::float8, (v->>'capacity')::int, v->>'status', now()
			from r, jsonb_array_elements(r->'vanpools') v),
		riders as (insert into poolpatrol.rider (org, vanpool_id, employee_id)
			select 'north', v->>'id', x->>'employee_id' from r, jsonb_array_elements(r->'vanpools') v, jsonb_array_elements(v->'riders') x)
		insert into poolpatrol.sync (org, kind, at, way, by) select 'north', k, now(), 'api', 'bench' from unnest(array['sites','shifts','employees','vanpools']) k`
	err = g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, tables, string(text))
		return err
	})
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return g.sql(ctx, g.name, "vacuum analyze")
}

// bare reads the rows that an audit reads, and nothing else.
func (g *ground) bare(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		for _, query := range []string{
			`select id, name, zone, lat, lng from poolpatrol.site order by id`,
			`select id, name, schedule from poolpatrol.shift order by id`,
			`select id, status, time_type, site_id, manager_id, home_zip, home_lat, home_lng, zip_only, zip_radius_miles from poolpatrol.employee order by id`,
			`select employee_id, shift_id, from_day, until_day from poolpatrol.assignment order by employee_id, from_day, shift_id`,
			`select employee_id, from_day, until_day from poolpatrol.away order by employee_id, from_day`,
			`select id, site_id, pickup_lat, pickup_lng, capacity, coordinator_id, schedule, status from poolpatrol.vanpool order by id`,
			`select vanpool_id, employee_id, since, removed_on from poolpatrol.rider order by vanpool_id, employee_id`,
			`select subject, check_name, until_day, reason, granted_by from poolpatrol.exception where ended_at is null`,
		} {
			rows, err := tx.Query(ctx, query)
			if err != nil {
				return err
			}
			for rows.Next() {
				if _, err := rows.Values(); err != nil {
					return err
				}
			}
			if rows.Err() != nil {
				return rows.Err()
			}
		}
		return nil
	})
	return time.Since(began), err
}

// pass has every van audited, as the engine would have it done, and checks what
// was found.
func (g *ground) pass(ctx context.Context, n int) (time.Duration, error) {
	manager := identity.Actor{Kind: identity.Person, ID: "bench", Org: org, Roles: []identity.Role{identity.ProgrammeManager}}
	began := time.Now()
	p, _, err := g.store.StartPass(ctx, manager, poolpatrol.Asked, fmt.Sprintf("round-%d", n))
	if err != nil {
		return 0, err
	}
	in := poolpatrol.PassInput{Org: org, Pass: p.ID, Clock: g.clock}
	if more, err := g.steps.Pin(ctx, in); err != nil || !more {
		return 0, fmt.Errorf("the pass was refused: %w", err)
	}
	for done := false; !done; {
		if done, err = g.steps.Look(ctx, in); err != nil {
			return 0, err
		}
	}
	took := time.Since(began)
	p, err = g.store.Pass(ctx, manager, p.ID)
	if err == nil && (p.Failed != g.wrong || p.Errored != 0 || p.Looked() != p.Planned) {
		err = fmt.Errorf("%d vans fail and %d are errors, of %d; %d have something wrong", p.Failed, p.Errored, p.Looked(), g.wrong)
	}
	return took, err
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
