// Package casework is what follows from what about gate passes: making one and asking for its approval, deciding, letting
// people out and in, taking a pass back, drawing photos, and waiting for what is due.
//
// Read Desk.Make, then decide.go: a pass is approved by the decision on its proposal, in one transaction with it. Desk.Scan
// is one transaction of PostgreSQL: no model and no workflow stands in the way of who stands at a gate.
package casework

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Config is what a Desk stands on.
type Config struct {
	Store   *store.Store
	Cases   *casefile.Store
	Reviews *review.Store
	Vault   *seal.Vault // nil: no photo is taken, and so nobody is let out but by a supervisor's word
}

// A Desk is where passes are made, decided, scanned and taken back. It is opened once.
type Desk struct {
	store   *store.Store
	cases   *casefile.Store
	reviews *review.Store
	vault   *seal.Vault
}

// Open tells a desk what it stands on.
func (d *Desk) Open(c Config) {
	*d = Desk{store: c.Store, cases: c.Cases, reviews: c.Reviews, vault: c.Vault}
}

// As is somebody in the one role in which they act on passes.
func As(who identity.Actor, role pass.Role) pass.Actor {
	return pass.Actor{ID: who.ID, Name: nameOf(who), Role: role, Supervisor: role == pass.Gate && who.Has(identity.GateSupervisor)}
}

func nameOf(who identity.Actor) string {
	if who.Name == "" {
		return who.ID
	}
	return who.Name
}

// via is by which door somebody came.
func via(who identity.Actor, role pass.Role) pass.Via {
	switch {
	case who.Way == identity.ByTools || who.Way == identity.ByAgent:
		return pass.Agent
	case role == pass.Gate:
		return pass.AtGate
	}
	return pass.Console
}

// rules are those of an organisation.
func rules(s store.Setup) pass.Rules {
	return pass.Rules{Grace: time.Duration(s.GraceMins) * time.Minute}
}

// Rules are what an organisation has set for passes.
func (d *Desk) Rules(ctx context.Context, org identity.Org) (r pass.Rules, err error) {
	err = d.store.In(ctx, org, func(tx pgx.Tx) error {
		s, err := store.SetupIn(ctx, tx, org)
		r = rules(s)
		return err
	})
	return r, err
}

// An Ask is something that somebody wants done to a pass.
type Ask struct {
	Event   pass.Event
	Name    string // as an older client sends it
	Version int    // that they have read; zero where they did not say
	Reason  string
	Force   bool

	ValidFrom, ValidUntil, ExpectedReturnAt time.Time
}

func (a Ask) request(by pass.Actor, door pass.Via, now time.Time) pass.Request {
	return pass.Request{Event: a.Event, By: by, At: now, Via: door, Name: a.Name, Version: a.Version, Reason: a.Reason,
		ValidFrom:  a.ValidFrom,
		ValidUntil: a.ValidUntil, ExpectedReturnAt: a.ExpectedReturnAt, Force: a.Force}
}

// notThere is a pass that nobody finds, in the words of the rule.
func notThere(e pass.Event, err error) error {
	if fault.Is(err, fault.NotFound) {
		return &pass.Refusal{Code: pass.NotFound, Event: e, Status: 404}
	}
	return err
}

// Change deletes, extends or makes returnable what somebody may change.
func (d *Desk) Change(ctx context.Context, who identity.Actor, ref store.Ref, a Ask) (k store.Kept, err error) {
	if err := d.store.May(who, store.ActChange); err != nil {
		return k, err
	}
	if who.Way == identity.ByAgent && who.Leave() == "" {
		return k, fault.New(fault.Refused, "an agent asks in your name, and you did not confirm it")
	}
	if k, err = d.store.Get(ctx, who.Org, ref); err != nil {
		return k, notThere(a.Event, err)
	}
	proposal := k.Proposal
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		if a.Event == pass.Delete && k.Status == pass.Pending && !k.Deleted() { // the proposal is locked before the pass
			if err := d.reviews.WithdrawIn(ctx, tx, who.Org, proposal); err != nil {
				return err
			}
		}
		k, err = d.apply(ctx, tx, who, store.Ref{ID: k.ID}, a.request(As(who, pass.Admin), via(who, pass.Admin), d.store.Now()), "")
		return err
	})
	return k, err
}

// apply brings an event about in a transaction, and wakes the pass's clock.
func (d *Desk) apply(ctx context.Context, tx pgx.Tx, who identity.Actor, ref store.Ref, q pass.Request, decision string) (store.Kept,
	error) {
	k, err := store.Hold(ctx, tx, ref)
	if err != nil {
		return k, notThere(q.Event, err)
	}
	setup, err := store.SetupIn(ctx, tx, who.Org)
	if err != nil {
		return k, err
	}
	changed, err := rules(setup).Apply(k.Pass, q)
	if err != nil {
		return k, err
	}
	k.Pass, k.Answers = changed.Pass, append(slices.Clone(k.Answers), decision)
	if err := store.Save(ctx, tx, who.Org, store.Step{Change: changed, By: who, Decision: decision}); err != nil {
		return k, err
	}
	return k, d.rouse(ctx, tx, who.Org, k)
}

// rouse has the clock of a pass look at it again.
func (d *Desk) rouse(ctx context.Context, tx pgx.Tx, org identity.Org, k store.Kept) error {
	return d.cases.Rouse(ctx, tx, casefile.Case{ID: casefile.CaseID(k.Case), Org: org, App: store.Name, Key: string(k.Number)})
}

// refused reports whether an error is a refusal of the rule's.
func refused(err error) bool {
	_, is := errors.AsType[*pass.Refusal](err)
	return is
}
