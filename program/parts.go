package program

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	otelengine "go.temporal.io/sdk/contrib/opentelemetry"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/telemetry"
	"github.com/gavelhq/gavel/program/config"
)

// parts are what a server and a worker both stand on.
type parts struct {
	telemetry *telemetry.Telemetry
	log       *slog.Logger
	db        *postgres.DB
	clock     durable.Clock
	rules     *policy.Rules
	cases     *casefile.Store
	engine    durable.Config
}

// lastWords is how long a stopping process may take to send its last spans.
const lastWords = 5 * time.Second

// restful is how far the heap of a process may grow between collections, in per
// cent: they hold little, and at Go's own 100 a worker spends a tenth of its time
// on them. GOGC and GOMEMLIMIT count as ever.
const restful = 400

// openParts prepares the parts and waits for none of them: a process starts
// while they are away and works when they are there. A database that is there is
// refused where its role could pass the walls.
func (c *cli) openParts(ctx context.Context, service string) (*parts, error) {
	cfg := c.cfg
	if !slices.ContainsFunc(c.environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) {
		debug.SetGCPercent(restful)
	}
	clock, err := durable.NewClock(cfg.ClockEpoch, cfg.ClockSpeed, cfg.Mode != config.Production)
	if err != nil {
		return nil, err
	}
	secure, err := cfg.EngineTLS()
	if err != nil {
		return nil, err
	}
	rules, err := c.loadRules(cfg)
	if err != nil {
		return nil, err
	}
	tel, err := telemetry.Setup(ctx, telemetry.Config{Service: service, Version: buildOf().Version, Log: c.talk,
		LogText: c.terminal, LogLevel: cfg.LogLevel, OTLPEndpoint: cfg.OTLPEndpoint})
	if err != nil {
		return nil, err
	}
	tel.LogInternalErrors()
	db, err := postgres.Open(ctx, postgres.Called(cfg.Database.Reveal(), service))
	if err != nil {
		return nil, err
	}
	if err := refuseRole(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	p := &parts{telemetry: tel, log: tel.Logger, db: db, clock: clock, rules: rules,
		cases: casefile.NewStore(casefile.Config{DB: db, Clock: clock, Rules: rules, Kinds: c.apps.caseKinds()})}
	p.engine = durable.Config{Address: cfg.TemporalAddress, Namespace: cfg.TemporalNamespace, TLS: secure, Keys: cfg.PayloadKeys,
		ReadOld: cfg.OldPayloads, Logger: tel.Logger, Metrics: engineMetrics(tel)}
	if cfg.OTLPEndpoint != "" {
		p.engine.Tracer, err = otelengine.NewTracingInterceptor(otelengine.TracerOptions{
			Tracer: tel.Tracers.Tracer("gavel"), TextMapPropagator: tel.Propagator, DisableBaggage: true})
	}
	return p, err
}

// refuseRole refuses a role that could pass the walls between organisations. A
// database that does not answer at once is asked when it does, by awaitDatabase.
func refuseRole(ctx context.Context, db database) error {
	ctx, stop := context.WithTimeout(ctx, databaseEvery)
	defer stop()
	if err := db.Walled(ctx); fault.Is(err, fault.Refused) {
		return err
	}
	return nil
}

// close lets go of the parts.
func (p *parts) close(ctx context.Context) {
	p.db.Close()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer stop()
	if err := p.telemetry.Shutdown(ctx); err != nil {
		p.log.WarnContext(ctx, "telemetry did not end well", slog.Any("error", err))
	}
}

// stopped is what a long-running command ends with once its context has ended:
// being asked to end is no error, Ctrl-C is an interruption.
func stopped(ctx context.Context, err error) error {
	if err == nil && errors.Is(context.Cause(ctx), errInterrupted) {
		return errInterrupted
	}
	return err
}
