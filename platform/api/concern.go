package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
)

// Concerns answers for the links by which the people whom cases concern read
// what was decided about them.
type Concerns struct {
	Cases    *casefile.Store
	Concerns *concern.Store
	// Address is the page of a link, given the case's ref and the token.
	Address func(ref, token string) string
}

// Operations registers what it answers.
func (s *Concerns) Operations(a *API) {
	const tag = "People whom cases concern"
	Serve(a, Route{ID: "makeConcernLink", Method: http.MethodPost, Path: "/v1/cases/{id}/concern-links", Acts: []string{"case.link"},
		Tag:    tag,
		Title:  "Give the person whom a case concerns a page of their own",
		Text:   "The address is a secret and is told this once. Who has it needs no account, and sees only what is named here.",
		Status: http.StatusCreated, Key: KeyRefused, Untried: "it would make a secret that opens nothing",
		Body: `{"summary":"Your seat in van 14 is used; nothing changes for you.","facts":["F1"],"days":30}`}, s.make)
	List(a, Route{ID: "listConcernLinks", Path: "/v1/cases/{id}/concern-links", Acts: []string{"case.link"}, Tag: tag,
		Title: "List the links to a case, newest first, without their addresses"}, s.list)
	Serve(a, Route{ID: "revokeConcernLink", Method: http.MethodPost, Path: "/v1/cases/{id}/concern-links/{link}/revoke",
		Acts: []string{"case.link"}, Tag: tag,
		Title: "Make a link open nothing any more"}, s.revoke)
}

// A ConcernLinkBody is a link as the API shows it.
type ConcernLinkBody struct {
	ID        string     `json:"id"`
	Summary   string     `json:"summary"`
	Facts     []fact.ID  `json:"facts"`
	Proposals []string   `json:"proposals"`
	MadeBy    string     `json:"made_by"`
	MadeAt    time.Time  `json:"made_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	URL       string     `json:"url,omitempty" doc:"Only when it is made. It is a secret."`
}

func linkOf(l concern.Link) ConcernLinkBody {
	return ConcernLinkBody{ID: l.ID, Summary: l.Summary, Facts: append([]fact.ID{}, l.Facts...), Proposals: append([]string{},
		l.Proposals...),
		MadeBy: l.MadeBy, MadeAt: l.MadeAt.UTC(), ExpiresAt: l.ExpiresAt.UTC(), RevokedAt: UTC(l.RevokedAt)}
}

// A NewConcernLinkBody asks for a link.
type NewConcernLinkBody struct {
	Summary   string    `json:"summary" doc:"What was decided and why, in words for the person concerned."`
	Facts     []fact.ID `json:"facts,omitempty" maxItems:"100" doc:"Those that they may see."`
	Proposals []string  `json:"proposals,omitempty" maxItems:"50" doc:"Those whose decisions they may see."`
	Days      int       `json:"days,omitempty" minimum:"1" maximum:"366" doc:"How long it works; 30 if it is left out."`
}

// defaultDays is how long a link works where nobody says.
const defaultDays = 30

type makeLinkInput struct {
	Named
	Body NewConcernLinkBody
}

type makeLinkOutput struct {
	Status int
	Body   ConcernLinkBody
}

func (s *Concerns) make(ctx context.Context, who identity.Actor, in *makeLinkInput) (*makeLinkOutput, error) {
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, err
	}
	days := in.Body.Days
	if days == 0 {
		days = defaultDays
	}
	link, token, err := s.Concerns.Make(ctx, who, c.ID, concern.NewLink{Summary: in.Body.Summary, Facts: in.Body.Facts,
		Proposals: in.Body.Proposals,
		Life:      time.Duration(days) * 24 * time.Hour})
	if err != nil {
		return nil, err
	}
	body := linkOf(link)
	body.URL = s.Address(c.Ref, token)
	return &makeLinkOutput{http.StatusCreated, body}, nil
}

type listLinksInput struct {
	Named
	Paging
}

func (s *Concerns) list(ctx context.Context, who identity.Actor, in *listLinksInput, _ string, _ int) ([]ConcernLinkBody, string, error) {
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, "", err
	}
	links, err := s.Concerns.Links(ctx, who, c.ID)
	out := make([]ConcernLinkBody, len(links))
	for i, l := range links {
		out[i] = linkOf(l)
	}
	return out, "", err
}

type revokeLinkInput struct {
	Named
	Link string `path:"link" maxLength:"60"`
}

func (s *Concerns) revoke(ctx context.Context, who identity.Actor, in *revokeLinkInput) (*Empty, error) {
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, err
	}
	return &Empty{}, s.Concerns.Revoke(ctx, who, c.ID, in.Link)
}
