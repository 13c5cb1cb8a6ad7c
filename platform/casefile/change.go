package casefile

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Change is one step in a case's life: an entry and what the case is after
// it. Doing it again with the same key does nothing.
type Change struct {
	Key        string // unique within the case
	Entry      Entry  // its Seq is given by the change
	State      State  // empty keeps what is there
	Status     string // empty keeps what is there
	WaitingFor string // always replaces what is there

	Subjects []seal.Subject // whom the entry says something about: erasing one of them blanks it
}

// Apply makes a change to a case in the caller's transaction and returns the
// case as it is after it. A change whose key is there already, or to a closed
// case, makes none; done says which. The caller holds the case's row, with
// Lock, so that two who apply the same change do it once.
//
// A case that a person wants closed stays so until it is closed: a step that was
// under way when they said so adds its entry, and takes nothing back.
func Apply(ctx context.Context, tx pgx.Tx, id CaseID, ch Change) (c Case, done bool, err error) {
	const update = `
		update gavel.case set version = version + 1, state = coalesce(nullif($3, ''), state),
			status = case when status = '` + StatusClosing + `' and $3 <> 'closed' then status else coalesce(nullif($4, ''), status) end,
			waiting_for = case when status = '` + StatusClosing + `' and $3 <> 'closed' then waiting_for else $5 end,
			closed_at = case when $3 = 'closed' then $6::timestamptz end
		where id = $1 and state <> 'closed'
			and not exists (select from gavel.case_entry where case_id = $1 and key = $2)
		returning ` + caseColumns
	rows, _ := tx.Query(ctx, update, id, ch.Key, ch.State, ch.Status, ch.WaitingFor, ch.Entry.At)
	changed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Case])
	if err != nil || len(changed) == 0 {
		return Case{}, false, err
	}
	return changed[0], true, insertEntry(ctx, tx, changed[0], ch.Key, ch.Entry, ch.Subjects)
}

// Note adds a note to a case that is not closed. A repeat by the same actor with
// the same once and text adds nothing; an empty once makes every call its own.
// about is whom the note says something about, beside whom the case is about.
func (s *Store) Note(ctx context.Context, actor identity.Actor, id CaseID, once, text string, about ...seal.Subject) error {
	if err := s.rules.May(actor, "case.note"); err != nil {
		return err
	}
	text, err := checkText("the note", text, maxText)
	if err != nil {
		return err
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		c, err := Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if c.State == Closed {
			return fault.New(fault.Conflict, "case %s is closed; nothing more can be added", c.Ref).Because("case_closed", "ref", c.Ref)
		}
		_, _, err = Apply(ctx, tx, id, Change{
			Key: noteKey(actor, once, text), Entry: s.entryBy(actor, "note", text), WaitingFor: c.WaitingFor, Subjects: about,
		})
		return err
	})
}

func noteKey(actor identity.Actor, once, text string) string {
	if once == "" {
		return "note:" + rand.Text()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", actor.ID, once, text))
	return "note:" + hex.EncodeToString(sum[:16])
}

// Close asks for a case to be closed. It is durable here and now; the case's
// workflow carries it out, within a moment when the engine is up. version is
// the one the person had before them: if the case has changed since, nothing is
// done.
func (s *Store) Close(ctx context.Context, actor identity.Actor, id CaseID, version int64, reason string) error {
	if err := s.rules.May(actor, "case.close"); err != nil {
		return err
	}
	reason, err := checkText("the reason", reason, maxReason)
	if err != nil {
		return err
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		c, err := Lock(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case c.State == Closed:
			return fault.New(fault.Conflict, "case %s is closed already", c.Ref).Because("case_closed_already", "ref", c.Ref)
		case !s.ByHand(c):
			return fault.New(fault.Conflict, "case %s ends by the rules of %s, and is not closed by hand", c.Ref, c.App).
				WithNext("decide what is asked in it").Because("case_by_rules", "ref", c.Ref)
		case c.Status == StatusClosing:
			return fault.New(fault.Conflict, "case %s is being closed already", c.Ref).Because("case_closing", "ref", c.Ref)
		case c.Version != version:
			return fault.New(fault.Stale, "case %s is now at version %d, not %d; nothing was done", c.Ref, c.Version, version).
				WithNext("read the case again, then close it").Because("case_changed", "ref", c.Ref)
		}
		entry := s.entryBy(actor, "close_asked", reason)
		if _, _, err := Apply(ctx, tx, id, Change{Key: "close_asked", Entry: entry, Status: StatusClosing,
			WaitingFor: "the engine"}); err != nil {
			return err
		}
		return s.signalClose(ctx, tx, c)
	})
}

// ByHand reports whether people close a case by hand.
func (s *Store) ByHand(c Case) bool { return !s.kinds[c.App].OwnEnd }

func (s *Store) signalClose(ctx context.Context, tx pgx.Tx, c Case) error {
	input, err := json.Marshal(CloseSignal{Case: c.ID})
	if err != nil {
		return err
	}
	start, err := s.start(c)
	if err != nil {
		return err
	}
	return outbox.AddSignal(ctx, tx, c.Org, workflowID(c), outbox.Signal{Name: CloseSignalName, Input: input, Start: start})
}

// Lock reads a case and keeps others from changing it until the transaction
// ends. It keeps nobody from adding what only refers to the case: who proposes in
// a turn holds the organisation's number by then, for which somebody may wait who
// has the case locked. Of proposal, act, case and number it is taken in that
// order.
func Lock(ctx context.Context, tx pgx.Tx, id CaseID) (Case, error) {
	const one = `select ` + caseColumns + ` from gavel.case where id = $1 for no key update`
	rows, _ := tx.Query(ctx, one, id)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Case])
	if err == nil && len(found) == 0 {
		err = noSuchCase(string(id))
	}
	if err != nil {
		return Case{}, err
	}
	return found[0], nil
}

func (s *Store) entryBy(a identity.Actor, kind, text string) Entry {
	return Entry{Kind: kind, At: s.clock.Now(), ActorKind: a.Kind, ActorID: a.ID, ActorName: a.Name, Text: text}
}

// entryOf is an entry Gavel itself makes at a workflow's time, so that a
// repeated step writes the same bytes.
func entryOf(org identity.Org, kind, text string, at time.Time) Entry {
	g := identity.Gavel(org)
	return Entry{Kind: kind, At: at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name, Text: text}
}
