package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// leaves are the delegations: every stand-in decides for one person, whose leave
// is given, ended and given again while they do.
type leaves struct {
	crowd *crowd
	ids   []string // by stand-in: the delegation in force, empty for none
	n     int      // counts requests
}

func newLeaves(c *crowd) *leaves {
	return &leaves{crowd: c, ids: make([]string, len(c.people)-c.owners)}
}

// pair is a stand-in and the one they decide for, any of them for a number.
func (l *leaves) pair(n int) (delegate, owner *person) {
	i := n % len(l.ids)
	return l.crowd.people[l.crowd.owners+i], l.crowd.people[l.ownerOf(i)]
}

// ownerOf spreads those who delegate over those who decide.
func (l *leaves) ownerOf(i int) int { return i * l.crowd.owners / len(l.ids) }

// change gives everybody leave, and then takes it from a few for a moment, again
// and again.
func (l *leaves) change(ctx context.Context) error {
	for i := range l.ids {
		if err := l.give(ctx, i); err != nil {
			return over(ctx, err)
		}
	}
	rng := rand.New(rand.NewPCG(l.crowd.seed, 1)) //nolint:gosec // it must be repeatable
	for {
		few := rng.Perm(len(l.ids))[:max(1, len(l.ids)/4)]
		for _, i := range few {
			if err := l.end(ctx, i); err != nil {
				return over(ctx, err)
			}
		}
		if sleep(ctx, time.Second) != nil {
			return nil
		}
		for _, i := range few {
			if err := l.give(ctx, i); err != nil {
				return over(ctx, err)
			}
		}
		if sleep(ctx, time.Second) != nil {
			return nil
		}
	}
}

// over is no error where all of it is over.
func over(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (l *leaves) give(ctx context.Context, i int) error {
	delegate := l.crowd.people[l.crowd.owners+i]
	r, err := l.ask(ctx, i, "/v1/delegations", map[string]any{"to": delegate.id, "ends_at": time.Now().Add(6 * time.Hour).
		UTC(), "reason": "On leave."})
	if err != nil {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(r.body, &made); err != nil {
		return err
	}
	l.ids[i] = made.ID
	l.crowd.tally.given.Add(1)
	return nil
}

func (l *leaves) end(ctx context.Context, i int) error {
	if _, err := l.ask(ctx, i, "/v1/delegations/"+l.ids[i]+"/end", nil); err != nil {
		return err
	}
	l.ids[i] = ""
	l.crowd.tally.ended.Add(1)
	return nil
}

// ask is a request of one who delegates, under a key of its own.
func (l *leaves) ask(ctx context.Context, i int, path string, body any) (reply, error) {
	owner := l.crowd.people[l.ownerOf(i)]
	l.n++
	key := fmt.Sprintf("leave-%d-%d", i, l.n)
	r, err := insist(ctx, l.n%servers, func(server int) (reply, error) {
		return l.crowd.request(ctx, func() (reply, error) {
			return l.crowd.g.call(ctx, owner, server, http.MethodPost, path, body, map[string]string{"Idempotency-Key": key})
		})
	})
	if err == nil && !r.taken() {
		err = fmt.Errorf("%s may not: %d %.300s", owner.name, r.status, r.body)
	}
	return r, err
}
