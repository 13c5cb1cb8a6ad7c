package telemetry

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Backlog is how much waits in one lane of the outbox.
type Backlog struct {
	Lane          string
	Waiting, Dead int64
	Oldest        time.Duration // how long the oldest of those waiting has waited
}

// How a backlog is read: at a scrape, but no more often than backlogEvery
// however many scrapers there are, and never for longer than backlogPatience.
const (
	backlogEvery    = 5 * time.Second
	backlogPatience = 2 * time.Second
)

// WatchBacklog shows the outbox among the metrics. Where it cannot be read the
// gauges are absent rather than old, and gavel_outbox_readable is 0.
func (t *Telemetry) WatchBacklog(measure func(context.Context) ([]Backlog, error)) error {
	meter := t.Meters.Meter(scope)
	waiting, err1 := meter.Int64ObservableGauge("gavel.outbox.waiting",
		metric.WithDescription("Messages to the engine that are not delivered yet and may still be."))
	dead, err2 := meter.Int64ObservableGauge("gavel.outbox.dead",
		metric.WithDescription("Messages to the engine that can never be delivered; a person must look."))
	oldest, err3 := meter.Float64ObservableGauge("gavel.outbox.oldest", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest of the messages that wait has waited."))
	readable, err4 := meter.Int64ObservableGauge("gavel.outbox.readable",
		metric.WithDescription("1 where the outbox could be looked at, 0 where not."))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return fault.From(fault.Internal, err, "metrics of the outbox")
	}
	last := &lastBacklog{measure: measure, now: time.Now}
	_, err := meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		lanes, ok := last.look(ctx)
		if !ok {
			o.ObserveInt64(readable, 0)
			return nil
		}
		o.ObserveInt64(readable, 1)
		for _, l := range lanes {
			lane := metric.WithAttributes(attribute.String("lane", l.Lane))
			o.ObserveInt64(waiting, l.Waiting, lane)
			o.ObserveInt64(dead, l.Dead, lane)
			o.ObserveFloat64(oldest, l.Oldest.Seconds(), lane)
		}
		return nil
	}, waiting, dead, oldest, readable)
	if err != nil {
		return fault.From(fault.Internal, err, "metrics of the outbox")
	}
	return nil
}

// A RouteLoad is what a route to a model has to bear in this process.
type RouteLoad struct {
	Busy, Waiting int           // requests under way, and those that wait for a slot
	Waited        time.Duration // so far, all together
}

// WatchRoutes shows the routes to models among the metrics: what is asked, and what waits.
func (t *Telemetry) WatchRoutes(look func() map[string]RouteLoad) error {
	meter := t.Meters.Meter(scope)
	busy, err1 := meter.Int64ObservableGauge("gavel.model.busy",
		metric.WithDescription("Requests to a model that are under way."))
	waiting, err2 := meter.Int64ObservableGauge("gavel.model.waiting",
		metric.WithDescription("Requests to a model that wait for one of the route's slots."))
	waited, err3 := meter.Float64ObservableCounter("gavel.model.waited", metric.WithUnit("s"),
		metric.WithDescription("How long requests to a model have waited for a slot, all together."))
	if err := errors.Join(err1, err2, err3); err != nil {
		return fault.From(fault.Internal, err, "metrics of the model routes")
	}
	_, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for name, l := range look() {
			route := metric.WithAttributes(attribute.String("route", name))
			o.ObserveInt64(busy, int64(l.Busy), route)
			o.ObserveInt64(waiting, int64(l.Waiting), route)
			o.ObserveFloat64(waited, l.Waited.Seconds(), route)
		}
		return nil
	}, busy, waiting, waited)
	if err != nil {
		return fault.From(fault.Internal, err, "metrics of the model routes")
	}
	return nil
}

// A lastBacklog remembers the last look, so that scrapers share it.
type lastBacklog struct {
	measure func(context.Context) ([]Backlog, error)
	now     func() time.Time

	mu    sync.Mutex
	at    time.Time
	lanes []Backlog
	ok    bool
}

func (b *lastBacklog) look(ctx context.Context) ([]Backlog, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.at.IsZero() && b.now().Sub(b.at) < backlogEvery {
		return b.lanes, b.ok
	}
	ctx, stop := context.WithTimeout(ctx, backlogPatience)
	defer stop()
	lanes, err := b.measure(ctx)
	b.at, b.lanes, b.ok = b.now(), lanes, err == nil
	return b.lanes, b.ok
}
