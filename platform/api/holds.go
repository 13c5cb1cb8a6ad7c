package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// A HoldBody is a legal hold as the API shows it.
type HoldBody struct {
	ID       string     `json:"id"`
	Target   string     `json:"target" doc:"rider:R-7, or case:case_01…"`
	Reason   string     `json:"reason"`
	PlacedBy string     `json:"placed_by"`
	PlacedAt time.Time  `json:"placed_at"`
	Until    *time.Time `json:"until" doc:"Null: until it is released."`
}

func holdOf(h seal.Hold) HoldBody {
	return HoldBody{ID: h.ID, Target: h.Target, Reason: h.Reason, PlacedBy: h.PlacedBy, PlacedAt: h.PlacedAt.UTC(), Until: UTC(h.Until)}
}

type listHoldsInput struct{ Paging }

// holds lists what is in force. They are few, and come all at once.
func (s *Subjects) holds(ctx context.Context, who identity.Actor, _ *listHoldsInput, _ string, _ int) ([]HoldBody, string, error) {
	holds, err := s.Vault.Holds(ctx, who)
	out := make([]HoldBody, len(holds))
	for i, h := range holds {
		out[i] = holdOf(h)
	}
	return out, "", err
}

type holdInput struct{ Body NewHoldBody }

// A NewHoldBody asks for a hold on a person or on a case.
type NewHoldBody struct {
	Subject string    `json:"subject,omitempty"`
	Case    string    `json:"case,omitempty" doc:"By its id or its ref."`
	Reason  string    `json:"reason"`
	Until   time.Time `json:"until,omitempty"`
}

type holdOutput struct {
	Status int
	Body   HoldBody
}

func (s *Subjects) hold(ctx context.Context, who identity.Actor, in *holdInput) (*holdOutput, error) {
	on, err := s.target(ctx, who, in.Body.Subject, in.Body.Case)
	if err != nil {
		return nil, err
	}
	placed, err := s.Vault.Hold(ctx, who, on, in.Body.Reason, in.Body.Until)
	return &holdOutput{http.StatusCreated, holdOf(placed)}, err
}

// target reads what a hold is on: a subject, or a case by id or ref.
func (s *Subjects) target(ctx context.Context, who identity.Actor, subject, caseName string) (seal.Target, error) {
	if (subject == "") == (caseName == "") {
		return seal.Target{}, fault.New(fault.Invalid, "a hold is on a subject or on a case: name one of them")
	}
	if subject != "" {
		one, err := seal.ParseSubject(subject)
		return seal.Target{Subject: one}, err
	}
	c, err := s.Cases.Lookup(ctx, who.Org, caseName)
	return seal.Target{Case: string(c.ID)}, err
}

type releaseInput struct {
	Named
	Body ReasonBody
}

func (s *Subjects) release(ctx context.Context, who identity.Actor, in *releaseInput) (*Empty, error) {
	return &Empty{}, s.Vault.Release(ctx, who, in.ID, in.Body.Reason)
}
