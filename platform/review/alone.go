package review

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// Propose proposes something in a transaction of its own, for who has no turn to
// do it in. Who made the thing is added by the proposal's kind; a gate that nobody
// who may decide could open is refused. Where it names no workflow that waits for
// it, the platform's own does. The same key again is the proposal that is there.
func (s *Store) Propose(ctx context.Context, p Proposal) (Proposal, error) {
	alone := p.Wake.WorkflowID == ""
	if alone {
		var err error
		if p.Wake, err = ownWake(p, s.clock); err != nil {
			return Proposal{}, err
		}
	}
	err := s.db.InOrg(ctx, p.Org, func(tx pgx.Tx) error {
		makers, err := s.MakersOf(ctx, tx, p)
		if err != nil {
			return err
		}
		p.Makers = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Makers, makers))))
		if err := s.CheckGate(ctx, tx, p); err != nil {
			return err
		}
		var b pgx.Batch
		if err := ProposeLater(&b, &p); err != nil {
			return err
		}
		if err := tx.SendBatch(ctx, &b).Close(); err != nil || !alone || p.State != Open {
			return err
		}
		return outbox.AddStart(ctx, tx, p.Org, p.Wake.WorkflowID, p.Wake.Start)
	})
	if err != nil {
		return Proposal{}, fmt.Errorf("propose %.60s: %w", p.Key, err)
	}
	return p, nil
}

// Ask proposes something of an application's own, to which no agent's call and no act led, in the caller's transaction: the log says
// who asked people for what, so that a case's file can be held against it. Whether the gate can be opened was checked before
// (CheckGate).
func Ask(ctx context.Context, tx pgx.Tx, by identity.Actor, p *Proposal) error {
	var b pgx.Batch
	if err := ProposeLater(&b, p); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	_, err := audit.Append(ctx, tx, audit.Record{At: p.CreatedAt, Kind: KindProposal, App: p.App, Actor: by, Subject: p.Case,
		Body: answer{Act: p.ActKey(), ArgsSHA256: p.ArgsSHA256, Proposal: p.ID, ShownSHA256: p.ShownSHA256, State: Open}})
	return err
}

// ownWake is the platform's own wait for a proposal.
func ownWake(p Proposal, clock durable.Clock) (Wake, error) {
	input, err := json.Marshal(Input{Org: p.Org, Key: p.Key, Clock: clock})
	return Wake{WorkflowID: Queue + "/" + string(p.Org) + "/proposal:" + p.Key,
		Start: outbox.Start{Workflow: WorkflowName, Queue: Queue, Subject: p.Key, Input: input}}, err
}

// CheckGate refuses, while it opens, a gate that nobody could come through: one
// assigned to somebody who may not decide it or cannot open all that it shows, or
// that no deciding role could open. Who proposes in a turn of their own calls it
// before ProposeLater.
func (s *Store) CheckGate(ctx context.Context, tx pgx.Tx, p Proposal) error {
	switch {
	case p.Gate == ByOneself:
		return nil // whether they come is theirs to say
	case p.AssignedTo != "":
		return s.checkAssignee(ctx, tx, locked{Proposal: p}, p.AssignedTo, p.CreatedAt)
	}
	var why error
	for _, role := range p.Deciders {
		if why = s.checkOpen(ctx, identity.Actor{Kind: identity.Person, ID: string(role), Org: p.Org, Roles: []identity.Role{role}},
			p); why == nil {
			return nil
		}
	}
	if why == nil {
		why = fault.New(fault.Invalid, "proposal %.60s: nobody decides it", p.Key)
	}
	return why
}
