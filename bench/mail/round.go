package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// round sends half of the letters, while everything goes wrong until most of them
// have ended, and then until all have.
func (g *ground) round(ctx context.Context, o options, rng *rand.Rand, asks bool) ([]letter, error) {
	p := g.place
	p.Asks = asks
	var senders []*keeper
	defer func() {
		for _, k := range senders {
			k.stop()
		}
	}()
	for range 2 {
		k, err := keep(p)
		if err != nil {
			return nil, err
		}
		senders = append(senders, k)
	}
	began := time.Now()
	bad, calm := context.WithCancel(ctx)
	troubled := make(chan error, 1)
	go func() { troubled <- g.disturb(bad, rng, senders) }()
	letters, err := g.queue(ctx, o.mails/2)
	if err == nil {
		err = g.await(ctx, len(letters)/10, 10*o.patience)
	}
	calm()
	if err := errors.Join(err, <-troubled); err != nil {
		return nil, err
	}
	if err := errors.Join(g.toxic.heal(ctx), g.inbox.refuse(ctx, 451, 0)); err != nil {
		return nil, err
	}
	err = g.await(ctx, 0, o.patience) // what is open then is counted as lost
	fmt.Printf("%d letters in %.0f s\n", len(letters), time.Since(began).Seconds())
	for _, k := range senders {
		g.hits["senders ended by themselves"] += k.failed
	}
	if ctx.Err() != nil {
		return nil, err
	}
	return letters, nil
}

// await waits until no more than so many letters are open.
func (g *ground) await(ctx context.Context, most int, patience time.Duration) error {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		rows, err := g.sys.Query(ctx, `select count(*) from gavel.mail where ended_at is null`)
		if err != nil {
			return err
		}
		open, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
		if err != nil || open <= most {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

// A sight is what the record and the server have.
type sight struct {
	rows    map[string]row // by the letter's id
	arrived map[string]int // by Message-ID
}

// A row is a letter as the record has it.
type row struct {
	ID, State, Reason string
	Tries             int
	Act               string   // its act's state
	Entries           []string // kinds of those on its case, in order
	Asked             bool     // a person is
}

func (g *ground) look(ctx context.Context) (s sight, err error) {
	const all = `select m.id, m.state, m.reason, m.tries, a.state,
			coalesce((select array_agg(e.kind order by e.seq) from gavel.case_entry e where e.org = m.org and e.case_id = m.case_id
			and e.key like '%:' || m.id), '{}'),
			exists (select from gavel.proposal p where p.org = m.org and p.key = m.id || '/unknown')
		from gavel.mail m join gavel.act a on a.org = m.org and a.key = m.id`
	rows, err := g.sys.Query(ctx, all)
	if err != nil {
		return s, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return s, err
	}
	s.rows = map[string]row{}
	for _, r := range found {
		s.rows[r.ID] = r
	}
	s.arrived, err = g.inbox.arrived(ctx)
	return s, err
}

// report says what went wrong.
func (g *ground) report() {
	fmt.Print("what went wrong:")
	for _, what := range slices.Sorted(maps.Keys(g.hits)) {
		fmt.Printf(" %s %d;", what, g.hits[what])
	}
	fmt.Println()
}
