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
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/signin"
)

const org identity.Org = "north"

// A ground is an installation with a database of its own.
type ground struct {
	admin, name string
	env         []string
	settings    map[string]string
	base, token string
	processes   []*exec.Cmd // the server, and the worker last
}

func newGround(ctx context.Context, o options) (*ground, error) {
	stack, err := devstack.Find()
	if err != nil {
		return nil, err
	}
	g := &ground{name: "gavel_airwatch_" + strings.ToLower(rand.Text()[:10]), admin: stack.AdminURL(), settings: stack.Settings()}
	if err := g.sql(ctx, "create database "+g.name+" owner "+postgres.OwnerRole); err != nil {
		return nil, err
	}
	if err := g.open(ctx, o); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// open migrates the database with the program itself, and starts it.
func (g *ground) open(ctx context.Context, o options) error {
	for _, name := range []string{"GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL", "GAVEL_DATABASE_OWNER_URL"} {
		u, err := postgres.WithDatabase(g.settings[name], g.name)
		if err != nil {
			return err
		}
		g.settings[name] = u
	}
	key, err := base64.StdEncoding.DecodeString(g.settings["GAVEL_DEV_TOKEN_KEY"])
	if err != nil {
		return err
	}
	if g.token, err = signin.DevToken(key, org, identity.Analyst); err != nil {
		return err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	g.base = "http://" + address
	for name, to := range map[string]string{"GAVEL_LISTEN": address, "GAVEL_PUBLIC_URL": g.base, "GAVEL_LOG_LEVEL": "error",
		"GAVEL_AIRSHED_LAKE": g.settings["GAVEL_BLOB_URL"], "GAVEL_AIRSHED_LAKE_ORG": string(org),
		"GAVEL_AIRSHED_LAKE_ACCESS_KEY": g.settings["GAVEL_BLOB_ACCESS_KEY"],
		"GAVEL_AIRSHED_LAKE_SECRET_KEY": g.settings["GAVEL_BLOB_SECRET_KEY"]} {
		g.settings[name] = to
	}
	g.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir()}
	for name, value := range g.settings {
		g.env = append(g.env, name+"="+value)
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
	return g.start(ctx, program)
}

func (g *ground) organise(ctx context.Context) error {
	sys, err := postgres.OpenSystem(ctx, g.settings["GAVEL_DATABASE_SYSTEM_URL"])
	if err != nil {
		return err
	}
	defer sys.Close()
	return sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"})
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
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
		if err := g.call(ctx, http.MethodGet, "/readyz", "", nil); err == nil {
			return nil
		}
	}
	return errors.New("the server did not become ready")
}

// put writes the object to the lake.
func (g *ground) put(ctx context.Context, o *lake.Object) (size int64, err error) {
	bucket, err := s3.Open(g.settings["GAVEL_BLOB_URL"], g.settings["GAVEL_BLOB_ACCESS_KEY"], g.settings["GAVEL_BLOB_SECRET_KEY"])
	if err != nil {
		return 0, err
	}
	found, err := outside.NewLake(outside.Network{}, outside.LakeConfig{Bucket: bucket, Name: "bench"}).Put(ctx, o)
	return found.Snapshot.Bytes, err
}

// A lookTaken is how a look at the lake ended.
type lookTaken struct {
	took  time.Duration
	found int
}

// look asks for a scan of the newest object, and waits for its end.
func (g *ground) look(ctx context.Context) (l lookTaken, err error) {
	var scan struct {
		ID, State, Reason string
		Found             int
	}
	began := time.Now()
	if err := g.call(ctx, http.MethodPost, "/v1/airshed/scans", `{}`, &scan); err != nil {
		return l, err
	}
	for scan.State == string(job.Running) {
		if time.Since(began) > 2*barTime {
			return l, fmt.Errorf("%s did not end", scan.ID)
		}
		time.Sleep(50 * time.Millisecond)
		if err := g.call(ctx, http.MethodGet, "/v1/airshed/scans/"+scan.ID, "", &scan); err != nil {
			return l, err
		}
	}
	if scan.State != string(job.Done) {
		return l, fmt.Errorf("%s was refused: %s", scan.ID, scan.Reason)
	}
	return lookTaken{time.Since(began), scan.Found}, nil
}

func (g *ground) call(ctx context.Context, method, path, body string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, g.base+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, res.StatusCode, text)
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// peak is the most memory that the worker ever had, in MB, as the kernel counts it.
func (g *ground) peak() (float64, error) {
	worker := g.processes[len(g.processes)-1]
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", worker.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if kb, ok := strings.CutPrefix(string(line), "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.Fields(kb)[0])
			return float64(n) * 1024 / 1e6, err
		}
	}
	return 0, errors.New("the kernel says nothing of the worker's memory")
}

func (g *ground) close() {
	for _, p := range g.processes {
		_ = p.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = p.Wait()
	}
	if err := g.sql(context.Background(), "drop database "+g.name+" with (force)"); err != nil {
		fmt.Fprintln(os.Stderr, "bench airwatch:", err)
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
