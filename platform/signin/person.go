package signin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// LocalIssuer vouches for guards who have no office account: a supervisor
// wrote them down here.
const LocalIssuer = "local"

// mostPeople is how many people one list shows; organisations have hundreds.
const mostPeople = 2000

// A Person is somebody as one organisation knows them.
type Person struct {
	ID          string
	Name, Email string
	Roles       []identity.Role // as of the last sign-in; none once they were taken away
	Local       bool            // without an office account
	FirstSeenAt time.Time
	LastSeenAt  time.Time // the last sign-in
	ErasedAt    *time.Time
}

// Actor is the person as they would act, under the roles of their last sign-in.
func (p Person) Actor(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: p.ID, Name: p.Name, Org: org, Roles: p.Roles}
}

type personRow struct {
	ID, Issuer, Name, Email string
	Roles                   []string
	FirstSeenAt, LastSeenAt time.Time
	ErasedAt                *time.Time
}

func (r personRow) person() Person {
	return Person{ID: r.ID, Name: r.Name, Email: r.Email, Roles: rolesOf(r.Roles), Local: r.Issuer == LocalIssuer,
		FirstSeenAt: r.FirstSeenAt, LastSeenAt: r.LastSeenAt, ErasedAt: r.ErasedAt}
}

const personColumns = `id, issuer, name, email, roles, first_seen_at, last_seen_at, erased_at`

// People lists who has ever signed in to the actor's organisation, by name.
func (s *Store) People(ctx context.Context, actor identity.Actor) (all []Person, err error) {
	if err := s.rules.May(actor, "person.read"); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		const list = `select ` + personColumns + ` from gavel.person where erased_at is null order by name, id limit $1`
		rows, _ := tx.Query(ctx, list, mostPeople)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[personRow])
		for _, r := range found {
			all = append(all, r.person())
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	return all, nil
}

// Lookup finds a person of an organisation by id, for work that goes on while
// they are away: whom to remind, who may be asked. It asks for no permission.
func (s *Store) Lookup(ctx context.Context, org identity.Org, id string) (p Person, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		p, err = personByID(ctx, tx, id)
		return err
	})
	return p, err
}

func personByID(ctx context.Context, tx pgx.Tx, id string) (Person, error) {
	rows, _ := tx.Query(ctx, `select `+personColumns+` from gavel.person where id = $1 and erased_at is null`, id)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[personRow])
	if err != nil {
		return Person{}, fmt.Errorf("look up a person: %w", err)
	}
	if len(found) == 0 {
		return Person{}, fault.New(fault.NotFound, "nobody here has the id %.60s", id).Because("no_person", "id", id)
	}
	return found[0].person(), nil
}

// meet writes down that somebody signed in, and gives them an id the first time.
func meet(ctx context.Context, tx pgx.Tx, org identity.Org, p proof, roles []identity.Role, at time.Time) (id string, err error) {
	const upsert = `
		insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
		on conflict on constraint person_once do update
			set name = excluded.name, email = excluded.email, roles = excluded.roles, last_seen_at = excluded.last_seen_at
		returning id`
	err = tx.QueryRow(ctx, upsert, org, newID("p_", at), p.issuer, p.subject, p.name, p.email, roleNames(roles), at).Scan(&id)
	if err != nil {
		return "", fmt.Errorf("write down who signed in: %w", err)
	}
	return id, nil
}

// EndSessions ends every sign-in of a person at once, for when a role was taken
// away at the office and must not last until their session ends by itself. Until
// the office vouches for them again they hold no role, so that nobody decides in
// their stead meanwhile. A guard without an office account stays one.
func (s *Store) EndSessions(ctx context.Context, actor identity.Actor, person string) (ended int, err error) {
	if err := s.rules.May(actor, "person.change"); err != nil {
		return 0, err
	}
	at := s.now()
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		p, err := personByID(ctx, tx, person)
		if err != nil {
			return err
		}
		if ended, err = endAll(ctx, tx, p.ID, at); err != nil {
			return err
		}
		const none = `update gavel.person set roles = '{}' where id = $1 and issuer <> $2 and roles <> '{}'`
		tag, err := tx.Exec(ctx, none, p.ID, LocalIssuer)
		if err != nil || ended == 0 && tag.RowsAffected() == 0 {
			return err
		}
		return onRecord(ctx, tx, RecordSignIn, actor, at, p.ID, event{Event: "ended"})
	})
	return ended, err
}

// leave writes down, in every organisation that the office gives somebody no role
// in any more, that they have none there: what hangs on a role of theirs, such as a
// delegation, ends with it. What they are elsewhere was known here once, so their
// sessions there end, too. It looks behind one wall at a time.
func (s *Store) leave(ctx context.Context, p proof) error {
	var all []identity.Org
	err := s.db.InNone(ctx, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, `select org from gavel_sys.organisation order by org`)
		all, err = pgx.CollectRows(rows, pgx.RowTo[identity.Org])
		return err
	})
	if err != nil {
		return fmt.Errorf("list organisations: %w", err)
	}
	for _, org := range all {
		if slices.ContainsFunc(p.members, func(m membership) bool { return m.Org == org }) {
			continue
		}
		if err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error { return s.leaveOne(ctx, tx, org, p) }); err != nil {
			return fmt.Errorf("take back roles in %s: %w", org, err)
		}
	}
	return nil
}

func (s *Store) leaveOne(ctx context.Context, tx pgx.Tx, org identity.Org, p proof) error {
	const none = `update gavel.person set roles = '{}' where org = $1 and issuer = $2 and subject = $3 and roles <> '{}' returning id`
	var id string
	err := tx.QueryRow(ctx, none, org, p.issuer, p.subject).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	at := s.now()
	if _, err := endAll(ctx, tx, id, at); err != nil {
		return err
	}
	who := identity.Actor{Kind: identity.Person, ID: id, Org: org}
	return onRecord(ctx, tx, RecordSignIn, who, at, id, event{Event: "ended", How: "office"})
}

func endAll(ctx context.Context, tx pgx.Tx, person string, at time.Time) (int, error) {
	tag, err := tx.Exec(ctx, `update gavel.session set ended_at = $2 where person = $1 and ended_at is null`, person, at)
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// Eraser blanks what is known about a member of staff: name, address, who they
// are at their office. Their sessions and shifts end. Whoever signs in again
// afterwards is somebody new.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "signin", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		if s.Type != casefile.Staff {
			return seal.Reach{}, nil
		}
		const blank = `update gavel.person set name = '', email = '', roles = '{}', subject = 'erased:' || id, erased_at = $2
			where id = $1 and erased_at is null`
		tag, err := tx.Exec(ctx, blank, s.ID, at)
		if err != nil || tag.RowsAffected() == 0 {
			return seal.Reach{}, err
		}
		if _, err := endAll(ctx, tx, s.ID, at); err != nil {
			return seal.Reach{}, err
		}
		if _, err := tx.Exec(ctx, `update gavel.shift set ended_at = $2 where person = $1 and ended_at is null`, s.ID, at); err != nil {
			return seal.Reach{}, fmt.Errorf("end shifts: %w", err)
		}
		return seal.Reach{Rows: 1}, nil
	}}
}
