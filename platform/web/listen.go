package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/platform/identity"
)

// Channel is the PostgreSQL notification channel that carries notices as JSON.
const Channel = "gavel_live"

// Timing of the listening connection. An idle connection is tried now and then,
// because a dead network gives no error to one that only waits.
const (
	listenIdle    = 20 * time.Second
	listenAnswer  = 5 * time.Second
	listenBackoff = 200 * time.Millisecond
	listenMaxWait = 10 * time.Second
)

// Listen feeds the hub from one database connection until ctx ends. A lost
// connection is made again; browsers are told both times.
func (h *Hub) Listen(ctx context.Context, connect func(context.Context) (*pgx.Conn, error)) error {
	wait := listenBackoff
	for {
		began := time.Now()
		err := h.listenOnce(ctx, connect)
		h.heard(false)
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(began) > listenMaxWait {
			wait = listenBackoff
		}
		h.site.cfg.Log.WarnContext(ctx, "live notices are not being heard; trying again", "error", err, "wait", wait)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait + rand.N(wait)):
		}
		wait = min(2*wait, listenMaxWait)
	}
}

func (h *Hub) listenOnce(ctx context.Context, connect func(context.Context) (*pgx.Conn, error)) error {
	conn, err := connect(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), listenAnswer)
		defer cancel()
		_ = conn.Close(last)
	}()
	for _, channel := range []string{Channel, WordsChannel} {
		if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	h.heard(true)
	for {
		n, err := next(ctx, conn, listenIdle)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if err := h.receive(n); err != nil {
			h.site.cfg.Log.WarnContext(ctx, "a live notice was not understood", "error", err)
		}
	}
}

// receive passes on what came over the database.
func (h *Hub) receive(n *pgconn.Notification) error {
	if n.Channel == WordsChannel {
		w, err := parseWords(n.Payload)
		if err == nil {
			h.speak(w)
		}
		return err
	}
	notice, err := parseNotice(n.Payload)
	if err == nil {
		h.Publish(notice)
	}
	return err
}

// next waits for a notification; none means that nothing came and the connection
// still answers.
func next(ctx context.Context, conn *pgx.Conn, patience time.Duration) (*pgconn.Notification, error) {
	idle, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	n, err := conn.WaitForNotification(idle)
	if err == nil {
		return n, nil
	}
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) || conn.IsClosed() {
		return nil, fmt.Errorf("wait for a notice: %w", err)
	}
	answer, cancel := context.WithTimeout(ctx, listenAnswer)
	defer cancel()
	if err := conn.Ping(answer); err != nil {
		return nil, fmt.Errorf("the listening connection does not answer: %w", err)
	}
	return nil, nil
}

// objectForm is "case_01J…", "P-17", or one word for what everybody has, "inbox".
var objectForm = regexp.MustCompile(`^([a-z][a-z0-9]{0,30}_[0-9A-Za-z-]{1,64}|P-[0-9]{1,18}|[a-z]{1,31})$`)

// parseNotice reads a payload. What is not well formed is refused: it would be
// passed on to browsers.
func parseNotice(payload string) (Notice, error) {
	var n Notice
	if err := json.Unmarshal([]byte(payload), &n); err != nil {
		return Notice{}, fmt.Errorf("read notice: %w", err)
	}
	if _, err := identity.ParseOrg(string(n.Org)); err != nil {
		return Notice{}, err
	}
	if !objectForm.MatchString(n.Object) || n.Version < 0 {
		return Notice{}, fmt.Errorf("notice names object %.100q version %d", n.Object, n.Version)
	}
	return n, nil
}
