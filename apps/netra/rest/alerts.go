package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// The addresses of alerts.
const (
	AlertsAddress   = "/v1/netra/alerts"
	ScheduleAddress = "/v1/netra/schedule"
)

// alerts registers what is brought before people, and when districts are looked at.
func (s *Answers) alerts(a *api.API) {
	read := []string{store.ActRead}
	api.List(a, api.Route{ID: "listAlerts", Path: AlertsAddress, Acts: read, Tag: apiTag,
		Title: "List the crossings that got a case, the newest first",
		Text:  "One for each district and crossing. What was found then is on the case; what officers decided is in its history."},
		s.listAlerts)
	api.Serve(a, api.Route{ID: "getLookSchedule", Method: http.MethodGet, Path: ScheduleAddress, Acts: read, Tag: apiTag,
		Title: "Read when all districts are looked at by themselves",
		Text:  "Every hour; scores are written down once a day. Nothing is looked at before districts are known.", Fresh: true}, s.schedule)
	api.Serve(a, api.Route{ID: "putLookSchedule", Method: http.MethodPut, Path: ScheduleAddress, Acts: []string{store.ActLimits},
		Tag: apiTag, Title: "Pause or resume looking at all districts",
		Text: "During a pause no case opens or ends. With If-Match it is refused with 412 where somebody has changed it since you read it.",
		Body: `{"paused":true}`}, s.putSchedule)
}

// An AlertBody is a crossing.
type AlertBody struct {
	Case       string     `json:"case"`
	LGD        int        `json:"district_lgd"`
	District   string     `json:"district"`
	State      string     `json:"state"`
	Band       score.Band `json:"threshold"`
	From       score.Band `json:"from"`
	Score      float64    `json:"score"`
	At         time.Time  `json:"crossed_at"`
	Limits     int64      `json:"limits_version" doc:"0: nobody has set them."`
	Silent     bool       `json:"sources_silent" doc:"Sources were silent then. Silence does not mean that all is calm."`
	Shutdown   bool       `json:"internet_shutdown" doc:"Somebody has noted a shutdown for then."`
	EndedAt    *time.Time `json:"ended_at"`
	Ended      string     `json:"ended" doc:"Why it is over: calm, higher; empty while it is not."`
	Governance string     `json:"governance_disclaimer"`
}

type alertsInput struct {
	api.Paging

	LGD  int  `query:"district_lgd" minimum:"0" maximum:"999999"`
	Open bool `query:"open" doc:"Only those that are not over."`
}

func (s *Answers) listAlerts(ctx context.Context, who identity.Actor, in *alertsInput, after string,
	limit int,
) ([]AlertBody, string, error) {
	all, next, err := list.Part(after, limit, store.Alert.ListedAt, func(from list.Cursor, most int) ([]store.Alert, error) {
		return s.store.Alerts(ctx, who, store.AlertQuery{LGD: in.LGD, Open: in.Open, After: from, Limit: most})
	})
	if err != nil {
		return nil, "", err
	}
	governance, err := reason.Governance(reason.English)
	out := list.Each(all, func(a store.Alert) AlertBody {
		return AlertBody{Case: string(a.Case), LGD: a.LGD, District: a.District, State: a.State, Band: a.Band, From: a.From,
			Score: rounded(a.Score), At: a.At.UTC(), Limits: a.Settings, Silent: a.Found.Silent, Shutdown: a.Found.ShutAt != nil,
			EndedAt: api.UTC(a.EndedAt),
			Ended:   a.Ended, Governance: governance}
	})
	return out, next, err
}

// A lookScheduleBody is the schedule as the API shows it.
type lookScheduleBody struct {
	Paused  bool       `json:"paused"`
	NextAt  *time.Time `json:"next_at" doc:"Null: it is paused, or no district is known yet."`
	Version int64      `json:"version" doc:"0: nobody has changed it. The ETag in quotes."`
	SetBy   string     `json:"set_by"`
	SetAt   *time.Time `json:"set_at"`
}

type scheduleOutput struct {
	ETag string `header:"ETag"`
	Body lookScheduleBody
}

func scheduleOf(c store.Schedule, err error) (*scheduleOutput, error) {
	if err != nil {
		return nil, err
	}
	return &scheduleOutput{api.VersionTag(c.Version), lookScheduleBody{Paused: c.Paused, NextAt: api.UTC(c.NextAt), Version: c.Version,
		SetBy: c.SetBy, SetAt: api.UTC(c.SetAt)}}, nil
}

func (s *Answers) schedule(ctx context.Context, who identity.Actor, _ *struct{}) (*scheduleOutput, error) {
	return scheduleOf(s.store.Schedule(ctx, who))
}

type putScheduleInput struct {
	IfMatch string `header:"If-Match" doc:"The version in quotes, where the change is about what you read."`
	Body    LookPauseBody
}

// A LookPauseBody says whether districts are looked at by themselves.
type LookPauseBody struct {
	Paused bool `json:"paused"`
}

func (s *Answers) putSchedule(ctx context.Context, who identity.Actor, in *putScheduleInput) (*scheduleOutput, error) {
	seen, err := api.VersionSeen(in.IfMatch, store.AnyVersion)
	if err != nil {
		return nil, err
	}
	return scheduleOf(s.store.SetPaused(ctx, who, in.Body.Paused, seen))
}
