package hook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/postgres"
)

// How a courier works. Several may run at once: a webhook is served by one of them
// for the length of a lease, and comes free again if it dies. Lease and turn are
// real time.
const (
	lookEvery  = 250 * time.Millisecond
	atOnce     = 32 // webhooks, of each server
	lease      = time.Minute
	turn       = 20 * time.Second // a turn ends here at the latest, with one try more: well within the lease
	perTurn    = 50               // messages; then others have theirs
	pausedHold = 5 * time.Second  // until a pause is looked at again
)

// A CourierConfig is what a Courier needs.
type CourierConfig struct {
	Store *Store
	Sys   *postgres.System
	// Wall is real time: what receivers hold a message's time against.
	Wall func() time.Time
	// Beat ticks in real time.
	Beat func(every time.Duration) (<-chan time.Time, func())
	// Paused reports whether nothing may leave an organisation now; nil: never.
	Paused func(ctx context.Context, org identity.Org) (bool, error)
	Log    *slog.Logger
}

// A Courier sends messages until its context ends: to one webhook one at a time,
// in no promised order.
type Courier struct {
	store  *Store
	sys    *postgres.System
	wall   func() time.Time
	beat   func(time.Duration) (<-chan time.Time, func())
	paused func(context.Context, identity.Org) (bool, error)
	log    *slog.Logger
	client *http.Client
}

// NewCourier makes one.
func NewCourier(c CourierConfig) (*Courier, error) {
	if c.Store == nil || c.Sys == nil || c.Wall == nil || c.Beat == nil || c.Log == nil {
		return nil, fault.New(fault.Internal, "a courier needs webhooks, a database, two clocks and a log")
	}
	if c.Paused == nil {
		c.Paused = func(context.Context, identity.Org) (bool, error) { return false, nil }
	}
	return &Courier{store: c.Store, sys: c.Sys, wall: c.Wall, beat: c.Beat, paused: c.Paused, log: c.Log,
		client: newClient(c.Store.Loopback)}, nil
}

// Run follows the log and sends until the context ends. Trouble is logged and tried
// again, never returned.
func (c *Courier) Run(ctx context.Context) error {
	beats, quiet := c.beat(lookEvery)
	defer quiet()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer c.client.CloseIdleConnections()
	free := make(chan struct{}, atOnce)
	trouble := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beats:
		}
		err := c.look(ctx, &wg, free)
		if err != nil && ctx.Err() == nil && !trouble {
			c.log.ErrorContext(ctx, "webhooks cannot be read", slog.Any("error", err)) // once, not four times a second
		}
		trouble = err != nil
	}
}

// look queues what is new and begins the turns of webhooks that have something due.
func (c *Courier) look(ctx context.Context, wg *sync.WaitGroup, free chan struct{}) error {
	if _, err := c.follow(ctx); err != nil {
		return err
	}
	room := cap(free) - len(free)
	if room == 0 {
		return nil
	}
	claimed, err := c.claim(ctx, room)
	for _, one := range claimed {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			c.serve(ctx, one)
		})
	}
	return err
}

// A claim is a webhook that this courier serves until a moment.
type claim struct {
	Org   identity.Org
	ID    string
	Until time.Time
}

func (c *Courier) claim(ctx context.Context, most int) ([]claim, error) {
	const take = `
		update gavel.webhook w set busy_until = clock_timestamp() + $1
		where (w.org, w.id) in (
			select h.org, h.id from gavel.webhook h
			where h.busy_until < clock_timestamp() and exists (
				select from gavel.webhook_message m where m.org = h.org and m.webhook = h.id and m.state = 'waiting' and m.due_at <= $2
					and (h.state = 'on' or m.asked_by <> ''))
			order by h.busy_until limit $3 for update skip locked)
		returning w.org, w.id, w.busy_until`
	rows, _ := c.sys.Query(ctx, take, lease, c.store.now(), most)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[claim])
	if err != nil {
		return nil, fmt.Errorf("claim webhooks: %w", err)
	}
	return all, nil
}

// serve sends what is due to one webhook, until something fails or its turn ends.
func (c *Courier) serve(ctx context.Context, one claim) {
	hold := time.Duration(0)
	err := c.turn(ctx, one)
	if errors.Is(err, errPaused) {
		err, hold = nil, pausedHold
	}
	if err != nil && ctx.Err() == nil {
		c.log.ErrorContext(ctx, "messages to a webhook cannot be sent", slog.String("webhook", one.ID), slog.Any("error", err))
		hold = pausedHold
	}
	// Others may go on: finish even if we are shutting down.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	const release = `
		with freed as (update gavel.webhook set busy_until = clock_timestamp() + $4 where org = $1 and id = $2 and busy_until = $3
		returning org, id)
		select pg_notify('gavel_live', json_build_object('org', org, 'object', id, 'version',
		(extract(epoch from clock_timestamp()) * 1000)::bigint)::text) from freed`
	if _, err := c.sys.Exec(ctx, release, one.Org, one.ID, one.Until, hold); err != nil {
		c.log.WarnContext(ctx, "a webhook stays claimed until its lease ends", slog.String("webhook", one.ID), slog.Any("error", err))
	}
}

// leave is what the next message is signed with, if it may go: asked for each one,
// so that a pause and the end of a secret hold from the next message on.
func (c *Courier) leave(ctx context.Context, one claim) (webhook.Keys, error) {
	paused, err := c.paused(ctx, one.Org)
	if err != nil {
		return nil, err
	}
	if paused {
		return nil, errPaused
	}
	keys, err := c.store.keys(ctx, one.Org, one.ID)
	if errors.Is(err, errUnsealed) { // the try fails, and says so
		err = nil
	}
	return keys, err
}

// turn sends due messages one after the other.
func (c *Courier) turn(ctx context.Context, one claim) error {
	began := c.wall()
	for n := 0; n < perTurn && ctx.Err() == nil && c.wall().Sub(began) < turn; n++ {
		p, found, err := c.store.due(ctx, one.Org, one.ID)
		if err != nil || !found {
			return err
		}
		keys, err := c.leave(ctx, one)
		if err != nil {
			return err
		}
		got := c.send(ctx, p, keys)
		if ctx.Err() != nil {
			return nil // shutting down: what came of it is not known, and it is sent again under the same id
		}
		if err := c.store.note(ctx, one.Org, one.ID, p, got); err != nil {
			return err
		}
		if got.fault != "" {
			c.log.InfoContext(ctx, "a message to a webhook was not taken", slog.String("webhook", one.ID), slog.String("message", p.ID),
				slog.String("fault", got.fault), slog.Int("status", got.status), slog.Int("attempt", p.Attempts+1))
			return nil
		}
	}
	return nil
}
