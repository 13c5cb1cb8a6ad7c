package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gavelhq/gavel/bench/peers/langgraph"
	"github.com/gavelhq/gavel/platform/postgres"
)

// peerConnections is the size of each peer process's pool: that of ours.
const peerConnections = 16

// peers are processes of LangGraph that share a database and take turns at
// taking cases.
type peers struct {
	all      []*langgraph.Peer
	database string
	next     atomic.Int64
}

func (g *ground) langgraph(ctx context.Context, processes int, durability string) (contestant, error) {
	if processes < 1 {
		return nil, errors.New("want at least one process")
	}
	name, err := g.createDatabase(ctx, "langgraph")
	if err != nil {
		return nil, err
	}
	address, err := postgres.WithDatabase(g.settings["GAVEL_DATABASE_OWNER_URL"], name)
	if err != nil {
		return nil, err
	}
	p := &peers{database: name}
	for i := range processes {
		one, err := langgraph.Start(ctx, langgraph.Config{Database: address, Connections: peerConnections,
			Model: g.model.url, Durability: durability, Setup: i == 0})
		if err != nil {
			return nil, err
		}
		g.closers = append(g.closers, one.Close)
		g.peerPIDs = append(g.peerPIDs, one.PID())
		p.all = append(p.all, one)
	}
	return p, nil
}

func (p *peers) name() string        { return peer }
func (p *peers) databases() []string { return []string{p.database} }
func (p *peers) modelCalls() int     { return turns }

func (p *peers) oneCase(ctx context.Context) error {
	one := p.all[int(p.next.Add(1))%len(p.all)]
	answer, err := one.Case(ctx, rand.Text())
	if err == nil && answer != lastWords {
		err = fmt.Errorf("got the answer %.100q, want %q", answer, lastWords)
	}
	return err
}
