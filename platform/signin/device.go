package signin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// PairingLife is how long a pairing's code can be typed.
const PairingLife = 10 * time.Minute

const mostPairings = 20 // of an organisation, open at once

// A Device is a shared one at a gate. It is nobody: a guard on it is.
type Device struct {
	Org       identity.Org
	ID        string
	Name      string
	PairedBy  string
	PairedAt  time.Time
	SeenAt    time.Time
	RevokedAt *time.Time
}

// A Pairing is an offer to become a device, and its code as it is typed there.
type Pairing struct {
	Name      string
	Code      string
	ExpiresAt time.Time
}

// MakePairing offers a name to whoever types the code on a device in time. The
// code is shown once.
func (s *Store) MakePairing(ctx context.Context, actor identity.Actor, name string) (p Pairing, err error) {
	if err := s.rules.May(actor, "device.pair"); err != nil {
		return p, err
	}
	if name, err = text("the device's name", name, mostTitle); err != nil {
		return p, err
	}
	at, code := s.typing(), newCode()
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from gavel.pairing where expires_at <= $1 or name = $2`, at, name); err != nil {
			return err
		}
		var open int
		var taken bool
		const count = `select (select count(*) from gavel.pairing),
			exists (select from gavel.device where name = $1 and revoked_at is null)`
		if err := tx.QueryRow(ctx, count, name).Scan(&open, &taken); err != nil {
			return err
		}
		switch {
		case taken:
			return nameTaken(name)
		case open >= mostPairings:
			return fault.New(fault.TooMany, "%d codes are waiting to be typed already", open).Because("codes_many", "n", strconv.Itoa(open))
		}
		const insert = `insert into gavel.pairing (org, code_sha256, name, made_by, made_at, expires_at) values ($1, $2, $3, $4, $5, $6)`
		_, err := tx.Exec(ctx, insert, actor.Org, digest(pairingCode, code), name, actor.ID, at, at.Add(PairingLife))
		return err
	})
	if err != nil {
		return Pairing{}, fmt.Errorf("offer a pairing: %w", err)
	}
	return Pairing{Name: name, Code: string(actor.Org) + "-" + shownCode(code), ExpiresAt: at.Add(PairingLife)}, nil
}

func nameTaken(name string) error {
	return fault.New(fault.Conflict, "a device is called %.60q already", name).WithNext("revoke it first, or choose another name").
		Because("device_there", "name", name)
}

// Pair makes whoever typed a code the device it was made for, once. The text it
// returns lets the device in.
func (s *Store) Pair(ctx context.Context, typed string) (d Device, secret string, err error) {
	org, code, ok := typedPairing(typed)
	unknown := fault.New(fault.Refused, "no device is waiting for this code").
		WithNext("codes last %d minutes and count once; ask for a new one", int(PairingLife.Minutes())).
		Because("no_device_code", "n", strconv.Itoa(int(PairingLife.Minutes())))
	if !ok {
		return d, "", unknown
	}
	at, secret := s.now(), newSecret()
	d = Device{Org: org, ID: newID("dev_", at), PairedAt: at, SeenAt: at}
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		const take = `delete from gavel.pairing where code_sha256 = $1 and expires_at > $2 returning name, made_by`
		err := tx.QueryRow(ctx, take, digest(pairingCode, code), s.typing()).Scan(&d.Name, &d.PairedBy)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknown
		}
		if err != nil {
			return err
		}
		const insert = `insert into gavel.device (org, id, secret_sha256, name, paired_by, paired_at, seen_at)
			values ($1, $2, $3, $4, $5, $6, $6)`
		if _, err := tx.Exec(ctx, insert, org, d.ID, digest(deviceSecret, secret), d.Name, d.PairedBy, at); err != nil {
			return err
		}
		who := identity.Actor{Kind: identity.Person, ID: d.PairedBy, Org: org}
		return onRecord(ctx, tx, RecordDevice, who, at, d.ID, event{Event: "paired"})
	})
	if postgres.Violates(err, "device_name") {
		err = nameTaken(d.Name)
	}
	if err != nil {
		return Device{}, "", fmt.Errorf("pair a device: %w", err)
	}
	return d, devicePrefix + string(org) + "." + secret, nil
}

// Devices lists the devices of the actor's organisation, those in use first.
func (s *Store) Devices(ctx context.Context, actor identity.Actor) (all []Device, err error) {
	if err := s.rules.May(actor, "device.pair"); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		const list = `select org, id, name, paired_by, paired_at, seen_at, revoked_at from gavel.device
			order by revoked_at is not null, name, paired_at desc limit 500`
		rows, _ := tx.Query(ctx, list)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Device])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list devices: %w", err)
	}
	return all, nil
}

// DeviceIn reads a device of an organisation, revoked or not, in a transaction of the
// caller's: what it signed counts until it was revoked.
func DeviceIn(ctx context.Context, tx pgx.Tx, id string) (Device, error) {
	return oneDevice(ctx, tx, `where d.id = $1`, id)
}

// DeviceOf is the device on which a session was begun, in a transaction of the caller's;
// NotFound where that was no shared one.
func DeviceOf(ctx context.Context, tx pgx.Tx, session string) (Device, error) {
	return oneDevice(ctx, tx, `join gavel.session s on s.org = d.org and s.device = d.id where s.id = $1`, session)
}

func oneDevice(ctx context.Context, tx pgx.Tx, which, id string) (Device, error) {
	rows, _ := tx.Query(ctx, `select d.org, d.id, d.name, d.paired_by, d.paired_at, d.seen_at, d.revoked_at from gavel.device d `+which, id)
	d, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Device])
	if errors.Is(err, pgx.ErrNoRows) {
		return d, fault.New(fault.NotFound, "no shared device is known for %.60s", id)
	}
	return d, err
}

// RevokeDevice makes a device a stranger again; a guard on it is signed out.
func (s *Store) RevokeDevice(ctx context.Context, actor identity.Actor, id string) error {
	if err := s.rules.May(actor, "device.pair"); err != nil {
		return err
	}
	at := s.now()
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		const revoke = `update gavel.device set revoked_at = $2, revoked_by = $3 where id = $1 and revoked_at is null`
		tag, err := tx.Exec(ctx, revoke, id, at, actor.ID)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.NotFound, "no device in use has the id %.60s", id).Because("nothing_called", "id", id)
		}
		return onRecord(ctx, tx, RecordDevice, actor, at, id, event{Event: "revoked"})
	})
	if err != nil {
		return fmt.Errorf("revoke a device: %w", err)
	}
	return nil
}

// device is the one a credential belongs to.
func (s *Store) device(ctx context.Context, c credential) (d Device, err error) {
	at := s.now()
	err = s.db.InOrg(ctx, c.org, func(tx pgx.Tx) error {
		const find = `select org, id, name, paired_by, paired_at, seen_at, revoked_at from gavel.device
			where org = $1 and secret_sha256 = $2 and revoked_at is null`
		rows, _ := tx.Query(ctx, find, c.org, digest(deviceSecret, c.secret))
		d, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Device])
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.SignIn, "this device is not paired any more").WithNext("ask an administrator for a new code").
				Because("device_unpaired")
		}
		if err != nil || at.Sub(d.SeenAt) < seenEvery {
			return err
		}
		_, err = tx.Exec(ctx, `update gavel.device set seen_at = $2 where id = $1`, d.ID, at)
		return err
	})
	return d, err
}
