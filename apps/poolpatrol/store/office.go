package store

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/simulate"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/timetable"
)

// OfficeOf is who writes, as the organisation has set it up; without that its own
// name and a word on where to turn.
func OfficeOf(ctx context.Context, tx pgx.Tx, org identity.Org, zone *time.Location) (post.Office, error) {
	whose, err := postgres.OrganisationIn(ctx, tx, org)
	if err != nil {
		return post.Office{}, err
	}
	o := post.Office{Zone: zone, Programme: "The vanpool programme of " + whose.Title, Portal: "ask your manager for the address",
		Contact: "reply to this mail and ask for a person", Appeal: "reply to this mail and say why"}
	const one = `select programme, portal, contact, appeal from poolpatrol.office where org = $1`
	rows, _ := tx.Query(ctx, one, org)
	_, err = pgx.ForEachRow(rows, []any{&o.Programme, &o.Portal, &o.Contact, &o.Appeal}, func() error { return nil })
	return o, err
}

// An Office is the programme as its managers set it up: who writes to riders and
// where they turn, in which zone its hours are told, and what its work costs.
type Office struct {
	Programme string // who signs letters
	Portal    string // where riders correct what is held about them
	Contact   string // where they reach a person
	Appeal    string // how they object
	Zone      string // IANA name; empty: the organisation's
	Minutes   int    // what auditing one van by hand takes
	HourCost  int    // of one hour of that, in whole units of the currency; 0: not said
	Currency  string // three letters; empty: none

	Version   int64 // 0: it was never set, and these are what letters say without
	ChangedBy string
	ChangedAt *time.Time
}

// recordOffice is the kind of the records of the programme's settings in the log.
const recordOffice log.Kind = "poolpatrol_settings"

// Office reads how the programme is set up.
func (s *Store) Office(ctx context.Context, actor identity.Actor) (o Office, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return o, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		o, err = officeIn(ctx, tx, actor.Org)
		return err
	})
	return o, err
}

func officeIn(ctx context.Context, tx pgx.Tx, org identity.Org) (o Office, err error) {
	said, err := OfficeOf(ctx, tx, org, nil)
	if err != nil {
		return o, fmt.Errorf("read who writes: %w", err)
	}
	o = Office{Programme: said.Programme, Portal: said.Portal, Contact: said.Contact, Appeal: said.Appeal, Minutes: simulate.ManualMinutes}
	const more = `select zone, minutes, hour_cost, currency, version, changed_by, changed_at from poolpatrol.office where org = $1`
	rows, _ := tx.Query(ctx, more, org)
	_, err = pgx.ForEachRow(rows, []any{&o.Zone, &o.Minutes, &o.HourCost, &o.Currency, &o.Version, &o.ChangedBy, &o.ChangedAt}, func() error { return nil })
	if err != nil {
		return o, fmt.Errorf("read the programme's settings: %w", err)
	}
	return o, nil
}

// SetOffice sets the programme up. seen is the version it was made to, or
// AnyVersion. Letters that are written from now on say it.
func (s *Store) SetOffice(ctx context.Context, actor identity.Actor, o Office, seen int64) (Office, error) {
	if err := s.rules.May(actor, programme.ActSettings); err != nil {
		return Office{}, err
	}
	o, err := o.checked()
	if err != nil {
		return Office{}, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := holdSettings(ctx, tx); err != nil {
			return err
		}
		before, err := officeIn(ctx, tx, actor.Org)
		if err != nil {
			return err
		}
		if err := refuseOverwrite(seen, before.Version, "set-up of the programme"); err != nil {
			return err
		}
		now := s.clock.Now().UTC().Truncate(time.Microsecond)
		o.Version, o.ChangedBy, o.ChangedAt = before.Version+1, actor.ID, &now
		if err := putOffice(ctx, tx, actor.Org, o); err != nil {
			return err
		}
		_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordOffice, App: programme.Name, Actor: actor, Subject: "office", Body: map[string]any{
			"changed": o.unlike(before), "zone": o.Zone, "manual_minutes": o.Minutes, "cost_per_hour": o.HourCost, "currency": o.Currency}})
		if err != nil {
			return err
		}
		return s.moveHours(ctx, tx, actor.Org, before.Zone != o.Zone, now)
	})
	return o, err
}

// moveHours tells the schedule that its hours are those of another zone.
func (s *Store) moveHours(ctx context.Context, tx pgx.Tx, org identity.Org, moved bool, now time.Time) error {
	if !moved {
		return nil
	}
	t, zone, err := holdTimes(ctx, tx, org)
	if err != nil || t.Version == 0 {
		return err
	}
	scheduleOf(t, zone).plan(&t, now, zone)
	if err := t.Save(ctx, tx); err != nil {
		return err
	}
	return timetable.Wake(ctx, tx, passTimes, org, s.clock)
}

func putOffice(ctx context.Context, tx pgx.Tx, org identity.Org, o Office) error {
	const put = `insert into poolpatrol.office (org, programme, portal, contact, appeal, zone, minutes, hour_cost, currency, version, changed_by, changed_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		on conflict (org) do update set programme = excluded.programme, portal = excluded.portal, contact = excluded.contact, appeal = excluded.appeal, zone = excluded.zone,
			minutes = excluded.minutes, hour_cost = excluded.hour_cost, currency = excluded.currency, version = excluded.version,
			changed_by = excluded.changed_by, changed_at = excluded.changed_at`
	_, err := tx.Exec(ctx, put, org, o.Programme, o.Portal, o.Contact, o.Appeal, o.Zone, o.Minutes, o.HourCost, o.Currency, o.Version, o.ChangedBy, o.ChangedAt)
	if err != nil {
		return fmt.Errorf("write the programme's settings: %w", err)
	}
	return nil
}

// checked is the set-up without spaces around its words, or what is wrong with it.
func (o Office) checked() (Office, error) {
	for _, line := range []struct {
		what string
		text *string
		most int
	}{{"the programme's name", &o.Programme, 200}, {"the portal", &o.Portal, 500}, {"the contact line", &o.Contact, 300}, {"the appeal line", &o.Appeal, 300}} {
		*line.text = strings.TrimSpace(*line.text)
		switch n := utf8.RuneCountInString(*line.text); {
		case n == 0:
			return o, fault.New(fault.Invalid, "%s is missing: letters have it", line.what)
		case n > line.most:
			return o, fault.New(fault.Invalid, "%s has %d characters; the most is %d", line.what, n, line.most)
		case !utf8.ValidString(*line.text) || strings.ContainsFunc(*line.text, unicode.IsControl):
			return o, fault.New(fault.Invalid, "%s is one line of text", line.what)
		}
	}
	return o, o.checkNumbers()
}

// unlike names the lines of letters that differ. They are not quoted: a contact may
// be a person, and the log forgets nobody.
func (o Office) unlike(before Office) []string {
	names := []string{}
	for _, line := range []struct{ name, now, was string }{{"programme", o.Programme, before.Programme}, {"portal", o.Portal, before.Portal},
		{"contact", o.Contact, before.Contact}, {"appeal", o.Appeal, before.Appeal}} {
		if line.now != line.was {
			names = append(names, line.name)
		}
	}
	return names
}

func (o Office) checkNumbers() error {
	if _, err := time.LoadLocation(o.Zone); err != nil || len(o.Zone) > 64 || o.Zone == "Local" {
		return fault.New(fault.Invalid, "%.64q is no time zone", o.Zone).WithNext("write it as America/Los_Angeles; leave it empty for the organisation's")
	}
	switch {
	case o.Minutes < 1 || o.Minutes > 6000:
		return fault.New(fault.Invalid, "an audit by hand takes 1 to 6000 minutes, not %d", o.Minutes)
	case o.HourCost < 0 || o.HourCost > 100_000:
		return fault.New(fault.Invalid, "an hour costs 0 to 100000, not %d", o.HourCost)
	case o.Currency == "" && o.HourCost > 0:
		return fault.New(fault.Invalid, "say in which currency an hour costs %d", o.HourCost).WithNext("write it in three letters, as USD")
	case o.Currency != "" && (len(o.Currency) != 3 || strings.ContainsFunc(o.Currency, func(r rune) bool { return r < 'A' || r > 'Z' })):
		return fault.New(fault.Invalid, "%.20q is no currency", o.Currency).WithNext("write it in three letters, as USD")
	}
	return nil
}
