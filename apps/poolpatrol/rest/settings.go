package rest

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

// An OfficeDraft says how the programme is set up.
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

func (b OfficeDraft) office() store.Office {
	return store.Office{Programme: b.Programme, Portal: b.Portal, Contact: b.Contact, Appeal: b.Appeal, Zone: b.Zone, Minutes: b.Minutes, HourCost: b.HourCost, Currency: b.Currency}
}

// An officeBody is the programme's set-up as the API shows it.
type officeBody struct {
	OfficeDraft

	Version   int64      `json:"version" doc:"0: it was never set, and this is what letters say without. The ETag in quotes."`
	ChangedBy string     `json:"changed_by"`
	ChangedAt *time.Time `json:"changed_at"`
	Links     api.Links  `json:"links"`
}

type officeOutput struct {
	ETag string `header:"ETag"`
	Body officeBody
}

func (s *answers) officeOutput(o store.Office, err error) (*officeOutput, error) {
	if err != nil {
		return nil, err
	}
	return &officeOutput{api.VersionTag(o.Version), officeBody{OfficeDraft: OfficeDraft{o.Programme, o.Portal, o.Contact, o.Appeal, o.Zone, o.Minutes, o.HourCost, o.Currency},
		Version: o.Version, ChangedBy: o.ChangedBy, ChangedAt: api.UTC(o.ChangedAt), Links: s.page("settings")}}, nil
}

func (s *answers) office(ctx context.Context, who identity.Actor, _ *struct{}) (*officeOutput, error) {
	return s.officeOutput(s.store.Office(ctx, who))
}

type putOfficeInput struct {
	IfMatch string `header:"If-Match" doc:"The version in quotes, where the change is about what you read."`
	Body    OfficeDraft
}

func (s *answers) putOffice(ctx context.Context, who identity.Actor, in *putOfficeInput) (*officeOutput, error) {
	seen, err := api.VersionSeen(in.IfMatch, store.AnyVersion)
	if err != nil {
		return nil, err
	}
	return s.officeOutput(s.store.SetOffice(ctx, who, in.Body.office(), seen))
}
