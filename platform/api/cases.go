package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Cases answers for cases and their history.
type Cases struct {
	Cases     *casefile.Store
	PublicURL string
}

// Operations registers what it answers.
func (s *Cases) Operations(a *API) {
	const tag = "Cases"
	Serve(a, Route{ID: "openCase", Method: http.MethodPost, Path: "/v1/cases", Acts: []string{"case.open"}, Tag: tag, Title: "Open a case",
		Text: "The same app and key find the case that is open already: 200 instead of 201. due_in_s counts seconds from now on the " +
			"installation's clock; give it or due_at.",
		Status: http.StatusCreated, Body: `{"app":"general","key":"van-14","title":"Van 14, night shift"}`,
		Answers: []Answer{{Status: http.StatusOK, Of: CaseBody{},
			Words: "It is open already; or, with validate_only=true, it would be done."}}}, s.open)
	List(a, Route{ID: "listCases", Path: "/v1/cases", Acts: []string{"case.read"}, Tag: tag, Title: "List cases, newest first"}, s.list)
	Serve(a, Route{ID: "getCase", Method: http.MethodGet, Path: "/v1/cases/{id}", Acts: []string{"case.read"}, Tag: tag,
		Title: "Read a case, by its id or its ref"}, s.get)
	List(a, Route{ID: "listEntries", Path: "/v1/cases/{id}/entries", Acts: []string{"case.read"}, Tag: tag,
		Title: "List a case's history, newest first"}, s.entries)
	Serve(a, Route{ID: "addNote", Method: http.MethodPost, Path: "/v1/cases/{id}/notes", Acts: []string{"case.note"}, Tag: tag,
		Title: "Add a note to a case",
		Body:  `{"text":"Spoke to the driver."}`}, s.note)
	Serve(a, Route{ID: "closeCase", Method: http.MethodPost, Path: "/v1/cases/{id}/close", Acts: []string{"case.close"}, Tag: tag,
		Title:  "Close a case",
		Text:   "It is durable at once; the case's workflow carries it out, within a moment when the engine is up.",
		Status: http.StatusAccepted, Match: true, Changed: "/v1/cases/{id}/entries", Body: `{"reason":"Settled."}`}, s.close)
}

// A CaseBody is a case as the API shows it.
type CaseBody struct {
	ID         casefile.CaseID `json:"id"`
	Ref        string          `json:"ref" doc:"What people call it."`
	App        string          `json:"app"`
	Key        string          `json:"key" doc:"The application's own name for it; unique while it is open."`
	Title      string          `json:"title"`
	State      casefile.State  `json:"state" enum:"open,waiting,closed"`
	Status     string          `json:"status" doc:"The application's own word."`
	WaitingFor string          `json:"waiting_for"`
	DueAt      *time.Time      `json:"due_at"`
	OpenedAt   time.Time       `json:"opened_at"`
	ClosedAt   *time.Time      `json:"closed_at"`
	Version    int64           `json:"version" doc:"Grows with every entry; the ETag in quotes."`
	Links      Links           `json:"links"`
}

func (s *Cases) body(c casefile.Case) CaseBody {
	return CaseBody{
		ID: c.ID, Ref: c.Ref, App: c.App, Key: c.Key, Title: c.Title, State: c.State, Status: c.Status,
		WaitingFor: c.WaitingFor, DueAt: UTC(c.DueAt), OpenedAt: c.OpenedAt.UTC(), ClosedAt: UTC(c.ClosedAt),
		Version: c.Version, Links: Links{Page: s.PublicURL + "/cases/" + string(c.ID)},
	}
}

type openInput struct{ Body NewCaseBody }

// A NewCaseBody asks for a case.
type NewCaseBody struct {
	App    string    `json:"app" maxLength:"20"`
	Key    string    `json:"key" maxLength:"120"`
	Title  string    `json:"title" maxLength:"10000"` // the store counts, and says what is too long
	DueAt  time.Time `json:"due_at,omitempty" doc:"A moment; or due_in_s."`
	DueInS int64     `json:"due_in_s,omitempty" minimum:"0" maximum:"315360000" doc:"Seconds from now on the installation's clock."`
}

func (b NewCaseBody) opening() (casefile.Opening, error) {
	if b.DueInS != 0 && !b.DueAt.IsZero() {
		return casefile.Opening{}, fault.New(fault.Invalid, "give due_at or due_in_s, not both")
	}
	return casefile.Opening{App: b.App, Key: b.Key, Title: b.Title, DueAt: b.DueAt, DueIn: time.Duration(b.DueInS) * time.Second}, nil
}

// caseOutput is a case with its version. A case that was there is no news.
type caseOutput struct {
	Status   int
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     CaseBody
}

func (s *Cases) open(ctx context.Context, who identity.Actor, in *openInput) (*caseOutput, error) {
	opening, err := in.Body.opening()
	if err != nil {
		return nil, err
	}
	c, opened, err := s.Cases.Open(ctx, who, opening)
	if err != nil {
		return nil, err
	}
	out := &caseOutput{Status: http.StatusOK, ETag: etag(c.Version), Location: "/v1/cases/" + string(c.ID), Body: s.body(c)}
	if opened {
		out.Status = http.StatusCreated
	}
	return out, nil
}

type listCasesInput struct {
	Paging
	State   string `query:"state" maxLength:"20" doc:"open, waiting or closed."`
	App     string `query:"app" maxLength:"40"`
	OrderBy string `query:"order_by" enum:"opened_at desc"`
}

func (s *Cases) list(ctx context.Context, who identity.Actor, in *listCasesInput, after string, limit int) ([]CaseBody, string, error) {
	query := casefile.ListQuery{State: casefile.State(in.State), App: in.App, Limit: limit}
	if after != "" {
		var err error
		if query.Before, err = casefile.ParseCaseID(after); err != nil {
			return nil, "", notOurs()
		}
	}
	cases, next, err := s.Cases.List(ctx, who.Org, query)
	out := make([]CaseBody, len(cases))
	for i, c := range cases {
		out[i] = s.body(c)
	}
	return out, string(next), err
}

// notOurs refuses a page token that somebody made.
func notOurs() error {
	return details{{Pointer: "query/page_token", Code: CodeElsewhere, Detail: "it is not one of ours"}}.err()
}

// Named is the resource in the address.
type Named struct {
	ID string `path:"id" maxLength:"200"`
}

type getCaseOutput struct {
	ETag string `header:"ETag"`
	Body CaseBody
}

func (s *Cases) get(ctx context.Context, who identity.Actor, in *Named) (*getCaseOutput, error) {
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, err
	}
	return &getCaseOutput{etag(c.Version), s.body(c)}, nil
}

// An EntryBody is one note of a case's history.
type EntryBody struct {
	Seq   int64     `json:"seq"`
	Kind  string    `json:"kind"`
	At    time.Time `json:"at"`
	Actor ActorBody `json:"actor"`
	Text  string    `json:"text"`
}

// An ActorBody is who did something.
type ActorBody struct {
	Kind identity.Kind `json:"kind" enum:"person,agent,machine,system"`
	ID   string        `json:"id"`
	Name string        `json:"name"`
}

type entriesInput struct {
	Named
	Paging
}

func (s *Cases) entries(ctx context.Context, who identity.Actor, in *entriesInput, after string, limit int) ([]EntryBody, string, error) {
	query := casefile.EntryQuery{Limit: limit}
	if after != "" {
		var err error
		if query.Before, err = strconv.ParseInt(after, 10, 64); err != nil || query.Before < 1 {
			return nil, "", notOurs()
		}
	}
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, "", err
	}
	entries, err := s.Cases.Entries(ctx, who.Org, c.ID, query)
	out := make([]EntryBody, len(entries))
	for i, e := range entries {
		out[i] = EntryBody{Seq: e.Seq, Kind: e.Kind, At: e.At.UTC(), Text: e.Text,
			Actor: ActorBody{Kind: e.ActorKind, ID: e.ActorID, Name: e.ActorName}}
	}
	next := ""
	if n := len(entries); n == limit && entries[n-1].Seq > 1 {
		next = strconv.FormatInt(entries[n-1].Seq, 10)
	}
	return out, next, err
}

type noteInput struct {
	Named
	Body NoteBody
}

// A NoteBody is a note to be added.
type NoteBody struct {
	Text string `json:"text"`
}

func (s *Cases) note(ctx context.Context, who identity.Actor, in *noteInput) (*Empty, error) {
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, err
	}
	return &Empty{}, s.Cases.Note(ctx, who, c.ID, keyOf(ctx), in.Body.Text)
}

type closeInput struct {
	Named
	IfMatch string `header:"If-Match"`
	Body    ReasonBody
}

// A ReasonBody says why.
type ReasonBody struct {
	Reason string `json:"reason"`
}

// movedOutput says where to look for what follows.
type movedOutput struct {
	Location string `header:"Location"`
}

func (s *Cases) close(ctx context.Context, who identity.Actor, in *closeInput) (*movedOutput, error) {
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, err
	}
	seen, err := parseVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	return &movedOutput{"/v1/cases/" + string(c.ID)}, s.Cases.Close(ctx, who, c.ID, seen, in.Body.Reason)
}
