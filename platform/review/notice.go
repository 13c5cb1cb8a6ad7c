package review

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// A Notice is something a person, or everybody in a role, should be told. Its
// row is what a page shows and what mail is made from.
type Notice struct {
	Org      identity.Org
	Key      string // unique in the organisation: the same one twice is one
	To       string // "person:<id>" or "role:<role>"
	Kind     NoticeKind
	Proposal string // empty where it is about none
	Case     string
	At       time.Time
}

// A NoticeKind is what a notice is about.
type NoticeKind string

// The kinds of notice.
const (
	NoticeReminder   NoticeKind = "reminder"   // it is still waiting
	NoticeEscalation NoticeKind = "escalation" // it now waits for you, too
	NoticeAssigned   NoticeKind = "assigned"   // to you
	NoticeDelegated  NoticeKind = "delegated"  // somebody lets you decide in their stead
	NoticeExpired    NoticeKind = "expired"    // what was asked for in your name was not decided in time
)

func toPerson(id string) string { return "person:" + id }

func toRole(r identity.Role) string { return "role:" + string(r) }

// tell leaves a notice, once for its key.
func (s *Store) tell(ctx context.Context, tx pgx.Tx, n Notice) error {
	const insert = `insert into gavel.notice (org, key, recipient, kind, proposal, case_id, at) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict do nothing`
	tag, err := tx.Exec(ctx, insert, n.Org, n.Key, n.To, n.Kind, n.Proposal, n.Case, n.At)
	if err != nil || tag.RowsAffected() == 0 || s.notify == nil {
		return err
	}
	return s.notify(ctx, tx, n)
}

// tellAbout tells those for whom a proposal waits: the one it is assigned to or
// who confirms it, or else everybody in some roles.
func (s *Store) tellAbout(ctx context.Context, tx pgx.Tx, p Proposal, kind NoticeKind, roles []identity.Role, at time.Time) error {
	var to []string
	switch {
	case p.Gate == ByOneself:
		to = []string{toPerson(p.OnBehalfOf)}
	case p.AssignedTo != "":
		to = []string{toPerson(p.AssignedTo)}
	default:
		for _, r := range roles {
			to = append(to, toRole(r))
		}
	}
	for _, whom := range to {
		n := Notice{Org: p.Org, Key: strings.Join([]string{string(kind), p.ID, whom}, "/"), To: whom, Kind: kind, Proposal: p.ID,
			Case: p.Case, At: at}
		if err := s.tell(ctx, tx, n); err != nil {
			return err
		}
	}
	return nil
}

// Notices reads what an actor should have been told since a moment, by name or by
// role, the newest first; at most 200.
func (s *Store) Notices(ctx context.Context, actor identity.Actor, since time.Time) (list []Notice, err error) {
	if err := s.rules.May(actor, actInbox); err != nil {
		return nil, err
	}
	to := []string{toPerson(actor.ID)}
	for _, r := range actor.Roles {
		to = append(to, toRole(r))
	}
	const all = `select org, key, recipient, kind, proposal, case_id, at from gavel.notice
		where org = $1 and recipient = any ($2) and at >= $3 order by at desc, key limit 200`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, actor.Org, to, since)
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Notice])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", err)
	}
	return list, nil
}
