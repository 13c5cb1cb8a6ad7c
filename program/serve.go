package program

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/manual"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/telemetry"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/gallery"
	"github.com/gavelhq/gavel/program/config"
)

// startsPerSecond holds new cases to a rate one engine bears, for each server.
// People's decisions are not counted: they travel in a lane of their own.
const startsPerSecond = 200

func (c *cli) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the pages and the API, and hand new work to the engine",
		Long: `Serve the pages and the API, and hand new work to the engine. Any number of
servers may run side by side. People can open, read and decide cases while the
engine is away; it catches up when it is back.`,
		Example: `  gavel serve
  gavel serve --config gavel.env --listen 127.0.0.1:9000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return stopped(cmd.Context(), c.serve(cmd.Context()))
		},
	}
	c.settingFlag(cmd, config.NameListen, "listen")
	needs := []config.Need{{config.NameDatabase}, {config.NameDatabaseSystem}, {config.NameTemporalAddress}, {config.NamePayloadKeys}}
	return c.uses(cmd, append(needs, recordNeeds()...)...)
}

// How processes that carry out effects call themselves, to the database as well:
// package recovery looks for them there.
const (
	serveName  = "gavel-serve"
	workerName = "gavel-worker"
)

// newDispatcher takes what was committed to the engine. What runs there for a case
// that a restore lost makes room.
func (c *cli) newDispatcher(p *parts, sys *postgres.System, engine client.Client) *outbox.Dispatcher {
	to := outbox.NewEngine(engine, p.engine.Memo, sys)
	to.Lost = casefile.Lost(sys)
	return outbox.NewDispatcher(sys, to, startsPerSecond, p.log)
}

// serve runs the server, the ear for live notices and the dispatcher, until one
// of them fails or the context ends.
func (c *cli) serve(ctx context.Context) error {
	p, err := c.openParts(ctx, serveName)
	if err != nil {
		return err
	}
	defer p.close(ctx)
	sys, err := postgres.OpenSystem(ctx, postgres.Called(c.cfg.DatabaseSystem.Reveal(), serveName))
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := watchOutbox(p.telemetry, sys); err != nil {
		return err
	}
	engine, err := durable.Lazy(p.engine)
	if err != nil {
		return err
	}
	defer engine.Close()
	dispatcher := c.newDispatcher(p, sys, engine)

	kept, err := c.openRecords(p, sys)
	if err != nil {
		return err
	}
	m, err := c.newMinds(p)
	if err != nil {
		return err
	}
	if err := c.openApps(p, m, kept); err != nil {
		return err
	}
	keeper, err := c.newLogKeeper(p, sys, kept)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.cfg.Listen)
	if err != nil {
		return fault.From(fault.Invalid, err, "%s cannot be listened on", c.cfg.Listen).
			WithNext("choose another with --listen, or see who has it: gavel doctor")
	}
	face, err := c.newFace(p, ground{sys, engine, kept, m}, listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	p.log.InfoContext(ctx, "listening", slog.String("address", listener.Addr().String()), slog.String("public", face.public),
		slog.String("mode", string(c.cfg.Mode)), slog.String("clock", p.clock.String()))
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return web.NewServer(face.site, face.handler).Run(ctx, listener) })
	group.Go(func() error { return face.hub.Listen(ctx, on(web.Channel, p.db.Listen)) })
	group.Go(func() error { return dispatcher.Run(ctx) })
	group.Go(func() error { return awaitDatabase(ctx, p.db, p.log) }) // one that was away is asked for its role when it comes
	group.Go(func() error { return keeper.run(ctx) })
	group.Go(func() error { return p.putInForce(ctx) })
	group.Go(func() error { return face.operations.Run(ctx) })
	group.Go(func() error { return c.sendHooks(ctx, p, ground{sys, engine, kept, m}, face.public) })
	group.Go(func() error { return c.carryMails(ctx, p, ground{sys, engine, kept, m}, face.public) })
	group.Go(func() error { return c.tidy(ctx, sys, p) })
	return group.Wait()
}

// on makes a function that listens on any channel one that listens on this one.
// It names no connection's type: this package runs no SQL.
func on[C any](channel string, listen func(context.Context, string) (C, error)) func(context.Context) (C, error) {
	return func(ctx context.Context) (C, error) { return listen(ctx, channel) }
}

// A face is what people and programs see of a server.
type face struct {
	public  string // the address people use
	site    *web.Site
	hub     *web.Hub
	mux     *web.Mux
	handler http.Handler

	operations *operation.Desk
}

// ground is what a face stands on beside what a worker has too.
type ground struct {
	sys    *postgres.System
	engine client.Client
	kept   *records
	minds  *minds
}

// newFace puts pages, API, sign-in, health and metrics together.
func (c *cli) newFace(p *parts, b ground, listening string) (*face, error) {
	f := &face{public: c.cfg.PublicURL}
	if f.public == "" {
		f.public = "http://" + listening
	}
	door, err := c.newDoor(p, b, f.public)
	if err != nil {
		return nil, err
	}
	if !c.cfg.IsSet(config.NameOIDCIssuer) {
		p.log.Warn("no office sign-in is set up; the sign-in page says how", slog.String("page", f.public+signin.SignInPath))
	}
	lines := p.banners(b.minds)
	f.site, err = web.New(c.siteConfig(p, b, f.public, lines, door))
	if err != nil {
		return nil, err
	}
	requests, err := p.telemetry.Requests()
	if err != nil {
		return nil, err
	}
	mux := web.NewMux(f.site)
	f.mux = mux
	f.hub = web.NewHub(f.site)
	f.hub.MayHear = func(a identity.Actor) bool { return p.rules.May(a, "run.words") == nil }
	f.hub.Heard = lines.Heard
	f.hub.Routes(mux)
	door.Routes(mux)
	orders := agent.NewOrders(agent.OrdersConfig{DB: p.db, Clock: p.clock, Rules: p.rules, Cases: p.cases, Reviews: b.minds.reviews})
	b.kept.console(f.site, p, b, orders, c.setup(p, b, lines), c.apps.queues(), c.firstTrials(), f.public).Routes(mux)
	f.serveAPI(mux, p, b, orders, append(c.administration(p, b), c.apps.api(p, f.public)...))
	tools, err := c.newMCP(p, b, f.public)
	if err != nil {
		return nil, err
	}
	tools.Routes(mux)
	c.serveMail(mux, p, b)
	manual.New(gavel.Documents()).Routes(mux)
	web.NewHealth(f.site, readiness(p, b, f.hub)).Routes(mux)
	mux.Handle("GET /metrics", metrics(p.rules, p.telemetry.Metrics),
		web.Public("a collector on the server's own machine reads it; others are asked in the handler"))
	if c.cfg.Mode != config.Production {
		gallery.Routes(mux)
	}
	for _, a := range c.apps {
		if a.Routes != nil {
			a.Routes(mux.Under(a.Name))
		}
	}
	f.handler = f.site.Handler(named(mux), identified, requests.Around, door.Middleware)
	return f, nil
}

// siteConfig is what every page goes by.
func (c *cli) siteConfig(p *parts, b ground, public string, lines *console.Banners, door *signin.Door) web.Config {
	return web.Config{
		Banners: lines.Of, Log: p.log, Actor: signin.From, Require: signin.Require, Still: signin.Still, May: p.rules.May,
		Refused: p.refusals(), Organisation: p.organisation, Now: p.clock.Now, Speed: p.clock.Speed,
		Messages: append([]fs.FS{console.Messages(), signin.Messages(), api.Messages(), manual.Messages(), gallery.Messages()},
			c.apps.messages()...),
		Assets: c.apps.assets(),
		Nav:    slices.Concat(console.NavFor(b.minds.reviews), c.apps.nav(), []web.NavItem{signin.Nav(), web.HealthNav()}),
		Search: console.SearchPath, SearchAct: console.SearchAct,
		SignIn: door.Path(), SignOut: signin.SignOutPath, Account: signin.AccountPath, Manual: manual.Path, LeaveView: signin.LeavePath,
		PublicURL: public, Home: c.home(), Demo: c.cfg.Mode != config.Production,
	}
}

// newDoor opens the ways of signing in that the settings allow.
func (c *cli) newDoor(p *parts, b ground, public string) (*signin.Door, error) {
	key, err := base64.StdEncoding.DecodeString(c.cfg.DevTokenKey.Reveal())
	if err != nil {
		return nil, fault.New(fault.Invalid, "GAVEL_DEV_TOKEN_KEY is not base64").WithNext("gavel config list")
	}
	return signin.New(signin.Config{
		Development: c.cfg.Mode != config.Production, DevKey: key, PublicURL: public,
		Orgs: []identity.Org{"north", "south"}, // the demo's
		Busy: c.busyRoles(),
		Store: signin.NewStore(signin.StoreConfig{DB: p.db, Clock: p.clock, Wall: durable.Clock{}, Rules: p.rules,
			Withdraw: b.minds.reviews.WithdrawAll}),
		Errands: c.cfg.PayloadKeys,
		Office: signin.Office{Issuer: c.cfg.OIDCIssuer, ClientID: c.cfg.OIDCClientID, ClientSecret: c.cfg.OIDCClientSecret.Reveal(),
			GroupsClaim: c.cfg.OIDCGroups, Scopes: c.cfg.OIDCScopes},
	})
}

// organisation is the face of an organisation, for pages.
func (p *parts) organisation(ctx context.Context, org identity.Org) (web.Organisation, error) {
	found, err := p.db.Organisation(ctx, org)
	if err != nil {
		return web.Organisation{}, err
	}
	zone, err := time.LoadLocation(found.Zone)
	return web.Organisation{Name: found.Title, Zone: zone}, err
}

// readiness looks at the parts. The engine is shown but not required: people
// open, read and decide cases while it is away.
func readiness(p *parts, b ground, hub *web.Hub) []web.Check {
	const fix = "gavel doctor"
	return []web.Check{
		{Name: "PostgreSQL for requests", Run: p.db.Ping, Fix: fix},
		{Name: "PostgreSQL for the dispatcher", Run: b.sys.Ping, Fix: fix},
		{Name: "Temporal", Run: func(ctx context.Context) error { return durable.Ping(ctx, b.engine) }, Fix: fix, Optional: true},
		{Name: "live notices", Run: func(context.Context) error { return hub.Check() }, Fix: fix},
	}
}

// identified puts the request's id into the context, for log lines below.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		next.ServeHTTP(w, r.WithContext(telemetry.WithRequestID(ctx, web.RequestID(ctx))))
	})
}

// named tells telemetry which route took a request, since the request it saw
// was copied on the way in.
func named(mux *web.Mux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { telemetry.Route(r) }()
		mux.ServeHTTP(w, r)
	})
}
