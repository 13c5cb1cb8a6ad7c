package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/signin"
)

const org identity.Org = "north"

// A ground is an installation with a database of its own, full of passes.
type ground struct {
	admin, name string
	inside      string // the superuser's address of the database
	settings    map[string]string
	env         []string
	base        string
	chief       string   // a token
	guards      []string // tokens: each request is the next one's, as at several gates
	turn        atomic.Int64
	processes   []*exec.Cmd
	http        *http.Client
	passes      []pass // that nobody has scanned yet
	face        []byte
}

func newGround(ctx context.Context, o options) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{name: "gavel_gate_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL(), settings: stack.Settings(),
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}, Timeout: time.Minute}}
	if g.face, err = face(o.photo); err != nil {
		return nil, err
	}
	if err := g.sql(ctx, "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
		return nil, err
	}
	if err := g.open(ctx, o); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// open migrates the database with the program itself, fills it, and starts what answers.
func (g *ground) open(ctx context.Context, o options) (err error) {
	for _, name := range []string{"GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL", "GAVEL_DATABASE_OWNER_URL"} {
		if g.settings[name], err = postgres.WithDatabase(g.settings[name], g.name); err != nil {
			return err
		}
	}
	if g.inside, err = postgres.WithDatabase(g.admin, g.name); err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(g.settings["GAVEL_DEV_TOKEN_KEY"])
	if err != nil {
		return err
	}
	if err := g.hire(key); err != nil {
		return err
	}
	if g.chief, err = signin.DevToken(key, org, identity.PassAdmin); err != nil {
		return err
	}
	if err := g.address(ctx); err != nil {
		return err
	}
	program, err := filepath.Abs(o.gavel)
	if err != nil {
		return err
	}
	migrate := exec.CommandContext(ctx, program, "migrate") //nolint:gosec // ours
	migrate.Env = g.env
	if out, err := migrate.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate: %w: %s", err, out)
	}
	if err := g.organise(ctx); err != nil {
		return err
	}
	if err := g.fill(ctx, o); err != nil {
		return err
	}
	return g.start(ctx, program)
}

// hire has somebody at each of four gates: what one person may send in a second is limited.
func (g *ground) hire(key []byte) error {
	for _, role := range []identity.Role{identity.Gate, identity.GateSupervisor} {
		for _, made := range []func([]byte, identity.Org, identity.Role) (string, error){signin.DevToken, signin.SecondDevToken} {
			token, err := made(key, org, role)
			if err != nil {
				return err
			}
			g.guards = append(g.guards, token)
		}
	}
	return nil
}

// guard is whoever is next.
func (g *ground) guard() string { return g.guards[int(g.turn.Add(1))%len(g.guards)] }

// address chooses where the server listens, and writes the settings down that processes are started with.
func (g *ground) address(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	g.base = "http://" + l.Addr().String()
	g.settings["GAVEL_LISTEN"], g.settings["GAVEL_PUBLIC_URL"], g.settings["GAVEL_LOG_LEVEL"] = l.Addr().String(), g.base, "error"
	g.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir()}
	for name, value := range g.settings {
		g.env = append(g.env, name+"="+value)
	}
	return l.Close()
}

func (g *ground) organise(ctx context.Context) error {
	sys, err := postgres.OpenSystem(ctx, g.settings["GAVEL_DATABASE_SYSTEM_URL"])
	if err != nil {
		return err
	}
	defer sys.Close()
	return sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"})
}

// start starts a server and a worker, and waits until the server answers.
func (g *ground) start(ctx context.Context, program string) error {
	for _, role := range []string{"serve", "worker"} {
		p := exec.Command(program, role) //nolint:gosec,noctx // ours, and ended by close
		p.Env, p.Stderr = g.env, os.Stderr
		if err := p.Start(); err != nil {
			return err
		}
		g.processes = append(g.processes, p)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if _, err := g.get(ctx, g.guard(), "/readyz"); err == nil {
			return nil
		}
	}
	return errors.New("the server did not become ready")
}

// rest ends the worker, so that what it does afterwards is in nobody's way.
func (g *ground) rest() {
	worker := g.processes[len(g.processes)-1]
	g.processes = g.processes[:len(g.processes)-1]
	_ = worker.Process.Signal(syscall.SIGTERM) // by its own id
	_ = worker.Wait()
}

// take gives out passes that nobody has scanned.
func (g *ground) take(n int) []pass {
	some := g.passes[:n]
	g.passes = g.passes[n:]
	return some
}

// look is a guard reading a pass before they let somebody through.
func (g *ground) look(ctx context.Context, p pass) error {
	_, err := g.get(ctx, g.guard(), rest.Base+"/gate/gatepass/number/"+p.number)
	return err
}

// scan is a guard letting somebody through, with a photo.
func (g *ground) scan(ctx context.Context, way string, p pass) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{"pass_number": p.number, "event_id": way + "-" + p.id} {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	photo, err := form.CreateFormFile("photo", "photo.jpg")
	if err != nil {
		return err
	}
	if _, err := photo.Write(g.face); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+rest.Base+"/gate/"+way, &body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	_, err = g.send(req, g.guard())
	return err
}

// list is the list of everybody when a site is cleared.
func (g *ground) list(ctx context.Context) (took time.Duration, people int, err error) {
	began := time.Now()
	text, err := g.get(ctx, g.chief, rest.Base+"/sites/main/onsite")
	took = time.Since(began)
	if err != nil {
		return took, 0, err
	}
	var sheet struct {
		People []json.RawMessage `json:"people"`
	}
	err = json.Unmarshal(text, &sheet)
	return took, len(sheet.People), err
}

func (g *ground) get(ctx context.Context, token, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+path, nil)
	if err != nil {
		return nil, err
	}
	return g.send(req, token)
}

// errBusy is the answer of a server that asks to come again.
var errBusy = errors.New("busy")

func (g *ground) send(req *http.Request, token string) ([]byte, error) {
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := g.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %.300s", req.Method, req.URL.Path, res.StatusCode, text)
		if res.StatusCode == http.StatusTooManyRequests {
			err = fmt.Errorf("%w: %w", errBusy, err)
		}
	}
	return text, err
}

func (g *ground) close() {
	for _, p := range g.processes {
		_ = p.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = p.Wait()
	}
	if err := g.sql(context.Background(), "drop database "+g.name+" with (force)"); err != nil {
		fmt.Fprintln(os.Stderr, "bench gate:", err)
	}
}

func (g *ground) sql(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, g.admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
