package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A ground is a database of its own with PostGIS in it.
type ground struct {
	admin, name string
	conn        *pgx.Conn
	version     string
}

func newGround(ctx context.Context) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{name: "gavel_bench_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL()}
	if err := g.outside(ctx, "create database "+g.name); err != nil {
		return nil, err
	}
	if err := g.open(ctx); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *ground) open(ctx context.Context) error {
	address, err := postgres.WithDatabase(g.admin, g.name)
	if err != nil {
		return err
	}
	if g.conn, err = pgx.Connect(ctx, address); err != nil {
		return err
	}
	if _, err := g.conn.Exec(ctx, "create extension postgis"); err != nil {
		return fmt.Errorf("PostGIS is needed (Debian has it as postgresql-15-postgis-3 and postgresql-15-postgis-3-scripts): %w", err)
	}
	return g.conn.QueryRow(ctx, "select postgis_lib_version()").Scan(&g.version)
}

// fill copies the fires and stations in and puts an index over the fires, as a
// person who knows PostGIS would.
func (g *ground) fill(ctx context.Context, w *world) (loading, indexing time.Duration, err error) {
	began := time.Now()
	if _, err := g.conn.Exec(ctx, `create unlogged table raw (kind text, id int, lat float8, lon float8)`); err != nil {
		return 0, 0, err
	}
	rows := make([][]any, 0, len(w.fires)+len(w.stations))
	for i, f := range w.fires {
		rows = append(rows, []any{"fire", i, f.At.Lat, f.At.Lon})
	}
	for i, s := range w.stations {
		rows = append(rows, []any{"station", i, s.Lat, s.Lon})
	}
	if _, err := g.conn.CopyFrom(ctx, pgx.Identifier{"raw"}, []string{"kind", "id", "lat", "lon"}, pgx.CopyFromRows(rows)); err != nil {
		return 0, 0, err
	}
	for _, kind := range []string{"fire", "station"} {
		statement := fmt.Sprintf(`create table %s as select id, st_setsrid(st_makepoint(lon, lat), 4326)::geography as at from raw
			where kind = '%s'`, kind, kind)
		if _, err := g.conn.Exec(ctx, statement); err != nil {
			return 0, 0, err
		}
	}
	loading, began = time.Since(began), time.Now()
	for _, statement := range []string{`create index on fire using gist (at)`, `vacuum analyze fire`, `vacuum analyze station`} {
		if _, err := g.conn.Exec(ctx, statement); err != nil {
			return 0, 0, err
		}
	}
	return loading, time.Since(began), nil
}

// pairs has PostGIS count the fires around every station. Only a count comes back,
// so nothing is lost on the way to the client.
func (g *ground) pairs(ctx context.Context, spheroid bool) (took time.Duration, n int, err error) {
	const join = `select count(*) from station s join fire f on st_dwithin(s.at, f.at, $1, $2)`
	began := time.Now()
	err = g.conn.QueryRow(ctx, join, float64(radiusKm*1000), spheroid).Scan(&n)
	return time.Since(began), n, err
}

// outside runs a statement as the cluster's administrator.
func (g *ground) outside(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, g.admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// close drops the database.
func (g *ground) close() {
	ctx := context.Background()
	if g.conn != nil {
		_ = g.conn.Close(ctx)
	}
	if err := g.outside(ctx, "drop database if exists "+g.name+" with (force)"); err != nil {
		fmt.Println("the database", g.name, "is left:", err)
	}
}
