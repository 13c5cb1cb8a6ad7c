package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
)

// How a dispatcher works. Several may run at once: a row is claimed by one of
// them for the length of a lease, and comes free again if it dies.
const (
	batch        = 16 // all of a claim are under way at once
	lease        = 30 * time.Second
	deliverBy    = 10 * time.Second // well within the lease: a claim that ran out would be delivered twice
	lookEvery    = 50 * time.Millisecond
	troubleEvery = time.Second
	firstBackoff = 200 * time.Millisecond
	mostBackoff  = 5 * time.Second
)

// An engine is what messages are delivered to.
type engine interface {
	deliver(ctx context.Context, m message) error
}

// A Dispatcher delivers messages until its context ends.
type Dispatcher struct {
	sys    *postgres.System
	engine engine
	starts *rate.Limiter
	logger *slog.Logger
}

// NewDispatcher delivers to the engine behind a client. Starts are held to a
// rate, so that a decision never queues behind a thousand new cases.
func NewDispatcher(sys *postgres.System, to *Engine, startsPerSecond float64, logger *slog.Logger) *Dispatcher {
	burst := max(int(startsPerSecond), 1)
	return &Dispatcher{sys: sys, engine: to, starts: rate.NewLimiter(rate.Limit(startsPerSecond), burst), logger: logger}
}

// Run delivers until the context ends. Trouble with the database or the engine
// is logged and tried again, never returned.
func (d *Dispatcher) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, lane := range []Lane{Decisions, Starts} {
		wg.Go(func() { d.serve(ctx, lane) })
	}
	wg.Wait()
	return nil
}

// serve empties one lane, then looks again in a moment. It is not woken by the
// database: a transaction that notifies makes all others wait while it commits,
// and a look at an empty index costs next to nothing.
func (d *Dispatcher) serve(ctx context.Context, lane Lane) {
	for ctx.Err() == nil {
		n, err := d.pass(ctx, lane)
		pause := lookEvery
		if err != nil && ctx.Err() == nil {
			d.logger.ErrorContext(ctx, "the outbox cannot be read", "lane", lane, "error", err)
			pause = troubleEvery
		}
		if err == nil && n == d.claimSize(lane) {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// pass claims and delivers one batch and says how many rows it took.
func (d *Dispatcher) pass(ctx context.Context, lane Lane) (int, error) {
	messages, err := d.claim(ctx, lane)
	if err != nil || len(messages) == 0 {
		return 0, err
	}
	delivered := make([]bool, len(messages))
	var g errgroup.Group
	for i, m := range messages {
		if lane == Starts && d.starts.Wait(ctx) != nil {
			break // shutting down: the lease gives the rest to another dispatcher
		}
		g.Go(func() error {
			err := d.deliver(ctx, m)
			delivered[i] = err == nil
			if err != nil && ctx.Err() == nil {
				d.putBack(ctx, m, err)
			}
			return nil
		})
	}
	_ = g.Wait()
	return len(messages), d.remove(ctx, messages, delivered)
}

func (d *Dispatcher) deliver(ctx context.Context, m message) error {
	ctx, cancel := context.WithTimeout(ctx, deliverBy)
	defer cancel()
	return d.engine.deliver(ctx, m)
}

// claim takes what is due, of each organisation in turn the oldest: whoever has a
// thousand waiting keeps nobody else's one from going next. Organisations with nothing in
// the lane cost nothing, however many there are.
func (d *Dispatcher) claim(ctx context.Context, lane Lane) ([]message, error) {
	const claim = `
		with recursive orgs as (
			(select org from gavel.outbox where lane = $1 and not dead order by org limit 1)
			union all
			select (select n.org from gavel.outbox n where n.lane = $1 and not n.dead and n.org > orgs.org order by n.org limit 1)
			from orgs where orgs.org is not null
		), turns as (
			select w.id from orgs cross join lateral (
				select id, due_at, row_number() over (order by due_at, id) as turn from (
					select id, due_at from gavel.outbox
					where lane = $1 and org = orgs.org and not dead and due_at <= now()
					order by due_at, id limit $3 for update skip locked) due) w
			where orgs.org is not null order by w.turn, w.due_at, w.id limit $3
		)
		update gavel.outbox set due_at = now() + $2, attempts = attempts + 1 where id in (select id from turns)
		returning id, lane, kind, target, payload, attempts`
	rows, _ := d.sys.Query(ctx, claim, lane, lease, d.claimSize(lane)) // CollectRows reports Query's error too
	return pgx.CollectRows(rows, pgx.RowToStructByPos[message])
}

// claimSize is no more than can be delivered well within a lease: starts are
// held to their rate.
func (d *Dispatcher) claimSize(lane Lane) int {
	if lane == Decisions {
		return batch
	}
	inTime := float64(d.starts.Limit()) * lease.Seconds() / 3
	return max(1, int(min(inTime, batch)))
}

// remove deletes what was delivered. A crash before it means one more delivery,
// which the receiver tells by its id.
func (d *Dispatcher) remove(ctx context.Context, messages []message, delivered []bool) error {
	ids := make([]int64, 0, len(messages))
	for i, m := range messages {
		if delivered[i] {
			ids = append(ids, m.ID)
		}
	}
	// The engine has these: finish even if we are shutting down.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, err := d.sys.Exec(ctx, `delete from gavel.outbox where id = any($1)`, ids); err != nil {
		return fmt.Errorf("delete delivered messages: %w", err)
	}
	return nil
}

// putBack makes a row due again after a pause. A fault that trying again cannot
// mend leaves the row dead, for an operator to see.
func (d *Dispatcher) putBack(ctx context.Context, m message, cause error) {
	pause := min(firstBackoff<<min(m.Attempts-1, 10), mostBackoff)
	dead := !fault.KindOf(cause).Retryable()
	text, _ := fault.Words(cause)
	level := slog.LevelWarn
	if dead {
		level = slog.LevelError
	}
	d.logger.Log(ctx, level, "not delivered to the engine", "message", m.ID, "kind", m.Kind, "target", m.Target,
		"attempt", m.Attempts, "dead", dead, "error", cause)
	const put = `update gavel.outbox set due_at = now() + $2, last_error = $3, dead = $4 where id = $1`
	if _, err := d.sys.Exec(ctx, put, m.ID, pause, text, dead); err != nil {
		d.logger.ErrorContext(ctx, "the outbox cannot be written", "message", m.ID, "error", err)
	}
}
