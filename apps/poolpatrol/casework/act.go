package casework

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// perform does what a step asks for: in its transaction what is ours, and the rest
// is left as something to do.
func (s *step) perform(ctx context.Context, a lifecycle.Action) error {
	switch a.Kind {
	case lifecycle.UpsertCase, lifecycle.CloseCase: // saved with the step
		return nil
	case lifecycle.Recheck: // the next pass looks at every van with an open case
		return nil
	case lifecycle.SendMail:
		return s.write(ctx, a)
	case lifecycle.RemoveRider:
		return s.removeRider(ctx, a.Employee)
	case lifecycle.StoreException:
		return s.storeException(ctx, a)
	case lifecycle.WithdrawAsks:
		if err := s.drop(ctx, lifecycle.SaveDraft); err != nil { // words for a reply that is no longer the last
			return err
		}
		return s.leave(ctx, a)
	case lifecycle.SaveDraft, lifecycle.AskPerson, lifecycle.AskCancel, lifecycle.StartReAudit:
		return s.leave(ctx, a)
	}
	return fault.New(fault.Internal, "nobody knows how to %s", a.Kind)
}

// leave writes down what is to be done after the transaction.
func (s *step) leave(ctx context.Context, a lifecycle.Action) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	const insert = `insert into poolpatrol.case_todo (org, case_id, key, n, action)
		select $1, $2, $3, coalesce(max(n), 0) + 1, $4 from poolpatrol.case_todo where case_id = $2 on conflict do nothing`
	_, err = s.tx.Exec(ctx, insert, s.file.Org, s.file.ID, a.Key, text)
	return err
}

// drop takes back what was left to be done of a kind: nobody needs it any more.
func (s *step) drop(ctx context.Context, kind lifecycle.ActionKind) error {
	_, err := s.tx.Exec(ctx, `update poolpatrol.case_todo set done_at = $3 where case_id = $1 and action->>'kind' = $2
		and done_at is null`, s.file.ID, kind, s.at)
	return err
}

// removeRider takes somebody off the roster. They keep their row: when they left,
// and by which case.
func (s *step) removeRider(ctx context.Context, who fleet.EmployeeID) error {
	const update = `update poolpatrol.rider set removed_on = $3::date, removed_case_id = $4 where vanpool_id = $1 and employee_id = $2
		and removed_on is null`
	tag, err := s.tx.Exec(ctx, update, s.life.Vanpool, who, s.today().String(), s.file.ID)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.New(fault.Conflict, "%s is not in %s any more", who, s.life.Vanpool)
	}
	if err == nil {
		err = s.recordRemoval(ctx)
	}
	if err != nil {
		return err
	}
	return s.tellCoordinator(ctx, who)
}

// recordRemoval puts on record that a seat of the van was taken away, for the webhooks of
// vendor and payroll: no name and no number of anybody's, for these are read with a token.
func (s *step) recordRemoval(ctx context.Context) error {
	_, err := log.Append(ctx, s.tx, log.Record{At: s.at, Kind: log.Removal, App: programme.Name, Actor: identity.Gavel(s.file.Org),
		Subject: string(s.life.Vanpool), Body: map[string]any{"case": s.file.ID, "effective_on": s.today().String()}})
	return err
}

// today is the day it is at the van's site.
func (s *step) today() fleet.Date { return fleet.DateAt(s.at, s.rules.Zone) }

func (s *step) storeException(ctx context.Context, a lifecycle.Action) error {
	e := a.Exception
	const insert = `insert into poolpatrol.exception (org, id, subject, check_name, until_day, reason, granted_by, granted_at, case_id)
		values ($1, $2, $3, $4, $5::date, $6, $7, $8, $9) on conflict do nothing`
	for range store.Tries {
		tag, err := s.tx.Exec(ctx, insert, s.file.Org, store.NewID("EXC"), e.Subject, e.Check, e.Until.String(), e.Reason, e.By, s.at,
			s.file.ID)
		if err != nil {
			return fmt.Errorf("store an exception: %w", err)
		}
		if tag.RowsAffected() == 1 {
			return nil
		}
	}
	return fault.New(fault.Unavailable, "no free id was found for an exception")
}
