package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

// scheduling registers the schedule.
func (s *Answers) scheduling(a *api.API) {
	api.Serve(a, api.Route{ID: "getLakeSchedule", Method: http.MethodGet, Path: ScheduleAddress, Acts: []string{store.ActRead,
		store.ActSchedule}, Tag: apiTag, Title: "Read when the lake is looked at by itself",
		Text: "Four times a day: at 00, 06, 12 and 18 UTC.", Fresh: true}, s.schedule)
	api.Serve(a, api.Route{ID: "putLakeSchedule", Method: http.MethodPut, Path: ScheduleAddress, Acts: []string{store.ActSchedule},
		Tag: apiTag, Title: "Pause or resume looking at the lake by itself",
		Text: "Notices of new objects and people still have it looked at. A turn that was due during a pause is not made up for. With " +
			"If-Match it is refused with 412 where somebody has changed it since you read it.",
		Body: `{"paused":true}`}, s.putSchedule)
}

// A lakeScheduleBody is the schedule as the API shows it.
type lakeScheduleBody struct {
	Paused    bool       `json:"paused"`
	Lake      bool       `json:"lake" doc:"Whether there is a data lake; nothing is looked at without."`
	NextAt    *time.Time `json:"next_at" doc:"Null: it is paused, or nothing has begun it yet."`
	LastScan  string     `json:"last_scan" doc:"That was begun last by itself; empty where none was."`
	LeftOutAt *time.Time `json:"left_out_at" doc:"When the last turn was left out because the scan before it was still running; null where it was not."`
	Version   int64      `json:"version" doc:"0: nobody has changed it. The ETag in quotes."`
	SetBy     string     `json:"set_by"`
	SetAt     *time.Time `json:"set_at"`
}

type scheduleOutput struct {
	ETag string `header:"ETag"`
	Body lakeScheduleBody
}

func scheduleOf(c store.Schedule, err error) (*scheduleOutput, error) {
	if err != nil {
		return nil, err
	}
	return &scheduleOutput{api.VersionTag(c.Version), lakeScheduleBody{Paused: c.Paused, Lake: c.Lake, NextAt: api.UTC(c.NextAt),
		LastScan: c.LastScan, LeftOutAt: api.UTC(c.LeftOutAt),
		Version: c.Version, SetBy: c.SetBy, SetAt: api.UTC(c.SetAt)}}, nil
}

func (s *Answers) schedule(ctx context.Context, who identity.Actor, _ *struct{}) (*scheduleOutput, error) {
	return scheduleOf(s.surveyor.Schedule(ctx, who))
}

type putScheduleInput struct {
	IfMatch string `header:"If-Match" doc:"The version in quotes, where the change is about what you read."`
	Body    LakePauseBody
}

// A LakePauseBody says whether the lake is looked at by itself.
type LakePauseBody struct {
	Paused bool `json:"paused"`
}

func (s *Answers) putSchedule(ctx context.Context, who identity.Actor, in *putScheduleInput) (*scheduleOutput, error) {
	seen, err := api.VersionSeen(in.IfMatch, store.AnyVersion)
	if err != nil {
		return nil, err
	}
	c, err := s.store.SetPaused(ctx, who, in.Body.Paused, seen)
	c.Lake = s.surveyor.Watches(who.Org)
	return scheduleOf(c, err)
}
