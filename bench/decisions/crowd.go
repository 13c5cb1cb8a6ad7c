package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
)

// atOnce bounds how many requests are on their way: the people share two cores
// with everything else.
const atOnce = 24

// A crowd is the people, what they have been told, and how much of each kind of
// thing has happened.
type crowd struct {
	g      *ground
	seed   uint64
	people []*person // those with a right of their own first
	owners int       // how many of them that is
	leave  *leaves
	slots  chan struct{}
	tally  *tally
	rests  atomic.Bool // the people take nothing up
	queue  chan proposed
	closed atomic.Int64

	mu   sync.Mutex
	told []told
}

// A told is a yes or no that somebody got.
type told struct {
	decision, proposal, person, verdict string
	status                              int
	yes                                 bool
	sent, heard                         time.Time
}

// newCrowd signs everybody in, on one server and the other.
func newCrowd(ctx context.Context, g *ground, o options) (*crowd, error) {
	c := &crowd{g: g, seed: o.seed, people: make([]*person, o.people), owners: o.people - o.people/5, slots: make(chan struct{}, atOnce),
		tally: &tally{}, queue: make(chan proposed, o.cases*callsPerCase)}
	var signing errgroup.Group
	signing.SetLimit(8)
	for i := range c.people {
		name := fmt.Sprintf("officer-%d", i)
		if i >= c.owners {
			name = fmt.Sprintf("%s%d", standIn, i)
		}
		signing.Go(func() (err error) {
			c.people[i], err = g.signIn(ctx, g.bases[i%servers], name)
			return err
		})
	}
	if err := signing.Wait(); err != nil {
		return nil, err
	}
	c.leave = newLeaves(c)
	return c, nil
}

// work sees all cases through: they are opened, what they propose is decided, and
// the parts are killed meanwhile.
func (c *crowd) work(ctx context.Context, o options) error {
	ctx, stop := context.WithTimeout(ctx, o.patience)
	defer stop()
	meanwhile, over := context.WithCancel(ctx)
	var around, deciding errgroup.Group
	around.Go(func() error { return c.find(meanwhile) })
	around.Go(func() error { return c.leave.change(meanwhile) })
	around.Go(func() error { return c.g.strike(meanwhile, c, o) })
	around.Go(func() error { return c.report(meanwhile) })
	for range len(c.people) {
		deciding.Go(func() error { return c.takeUp(meanwhile) })
	}
	err := c.open(ctx, o)
	if err == nil {
		err = c.awaitClosed(ctx, o.cases)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // what has not come to an end is judged as lost
	}
	over()
	return errors.Join(err, deciding.Wait(), around.Wait())
}

// open opens the cases, so many at a time.
func (c *crowd) open(ctx context.Context, o options) error {
	clerk := identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: org, Roles: []identity.Role{identity.Analyst}}
	for file := range o.cases {
		for int64(file)-c.closed.Load() >= int64(o.inFlight+c.extra()) {
			if err := sleep(ctx, 20*time.Millisecond); err != nil {
				return err
			}
		}
		_, _, err := c.g.yard.Cases.Open(ctx, clerk, casefile.Opening{App: agenttest.DefaultApp, Key: fmt.Sprintf("clerk.%d", file),
			Title: script(file)})
		if err != nil {
			return fmt.Errorf("open case %d: %w", file, err)
		}
	}
	return nil
}

// extra is how many cases more are in flight while the people rest, so that they
// find something to decide when they go on.
func (c *crowd) extra() int {
	if c.rests.Load() {
		return enoughToDecide / callsPerCase
	}
	return 0
}

func (c *crowd) awaitClosed(ctx context.Context, cases int) error {
	for c.closed.Load() < int64(cases) {
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// A proposed is what the people find on their desks.
type proposed struct {
	ask
	id string
	n  int64
}

// find brings what is proposed to the people in the order it was, and counts the
// cases that are closed. People read it again, over HTTP, before they decide.
func (c *crowd) find(ctx context.Context) error {
	const newest = `select id, n, args::json ->> 'word' from gavel.proposal where org = $1 and n > $2 order by n`
	var last int64
	for {
		rows, _ := c.g.sys.Query(ctx, newest, org, last)
		var p proposed
		var word string
		_, err := pgx.ForEachRow(rows, []any{&p.id, &p.n, &word}, func() error {
			var ok bool
			if p.ask, ok = parseWord(word); !ok {
				return fmt.Errorf("%s is about %q", p.id, word)
			}
			last = p.n
			c.tally.asked.Add(1)
			c.queue <- p
			return nil
		})
		if err == nil {
			rows, _ := c.g.sys.Query(ctx, `select count(*) from gavel.case where state = 'closed'`)
			var n int64
			if n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64]); err == nil {
				c.closed.Store(n)
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look what is proposed: %w", err)
		}
		if sleep(ctx, 100*time.Millisecond) != nil {
			return nil
		}
	}
}

// takeUp is one person's desk after another: whoever is free takes what comes next.
func (c *crowd) takeUp(ctx context.Context) error {
	for {
		for c.rests.Load() && ctx.Err() == nil {
			_ = sleep(ctx, 10*time.Millisecond)
		}
		select {
		case <-ctx.Done():
			return nil
		case p := <-c.queue:
			err := c.see(ctx, p, draw(c.seed, p.ask, c.owners))
			if ctx.Err() != nil {
				return nil // what was not finished is judged
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.id, p.word(), err)
			}
			c.tally.seen.Add(1)
		}
	}
}

// report says every while how far it has come.
func (c *crowd) report(ctx context.Context) error {
	for began := time.Now(); sleep(ctx, 30*time.Second) == nil; {
		fmt.Printf("%6.0f s  %d asked, %d seen to, %d cases closed\n", time.Since(began).Seconds(), c.tally.asked.Load(),
			c.tally.seen.Load(), c.closed.Load())
	}
	return nil
}

// request is one request within the share that is on its way at once.
func (c *crowd) request(ctx context.Context, do func() (reply, error)) (reply, error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
	defer func() { <-c.slots }()
	return do()
}

// A sheet is a proposal as somebody has it before them.
type sheet struct {
	State  string `json:"state"`
	ETag   string `json:"etag"`
	Shown  string `json:"shown_sha256"`
	reader *person
}

// read has somebody read a proposal.
func (c *crowd) read(ctx context.Context, p *person, server int, id string) (sheet, error) {
	s := sheet{reader: p}
	r, err := insist(ctx, server, func(server int) (reply, error) {
		return c.request(ctx, func() (reply, error) { return c.g.call(ctx, p, server, "GET", "/v1/proposals/"+id, nil, nil) })
	})
	if err != nil {
		return s, err
	}
	if r.status != 200 {
		return s, fmt.Errorf("%s cannot read it: %d %.300s", p.name, r.status, r.body)
	}
	return s, json.Unmarshal(r.body, &s)
}

// note adds to what people were told.
func (c *crowd) note(t told) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, t)
}

func (c *crowd) heard() []told {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]told(nil), c.told...)
}
