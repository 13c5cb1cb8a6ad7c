package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

// A Do is what a person orders about a run.
type Do string

// The orders. One takes effect before the run's next step: what has begun ends
// as it would have.
const (
	Stop   Do = orderStop   // wait until somebody says to go on
	Resume Do = orderResume // go on
	Retry  Do = orderRetry  // try a failed run again, as a new one
	Cancel Do = orderCancel // give it up; open proposals are withdrawn
	say    Do = orderSay
)

// OrderRecord is the kind of an order's record in the log.
const OrderRecord audit.Kind = "run_order"

// An OrdersConfig says what orders go through.
type OrdersConfig struct {
	DB      *postgres.DB
	Clock   durable.Clock
	Cases   *casefile.Store
	Reviews *review.Store // withdraws what nobody needs to decide any more
	Rules   *policy.Rules // who may give orders; nil lets nobody
}

// Orders take people's words about runs: each is a row, a record in the log, an
// entry in the case's history and word to the workflow, in one transaction.
type Orders struct{ OrdersConfig }

// NewOrders makes the place where orders are given.
func NewOrders(c OrdersConfig) *Orders { return &Orders{c} }

// Give gives an order and returns the run as it was then. An order that makes no
// sense for the run as it stands is a Conflict and changes nothing.
func (o *Orders) Give(ctx context.Context, actor identity.Actor, run string, do Do) (r Run, err error) {
	if err := o.Rules.May(actor, "run.order"); err != nil {
		return r, err
	}
	if do != Stop && do != Resume && do != Retry && do != Cancel {
		return r, fault.New(fault.Invalid, "an order is stop, resume, retry or cancel, not %.20q", do)
	}
	return o.order(ctx, actor, run, do)
}

// End gives a conversation up on the caller's word: whether the actor may was asked before, of the caller's own act. What it
// had asked people is withdrawn, and what it is saying is stopped. One that has ended by itself is a Conflict.
func (o *Orders) End(ctx context.Context, actor identity.Actor, run string) error {
	turn, err := o.underWay(ctx, actor.Org, run)
	if err != nil {
		return err
	}
	if err := o.Interrupt(ctx, actor, run, turn); err != nil {
		return err
	}
	_, err = o.order(ctx, actor, run, Cancel)
	if fault.Is(err, fault.NotFound) { // its first turn is not on record yet
		return o.endUnborn(ctx, actor.Org, run)
	}
	return err
}

func (o *Orders) order(ctx context.Context, actor identity.Actor, run string, do Do) (r Run, err error) {
	r, err = o.give(ctx, actor, run, order{Run: run, Do: string(do)}, func(r Run, c casefile.Case) error { return fits(do, r, c) })
	if err != nil || do != Cancel || o.Reviews == nil {
		return r, err
	}
	return r, o.withdraw(ctx, actor.Org, r)
}

// fits refuses an order that the run as it stands cannot follow.
func fits(do Do, r Run, c casefile.Case) error {
	wrong := func(why string) error { return fault.New(fault.Conflict, "run %s %s; nothing was done", r.ID, why) }
	stopped := r.LastOrder == orderStop
	switch {
	case c.State == casefile.Closed:
		return wrong("belongs to a case that is closed")
	case r.State == Done:
		return wrong("is done")
	case r.LastOrder == orderCancel:
		return wrong("is being given up already")
	case do == Retry && r.Parent != "":
		return wrong("was set to work by another run, which answers for it")
	case do == Retry && !r.State.Ended():
		return wrong("has not failed")
	case do == Retry && r.LastOrder == orderRetry:
		return wrong("is being tried again already")
	case do != Retry && do != Cancel && r.State.Ended():
		return wrong("has ended")
	case do == Stop && stopped:
		return wrong("is being stopped already")
	case do == Resume && !stopped:
		return wrong("is not stopped")
	}
	return nil
}

// maxWords is the most a person may say to a run at once, in bytes.
const maxWords = 20_000

// Say writes to a run that talks with people. once tells a repeat: the same
// words sent twice with the same once are said once. What is said in somebody's
// conversation is taken for theirs, so that nobody else says anything there,
// whatever they may.
func (o *Orders) Say(ctx context.Context, actor identity.Actor, run, once, words string) (Run, error) {
	if err := o.Rules.May(actor, "run.say"); err != nil {
		return Run{}, err
	}
	return o.Write(ctx, actor, run, once, words)
}

// Write is Say on the caller's word: whether the actor may was asked before, of the caller's own act.
func (o *Orders) Write(ctx context.Context, actor identity.Actor, run, once, words string) (Run, error) {
	words = strings.TrimSpace(words)
	switch {
	case words == "":
		return Run{}, fault.New(fault.Invalid, "there is nothing to say")
	case len(words) > maxWords:
		return Run{}, fault.New(fault.TooLarge, "what you say has %d bytes; the most is %d", len(words), maxWords)
	case strings.ContainsRune(words, 0):
		return Run{}, fault.New(fault.Invalid, "a message cannot hold a zero byte")
	case once == "":
		once = rand.Text()
	case len(once) > 64:
		return Run{}, fault.New(fault.Invalid, "the id of a message has at most 64 characters")
	}
	const insert = `insert into gavel.run_message (org, run_id, id, actor_id, body, at) values ($1, $2, $3, $4, $5, $6)
		on conflict do nothing`
	return o.give(ctx, actor, run, order{Run: run, Do: orderSay, Message: once}, func(r Run, _ casefile.Case) error {
		if r.State.Ended() {
			return fault.New(fault.Conflict, "run %s has ended; nobody would read it", r.ID)
		}
		return nil
	}, func(tx pgx.Tx) (bool, error) {
		if err := speaks(ctx, tx, actor, run); err != nil {
			return false, err
		}
		tag, err := tx.Exec(ctx, insert, actor.Org, run, once, actor.ID, words, o.Clock.Now())
		return tag.RowsAffected() > 0, err
	})
}

// give writes an order down and leaves word for the workflow. more adds rows of
// its own, and may say that all of it was there already.
func (o *Orders) give(ctx context.Context, actor identity.Actor, run string, w order, allow func(Run, casefile.Case) error,
	more ...func(pgx.Tx) (fresh bool, err error)) (r Run, err error) {
	if err := CheckRunID(run); err != nil {
		return r, err
	}
	err = o.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select from gavel.run where id = $1 for update`, run); err != nil { // orders queue up
			return err
		}
		if r, err = getRun(ctx, tx, run); err != nil {
			return err
		}
		c, err := casefile.Lock(ctx, tx, casefile.CaseID(r.Case))
		if err != nil {
			return err
		}
		if err := allow(r, c); err != nil {
			return err
		}
		for _, add := range more {
			if fresh, err := add(tx); err != nil || !fresh {
				return err
			}
		}
		if w.N, err = o.enter(ctx, tx, actor, r, c, Do(w.Do)); err != nil {
			return err
		}
		return o.signal(ctx, tx, r, c, w)
	})
	return r, err
}

// enter adds the order's row, its record and an entry in the case's history,
// and returns its number.
func (o *Orders) enter(ctx context.Context, tx pgx.Tx, actor identity.Actor, r Run, c casefile.Case, do Do) (n int, err error) {
	now := o.Clock.Now()
	if err := tx.QueryRow(ctx, `select coalesce(max(n), 0) + 1 from gavel.run_order where run_id = $1`, r.ID).Scan(&n); err != nil {
		return 0, err
	}
	record, err := audit.Append(ctx, tx, audit.Record{At: now, Kind: OrderRecord, App: r.App, Actor: actor, Subject: r.ID, Body: struct {
		Case string `json:"case"`
		Do   Do     `json:"do"`
		N    int    `json:"n"`
	}{r.Case, do, n}})
	if err != nil {
		return 0, err
	}
	const insert = `insert into gavel.run_order (org, run_id, n, do_what, actor_id, at, record) values ($1, $2, $3, $4, $5, $6, $7)`
	if _, err := tx.Exec(ctx, insert, actor.Org, r.ID, n, string(do), actor.ID, now, string(record)); err != nil {
		return 0, fmt.Errorf("order %d about %s: %w", n, r.ID, err)
	}
	if do == say {
		return n, nil // a conversation is in the transcript, not on the note sheet
	}
	_, _, err = casefile.Apply(ctx, tx, c.ID, casefile.Change{Key: "order:" + r.ID + ":" + strconv.Itoa(n), WaitingFor: c.WaitingFor,
		Entry: casefile.Entry{Kind: "run_" + string(do), At: now, ActorKind: actor.Kind, ActorID: actor.ID, ActorName: actor.Name,
			Text: r.Agent + " " + r.ID}})
	return n, err
}

// signal leaves word for the workflow that the run is part of. Where that is the
// case's own, it is begun anew should its last run have come to a bad end.
func (o *Orders) signal(ctx context.Context, tx pgx.Tx, r Run, c casefile.Case, w order) error {
	input, err := json.Marshal(w)
	if err != nil {
		return err
	}
	s := outbox.Signal{Name: OrderSignal, Input: input}
	id, again, err := o.Cases.Wake(c)
	if err != nil {
		return err
	}
	if id == r.Workflow {
		s.Start = again
	}
	return outbox.AddSignal(ctx, tx, c.Org, r.Workflow, s)
}

// withdraw takes back the open proposals of a run that is given up, so that
// nobody decides what will not be done, and the run need not wait for them.
func (o *Orders) withdraw(ctx context.Context, org identity.Org, r Run) error {
	one := []Run{r}
	err := o.DB.InOrg(ctx, org, func(tx pgx.Tx) error { return addWaiting(ctx, tx, one, true) })
	if err != nil {
		return fmt.Errorf("open proposals of %s: %w", r.ID, err)
	}
	for _, w := range one[0].Waiting {
		if _, err := o.Reviews.Withdraw(ctx, identity.Gavel(org), w.Proposal, review.Withdrawn); err != nil {
			return err
		}
	}
	return nil
}
