package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// Subjects answers for the people whose data is held: what erasing one would
// take, erasing, legal holds, and whom a case is about.
type Subjects struct {
	Cases *casefile.Store
	Vault *seal.Vault
}

// Operations registers what it answers.
func (s *Subjects) Operations(a *API) {
	const tag = "People whose data is held"
	Serve(a, Route{ID: "previewErasure", Method: http.MethodGet, Path: "/v1/subjects/{subject}", Acts: []string{"subject.read"}, Tag: tag,
		Title: "See what erasing a person would take"}, s.preview)
	Serve(a, Route{ID: "eraseSubject", Method: http.MethodPost, Path: "/v1/subjects/{subject}/erase", Acts: []string{"subject.erase"},
		Tag: tag, Title: "Erase a person's data",
		Text: "It cannot be taken back: keys are destroyed.", Key: KeyNeeded,
		Untried: "see GET /v1/subjects/{subject}, which says what it would take",
		Body:    `{"ground":"request","reference":"letter of 3 March"}`}, s.erase)
	Serve(a, Route{ID: "nameSubjects", Method: http.MethodPost, Path: "/v1/cases/{id}/subjects", Acts: []string{"case.name"}, Tag: tag,
		Title: "Say whom a case, or one entry of it, is about",
		Body:  `{"subjects":["rider:R-7"]}`}, s.name)
	List(a, Route{ID: "listHolds", Path: "/v1/holds", Acts: []string{"subject.read"}, Tag: tag, Title: "List the legal holds in force"},
		s.holds)
	Serve(a, Route{ID: "placeHold", Method: http.MethodPost, Path: "/v1/holds", Acts: []string{"hold.change"}, Tag: tag,
		Title:  "Place a legal hold on a person or a case",
		Status: http.StatusCreated, Body: `{"subject":"rider:R-7","reason":"Tribunal case 12 of 2026"}`}, s.hold)
	Serve(a, Route{ID: "releaseHold", Method: http.MethodPost, Path: "/v1/holds/{id}/release", Acts: []string{"hold.change"}, Tag: tag,
		Title: "Release a legal hold",
		Body:  `{"reason":"Settled."}`}, s.release)
	Serve(a, Route{ID: "rewrapKeys", Method: http.MethodPost, Path: "/v1/keys/rewrap", Acts: []string{"key.rewrap"}, Tag: tag,
		Title:   "Move your organisation's data keys to the newest master key",
		Untried: "it goes through all keys of the organisation", Body: `{}`}, s.rewrap)
}

// An ErasureBody is an erasure, done or to come, as the API shows it. The export's
// recipient is for people who must be told; it is in no log.
type ErasureBody struct {
	Subject   string         `json:"subject"`
	At        *time.Time     `json:"at" doc:"Null: not done."`
	By        string         `json:"by,omitempty"`
	Record    audit.RecordID `json:"record,omitempty"`
	Ground    seal.Ground    `json:"ground,omitempty"`
	Reference string         `json:"reference,omitempty"`
	Keys      int            `json:"keys"`
	Objects   int            `json:"objects"`
	Others    int            `json:"others"`
	Rows      []seal.Reached `json:"rows"`
	Exports   int            `json:"exports"`
	Unreached []ExportBody   `json:"unreached"`
	Holds     []HoldBody     `json:"holds"`
}

// An ExportBody is a bundle that left with somebody's data in it.
type ExportBody struct {
	ID     string    `json:"id"`
	Bundle string    `json:"bundle"`
	Case   string    `json:"case"`
	At     time.Time `json:"at"`
	To     string    `json:"to,omitempty"`
}

func erasureOf(e seal.Erasure, holds []seal.Hold) ErasureBody {
	out := ErasureBody{Subject: e.Subject.String(), Record: e.Record, Ground: e.Ground, Reference: e.Reference,
		Keys: e.Keys, Objects: e.Objects, Others: e.Others, Rows: e.Rows, Exports: e.Exports,
		Unreached: make([]ExportBody, len(e.Unreached)), Holds: make([]HoldBody, len(holds))}
	if e.Record != "" {
		out.At, out.By = UTC(&e.At), e.By
	}
	for i, x := range e.Unreached {
		out.Unreached[i] = ExportBody{ID: x.ID, Bundle: x.Bundle.String(), Case: x.Case, At: x.At.UTC(), To: x.To}
	}
	for i, h := range holds {
		out.Holds[i] = holdOf(h)
	}
	return out
}

// SubjectNamed is the person in the address.
type SubjectNamed struct {
	Subject string `path:"subject" maxLength:"200" doc:"A type of person and an opaque id: rider:R-7."`
}

type erasureOutput struct{ Body ErasureBody }

func (s *Subjects) preview(ctx context.Context, who identity.Actor, in *SubjectNamed) (*erasureOutput, error) {
	subject, err := seal.ParseSubject(in.Subject)
	if err != nil {
		return nil, err
	}
	e, holds, err := s.Vault.Preview(ctx, who, subject)
	if err != nil {
		return nil, err
	}
	return &erasureOutput{erasureOf(e, holds)}, nil
}

type eraseInput struct {
	SubjectNamed
	Body EraseBody
}

// An EraseBody says why a person is erased.
type EraseBody struct {
	Ground    seal.Ground `json:"ground,omitempty"`
	Reference string      `json:"reference,omitempty"`
}

func (s *Subjects) erase(ctx context.Context, who identity.Actor, in *eraseInput) (*erasureOutput, error) {
	subject, err := seal.ParseSubject(in.Subject)
	if err != nil {
		return nil, err
	}
	done, err := s.Vault.Erase(ctx, who, seal.Request{Subject: subject, Ground: in.Body.Ground, Reference: in.Body.Reference})
	if err != nil {
		return nil, err
	}
	return &erasureOutput{erasureOf(done, nil)}, nil
}

type nameInput struct {
	Named
	Body NamingBody
}

// A NamingBody says whom a case is about.
type NamingBody struct {
	Subjects []string `json:"subjects" maxItems:"200"`
	Entry    int64    `json:"entry,omitempty" doc:"0 for the whole case."`
}

// name says whom a case, or one entry of it, is about.
func (s *Subjects) name(ctx context.Context, who identity.Actor, in *nameInput) (*Empty, error) {
	subjects := make([]seal.Subject, len(in.Body.Subjects))
	for i, text := range in.Body.Subjects {
		var err error
		if subjects[i], err = seal.ParseSubject(text); err != nil {
			return nil, err
		}
	}
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil {
		return nil, err
	}
	return &Empty{}, s.Cases.NameSubjects(ctx, who, c.ID, in.Body.Entry, subjects...)
}

// A RewrapBody is what moving the data keys came to.
type RewrapBody struct {
	Master string         `json:"master"`
	Moved  int            `json:"moved"`
	Left   map[string]int `json:"left"`
	Record audit.RecordID `json:"record"`
}

type rewrapInput struct{ Body *struct{} }

type rewrapOutput struct{ Body RewrapBody }

func (s *Subjects) rewrap(ctx context.Context, who identity.Actor, _ *rewrapInput) (*rewrapOutput, error) {
	done, err := s.Vault.RewrapBy(ctx, who)
	if err != nil {
		return nil, err
	}
	return &rewrapOutput{RewrapBody{done.Master, done.Moved, done.Left, done.Record}}, nil
}
