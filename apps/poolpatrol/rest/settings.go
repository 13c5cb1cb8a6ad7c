package rest

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

// An OfficeDraft says how the programme is set up.
type OfficeDraft store.OfficeDraft

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
	return &officeOutput{api.VersionTag(o.Version), officeBody{OfficeDraft: OfficeDraft(o.OfficeDraft), Version: o.Version,
		ChangedBy: o.ChangedBy, ChangedAt: api.UTC(o.ChangedAt), Links: s.page("settings")}}, nil
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
	return s.officeOutput(s.store.SetOffice(ctx, who, store.OfficeDraft(in.Body), seen))
}
