package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
)

const org identity.Org = "north"

// reader is whose inbox it is: an officer of the demo, for whom a programme
// manager and somebody of HR let them decide.
var reader = identity.Actor{Kind: identity.Person, ID: "dev:officer@north", Name: "Demo officer (north)", Org: org,
	Roles: []identity.Role{identity.Officer}}

// A ground is a database of its own on the dev stack's cluster, full, and the
// installed program serving it.
type ground struct {
	admin, name string
	keep        bool   // the database stays
	app         string // the application's address of the database
	db          *postgres.DB
	reviews     *review.Store
	server      *exec.Cmd
	blobs       string // a folder of the server's own
	base, token string
}

func newGround(ctx context.Context, o options) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{name: "gavel_bench_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL()}
	if g.keep = o.keep || o.database != ""; o.database != "" {
		g.name = o.database
	} else if err := g.sql(ctx, "postgres", "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
		return nil, err
	}
	if err := g.build(ctx, stack, o); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *ground) build(ctx context.Context, stack *devstack.Stack, o options) error {
	settings := stack.Settings()
	for _, name := range []string{"GAVEL_DATABASE_OWNER_URL", "GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL"} {
		u, err := postgres.WithDatabase(settings[name], g.name)
		if err != nil {
			return err
		}
		settings[name] = u
	}
	g.app = settings["GAVEL_DATABASE_URL"]
	if _, err := postgres.Migrate(ctx, settings["GAVEL_DATABASE_OWNER_URL"], platform.Migrations()...); err != nil {
		return err
	}
	began := time.Now()
	if o.database == "" {
		if err := g.fill(ctx, settings["GAVEL_DATABASE_SYSTEM_URL"], o); err != nil {
			return err
		}
		fmt.Printf("filled %s in %v\n", g.name, time.Since(began).Round(time.Second))
	}
	if err := g.open(ctx); err != nil {
		return err
	}
	for _, t := range stack.Tokens() {
		if t.Org == org && t.Role == identity.Officer {
			g.token = t.Token
		}
	}
	return g.serve(ctx, settings, o.gavel, stack.Dir())
}

// open makes a store like the server's, to be asked for its statements.
func (g *ground) open(ctx context.Context) (err error) {
	if g.db, err = postgres.Open(ctx, g.app); err != nil {
		return err
	}
	g.reviews, err = review.New(review.Config{DB: g.db, Clock: durable.Clock{}, Rules: policy.Standard(), Person: signin.Finder(true)})
	return err
}

// serve starts the program, which nobody else's settings reach.
func (g *ground) serve(ctx context.Context, settings map[string]string, program, dir string) error {
	at, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if _, err := os.Stat(at); err != nil {
		return errors.Join(fmt.Errorf("%s is not there: run make build", program), err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	l.Close()
	g.base = "http://" + address
	g.server = exec.Command(at, "serve") //nolint:gosec,noctx // ours, and ended by close
	g.server.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	for key, value := range settings {
		g.server.Env = append(g.server.Env, key+"="+value)
	}
	if settings["GAVEL_TEMPORAL_ADDRESS"] == "" { // an inbox is read whether or not the engine is there
		g.server.Env = append(g.server.Env, "GAVEL_TEMPORAL_ADDRESS=127.0.0.1:1")
	}
	if g.blobs, err = os.MkdirTemp("", "gavel-inbox-"); err != nil { // the stack's own holds another database's checkpoint
		return err
	}
	g.server.Env = append(g.server.Env, "GAVEL_BLOB_URL=file://"+g.blobs, "GAVEL_LISTEN="+address, "GAVEL_PUBLIC_URL="+g.base,
		"GAVEL_LOG_LEVEL=error")
	g.server.Stderr = os.Stderr
	if err := g.server.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+"/healthz", nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			return nil
		}
	}
	return errors.New("the server does not answer")
}

// sql runs statements as the superuser.
func (g *ground) sql(ctx context.Context, database string, statements ...string) error {
	address, err := postgres.WithDatabase(g.admin, database)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, one := range statements {
		if _, err := conn.Exec(ctx, one); err != nil {
			return fmt.Errorf("%.80s: %w", one, err)
		}
	}
	return nil
}

func (g *ground) close() {
	if g.server != nil && g.server.Process != nil {
		_ = g.server.Process.Signal(syscall.SIGTERM) // by its own id
		_ = g.server.Wait()
	}
	if g.blobs != "" {
		_ = os.RemoveAll(g.blobs)
	}
	if g.db != nil {
		g.db.Close()
	}
	if g.keep {
		fmt.Println("left:", g.name)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := g.sql(ctx, "postgres", "drop database if exists "+g.name+" with (force)"); err != nil {
		fmt.Fprintln(os.Stderr, "drop the bench's database:", err)
	}
}
