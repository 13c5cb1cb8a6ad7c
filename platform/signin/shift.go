package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Bounds of a shift and of the number that lets its guard in.
const (
	ShiftMost  = 16 * time.Hour
	PINTries   = 5
	PINLocked  = 15 * time.Minute
	mostShifts = 200 // of an organisation, open at once
)

// A Shift is a guard's: until it ends, their number lets them in on any device
// of the organisation.
type Shift struct {
	ID       string
	Person   string
	Name     string // the guard's
	OpenedAt time.Time
	EndsAt   time.Time
	Locked   bool // after too many wrong numbers, for a while
}

// A NewShift is what opening one takes: a guard who is known here by id, or a
// new one by name.
type NewShift struct {
	Person string
	Name   string
	Life   time.Duration // at most ShiftMost
}

// OpenShift opens a guard's shift and returns the number that lets them in. It
// is shown once. A guard has one shift at a time: an older one ends.
func (s *Store) OpenShift(ctx context.Context, actor identity.Actor, n NewShift) (sh Shift, pin string, err error) {
	if err := s.rules.May(actor, "shift.open"); err != nil {
		return sh, "", err
	}
	if n.Life < 10*time.Minute || n.Life > ShiftMost {
		return sh, "", fault.New(fault.Invalid, "a shift lasts between 10 minutes and %d hours", int(ShiftMost.Hours())).
			Because("shift_lasts", "n", strconv.Itoa(int(ShiftMost.Hours())))
	}
	at, pin := s.now(), newPIN()
	hash := hashPIN(pin) // before the transaction: it is slow on purpose
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		guard, err := theGuard(ctx, tx, actor.Org, n, at)
		if err != nil {
			return err
		}
		if err := s.roomForShift(ctx, tx, guard.ID, at); err != nil {
			return err
		}
		sh = Shift{ID: newID("shift_", at), Person: guard.ID, Name: guard.Name, OpenedAt: at, EndsAt: at.Add(n.Life)}
		const insert = `insert into gavel.shift (org, id, person, pin_hash, opened_by, opened_at, ends_at)
			values ($1, $2, $3, $4, $5, $6, $7)`
		if _, err := tx.Exec(ctx, insert, actor.Org, sh.ID, sh.Person, hash, actor.ID, at, sh.EndsAt); err != nil {
			return err
		}
		return onRecord(ctx, tx, RecordShift, actor, at, sh.ID, event{Event: "opened", Person: sh.Person, Until: moment(sh.EndsAt)})
	})
	if postgres.Violates(err, "shift_one") {
		err = fault.New(fault.Conflict, "another shift of theirs was opened at this moment").Because("shift_opened_twice")
	}
	if err != nil {
		return Shift{}, "", fmt.Errorf("open a shift: %w", err)
	}
	return sh, pin, nil
}

// theGuard is who the shift is for: known by id, or written down now. A number of
// six digits lets them in as who they are, so it is given to nobody who is more
// than a guard: whoever opened the shift would know an officer's.
func theGuard(ctx context.Context, tx pgx.Tx, org identity.Org, n NewShift, at time.Time) (Person, error) {
	if n.Person != "" {
		p, err := personByID(ctx, tx, n.Person)
		if err == nil && !p.guard() {
			return Person{}, fault.New(fault.Refused, "only somebody with the role %s, and no other, has shifts", identity.Gate).
				WithNext("the office gives it: %s", group(org, identity.Gate)).Because("shift_whose")
		}
		return p, err
	}
	name, err := text("the guard's name", n.Name, mostName)
	if err != nil {
		return Person{}, err
	}
	who := proof{issuer: LocalIssuer, subject: newID("", at), name: name}
	id, err := meet(ctx, tx, org, who, []identity.Role{identity.Gate}, at)
	return Person{ID: id, Name: name}, err
}

// guard reports whether somebody is a guard and nothing else.
func (p Person) guard() bool { return slices.Equal(p.Roles, []identity.Role{identity.Gate}) }

// roomForShift ends what is over and an earlier shift of the same guard.
func (s *Store) roomForShift(ctx context.Context, tx pgx.Tx, person string, at time.Time) error {
	const end = `update gavel.shift set ended_at = $2 where ended_at is null and (person = $1 or ends_at <= $2)`
	if _, err := tx.Exec(ctx, end, person, at); err != nil {
		return err
	}
	var open int
	if err := tx.QueryRow(ctx, `select count(*) from gavel.shift where ended_at is null`).Scan(&open); err != nil {
		return err
	}
	if open >= mostShifts {
		return fault.New(fault.TooMany, "%d shifts are open already", open).Because("shifts_many", "n", strconv.Itoa(open))
	}
	return endShiftSessions(ctx, tx, person, at)
}

func endShiftSessions(ctx context.Context, tx pgx.Tx, person string, at time.Time) error {
	_, err := tx.Exec(ctx, `update gavel.session set ended_at = $2 where person = $1 and kind = 'shift' and ended_at is null`, person, at)
	return err
}

// EndShift ends a shift before its time; the guard is signed out everywhere.
func (s *Store) EndShift(ctx context.Context, actor identity.Actor, id string) error {
	if err := s.rules.May(actor, "shift.open"); err != nil {
		return err
	}
	at := s.now()
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var person string
		const end = `update gavel.shift set ended_at = $2 where id = $1 and ended_at is null returning person`
		err := tx.QueryRow(ctx, end, id, at).Scan(&person)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.NotFound, "no open shift has the id %.60s", id).Because("nothing_called", "id", id)
		}
		if err != nil {
			return err
		}
		if err := endShiftSessions(ctx, tx, person, at); err != nil {
			return err
		}
		return onRecord(ctx, tx, RecordShift, actor, at, id, event{Event: "ended", Person: person})
	})
	if err != nil {
		return fmt.Errorf("end a shift: %w", err)
	}
	return nil
}

// Shifts lists the open shifts of the actor's organisation, by the guard's name.
func (s *Store) Shifts(ctx context.Context, actor identity.Actor) ([]Shift, error) {
	if err := s.rules.May(actor, "shift.open"); err != nil {
		return nil, err
	}
	return s.openShifts(ctx, actor.Org)
}

func (s *Store) openShifts(ctx context.Context, org identity.Org) (all []Shift, err error) {
	at := s.now()
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		const list = `
			select s.id, s.person, p.name, s.opened_at, s.ends_at, coalesce(s.locked_until > $1, false)
			from gavel.shift s join gavel.person p on p.org = s.org and p.id = s.person
			where s.ended_at is null and s.ends_at > $1 order by p.name, s.id limit $2`
		rows, _ := tx.Query(ctx, list, at, mostShifts)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Shift])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list shifts: %w", err)
	}
	return all, nil
}

// guards lists those who can be given a shift, by name.
func (s *Store) guards(ctx context.Context, org identity.Org) (all []Person, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		const list = `select ` + personColumns + ` from gavel.person where erased_at is null and roles = '{gate}' order by name, id
			limit $1`
		rows, _ := tx.Query(ctx, list, mostPeople)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[personRow])
		for _, r := range found {
			all = append(all, r.person())
		}
		return err
	})
	return all, err
}

// enter lets a guard in on a device by the number of their shift. A wrong number
// is counted before anything is answered, and five in a row lock the shift: who
// tries numbers gets nowhere, and the lock is on record.
func (s *Store) enter(ctx context.Context, d Device, shift, pin string) (c credential, err error) {
	at := s.now()
	c = credential{org: d.Org, secret: newSecret()}
	var refusal error
	err = s.db.InOrg(ctx, d.Org, func(tx pgx.Tx) error {
		var row attempt
		const lock = `select s.id, s.person, s.pin_hash, s.ends_at, s.wrong, s.locked_until from gavel.shift s
			where s.id = $1 and s.ended_at is null and s.ends_at > $2 for update`
		rows, _ := tx.Query(ctx, lock, shift, at)
		row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[attempt])
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fault.New(fault.Refused, "this shift is over").WithNext("ask your supervisor to open one").Because("shift_over")
		case err != nil:
			return err
		case row.LockedUntil != nil && row.LockedUntil.After(at):
			return fault.New(fault.TooMany, "too many wrong numbers: this shift is locked for a while").
				WithNext("ask your supervisor to open a new one, or wait").Because("shift_locked")
		}
		if !matchesPIN(row.Hash, pin) {
			refusal, err = row.wrong(ctx, tx, d, at)
			return err
		}
		if _, err := tx.Exec(ctx, `update gavel.shift set wrong = 0, locked_until = null where id = $1`, row.ID); err != nil {
			return err
		}
		return row.admit(ctx, tx, d, c, at)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return credential{}, fmt.Errorf("begin a shift: %w", err)
	}
	return c, nil
}

// An attempt is a shift while a number is tried.
type attempt struct {
	ID, Person, Hash string
	EndsAt           time.Time
	Wrong            int
	LockedUntil      *time.Time
}

// wrong counts a wrong number. It is an answer and no error: the count must be
// committed.
func (a attempt) wrong(ctx context.Context, tx pgx.Tx, d Device, at time.Time) (refusal, err error) {
	wrong, locked := a.Wrong+1, (*time.Time)(nil)
	refusal = fault.New(fault.Refused, "that is not the number of this shift").WithNext("%d tries are left", PINTries-wrong).
		Because("shift_number", "n", strconv.Itoa(PINTries-wrong))
	if wrong >= PINTries {
		until := at.Add(PINLocked)
		wrong, locked = 0, &until
		refusal = fault.New(fault.TooMany, "too many wrong numbers: this shift is locked for %d minutes", int(PINLocked.Minutes())).
			Because("shift_locked")
		who := identity.Actor{Kind: identity.Machine, ID: "device:" + d.ID, Org: d.Org}
		if err := onRecord(ctx, tx, audit.Refusal, who, at, a.ID, event{Event: "locked", Person: a.Person, Device: d.ID,
			Until: moment(until)}); err != nil {
			return nil, err
		}
	}
	_, err = tx.Exec(ctx, `update gavel.shift set wrong = $2, locked_until = $3 where id = $1`, a.ID, wrong, locked)
	return refusal, err
}

// admit makes the guard's session, which ends with the shift.
func (a attempt) admit(ctx context.Context, tx pgx.Tx, d Device, c credential, at time.Time) error {
	n := newSession{kind: shiftKind, person: a.Person, roles: []identity.Role{identity.Gate}, orgs: []identity.Org{d.Org},
		device: d.ID, ends: a.EndsAt}
	id, err := n.insert(ctx, tx, d.Org, c.secret, at)
	if err != nil {
		return err
	}
	who := identity.Actor{Kind: identity.Person, ID: a.Person, Org: d.Org}
	return onRecord(ctx, tx, RecordSignIn, who, at, id, event{Event: "began", How: "shift", Device: d.ID,
		Roles: []string{string(identity.Gate)}})
}

// newPIN is six digits: short enough for gloves, and five tries among a million.
func newPIN() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // the reader is documented never to fail
	}
	return fmt.Sprintf("%06d", n)
}
