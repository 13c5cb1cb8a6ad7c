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
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

const org identity.Org = "north"

// A ground is a database of its own on the dev stack's cluster, and the installed
// program serving it.
type ground struct {
	admin, name string
	server      *exec.Cmd
	blobs       string // a folder of the server's own
	base        string
	tokens      map[identity.Role]string
}

func newGround(ctx context.Context, o options) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{name: "gavel_bench_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL(), tokens: map[identity.Role]string{}}
	if err := g.sql(ctx, "postgres", "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
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
	if _, err := postgres.Migrate(ctx, settings["GAVEL_DATABASE_OWNER_URL"], platform.Migrations()...); err != nil {
		return err
	}
	sys, err := postgres.OpenSystem(ctx, settings["GAVEL_DATABASE_SYSTEM_URL"])
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "North", Zone: "Asia/Kolkata"}); err != nil {
		return err
	}
	for _, t := range stack.Tokens() {
		if t.Org == org {
			g.tokens[t.Role] = t.Token
		}
	}
	return g.serve(ctx, settings, o.gavel, stack.Dir())
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
	if settings["GAVEL_TEMPORAL_ADDRESS"] == "" { // a file is checked whether or not the engine is there
		g.server.Env = append(g.server.Env, "GAVEL_TEMPORAL_ADDRESS=127.0.0.1:1")
	}
	if g.blobs, err = os.MkdirTemp("", "gavel-verify-"); err != nil { // the stack's own holds another database's checkpoint
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := g.sql(ctx, "postgres", "drop database if exists "+g.name+" with (force)"); err != nil {
		fmt.Fprintln(os.Stderr, "drop the bench's database:", err)
	}
}
