package program

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"go.temporal.io/sdk/client"
	otelengine "go.temporal.io/sdk/contrib/opentelemetry"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/telemetry"
	"github.com/gavelhq/gavel/platform/web"
)

// metrics answers to operators, and to a collector on this machine: what an
// installation is doing is nobody else's business.
func metrics(rules *policy.Rules, h http.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !telemetry.Local(r) && rules.May(signin.From(r.Context()), "metrics.read") != nil {
			return fault.New(fault.Refused, "metrics are for operators and for a collector on the server's own machine")
		}
		h.ServeHTTP(w, r)
		return nil
	}
}

// engineMetrics lets the engine's SDK count among our own metrics.
func engineMetrics(t *telemetry.Telemetry) client.MetricsHandler {
	return otelengine.NewMetricsHandler(otelengine.MetricsHandlerOptions{
		Meter: t.Meters.Meter("temporal-sdk-go"), UseMonotonicCounters: true,
		OnError: func(err error) { t.Logger.Warn("a metric of the engine's SDK cannot be kept", slog.Any("error", err)) },
	})
}

// watchOutbox shows what waits for the engine among a server's metrics.
func watchOutbox(t *telemetry.Telemetry, sys *postgres.System) error {
	return t.WatchBacklog(func(ctx context.Context) ([]telemetry.Backlog, error) {
		lanes, err := outbox.Measure(ctx, sys)
		if err != nil {
			return nil, err
		}
		all := make([]telemetry.Backlog, len(lanes))
		for i, l := range lanes {
			all[i] = telemetry.Backlog{Lane: string(l.Lane), Waiting: l.Waiting, Dead: l.Dead, Oldest: l.Oldest}
		}
		return all, nil
	})
}

// watchRoutes shows what models are asked, and what waits for them, among a process's
// metrics.
func watchRoutes(t *telemetry.Telemetry, routes model.Routes) error {
	return t.WatchRoutes(func() map[string]telemetry.RouteLoad {
		all := map[string]telemetry.RouteLoad{}
		for name, r := range routes {
			all[name] = telemetry.RouteLoad(r.Slots.Load())
		}
		return all
	})
}

// showWorker serves a worker's metrics where the settings say so. What it
// returns ends that, and waits until it has ended.
func (c *cli) showWorker(ctx context.Context, p *parts) (stop func(), err error) {
	if c.cfg.WorkerMetrics == "" {
		return func() {}, nil
	}
	on, err := net.Listen("tcp", c.cfg.WorkerMetrics)
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "%s cannot be listened on", c.cfg.WorkerMetrics).
			WithNext("choose another address for GAVEL_WORKER_METRICS_LISTEN: gavel config list")
	}
	p.log.InfoContext(ctx, "metrics are served", slog.String("address", on.Addr().String()))
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := p.telemetry.ServeMetrics(ctx, on); err != nil {
			p.log.WarnContext(ctx, "metrics are no longer served", slog.Any("error", err))
		}
	}()
	return func() { cancel(); <-done }, nil
}
