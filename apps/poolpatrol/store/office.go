package store

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/simulate"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/timetable"
)

// An OfficeDraft is the programme as its managers set it up: who writes to riders and where
// they turn, in which zone its hours are told, and what its work costs.
type OfficeDraft struct {
	Programme string `json:"programme" minLength:"1" maxLength:"200" doc:"Who signs letters."`
	Portal    string `json:"portal" minLength:"1" maxLength:"500" doc:"Where riders correct what is held about them."`
	Contact   string `json:"contact" minLength:"1" maxLength:"300" doc:"Where they reach a person."`
	Appeal    string `json:"appeal" minLength:"1" maxLength:"300" doc:"How they object."`
	Zone      string `json:"tz" maxLength:"64" doc:"In which the schedule's hours are told; empty: the organisation's."`
	Minutes   int    `json:"manual_minutes" minimum:"1" maximum:"6000" doc:"What auditing one van by hand takes."`
	HourCost  int    `json:"cost_per_hour" minimum:"0" maximum:"100000" doc:"Of that work, in whole units of the currency; 0: not said."`
	Currency  string `json:"currency" maxLength:"3" pattern:"^([A-Z]{3})?$"`
}

// An Office is the set-up that is in force, with its version: 0 where it was never set, and
// these are what letters say without.
type Office struct {
	OfficeDraft
	setting.Mark
}

// officeSet is the setting, to be read; OfficeKind the same with what follows from a change.
var officeSet = officeKind(nil)

// OfficeKind is how the programme is set up.
func (s *Store) OfficeKind() setting.Kind { return officeKind(s.moveHours) }

func officeKind(then func(context.Context, pgx.Tx, setting.Change, OfficeDraft, OfficeDraft) error) setting.Kind {
	return setting.Of(setting.Kind{App: programme.Name, Name: "office", Title: "set-up of the programme",
		Read: programme.ActRead, Change: programme.ActSettings, Record: "poolpatrol_settings"},
		setting.Functions[OfficeDraft]{Default: defaultOffice, Check: checkOffice, Then: then, Said: func(o OfficeDraft) map[string]any {
			return map[string]any{"zone": o.Zone, "manual_minutes": o.Minutes, "cost_per_hour": o.HourCost, "currency": o.Currency}
		}})
}

// defaultOffice is the organisation's own name and a word on where to turn.
func defaultOffice(ctx context.Context, tx pgx.Tx, org identity.Org) (OfficeDraft, error) {
	whose, err := postgres.OrganisationIn(ctx, tx, org)
	return OfficeDraft{Programme: "The vanpool programme of " + whose.Title, Portal: "ask your manager for the address",
		Contact: "reply to this mail and ask for a person",
		Appeal:  "reply to this mail and say why", Minutes: simulate.ManualMinutes}, err
}

// OfficeIn is how the programme is set up.
func OfficeIn(ctx context.Context, tx pgx.Tx, org identity.Org) (o Office, err error) {
	o.OfficeDraft, o.Mark, err = setting.Read[OfficeDraft](ctx, tx, officeSet, org, "")
	return o, err
}

// OfficeOf is who writes, as letters have it.
func OfficeOf(ctx context.Context, tx pgx.Tx, org identity.Org, zone *time.Location) (post.Office, error) {
	o, err := OfficeIn(ctx, tx, org)
	return post.Office{Programme: o.Programme, Portal: o.Portal, Contact: o.Contact, Appeal: o.Appeal, Zone: zone}, err
}

// Office reads how the programme is set up.
func (s *Store) Office(ctx context.Context, actor identity.Actor) (o Office, err error) {
	o.OfficeDraft, o.Mark, err = setting.Get[OfficeDraft](ctx, s.settings, actor, officeSet, "")
	return o, err
}

// SetOffice sets the programme up. seen is the version it was made to, or
// AnyVersion. Letters that are written from now on say it.
func (s *Store) SetOffice(ctx context.Context, actor identity.Actor, draft OfficeDraft, seen int64) (o Office, err error) {
	o.OfficeDraft, o.Mark, err = setting.Put(ctx, s.settings, actor, s.OfficeKind(), "", draft, seen)
	return o, err
}

// moveHours tells the schedule that its hours are those of another zone.
func (s *Store) moveHours(ctx context.Context, tx pgx.Tx, c setting.Change, was, now OfficeDraft) error {
	if was.Zone == now.Zone {
		return nil
	}
	t, zone, err := holdTimes(ctx, tx, c.Actor.Org)
	if err != nil || t.Version == 0 {
		return err
	}
	scheduleOf(t, zone).plan(&t, c.At, zone)
	if err := t.Save(ctx, tx); err != nil {
		return err
	}
	return timetable.Wake(ctx, tx, passTimes, c.Actor.Org, s.clock)
}

// checkOffice is the set-up without spaces around its words, or what is wrong with it.
func checkOffice(_ string, o OfficeDraft) (OfficeDraft, error) {
	for _, line := range []struct {
		what, field string
		text        *string
		most        int
	}{{"the programme's name", "programme", &o.Programme, 200}, {"the portal", "portal", &o.Portal, 500},
		{"the contact line", "contact", &o.Contact, 300}, {"the appeal line", "appeal", &o.Appeal, 300}} {
		field := "set_office." + line.field
		*line.text = strings.TrimSpace(*line.text)
		switch n := utf8.RuneCountInString(*line.text); {
		case n == 0:
			return o, fault.New(fault.Invalid, "%s is missing: letters have it", line.what).Because("this_field_empty", "field", field)
		case n > line.most:
			return o, fault.New(fault.Invalid, "%s has %d characters; the most is %d", line.what, n, line.most).
				Because("this_field_too_long", "field", field, "n", strconv.Itoa(line.most))
		case !utf8.ValidString(*line.text) || strings.ContainsFunc(*line.text, unicode.IsControl):
			return o, fault.New(fault.Invalid, "%s is one line of text", line.what).Because("one_line", "field", field)
		}
	}
	return o, o.checkNumbers()
}

func (o OfficeDraft) checkNumbers() error {
	if _, err := time.LoadLocation(o.Zone); err != nil || len(o.Zone) > 64 || o.Zone == "Local" {
		return fault.New(fault.Invalid, "%.64q is no time zone", o.Zone).
			WithNext("write it as America/Los_Angeles; leave it empty for the organisation's").Because("no_zone", "value", o.Zone)
	}
	switch {
	case o.Minutes < 1 || o.Minutes > 6000:
		return fault.New(fault.Invalid, "an audit by hand takes 1 to 6000 minutes, not %d", o.Minutes).Because("audit_minutes")
	case o.HourCost < 0 || o.HourCost > 100_000:
		return fault.New(fault.Invalid, "an hour costs 0 to 100000, not %d", o.HourCost).Because("hour_cost")
	case o.Currency == "" && o.HourCost > 0:
		return fault.New(fault.Invalid, "say in which currency an hour costs %d", o.HourCost).WithNext("write it in three letters, as USD").
			Because("no_currency", "value", o.Currency)
	case o.Currency != "" && (len(o.Currency) != 3 || strings.ContainsFunc(o.Currency, func(r rune) bool { return r < 'A' || r > 'Z' })):
		return fault.New(fault.Invalid, "%.20q is no currency", o.Currency).WithNext("write it in three letters, as USD").
			Because("no_currency", "value", o.Currency)
	}
	return nil
}
