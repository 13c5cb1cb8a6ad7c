// Package durable is the way to the engine: a client that waits for it, workers
// that carry the applications' workflows, the one clock, and the options every
// step runs under.
//
// The engine is Temporal. It is the clock and the to-do list, never the record:
// what it holds can be made again from PostgreSQL, and payloads carry ids and
// digests only. Read Dial, then Run, then options.go; docs/design/engine.md
// says why it is so.
package durable

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"

	"github.com/gavelhq/gavel/platform/fault"
)

// Config says where the engine is and how to speak to it.
type Config struct {
	Address   string
	Namespace string
	Keys      Keys
	ReadOld   bool // read payloads that were sealed before they were bound to their workflow
	Logger    *slog.Logger
	TLS       *tls.Config             // nil speaks plainly, for an engine on this machine
	Tracer    interceptor.Interceptor // spans of starts, signals and activities; nil for none
	Metrics   client.MetricsHandler   // what the engine's library counts; nil for none
}

// Lazy makes a client that connects when it is first used, so that a server
// can start, and people can work, while the engine is away.
func Lazy(cfg Config) (client.Client, error) {
	c, err := client.NewLazyClient(options(cfg))
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the engine's address %s cannot be used", cfg.Address)
	}
	return c, nil
}

// Dial makes a client and waits until the engine answers, however long that
// takes; only the context ends it. An open port is not enough: a frontend that
// is not healthy yet refuses calls, and a worker that gave up then would leave
// cases without anyone to work them.
func Dial(ctx context.Context, cfg Config) (client.Client, error) {
	c, err := Lazy(cfg)
	if err != nil {
		return nil, err
	}
	const first, most = 100 * time.Millisecond, 5 * time.Second
	for pause := first; ; pause = min(2*pause, most) {
		err := Ping(ctx, c)
		if err == nil {
			return c, nil
		}
		cfg.Logger.WarnContext(ctx, "waiting for the engine", "address", cfg.Address, "error", err)
		select {
		case <-ctx.Done():
			c.Close()
			return nil, fault.From(fault.Unavailable, err, "the engine at %s does not answer", cfg.Address)
		case <-time.After(pause):
		}
	}
}

// Ping reports whether the engine is healthy.
func Ping(ctx context.Context, c client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if _, err := c.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
		return fault.From(fault.Unavailable, err, "the engine does not answer").
			WithNext("see which part is down: gavel doctor")
	}
	return nil
}

func options(cfg Config) client.Options {
	conv := cfg.converter()
	o := client.Options{
		HostPort:         cfg.Address,
		Namespace:        cfg.Namespace,
		Logger:           log.NewStructuredLogger(cfg.Logger),
		DataConverter:    conv,
		FailureConverter: newFailures(conv),
		// Payloads are small and sealed: gzip costs a tenth of a step and saves nothing.
		ConnectionOptions: client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}, TLS: cfg.TLS},
		MetricsHandler:    cfg.Metrics,
	}
	if cfg.Tracer != nil {
		o.Interceptors = []interceptor.ClientInterceptor{cfg.Tracer}
	}
	return o
}
