package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
)

// An Office is where notices to a state go.
type Office struct {
	State    string
	Name     string
	Mailbox  string
	Language string
	SetBy    string
	SetAt    time.Time
}

const officeColumns = `state, name, mailbox, language, set_by, set_at`

// recordOffice is the kind of the records of offices in the log.
const recordOffice log.Kind = "airshed_office"

// Offices lists where notices go.
func (s *Store) Offices(ctx context.Context, actor identity.Actor) (all []Office, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = OfficesIn(ctx, tx)
		return err
	})
	return all, err
}

// OfficesIn are the offices that are known.
func OfficesIn(ctx context.Context, tx pgx.Tx) ([]Office, error) {
	rows, _ := tx.Query(ctx, `select `+officeColumns+` from airshed.office order by state`)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Office])
}

// OfficeOf is the office of a state; nil where none is known.
func OfficeOf(ctx context.Context, tx pgx.Tx, state string) (*Office, error) {
	rows, _ := tx.Query(ctx, `select `+officeColumns+` from airshed.office where state = $1`, state)
	return oneOrNone[Office](rows)
}

func (o Office) check() error {
	for what, text := range map[string]string{"state": o.State, "name of the office": o.Name} {
		if strings.TrimSpace(text) != text || text == "" || len(text) > 100 {
			return fault.New(fault.Invalid, "the %s has 1 to 100 characters, without spaces around it", what)
		}
		if err := plain(text); err != nil {
			return err
		}
	}
	if !notify.ValidMailbox(o.Mailbox) {
		return fault.New(fault.Invalid, "the mailbox is no address that mail can be sent to")
	}
	if o.Language != "en" && o.Language != "hi" {
		return fault.New(fault.Invalid, "the language is en or hi, not %.10q", o.Language)
	}
	return nil
}

// MostOffices bounds how many states there are.
const MostOffices = 60

// SetOffice says where notices to a state go from now on.
func (s *Store) SetOffice(ctx context.Context, actor identity.Actor, o Office) (Office, error) {
	if err := s.rules.May(actor, ActOffice); err != nil {
		return o, err
	}
	if err := o.check(); err != nil {
		return o, err
	}
	o.SetBy, o.SetAt = actor.ID, s.clock.Now().UTC().Truncate(time.Microsecond)
	return o, s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, `select count(*) from airshed.office where state <> $1`, o.State).Scan(&n); err != nil {
			return err
		}
		if n >= MostOffices {
			return fault.New(fault.Conflict, "there are %d offices; India has fewer states", n).WithNext("gavel airshed office list")
		}
		const set = `insert into airshed.office (org, ` + officeColumns + `) values ($1, $2, $3, $4, $5, $6, $7)
			on conflict (org, state) do update set name = excluded.name, mailbox = excluded.mailbox, language = excluded.language, set_by = excluded.set_by, set_at = excluded.set_at`
		if _, err := tx.Exec(ctx, set, actor.Org, o.State, o.Name, o.Mailbox, o.Language, o.SetBy, o.SetAt); err != nil {
			return err
		}
		return noteOffice(ctx, tx, actor, o.SetAt, o.State, "set")
	})
}

// RemoveOffice says that a state is not written to any more.
func (s *Store) RemoveOffice(ctx context.Context, actor identity.Actor, state string) error {
	if err := s.rules.May(actor, ActOffice); err != nil {
		return err
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from airshed.office where state = $1`, state)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.NotFound, "no office of %.100q is known", state).WithNext("gavel airshed office list")
		}
		return noteOffice(ctx, tx, actor, s.clock.Now(), state, "removed")
	})
}

func noteOffice(ctx context.Context, tx pgx.Tx, actor identity.Actor, at time.Time, state, did string) error {
	_, err := log.Append(ctx, tx, log.Record{At: at, Kind: recordOffice, App: Name, Actor: actor, Subject: "office:" + Cut(state, 60), Body: map[string]any{"did": did}})
	return err
}
