package review

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// KindDelegation is the kind of a record about a delegation: made, or ended
// before its time.
const KindDelegation audit.Kind = "delegation"

// A Delegation lets one person decide in another's stead: what that one may
// decide by their own right, for a time, and perhaps only of one application or
// kind. It is never passed on, covers no confirmation, and gives nobody a second
// voice. It can be ended early, which undoes nothing that was decided.
type Delegation struct {
	ID               string // "del_" and a ULID
	Org              identity.Org
	From, FromName   string // who delegates
	To, ToName       string
	Roles            []identity.Role // of the giver, when it was made
	App, Kind        string          // empty for all
	StartsAt, EndsAt time.Time
	Reason           string
	MadeAt           time.Time
	Record           string
	EndedAt          *time.Time // before its time
	EndedBy          string     // actor id
}

// InForce reports whether it counts at a moment.
func (d Delegation) InForce(at time.Time) bool {
	return d.EndedAt == nil && !at.Before(d.StartsAt) && at.Before(d.EndsAt)
}

// covers reports whether the giver could decide a proposal, by what the
// delegation says of them.
func (d Delegation) covers(p Proposal) bool {
	return p.Gate == ByAnother && (d.App == "" || d.App == p.App) && (d.Kind == "" || d.Kind == p.Kind) &&
		slices.ContainsFunc(d.Roles, func(r identity.Role) bool { return slices.Contains(p.Deciders, r) }) && !p.barred(d.From)
}

// Bounds of delegations.
const (
	LongestDelegation = 366 * 24 * time.Hour
	maxDelegations    = 50 // in force or to come, of one giver
)

// A Delegating asks for a delegation of one's own right.
type Delegating struct {
	To       string          // actor id
	Roles    []identity.Role // of those one holds; empty for all
	App      string          // empty for all
	Kind     string          // empty for all
	StartsAt time.Time       // zero for now
	EndsAt   time.Time
	Reason   string
}

// Delegate lets somebody of the same organisation decide in the actor's stead.
// It counts at once, or from its date. Faults: NotFound for who is not known
// here; Invalid for dates, roles and scopes that make no sense.
func (s *Store) Delegate(ctx context.Context, actor identity.Actor, in Delegating) (Delegation, error) {
	if err := s.rules.May(actor, actDelegate); err != nil {
		return Delegation{}, err
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	d, err := in.draft(actor, now)
	if err != nil {
		return Delegation{}, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		to, err := s.find(ctx, tx, actor.Org, in.To)
		if err != nil {
			return err
		}
		d.ToName = to.Name
		if err := roomFor(ctx, tx, d); err != nil {
			return err
		}
		return s.writeDelegation(ctx, tx, actor, &d)
	})
	if err != nil {
		return Delegation{}, fmt.Errorf("delegate to %.60s: %w", in.To, err)
	}
	return d, nil
}

func (in Delegating) draft(actor identity.Actor, now time.Time) (Delegation, error) {
	d := Delegation{ID: "del_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String(), Org: actor.Org, From: actor.ID, FromName: actor.Name, To: in.To,
		Roles: in.Roles, App: in.App, Kind: in.Kind, StartsAt: in.StartsAt.UTC().Truncate(time.Microsecond), EndsAt: in.EndsAt.UTC().Truncate(time.Microsecond),
		Reason: strings.TrimSpace(in.Reason), MadeAt: now}
	if len(d.Roles) == 0 {
		d.Roles = actor.Roles
	}
	if in.StartsAt.IsZero() || d.StartsAt.Before(now) {
		d.StartsAt = now
	}
	switch {
	case d.To == "" || len(d.To) > maxActor:
		return d, fault.New(fault.Invalid, "say to whom you delegate")
	case d.To == d.From:
		return d, fault.New(fault.Invalid, "nobody delegates to themselves")
	case slices.ContainsFunc(d.Roles, func(r identity.Role) bool { return !actor.Has(r) }):
		return d, fault.New(fault.Refused, "you hold no role %s, and cannot delegate what is delegated to you", strings.Join(texts(d.Roles), ", "))
	case len(d.Roles) == 0 || len(d.Roles) > maxDeciders:
		return d, fault.New(fault.Invalid, "1 to %d roles are delegated, not %d", maxDeciders, len(d.Roles))
	case d.App != "" && !appForm.MatchString(d.App) || d.Kind != "" && !kindForm.MatchString(d.Kind):
		return d, fault.New(fault.Invalid, "no application is called %.40q, or no kind %.40q", d.App, d.Kind)
	case !d.EndsAt.After(d.StartsAt):
		return d, fault.New(fault.Invalid, "a delegation ends after it begins")
	case d.EndsAt.Sub(d.StartsAt) > LongestDelegation:
		return d, fault.New(fault.Invalid, "a delegation lasts a year at most").WithNext("give it an earlier end")
	case utf8.RuneCountInString(d.Reason) > maxReason || !utf8.ValidString(d.Reason) || strings.ContainsRune(d.Reason, 0):
		return d, fault.New(fault.Invalid, "the reason has over %d characters, or one that cannot be stored", maxReason)
	}
	return d, nil
}

// find is a person of the organisation.
func (s *Store) find(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
	if s.person == nil {
		return identity.Actor{}, fault.New(fault.Conflict, "this installation keeps no list of people; nothing can be assigned or delegated")
	}
	who, err := s.person(ctx, tx, org, id)
	if err == nil && (who.Kind != identity.Person || who.Org != org || who.ID != id) {
		err = fault.New(fault.NotFound, "nobody in your organisation is called %.60q", id)
	}
	return who, err
}

func roomFor(ctx context.Context, tx pgx.Tx, d Delegation) error {
	const count = `select count(*) from gavel.delegation where org = $1 and from_id = $2 and ended_at is null and ends_at > $3`
	var n int
	if err := tx.QueryRow(ctx, count, d.Org, d.From, d.MadeAt).Scan(&n); err != nil {
		return err
	}
	if n >= maxDelegations {
		return fault.New(fault.Conflict, "you have %d delegations already", n).WithNext("end one of them first")
	}
	return nil
}

// A given is what the log says of a delegation. Ids only: the reason is a word.
type given struct {
	App    string          `json:"app"`
	Ends   string          `json:"ends"`
	From   string          `json:"from"`
	Kind   string          `json:"kind"`
	Roles  []identity.Role `json:"roles"`
	Starts string          `json:"starts"`
	Step   string          `json:"step"` // made or ended
	To     string          `json:"to"`
}

func (d Delegation) record(actor identity.Actor, step string, at time.Time) audit.Record {
	return audit.Record{At: at, Kind: KindDelegation, Actor: actor, Subject: d.ID, Body: given{App: d.App, Kind: d.Kind, From: d.From, To: d.To,
		Roles: d.Roles, Starts: d.StartsAt.Format(time.RFC3339Nano), Ends: d.EndsAt.Format(time.RFC3339Nano), Step: step}}
}

func (s *Store) writeDelegation(ctx context.Context, tx pgx.Tx, actor identity.Actor, d *Delegation) error {
	const insert = `
		insert into gavel.delegation (org, id, from_id, from_name, to_id, to_name, roles, app, kind, starts_at, ends_at, reason, made_at, record_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
	var b pgx.Batch
	id, err := audit.AppendLater(&b, d.record(actor, "made", d.MadeAt))
	if err != nil {
		return err
	}
	d.Record = string(id)
	b.Queue(insert, string(d.Org), d.ID, d.From, d.FromName, d.To, d.ToName, texts(d.Roles), d.App, d.Kind, d.StartsAt, d.EndsAt, d.Reason, d.MadeAt, d.Record)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	return s.tell(ctx, tx, Notice{Org: d.Org, Key: "delegated/" + d.ID, To: toPerson(d.To), Kind: NoticeDelegated, At: d.MadeAt})
}

const delegationColumns = `id, org, from_id, from_name, to_id, to_name, roles, app, kind, starts_at, ends_at, reason, made_at, record_id, ended_at, coalesce(ended_by, '')`

func scanDelegation(row pgx.CollectableRow) (d Delegation, err error) {
	err = row.Scan(&d.ID, &d.Org, &d.From, &d.FromName, &d.To, &d.ToName, &d.Roles, &d.App, &d.Kind, &d.StartsAt, &d.EndsAt, &d.Reason, &d.MadeAt, &d.Record,
		&d.EndedAt, &d.EndedBy)
	d.StartsAt, d.EndsAt, d.MadeAt = d.StartsAt.UTC(), d.EndsAt.UTC(), d.MadeAt.UTC()
	return d, err
}

const delegationsInForce = `select ` + delegationColumns + ` from gavel.delegation
	where org = $1 and to_id = $2 and ended_at is null and starts_at <= $3 and ends_at > $3 order by starts_at, id limit 200`

// inForce reads what is delegated to a person at a moment, the oldest first.
func inForce(ctx context.Context, tx pgx.Tx, org identity.Org, to string, at time.Time) ([]Delegation, error) {
	rows, _ := tx.Query(ctx, delegationsInForce, org, to, at)
	return pgx.CollectRows(rows, scanDelegation)
}

// lockInForce is inForce, and keeps them from being ended until the transaction
// is over.
func lockInForce(ctx context.Context, tx pgx.Tx, org identity.Org, to string, at time.Time) ([]Delegation, error) {
	rows, _ := tx.Query(ctx, delegationsInForce+` for share`, org, to, at)
	return pgx.CollectRows(rows, scanDelegation)
}

// Delegations reads what a person has delegated and what is delegated to them,
// the newest first. Those of others are for who may see who has which role; an
// empty person means everybody's.
func (s *Store) Delegations(ctx context.Context, actor identity.Actor, person string, over bool) (list []Delegation, err error) {
	if err := s.rules.May(actor, actInbox); err != nil {
		return nil, err
	}
	if person != actor.ID {
		if err := s.rules.May(actor, "person.read"); err != nil {
			return nil, err
		}
	}
	const all = `select ` + delegationColumns + ` from gavel.delegation
		where org = $1 and ($2 = '' or from_id = $2 or to_id = $2) and ($3 or ended_at is null and ends_at > $4) order by made_at desc, id desc limit 200`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, actor.Org, person, over, s.clock.Now())
		list, err = pgx.CollectRows(rows, scanDelegation)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list delegations: %w", err)
	}
	return list, nil
}

// DelegationsOf reads delegations by their ids in the caller's transaction: for
// bundles, which show by whose leave somebody decided.
func DelegationsOf(ctx context.Context, tx pgx.Tx, org identity.Org, ids ...string) ([]Delegation, error) {
	if len(ids) > MaxOfCase {
		return nil, fault.New(fault.TooLarge, "at most %d delegations are read at once", MaxOfCase)
	}
	const all = `select ` + delegationColumns + ` from gavel.delegation where org = $1 and id = any ($2) order by id`
	rows, _ := tx.Query(ctx, all, org, ids)
	return pgx.CollectRows(rows, scanDelegation)
}

// EndDelegation ends a delegation before its time: by who gave it, who has it, or
// somebody who changes who has which role. It counts for every decision from then
// on and undoes none. Ending it again changes nothing.
func (s *Store) EndDelegation(ctx context.Context, actor identity.Actor, id string) (d Delegation, err error) {
	if err := s.rules.May(actor, actDelegate); err != nil {
		return Delegation{}, err
	}
	const one = `select ` + delegationColumns + ` from gavel.delegation where org = $1 and id = $2 for update`
	const end = `update gavel.delegation set ended_at = $3, ended_by = $4 where org = $1 and id = $2`
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, actor.Org, id)
		if d, err = pgx.CollectOneRow(rows, scanDelegation); err != nil || d.EndedAt != nil {
			return err
		}
		if actor.ID != d.From && actor.ID != d.To {
			if err := s.rules.May(actor, "person.change"); err != nil {
				return err
			}
		}
		d.EndedAt, d.EndedBy = &now, actor.ID
		var b pgx.Batch
		b.Queue(end, string(d.Org), d.ID, now, actor.ID)
		if _, err := audit.AppendLater(&b, d.record(actor, "ended", now)); err != nil {
			return err
		}
		return tx.SendBatch(ctx, &b).Close()
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.New(fault.NotFound, "no delegation is called %.60q", id)
	}
	if err != nil {
		return Delegation{}, fmt.Errorf("end delegation: %w", err)
	}
	return d, nil
}
