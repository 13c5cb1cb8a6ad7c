package casework

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// Decide approves or rejects a pass: it is a decision on the pass's proposal, whichever door it comes through.
func (d *Desk) Decide(ctx context.Context, who identity.Actor, ref store.Ref, a Ask) (store.Kept, error) {
	if err := d.store.May(who, store.ActDecide); err != nil {
		return store.Kept{}, err
	}
	k, err := d.mayDecide(ctx, who, ref, a)
	if err != nil {
		return k, err
	}
	p, err := d.reviews.Get(ctx, who, k.Proposal)
	if err != nil {
		return k, err
	}
	decision, err := answer(k, p, a)
	if err != nil {
		return k, err
	}
	if _, err := d.reviews.Decide(ctx, who, decision); err != nil {
		if _, again := d.mayDecide(ctx, who, ref, a); refused(again) {
			return k, again // somebody decided at the same moment: the rule says it in the API's words
		}
		return k, err
	}
	return d.store.Get(ctx, who.Org, store.Ref{ID: k.ID})
}

// mayDecide reads a pass and asks the rule whether this may be done to it now.
func (d *Desk) mayDecide(ctx context.Context, who identity.Actor, ref store.Ref, a Ask) (store.Kept, error) {
	k, err := d.store.Get(ctx, who.Org, ref)
	if err != nil {
		return k, notThere(a.Event, err)
	}
	r, err := d.Rules(ctx, who.Org)
	if err != nil {
		return k, err
	}
	_, err = r.Apply(k.Pass, a.request(As(who, pass.Admin), via(who, pass.Admin), d.store.Now()))
	return k, err
}

// answer is what somebody says to a pass's proposal. Other times are an edit of what was asked.
func answer(k store.Kept, p review.Proposal, a Ask) (review.Decision, error) {
	out := review.Decision{ID: "gp-" + rand.Text(), Proposal: p.ID, ShownSHA256: p.ShownSHA256, Verdict: review.Approve,
		Reason: strings.TrimSpace(a.Reason)}
	if a.Event == pass.Reject {
		out.Verdict = review.Reject
		if out.Reason == "" {
			out.Reason = pass.NotGiven
		}
		return out, nil
	}
	if a.ValidFrom.IsZero() && a.ValidUntil.IsZero() && a.ExpectedReturnAt.IsZero() {
		return out, nil
	}
	var args Approval
	if err := json.Unmarshal(p.Args, &args); err != nil {
		return out, fault.From(fault.Internal, err, "what was asked about %s cannot be read", k.Number)
	}
	for _, t := range []struct{ now, then *time.Time }{{&args.ValidFrom, &a.ValidFrom}, {&args.ValidUntil, &a.ValidUntil},
		{&args.ExpectedReturnAt, &a.ExpectedReturnAt}} {
		if !t.then.IsZero() {
			*t.now = t.then.UTC().Truncate(time.Microsecond)
		}
	}
	edit, err := json.Marshal(args)
	out.Verdict, out.Edit = review.Edit, edit
	return out, err
}

// Proposals are the kinds of proposal of the application.
func (d *Desk) Proposals() []review.Kind {
	return []review.Kind{{Name: store.ApproveKind, Check: checkApproval, Foresee: d.foresee, Then: d.follow},
		d.settleKind(), d.recallKind()}
}

// checkApproval reads edited times. What pass it is about, and which version of it, stays.
func checkApproval(p review.Proposal, text json.RawMessage) (json.RawMessage, error) {
	var was, now Approval
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	if err := json.Unmarshal(p.Args, &was); err != nil {
		return nil, fault.From(fault.Conflict, err, "what was asked cannot be read any more")
	}
	if err := read.Decode(&now); err != nil {
		return nil, fault.From(fault.Invalid, err, "these are no times of a pass")
	}
	if now.Number != was.Number || now.Version != was.Version {
		return nil, fault.New(fault.Invalid, "only the times of a pass are edited")
	}
	return json.Marshal(now)
}

// foresee says why a pass could not be approved now.
func (d *Desk) foresee(ctx context.Context, tx pgx.Tx, p review.Proposal, by identity.Actor, at time.Time) error {
	k, q, err := d.meant(ctx, tx, p, review.Ruled{Decision: review.Decision{Verdict: review.Approve}, By: by, Args: p.Args, At: at})
	if err != nil {
		return err
	}
	setup, err := store.SetupIn(ctx, tx, p.Org)
	if err != nil {
		return err
	}
	q.By.StandsIn = nil // by whose leave is review's to say
	_, err = rules(setup).Apply(k.Pass, q)
	return err
}

// follow brings about what was decided, in the decision's own transaction.
func (d *Desk) follow(ctx context.Context, tx pgx.Tx, p review.Proposal, r review.Ruled) error {
	k, q, err := d.meant(ctx, tx, p, r)
	if err != nil {
		return err
	}
	setup, err := store.SetupIn(ctx, tx, p.Org)
	if err != nil {
		return err
	}
	changed, err := rules(setup).Apply(k.Pass, q)
	if err != nil {
		return err
	}
	return store.Save(ctx, tx, p.Org, store.Step{Change: changed, By: r.By, Decision: r.Decision.ID})
}

// meant is the pass that a proposal is about, held, and the event that a decision on it is.
func (d *Desk) meant(ctx context.Context, tx pgx.Tx, p review.Proposal, r review.Ruled) (store.Kept, pass.Request, error) {
	var args Approval
	if err := json.Unmarshal(r.Args, &args); err != nil {
		return store.Kept{}, pass.Request{}, fault.From(fault.Internal, err, "what was asked cannot be read")
	}
	k, err := store.Hold(ctx, tx, store.Ref{Number: args.Number})
	if err == nil && k.Proposal != p.ID {
		err = fault.New(fault.Conflict, "%s is not what pass %s waits for", p.ID, k.Number)
	}
	by := As(r.By, pass.Admin)
	if r.InStead.ID != "" {
		by.StandsIn = &pass.Delegation{For: r.InStead.From, ForName: r.InStead.FromName, To: r.InStead.To, From: r.InStead.StartsAt,
			Until: r.InStead.EndsAt}
	}
	q := pass.Request{Event: pass.Approve, By: by, At: r.At, Via: via(r.By, pass.Admin), Version: args.Version, Reason: r.Decision.Reason}
	if r.Decision.Verdict == review.Reject {
		q.Event = pass.Reject
		return k, q, err
	}
	q.ValidFrom, q.ExpectedReturnAt = other(args.ValidFrom, k.ValidFrom), other(args.ExpectedReturnAt, k.ExpectedReturnAt)
	q.ValidUntil = other(args.ValidUntil, k.ValidUntil)
	return k, q, err
}

// other is a time that is not the one there is; zero where it is.
func other(t, was time.Time) time.Time {
	if t.Equal(was) {
		return time.Time{}
	}
	return t
}
