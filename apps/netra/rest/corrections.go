package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// CorrectionsAddress is that of corrections of signals.
const CorrectionsAddress = "/v1/netra/corrections"

// corrections registers them.
func (s *Answers) corrections(a *api.API) {
	read := []string{store.ActRead}
	api.List(a, api.Route{ID: "listSignalCorrections", Path: CorrectionsAddress, Acts: read, Tag: apiTag,
		Title: "List corrections of signals, the newest first"}, s.listCorrections)
	api.Serve(a, api.Route{ID: "fileSignalCorrection", Method: http.MethodPost, Path: CorrectionsAddress, Acts: []string{store.ActCorrect},
		Tag: apiTag, Title: "Say that a signal is wrong", Status: http.StatusCreated,
		Text: "That it did not happen so, that another signal tells of the same event, or that it happened in another district. An officer " +
			"who did not file it decides. Where it is accepted the scores are computed again, and what they were and are is kept; scores " +
			"that were given out stay as they were.",
		Body: `{"district_lgd":272,"event_id":"e1","kind":"wrong","reason":"The market was open all day."}`}, s.fileCorrection)
	api.Serve(a, api.Route{ID: "getSignalCorrection", Method: http.MethodGet, Path: CorrectionsAddress + "/{id}", Acts: read, Tag: apiTag,
		Title: "Read a correction, and what came of it"}, s.getCorrection)
}

// A CorrectionAskBody is what somebody says is wrong with a signal.
type CorrectionAskBody struct {
	LGD     int    `json:"district_lgd" minimum:"1" maximum:"999999" doc:"The district under which the signal counts."`
	EventID string `json:"event_id" minLength:"1" maxLength:"200"`
	Kind    string `json:"kind" enum:"wrong,duplicate,district"`
	Other   string `json:"duplicate_of,omitempty" maxLength:"200" doc:"Of a duplicate: the signal that stays."`
	ToLGD   int    `json:"to_district_lgd,omitempty" minimum:"1" maximum:"999999" doc:"Of a wrong district: the right one."`
	Reason  string `json:"reason" minLength:"1" maxLength:"2000" doc:"Why. Name nobody."`
}

// A CorrectionBody is a correction.
type CorrectionBody struct {
	ID         string                `json:"id"`
	LGD        int                   `json:"district_lgd"`
	EventID    string                `json:"event_id"`
	Kind       store.CorrectionKind  `json:"kind" enum:"wrong,duplicate,district"`
	Other      string                `json:"duplicate_of"`
	ToLGD      int                   `json:"to_district_lgd" doc:"0: it stays in its district."`
	Reason     string                `json:"reason"`
	State      store.CorrectionState `json:"state" enum:"filed,accepted,refused"`
	Case       string                `json:"case"`
	FiledBy    string                `json:"filed_by"`
	FiledAt    time.Time             `json:"filed_at"`
	DecidedBy  string                `json:"decided_by" doc:"Empty: nobody decided."`
	Why        string                `json:"decided_why"`
	DecidedAt  *time.Time            `json:"decided_at"`
	Recomputed []RecomputedBody      `json:"recomputed" doc:"Scores before and after; none unless it was accepted."`
	Governance string                `json:"governance_disclaimer"`
}

// A RecomputedBody is a score before a correction and after it.
type RecomputedBody struct {
	LGD    int        `json:"district_lgd"`
	Window int        `json:"window_hours"`
	AsOf   time.Time  `json:"as_of"`
	Before *float64   `json:"before"`
	Was    score.Band `json:"threshold_before"`
	After  *float64   `json:"after"`
	Is     score.Band `json:"threshold_after"`
}

type fileCorrectionInput struct{ Body CorrectionAskBody }

type fileCorrectionOutput struct {
	Location string `header:"Location"`
	Body     CorrectionBody
}

func (s *Answers) fileCorrection(ctx context.Context, who identity.Actor, in *fileCorrectionInput) (*fileCorrectionOutput, error) {
	b := in.Body
	c, err := s.corrector.File(ctx, who, correction.Filing{LGD: b.LGD, EventID: b.EventID, Kind: store.CorrectionKind(b.Kind),
		Other: b.Other, ToLGD: b.ToLGD, Reason: b.Reason})
	if err != nil {
		return nil, err
	}
	body, err := correctionOf(c)
	return &fileCorrectionOutput{CorrectionsAddress + "/" + c.ID, body}, err
}

type correctionOutput struct{ Body CorrectionBody }

func (s *Answers) getCorrection(ctx context.Context, who identity.Actor, in *api.Named) (*correctionOutput, error) {
	c, err := s.store.Correction(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := correctionOf(c)
	return &correctionOutput{body}, err
}

type listCorrectionsInput struct {
	api.Paging

	LGD int `query:"district_lgd" minimum:"0" maximum:"999999"`
}

func (s *Answers) listCorrections(ctx context.Context, who identity.Actor, in *listCorrectionsInput, after string,
	limit int) ([]CorrectionBody, string, error) {
	all, next, err := list.Part(after, limit, store.Correction.ListedAt, func(from list.Cursor, most int) ([]store.Correction, error) {
		return s.store.Corrections(ctx, who, in.LGD, from, most)
	})
	if err != nil {
		return nil, "", err
	}
	out := make([]CorrectionBody, len(all))
	for i, c := range all {
		if out[i], err = correctionOf(c); err != nil {
			return nil, "", err
		}
	}
	return out, next, nil
}

// correctionOf is a correction as the API shows it.
func correctionOf(c store.Correction) (CorrectionBody, error) {
	governance, err := reason.Governance(reason.English)
	b := CorrectionBody{ID: c.ID, LGD: c.LGD, EventID: c.EventID, Kind: c.Kind, Other: c.Other, ToLGD: c.ToLGD, Reason: c.Reason,
		State: c.State, Case: string(c.Case), FiledBy: c.FiledBy, FiledAt: c.FiledAt, DecidedBy: c.ByID, Why: c.Why,
		DecidedAt: api.UTC(c.DecidedAt), Recomputed: []RecomputedBody{}, Governance: governance}
	number := func(n score.Number) *float64 {
		if !n.Known {
			return nil
		}
		shown := rounded(n.Value)
		return &shown
	}
	for _, r := range c.Recomputed {
		b.Recomputed = append(b.Recomputed, RecomputedBody{r.LGD, r.Hours, r.AsOf.UTC(), number(r.Before), r.Was, number(r.After), r.Is})
	}
	return b, err
}
