package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
)

// Pauses answers for what is held back: what has not begun does not begin while a
// pause is on.
type Pauses struct {
	Pauses *act.Pauses
}

// Operations registers what it answers.
func (s *Pauses) Operations(a *API) {
	const tag = "Pauses"
	List(a, Route{ID: "listPauses", Path: "/v1/pauses", Acts: []string{"pause.read"}, Tag: tag, Title: "List what is paused, or was",
		Text: "Those that are on come all at once, the oldest first; those that are over in pages, the last ended first."}, s.list)
	Serve(a, Route{ID: "getPause", Method: http.MethodGet, Path: "/v1/pauses/{id}", Acts: []string{"pause.read"}, Tag: tag,
		Title: "Read a pause"}, s.get)
	Serve(a, Route{ID: "pause", Method: http.MethodPost, Path: "/v1/pauses", Acts: []string{"pause.change"}, Tag: tag,
		Title:  "Pause an agent, an application, or all that goes outside",
		Text:   "What has not begun does not begin; decisions, timers and what is running go on. What is paused already stays as it is.",
		Status: http.StatusCreated, Body: `{"scope":"outside","reason":"The letters go to the wrong ward."}`,
		Answers: []Answer{{Status: http.StatusOK, Of: PauseBody{},
			Words: "It was paused already; or, with validate_only=true, it would be done."}}}, s.set)
	Serve(a, Route{ID: "endPause", Method: http.MethodPost, Path: "/v1/pauses/{id}/end", Acts: []string{"pause.change"}, Tag: tag,
		Title: "End a pause",
		Text:  "Acts that nothing else holds go on by themselves.", Body: `{"reason":"The list of wards was corrected."}`}, s.end)
}

// A PauseBody is a pause as the API shows it.
type PauseBody struct {
	ID        string     `json:"id"`
	Scope     act.Scope  `json:"scope" doc:"all, outside, app:<name> or agent:<app>/<name>; recovery after a restore, which gavel recover end ends."`
	Reason    string     `json:"reason"`
	By        string     `json:"by"`
	At        time.Time  `json:"at"`
	Held      int64      `json:"held" doc:"Acts that wait for it now."`
	EndedAt   *time.Time `json:"ended_at" doc:"Null: it is on."`
	EndedBy   string     `json:"ended_by"`
	EndReason string     `json:"end_reason"`
}

func pauseBody(p act.Pause) PauseBody {
	return PauseBody{ID: p.ID, Scope: p.Scope, Reason: p.Reason, By: p.ByID, At: p.At.UTC(), Held: p.Held,
		EndedAt: UTC(p.EndedAt), EndedBy: p.EndedBy, EndReason: p.EndReason}
}

type listPausesInput struct {
	Paging
	State string `query:"state" enum:"on,over" doc:"on if it is left out."`
}

func (s *Pauses) list(ctx context.Context, who identity.Actor, in *listPausesInput, after string,
	limit int) (out []PauseBody, next string, err error) {
	var all []act.Pause
	if in.State == "over" {
		all, next, err = s.Pauses.Over(ctx, who, after, limit)
	} else {
		all, err = s.Pauses.On(ctx, who.Org)
	}
	for _, p := range all {
		out = append(out, pauseBody(p))
	}
	return out, next, err
}

type pauseOutput struct {
	Status int
	Body   PauseBody
}

func (s *Pauses) get(ctx context.Context, who identity.Actor, in *Named) (*pauseOutput, error) {
	p, err := s.Pauses.Get(ctx, who, in.ID)
	return &pauseOutput{http.StatusOK, pauseBody(p)}, err
}

type pauseInput struct{ Body NewPauseBody }

// A NewPauseBody says what to pause.
type NewPauseBody struct {
	Scope  act.Scope `json:"scope" maxLength:"200" doc:"all, outside, app:<name> or agent:<app>/<name>."`
	Reason string    `json:"reason" doc:"For everybody in the organisation: every page shows it."`
}

func (s *Pauses) set(ctx context.Context, who identity.Actor, in *pauseInput) (*pauseOutput, error) {
	p, fresh, err := s.Pauses.Set(ctx, who, in.Body.Scope, in.Body.Reason)
	status := http.StatusCreated
	if !fresh {
		status = http.StatusOK
	}
	return &pauseOutput{status, pauseBody(p)}, err
}

type endPauseInput struct {
	Named
	Body ReasonBody
}

func (s *Pauses) end(ctx context.Context, who identity.Actor, in *endPauseInput) (*pauseOutput, error) {
	p, err := s.Pauses.Lift(ctx, who, in.ID, in.Body.Reason)
	return &pauseOutput{http.StatusOK, pauseBody(p)}, err
}
