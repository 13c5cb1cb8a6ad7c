package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/setting"
)

// An OfficeDraft says where notices to a state go.
type OfficeDraft struct {
	Name     string `json:"name" minLength:"1" maxLength:"100" doc:"Of the office."`
	Mailbox  string `json:"mailbox" maxLength:"254" doc:"Of the office, not of a person."`
	Language string `json:"language" enum:"en,hi" doc:"In which the covering words are."`
}

// An Office is where notices to a state go.
type Office struct {
	OfficeDraft
	State string
	SetBy string
	SetAt time.Time
}

// MostOffices bounds how many states there are.
const MostOffices = 60

// OfficeKind is where notices go: an office for each state.
var OfficeKind = setting.Of(setting.Kind{App: Name, Name: "office", Title: "office", Read: ActRead, Change: ActOffice,
	Record: "airshed_office", Many: MostOffices}, setting.Functions[OfficeDraft]{Check: checkOffice})

func officeOf(i setting.Item[OfficeDraft]) Office {
	o := Office{OfficeDraft: i.Value, State: i.Name, SetBy: i.ChangedBy}
	if i.ChangedAt != nil {
		o.SetAt = *i.ChangedAt
	}
	return o
}

// Offices lists where notices go.
func (s *Store) Offices(ctx context.Context, actor identity.Actor) ([]Office, error) {
	all, err := setting.List[OfficeDraft](ctx, s.settings, actor, OfficeKind)
	return list.Each(all, officeOf), err
}

// OfficesIn are the offices that are known.
func OfficesIn(ctx context.Context, tx pgx.Tx) ([]Office, error) {
	all, err := setting.Items[OfficeDraft](ctx, tx, OfficeKind)
	return list.Each(all, officeOf), err
}

// OfficeOf is the office of a state; nil where none is known.
func OfficeOf(ctx context.Context, tx pgx.Tx, org identity.Org, state string) (*Office, error) {
	v, m, err := setting.Read[OfficeDraft](ctx, tx, OfficeKind, org, state)
	if err != nil || v.Mailbox == "" {
		return nil, err
	}
	o := officeOf(setting.Item[OfficeDraft]{Mark: m, Name: state, Value: v})
	return &o, nil
}

func checkOffice(state string, o OfficeDraft) (OfficeDraft, error) {
	for what, text := range map[string]string{"state": state, "name of the office": o.Name} {
		if strings.TrimSpace(text) != text || text == "" || len(text) > 100 {
			return o, fault.New(fault.Invalid, "the %s has 1 to 100 characters, without spaces around it", what)
		}
		if err := plain(text); err != nil {
			return o, err
		}
	}
	if !notify.ValidMailbox(o.Mailbox) {
		return o, fault.New(fault.Invalid, "the mailbox is no address that mail can be sent to")
	}
	if o.Language != "en" && o.Language != "hi" {
		return o, fault.New(fault.Invalid, "the language is en or hi, not %.10q", o.Language)
	}
	return o, nil
}

// SetOffice says where notices to a state go from now on.
func (s *Store) SetOffice(ctx context.Context, actor identity.Actor, state string, draft OfficeDraft) (Office, error) {
	v, m, err := setting.Put(ctx, s.settings, actor, OfficeKind, state, draft, setting.AnyVersion)
	return officeOf(setting.Item[OfficeDraft]{Mark: m, Name: state, Value: v}), err
}

// RemoveOffice says that a state is not written to any more.
func (s *Store) RemoveOffice(ctx context.Context, actor identity.Actor, state string) error {
	return s.settings.Remove(ctx, actor, OfficeKind, state, setting.AnyVersion)
}
