package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/postgres"
)

const org identity.Org = "north"

// servers and workers are how many processes of each share the work.
const (
	servers = 2
	workers = 2
)

// A ground is a whole installation of its own, to be broken: never the stack that
// somebody works with.
type ground struct {
	stack    *devstack.Stack
	settings map[string]string // of servers
	place    place
	db       *postgres.DB
	sys      *postgres.System
	client   client.Client
	yard     *agenttest.Yard
	other    *agenttest.OtherSide
	open     []net.Listener
	bases    []string // addresses of the servers
	servers  []*process
	workers  []*process
	http     *http.Client
	reached  sync.Map    // words that the other side has carried out
	away     atomic.Bool // the engine was killed and is not back
}

func newGround(ctx context.Context, o options) (*ground, error) {
	g := &ground{other: &agenttest.OtherSide{}, http: &http.Client{Timeout: time.Minute,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 256},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if err := g.build(ctx, o); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *ground) build(ctx context.Context, o options) (err error) {
	if err := g.raise(ctx); err != nil {
		return err
	}
	if err := g.openDatabase(ctx); err != nil {
		return err
	}
	mind, err := scripted.New(scripted.Config{Reply: agenttest.Reply})
	if err != nil {
		return err
	}
	if g.place.Model, err = g.serve(mind); err != nil {
		return err
	}
	if g.place.Effects, err = g.serve(http.HandlerFunc(g.carryOut)); err != nil {
		return err
	}
	if g.yard, err = agenttest.New(g.place.yard(g.db)); err != nil {
		return err
	}
	if err := g.openOffice(); err != nil {
		return err
	}
	return g.man(o)
}

// serve answers on a port of its own until the ground is closed.
func (g *ground) serve(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	g.open = append(g.open, l)
	go func() { _ = (&http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}).Serve(l) }() // until it is closed
	return "http://" + l.Addr().String(), nil
}

// carryOut is the other side, and notes what has reached it.
func (g *ground) carryOut(w http.ResponseWriter, r *http.Request) {
	word, err := io.ReadAll(io.LimitReader(r.Body, 1000))
	if err != nil {
		http.Error(w, "what?", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(word))
	g.other.ServeHTTP(w, r)
	if r.Method == http.MethodPost {
		g.reached.Store(string(word), true)
	}
}

// longestWait is how long somebody waits for what may not come before they try.
const longestWait = time.Minute

// awaitCarriedOut waits until something has reached the other side.
func (g *ground) awaitCarriedOut(ctx context.Context, word string) error {
	for end := time.Now().Add(longestWait); time.Now().Before(end); {
		if _, there := g.reached.Load(word); there {
			return nil
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// openOffice opens the office that vouches for the people, and tells the servers.
func (g *ground) openOffice() error {
	desk, err := newOffice(func(name string) identity.Role {
		if strings.HasPrefix(name, standIn) {
			return identity.ProgrammeManager
		}
		return identity.Officer
	})
	if err != nil {
		return err
	}
	desk.issuer, err = g.serve(desk) // nobody asks it before the servers are there
	maps.Copy(g.settings, map[string]string{"GAVEL_OIDC_ISSUER": desk.issuer, "GAVEL_OIDC_CLIENT_ID": "gavel",
		"GAVEL_OIDC_CLIENT_SECRET": "none"})
	return err
}

// man starts the servers and the workers.
func (g *ground) man(o options) error {
	addresses, err := freeAddresses(servers)
	if err != nil {
		return err
	}
	for i, address := range addresses {
		s, err := newServer(g, o.gavel, fmt.Sprintf("server-%d", i), address)
		if err != nil {
			return err
		}
		g.servers, g.bases = append(g.servers, s), append(g.bases, "http://"+address)
		if err := s.start(); err != nil {
			return err
		}
	}
	for i := range workers {
		w, err := newWorker(g, fmt.Sprintf("worker-%d", i))
		if err != nil {
			return err
		}
		g.workers = append(g.workers, w)
		if err := w.start(); err != nil {
			return err
		}
	}
	for i, s := range g.servers {
		if err := s.awaitReady(answersOK(g.http, g.bases[i]+"/readyz")); err != nil {
			return err
		}
	}
	for _, w := range g.workers {
		if err := w.awaitReady(w.saysReady); err != nil {
			return err
		}
	}
	return nil
}

// raise brings up PostgreSQL and the engine in a folder that is removed at the
// end.
func (g *ground) raise(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "gavel-decisions-")
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
	g.settings = stack.Settings()
	delete(g.settings, "GAVEL_DEV_TOKEN_KEY") // nobody is let in but through the office
	s := g.settings
	g.place = place{App: s["GAVEL_DATABASE_URL"], Temporal: s["GAVEL_TEMPORAL_ADDRESS"], Namespace: s["GAVEL_TEMPORAL_NAMESPACE"],
		Keys: s["GAVEL_PAYLOAD_KEYS"]}
	keys, err := durable.ParseKeys(g.place.Keys)
	if err != nil {
		return err
	}
	g.client, err = durable.Dial(ctx, durable.Config{Address: g.place.Temporal, Namespace: g.place.Namespace, Keys: keys,
		Logger: slog.New(slog.DiscardHandler)})
	return err
}

func (g *ground) openDatabase(ctx context.Context) (err error) {
	if _, err := postgres.Migrate(ctx, g.settings["GAVEL_DATABASE_OWNER_URL"], platform.Migrations()...); err != nil {
		return err
	}
	if g.db, err = postgres.Open(ctx, g.place.App); err != nil {
		return err
	}
	if g.sys, err = postgres.OpenSystem(ctx, g.settings["GAVEL_DATABASE_SYSTEM_URL"]); err != nil {
		return err
	}
	return g.sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"})
}

// close stops everything and removes it.
func (g *ground) close() {
	for _, p := range append(append([]*process{}, g.servers...), g.workers...) {
		p.end(syscall.SIGTERM)
	}
	for _, l := range g.open {
		l.Close()
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

// freeAddresses finds ports for servers that will be away at times. They are below
// those that the kernel gives to outgoing connections, so that nobody who dials
// a server while it is away is given its port.
func freeAddresses(n int) (all []string, err error) {
	for port := 15_000 + os.Getpid()%10_000; port < 30_000 && len(all) < n; port++ {
		address := fmt.Sprintf("127.0.0.1:%d", port)
		if l, err := net.Listen("tcp", address); err == nil {
			all = append(all, address)
			l.Close()
		}
	}
	if len(all) < n {
		err = errors.New("no free port below 30000")
	}
	return all, err
}
