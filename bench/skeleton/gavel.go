package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// gavel is the walking skeleton as people use it: PostgreSQL first, then the
// outbox, the dispatcher, the workflow and its history, watched through the
// same notices that move a page.
type gavel struct {
	g     *ground
	store *casefile.Store
	bells *bells
}

var officer = identity.Actor{Kind: identity.Person, ID: "bench", Name: "Bench", Org: org, Roles: []identity.Role{identity.Officer}}

func (g *ground) gavel() contestant {
	c := &gavel{g: g, store: casefile.NewStore(g.db, durable.Clock{}), bells: newBells()}
	g.work(casefile.Work(c.store, casefile.General()))
	engine := outbox.NewEngine(g.client, g.keys.Converter(), g.sys)
	g.background(outbox.NewDispatcher(g.sys, engine, 1e6, quiet).Run)
	g.background(c.listen)
	return c
}

// listen rings a bell for every version a case reaches.
func (c *gavel) listen(ctx context.Context) error {
	conn, err := c.g.db.Listen(ctx, "gavel_live")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		n, err := conn.WaitForNotification(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		var notice struct {
			Object  string
			Version int64
		}
		if err := json.Unmarshal([]byte(n.Payload), &notice); err != nil {
			return err
		}
		c.bells.ring(at(casefile.CaseID(notice.Object), notice.Version))
	}
}

func at(id casefile.CaseID, version int64) string { return fmt.Sprint(id, "@", version) }

func (c *gavel) name() string { return "gavel" }

func (c *gavel) oneCase(ctx context.Context) error {
	o := casefile.Opening{App: "general", Key: rand.Text(), Title: "Look into van 14"}
	cs, _, err := c.store.Open(ctx, officer, o)
	if err != nil {
		return err
	}
	const opened, takenUp, closeAsked, closed = 1, 2, 3, 4
	if err := c.bells.wait(ctx, at(cs.ID, takenUp)); err != nil {
		return err
	}
	if err := c.store.Close(ctx, officer, cs.ID, takenUp, "Settled."); err != nil {
		return err
	}
	if err := c.bells.wait(ctx, at(cs.ID, closed)); err != nil {
		return err
	}
	c.bells.forget(at(cs.ID, opened), at(cs.ID, closeAsked))
	return nil
}
