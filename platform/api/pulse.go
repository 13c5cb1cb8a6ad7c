package api

import (
	"context"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds of streams of events, for each server.
const (
	streamsPerActor = 8
	streamsInAll    = 1000
	pulseEvery      = 500 * time.Millisecond
	pulseAnswer     = 5 * time.Second
)

// A pulse tells streams that something happened in their organisation. However
// many follow one, the database is asked once.
type pulse struct {
	events *event.Reader

	mu     sync.Mutex
	all    int
	actors map[string]int
	orgs   map[identity.Org]*rhythm
}

// A rhythm is the streams that follow one organisation.
type rhythm struct {
	streams map[chan struct{}]bool
	stop    context.CancelFunc
}

func newPulse(events *event.Reader) *pulse {
	return &pulse{events: events, actors: map[string]int{}, orgs: map[identity.Org]*rhythm{}}
}

// join counts a stream, within its actor's share; leave ends that.
func (p *pulse) join(who identity.Actor) (leave func(), err error) {
	key := string(who.Org) + "/" + who.ID
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.actors[key] >= streamsPerActor {
		return nil, tooManyStreams(p.actors[key])
	}
	if p.all >= streamsInAll {
		return nil, tooManyStreams(p.all)
	}
	p.actors[key]++
	p.all++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.actors[key]--; p.actors[key] == 0 {
			delete(p.actors, key)
		}
	}, nil
}

// follow returns a channel that holds something when there is news, and how to
// stop. The first to follow an organisation starts looking, the last stops.
func (p *pulse) follow(ctx context.Context, org identity.Org) (<-chan struct{}, func()) {
	news := make(chan struct{}, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.orgs[org]
	if r == nil {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the first of them
		r = &rhythm{streams: map[chan struct{}]bool{}, stop: stop}
		p.orgs[org] = r
		go p.look(ctx, org, r)
	}
	r.streams[news] = true
	return news, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if delete(r.streams, news); len(r.streams) == 0 {
			r.stop()
			delete(p.orgs, org)
		}
	}
}

// look asks for the newest event again and again, and nudges the streams when it
// is another. A database that is away is met by the streams themselves.
func (p *pulse) look(ctx context.Context, org identity.Org, r *rhythm) {
	tick := time.NewTicker(pulseEvery)
	defer tick.Stop()
	last := audit.RecordID("none yet")
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		ask, done := context.WithTimeout(ctx, pulseAnswer)
		newest, err := p.events.Newest(ask, org)
		done()
		if err == nil && newest == last {
			continue
		}
		if err == nil {
			last = newest
		}
		p.mu.Lock()
		for news := range r.streams {
			select {
			case news <- struct{}{}:
			default: // it knows already
			}
		}
		p.mu.Unlock()
	}
}
