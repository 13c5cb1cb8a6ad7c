package review

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
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
	maxDelegations    = 50  // in force or to come, of one giver
	maxLeaves         = 200 // and to one person: none of them is ever left out
	maxOnce           = 120 // bytes
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
	Once     string // the giver's own name for it, up to 120 characters: asked for twice it is one; may be empty
}

// Delegate lets somebody of the same organisation decide in the actor's stead.
// It counts at once, or from its date. The same Once again is the delegation that
// is there. Faults: NotFound for who is not known here; Invalid for dates, roles
// and scopes that make no sense; Conflict where Once is another's, or the giver or
// the receiver has too many.
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
		if there, err := roomFor(ctx, tx, &d, in.Once); err != nil || there {
			return err
		}
		return s.writeDelegation(ctx, tx, actor, &d, in.Once)
	})
	if postgres.Violates(err, "delegation_once") {
		err = otherName() // to somebody else, at this very moment
	}
	if err != nil {
		return Delegation{}, fmt.Errorf("delegate to %.60s: %w", in.To, err)
	}
	return d, nil
}

func otherName() error {
	return fault.New(fault.Conflict, "you gave another delegation under the same name").WithNext("send it under a name of its own")
}

func (in Delegating) draft(actor identity.Actor, now time.Time) (Delegation, error) {
	d := Delegation{ID: "del_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String(), Org: actor.Org, From: actor.ID,
		FromName: actor.Name, To: in.To,
		Roles: in.Roles, App: in.App, Kind: in.Kind, StartsAt: in.StartsAt.UTC().Truncate(time.Microsecond), EndsAt: in.EndsAt.UTC().
			Truncate(time.Microsecond),
		Reason: strings.TrimSpace(in.Reason), MadeAt: now}
	if len(d.Roles) == 0 {
		d.Roles = actor.Roles
	}
	if in.StartsAt.IsZero() || d.StartsAt.Before(now) {
		d.StartsAt = now
	}
	switch {
	case d.To == "" || len(d.To) > maxActor:
		return d, fault.New(fault.Invalid, "say to whom you delegate").Because("name_missing")
	case d.To == d.From:
		return d, fault.New(fault.Invalid, "nobody delegates to themselves").Because("delegate_self")
	case slices.ContainsFunc(d.Roles, func(r identity.Role) bool { return !actor.Has(r) }):
		return d, fault.New(fault.Refused, "you hold no role %s, and cannot delegate what is delegated to you",
			strings.Join(texts(d.Roles), ", ")).Because("delegate_no_role", "roles", strings.Join(texts(d.Roles), ","))
	case len(d.Roles) == 0 || len(d.Roles) > maxDeciders:
		return d, fault.New(fault.Invalid, "1 to %d roles are delegated, not %d", maxDeciders, len(d.Roles)).
			Because("delegate_roles", "n", strconv.Itoa(maxDeciders))
	case d.App != "" && !appForm.MatchString(d.App) || d.Kind != "" && !kindForm.MatchString(d.Kind):
		return d, fault.New(fault.Invalid, "no application is called %.40q, or no kind %.40q", d.App, d.Kind)
	case !d.EndsAt.After(d.StartsAt):
		return d, fault.New(fault.Invalid, "a delegation ends after it begins").Because("delegate_ends")
	case d.EndsAt.Sub(d.StartsAt) > LongestDelegation:
		return d, fault.New(fault.Invalid, "a delegation lasts a year at most").WithNext("give it an earlier end").Because("delegate_year")
	case len(in.Once) > maxOnce || !utf8.ValidString(in.Once) || strings.ContainsRune(in.Once, 0):
		return d, fault.New(fault.Invalid, "a name for a delegation has over %d bytes, or one that cannot be stored", maxOnce)
	case utf8.RuneCountInString(d.Reason) > maxReason || !utf8.ValidString(d.Reason) || strings.ContainsRune(d.Reason, 0):
		return d, fault.New(fault.Invalid, "the reason has over %d characters, or one that cannot be stored", maxReason).
			Because("text_too_long", "n", strconv.Itoa(maxReason))
	}
	return d, nil
}

// find is a person of the organisation.
func (s *Store) find(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
	if s.person == nil {
		return identity.Actor{}, fault.New(fault.Conflict,
			"this installation keeps no list of people; nothing can be assigned or delegated").Because("not_set_up")
	}
	who, err := s.person(ctx, tx, org, id)
	if err == nil && (who.Kind != identity.Person || who.Org != org || who.ID != id) {
		err = fault.New(fault.NotFound, "nobody in your organisation is called %.60q", id).Because("no_person", "id", id)
	}
	return who, err
}

// roomFor refuses one delegation too many, of its giver or to its receiver; or
// finds that it is there already, by the giver's name for it. Delegations to one
// person are made one after the other.
func roomFor(ctx context.Context, tx pgx.Tx, d *Delegation, once string) (there bool, err error) {
	const turn = `select pg_advisory_xact_lock(hashtextextended('gavel.delegation ' || $1 || ' ' || $2, 0))`
	const same = `select ` + delegationColumns + ` from gavel.delegation where org = $1 and from_id = $2 and once = $3 and $3 <> ''`
	const count = `select count(*) filter (where from_id = $2), count(*) filter (where to_id = $4) from gavel.delegation
		where org = $1 and (from_id = $2 or to_id = $4) and ended_at is null and ends_at > $3`
	var found []Delegation
	var given, had int
	var b pgx.Batch
	b.Queue(turn, string(d.Org), d.To)
	b.Queue(same, string(d.Org), d.From, once).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, scanDelegation)
		return err
	})
	b.Queue(count, string(d.Org), d.From, d.MadeAt, d.To).QueryRow(func(row pgx.Row) error { return row.Scan(&given, &had) })
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return false, err
	}
	switch {
	case len(found) == 1 && found[0].says(*d):
		*d = found[0]
		return true, nil
	case len(found) == 1:
		return false, otherName()
	case given >= maxDelegations:
		return false, fault.New(fault.Conflict, "you have %d delegations already", given).WithNext("end one of them first").
			Because("delegations_many", "n", strconv.Itoa(given))
	case had >= maxLeaves:
		return false, fault.New(fault.Conflict, "%d delegations to %s are in force or to come already", had, d.ToName).
			WithNext("choose somebody else").Because("delegations_to_many", "n", strconv.Itoa(had), "name", d.ToName)
	}
	return false, nil
}

// says reports whether two delegations of one giver say the same. One that begins
// at once begins whenever it is asked for.
func (d Delegation) says(o Delegation) bool {
	atOnce := d.StartsAt.Equal(d.MadeAt) && o.StartsAt.Equal(o.MadeAt)
	return d.To == o.To && d.App == o.App && d.Kind == o.Kind && d.Reason == o.Reason && d.EndsAt.Equal(o.EndsAt) &&
		(atOnce || d.StartsAt.Equal(o.StartsAt)) && slices.Equal(d.Roles, o.Roles)
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
	return audit.Record{At: at, Kind: KindDelegation, Actor: actor, Subject: d.ID, Body: given{App: d.App, Kind: d.Kind, From: d.From,
		To:    d.To,
		Roles: d.Roles, Starts: d.StartsAt.Format(time.RFC3339Nano), Ends: d.EndsAt.Format(time.RFC3339Nano), Step: step}}
}

func (s *Store) writeDelegation(ctx context.Context, tx pgx.Tx, actor identity.Actor, d *Delegation, once string) error {
	const insert = `
		insert into gavel.delegation (org, id, from_id, from_name, to_id, to_name, roles, app, kind, starts_at, ends_at, reason, made_at,
		record_id, once)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`
	var b pgx.Batch
	id, err := audit.AppendLater(&b, d.record(actor, "made", d.MadeAt))
	if err != nil {
		return err
	}
	d.Record = string(id)
	b.Queue(insert, string(d.Org), d.ID, d.From, d.FromName, d.To, d.ToName, texts(d.Roles), d.App, d.Kind, d.StartsAt, d.EndsAt, d.Reason,
		d.MadeAt, d.Record, once)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	return s.tell(ctx, tx, Notice{Org: d.Org, Key: "delegated/" + d.ID, To: toPerson(d.To), Kind: NoticeDelegated, At: d.MadeAt})
}

const delegationColumns = `id, org, from_id, from_name, to_id, to_name, roles, app, kind, starts_at, ends_at, reason, made_at, record_id, ended_at, coalesce(ended_by, '')`

func scanDelegation(row pgx.CollectableRow) (d Delegation, err error) {
	err = row.Scan(&d.ID, &d.Org, &d.From, &d.FromName, &d.To, &d.ToName, &d.Roles, &d.App, &d.Kind, &d.StartsAt, &d.EndsAt, &d.Reason,
		&d.MadeAt, &d.Record,
		&d.EndedAt, &d.EndedBy)
	d.StartsAt, d.EndsAt, d.MadeAt = d.StartsAt.UTC(), d.EndsAt.UTC(), d.MadeAt.UTC()
	return d, err
}

// There are at most maxLeaves.
const delegationsInForce = `select ` + delegationColumns + ` from gavel.delegation
	where org = $1 and to_id = $2 and ended_at is null and starts_at <= $3 and ends_at > $3 order by starts_at, id`

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

// EndDelegation ends a delegation before its time: by who gave it, who has it, or
// somebody who changes who has which role. It counts for every decision from then
// on and undoes none. Ending it again changes nothing.
func (s *Store) EndDelegation(ctx context.Context, actor identity.Actor, id string) (d Delegation, err error) {
	if err := s.rules.May(actor, actDelegate); err != nil && s.rules.May(actor, actPeople) != nil {
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
			if err := s.rules.May(actor, actPeople); err != nil {
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
		err = fault.New(fault.NotFound, "no delegation is called %.60q", id).Because("nothing_called", "id", id)
	}
	if err != nil {
		return Delegation{}, fmt.Errorf("end delegation: %w", err)
	}
	return d, nil
}
