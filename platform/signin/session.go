package signin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// How long a sign-in lasts, on the installation's clock. Roles are asked for
// again at each sign-in, so the first is also how long a role that was taken
// away at the office can linger.
const (
	SessionLife = 12 * time.Hour
	SessionIdle = 2 * time.Hour // of a browser; a terminal that stands is no danger to passers-by

	SessionKept = 30 * 24 * time.Hour // how long an ended one can be looked up

	seenEvery = 5 * time.Minute // how exactly we know when a session was last used
)

// The kinds of session, which are the ways of an actor.
const (
	browserKind  = "browser"
	terminalKind = "terminal"
	shiftKind    = "shift"
	toolsKind    = "tools"
)

// A Session is one sign-in of a person, as it was found.
type Session struct {
	ID     string
	Kind   string
	Actor  identity.Actor
	Held   []identity.Role // the person's own roles; Actor has another while they look as one
	Orgs   []identity.Org  // the same sign-in is good for these
	Device string          // the device's name, where a guard came in on one
	Label  string          // what a terminal called itself
	EndsAt time.Time

	credential credential
}

var sessionEnded = fault.New(fault.SignIn, "this sign-in has ended").WithNext("sign in again").Because("session_ended")

// signIn lets in somebody the office has vouched for: they get a row behind the
// wall of each of their organisations, all under one secret, and never learn of
// one another. The credential is for the first of them.
func (s *Store) signIn(ctx context.Context, p proof) (credential, []identity.Org, error) {
	secret := newSecret()
	orgs := make([]identity.Org, len(p.members))
	for i, m := range p.members {
		orgs[i] = m.Org
	}
	for _, m := range p.members {
		err := s.db.InOrg(ctx, m.Org, func(tx pgx.Tx) error { return s.admit(ctx, tx, p, m, secret, orgs) })
		if err != nil {
			return credential{}, nil, fmt.Errorf("sign in to %s: %w", m.Org, err)
		}
	}
	return credential{org: orgs[0], secret: secret}, orgs, nil
}

// admit makes the session in one organisation.
func (s *Store) admit(ctx context.Context, tx pgx.Tx, p proof, m membership, secret string, orgs []identity.Org) error {
	at := s.now()
	person, err := meet(ctx, tx, m.Org, p, m.Roles, at)
	if err != nil {
		return err
	}
	n := newSession{kind: browserKind, person: person, roles: m.Roles, orgs: orgs, ends: at.Add(SessionLife)}
	id, err := n.insert(ctx, tx, m.Org, secret, at)
	if err != nil {
		return err
	}
	if slices.Contains(m.Roles, identity.OrgAdmin) {
		const first = `insert into gavel_sys.administered (org, since) values ($1, $2) on conflict do nothing`
		if _, err := tx.Exec(ctx, first, m.Org, at); err != nil {
			return fmt.Errorf("note an administrator: %w", err)
		}
	}
	const tidy = `delete from gavel.session where person = $1 and ends_at < $2`
	if _, err := tx.Exec(ctx, tidy, person, at.Add(-SessionKept)); err != nil {
		return fmt.Errorf("forget old sessions: %w", err)
	}
	who := identity.Actor{Kind: identity.Person, ID: person, Org: m.Org}
	return onRecord(ctx, tx, RecordSignIn, who, at, id, event{Event: "began", How: "office", Roles: roleNames(m.Roles)})
}

// A newSession is what a session is made from.
type newSession struct {
	kind, person  string
	roles         []identity.Role
	orgs          []identity.Org
	device, label string
	parent        string // of tools: the sign-in they were begun in
	ends          time.Time
}

func (n newSession) insert(ctx context.Context, tx pgx.Tx, org identity.Org, secret string, at time.Time) (string, error) {
	return n.insertDigest(ctx, tx, org, digest(sessionSecret, secret), at)
}

func (n newSession) insertDigest(ctx context.Context, tx pgx.Tx, org identity.Org, sum []byte, at time.Time) (string, error) {
	const insert = `
		insert into gavel.session (org, id, secret_sha256, kind, person, roles, orgs, device, label, began_at, seen_at, ends_at, parent)
		values ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), $9, $10, $10, $11, nullif($12, ''))`
	id := newID("ses_", at)
	_, err := tx.Exec(ctx, insert, org, id, sum, n.kind, n.person, roleNames(n.roles), n.orgs, n.device, n.label, at, n.ends, n.parent)
	if err != nil {
		return "", fmt.Errorf("begin a session: %w", err)
	}
	return id, nil
}

type sessionRow struct {
	ID, Kind, Person, Name string
	Roles, Orgs            []string
	Device, Label, Viewing string
	SeenAt, EndsAt         time.Time
}

// lasting are the sessions of an organisation, $1, that last at a moment, $2. A
// browser that was not used since $3 has been left alone too long.
const lasting = `
	from gavel.session s join gavel.person p on p.org = s.org and p.id = s.person
		left join gavel.device d on d.org = s.org and d.id = s.device
	where s.org = $1 and s.ended_at is null and s.ends_at > $2
		and (s.kind in ('terminal', 'tools') or s.seen_at > $3) and p.erased_at is null and d.revoked_at is null`

// find is the session a credential belongs to, while it lasts. It also notes
// that it is being used, every few minutes.
func (s *Store) find(ctx context.Context, c credential) (found Session, err error) {
	at := s.now()
	err = s.db.InOrg(ctx, c.org, func(tx pgx.Tx) error {
		const live = `
			select s.id, s.kind, s.person, p.name, s.roles, s.orgs, coalesce(d.name, ''), s.label, s.viewing, s.seen_at,
			s.ends_at` + lasting + `
				and s.secret_sha256 = $4`
		rows, _ := tx.Query(ctx, live, c.org, at, at.Add(-SessionIdle), digest(sessionSecret, c.secret))
		row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[sessionRow])
		if errors.Is(err, pgx.ErrNoRows) {
			return sessionEnded
		}
		if err != nil {
			return fmt.Errorf("look up a session: %w", err)
		}
		found = row.session(c)
		if at.Sub(row.SeenAt) < seenEvery {
			return nil
		}
		_, err = tx.Exec(ctx, `update gavel.session set seen_at = $2 where id = $1`, row.ID, at)
		return err
	})
	return found, err
}

// still says whether a session lasts, as it was found. That is no use of it: a
// page that only stands open does not keep itself signed in.
func (s *Store) still(ctx context.Context, was Session) error {
	at := s.now()
	return s.db.InOrg(ctx, was.Actor.Org, func(tx pgx.Tx) error {
		var viewing string
		err := tx.QueryRow(ctx, `select s.viewing`+lasting+` and s.id = $4`, was.Actor.Org, at, at.Add(-SessionIdle), was.ID).Scan(&viewing)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && viewing != string(was.Actor.Viewing) {
			return sessionEnded
		}
		return err
	})
}

func (r sessionRow) session(c credential) Session {
	held := rolesOf(r.Roles)
	actor := identity.Actor{Kind: identity.Person, ID: r.Person, Name: r.Name, Org: c.org, Roles: held, Session: r.ID,
		Way: identity.Way(r.Kind)}
	if r.Viewing != "" {
		actor.Viewing = identity.Role(r.Viewing)
		actor.Roles = []identity.Role{actor.Viewing}
	}
	s := Session{ID: r.ID, Kind: r.Kind, Actor: actor, Held: held, Device: r.Device, Label: r.Label, EndsAt: r.EndsAt, credential: c}
	for _, org := range r.Orgs {
		s.Orgs = append(s.Orgs, identity.Org(org))
	}
	return s
}

// end signs out: in every organisation the sign-in was good for, and with it the
// tools that were begun in it.
func (s *Store) end(ctx context.Context, found Session) error {
	if found.Actor.Viewing != "" {
		if err := s.viewAs(ctx, found, ""); err != nil { // its end is on record, too
			return err
		}
	}
	at := s.now()
	orgs := found.Orgs
	if !slices.Contains(orgs, found.credential.org) {
		orgs = append(orgs, found.credential.org)
	}
	for _, org := range orgs {
		err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
			const end = `
				update gavel.session s set ended_at = $3 from gavel.session own
				where own.org = $1 and own.secret_sha256 = $2 and s.org = own.org and (s.id = own.id or s.parent = own.id)
				and s.ended_at is null`
			_, err := tx.Exec(ctx, end, org, digest(sessionSecret, found.credential.secret), at)
			return err
		})
		if err != nil {
			return fmt.Errorf("sign out of %s: %w", org, err)
		}
	}
	return nil
}

// move is the same sign-in in another organisation it is good for.
func (s *Store) move(ctx context.Context, from Session, to identity.Org) (credential, error) {
	if !slices.Contains(from.Orgs, to) {
		return credential{}, fault.New(fault.Refused, "your account has no role in %.40q", to).Because("no_role_there", "org", string(to))
	}
	c := credential{org: to, secret: from.credential.secret}
	_, err := s.find(ctx, c)
	return c, err
}

// viewAs lets an administrator look as another role does, or, with no role,
// cease to. Both are on record. Only reading is allowed meanwhile.
func (s *Store) viewAs(ctx context.Context, from Session, role identity.Role) error {
	if from.Kind != browserKind {
		return fault.New(fault.Refused, "another role is looked through in a browser only").Because("browser_only")
	}
	if role != "" {
		if err := s.rules.May(from.Actor, "view_as"); err != nil {
			return err
		}
		if _, err := identity.ParseRole(string(role)); err != nil {
			return err
		}
	}
	if role == from.Actor.Viewing {
		return nil
	}
	at := s.now()
	body := event{Event: "began", Role: string(role)}
	if role == "" {
		body = event{Event: "ended", Role: string(from.Actor.Viewing)}
	}
	return s.db.InOrg(ctx, from.Actor.Org, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update gavel.session set viewing = $2 where id = $1 and ended_at is null`, from.ID, role)
		if err != nil {
			return fmt.Errorf("look as another role: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return sessionEnded
		}
		return onRecord(ctx, tx, RecordViewAs, from.Actor, at, from.ID, body)
	})
}
