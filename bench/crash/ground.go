package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

const org identity.Org = "north"

// workers is how many processes share the work: one that is left takes over from
// one that was killed.
const workers = 2

// A ground is a whole installation of its own, to be broken: never the stack that
// somebody works with.
type ground struct {
	stack   *devstack.Stack
	place   place
	db      *postgres.DB
	sys     *postgres.System
	client  client.Client
	yard    *agenttest.Yard
	other   *agenttest.OtherSide
	effects net.Listener
	keepers []*keeper // workers, then the model
	blows   map[victim]int

	mind     net.Listener // where workers reach the model, so that its answers are counted
	underWay atomic.Int64 // effects that are being carried out
	answers  atomic.Int64 // of the model
}

func newGround(ctx context.Context) (*ground, error) {
	g := &ground{other: &agenttest.OtherSide{Delay: pause}, blows: map[victim]int{}}
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
	if err := g.durablePostgres(ctx); err != nil {
		return err
	}
	if err := g.openDatabase(ctx); err != nil {
		return err
	}
	if g.effects, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	go func() { _ = serve(g.effects, http.HandlerFunc(g.carryOut)) }() // until it is closed
	g.place.Effects = g.effects.Addr().String()
	if g.place.Model, err = freeAddress(); err != nil {
		return err
	}
	if g.mind, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	go func() { _ = serve(g.mind, g.counted()) }() // until it is closed
	g.place.Mind = g.mind.Addr().String()
	if g.yard, err = agenttest.New(g.place.yard(g.db)); err != nil {
		return err
	}
	return g.man(ctx)
}

// man starts the workers and the model.
func (g *ground) man(ctx context.Context) error {
	for i := range workers + 1 {
		role, name := "worker", fmt.Sprintf("worker-%d", i)
		if i == workers {
			role, name = "model", "model"
		}
		k, err := keep(ctx, role, g.place, filepath.Join(g.stack.Dir(), name+".log"))
		g.keepers = append(g.keepers, k)
		if err != nil {
			return err
		}
	}
	return nil
}

// carryOut is the other side, counted.
func (g *ground) carryOut(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		g.underWay.Add(1)
		defer g.underWay.Add(-1)
	}
	g.other.ServeHTTP(w, r)
}

// counted is the way to the model.
func (g *ground) counted() http.Handler {
	to := &httputil.ReverseProxy{ErrorLog: slog.NewLogLogger(quiet.Handler(), slog.LevelWarn),
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: g.place.Model}) }}
	to.ModifyResponse = func(res *http.Response) error {
		if res.StatusCode == http.StatusOK {
			g.answers.Add(1)
		}
		return nil
	}
	return to
}

// raise brings up PostgreSQL and the engine in a folder that is removed at the
// end.
func (g *ground) raise(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "gavel-crash-")
	if err != nil {
		return err
	}
	_, err = devstack.Up(ctx, devstack.Options{Dir: dir, Parts: []devstack.Part{devstack.Postgres, devstack.Temporal}, Log: os.Stderr})
	stack, openErr := devstack.Open(dir) // also when Up was interrupted, so that what it started is removed
	if openErr != nil {
		return errors.Join(err, openErr, os.RemoveAll(dir))
	}
	g.stack = stack
	if err != nil {
		return err
	}
	s := stack.Settings()
	g.place = place{App: s["GAVEL_DATABASE_URL"], System: s["GAVEL_DATABASE_SYSTEM_URL"], Temporal: s["GAVEL_TEMPORAL_ADDRESS"],
		Namespace: s["GAVEL_TEMPORAL_NAMESPACE"], Keys: durable.NewKey("bench")}
	keys, err := durable.ParseKeys(g.place.Keys)
	if err != nil {
		return err
	}
	g.client, err = durable.Dial(ctx, durable.Config{Address: g.place.Temporal, Namespace: g.place.Namespace, Keys: keys, Logger: quiet})
	return err
}

// durablePostgres refuses a PostgreSQL that promises what it does not keep: what
// a crash leaves of it would say nothing about us.
func (g *ground) durablePostgres(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, g.stack.AdminURL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		var value string
		if err := conn.QueryRow(ctx, "show "+setting).Scan(&value); err != nil {
			return err
		}
		if value != "on" {
			return fmt.Errorf("PostgreSQL runs with %s = %s", setting, value)
		}
	}
	return nil
}

func (g *ground) openDatabase(ctx context.Context) (err error) {
	if _, err := postgres.Migrate(ctx, g.stack.Settings()["GAVEL_DATABASE_OWNER_URL"], platform.Migrations()...); err != nil {
		return err
	}
	if g.db, err = postgres.Open(ctx, g.place.App); err != nil {
		return err
	}
	if g.sys, err = postgres.OpenSystem(ctx, g.place.System); err != nil {
		return err
	}
	return g.sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"})
}

// freeAddress finds a port for a server that will be away at times. It is below
// those that the kernel gives to outgoing connections, so that nobody who dials
// the server while it is away is given its port.
func freeAddress() (string, error) {
	for range 200 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(15_000+rand.IntN(15_000))) //nolint:gosec // any will do
		if l, err := net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", errors.New("no free port below 30000")
}

// close stops everything and removes it.
func (g *ground) close() {
	for _, k := range g.keepers {
		k.close()
	}
	if g.effects != nil {
		g.effects.Close()
	}
	if g.mind != nil {
		g.mind.Close()
	}
	if g.client != nil {
		g.client.Close()
	}
	if g.db != nil {
		g.db.Close()
	}
	if g.sys != nil {
		g.sys.Close()
	}
	if g.stack == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := g.stack.Remove(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "remove the stack:", err)
	}
}
