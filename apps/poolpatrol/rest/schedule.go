package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/identity"
)

// setting registers the schedule and the programme's set-up.
func (s *answers) setting(a *api.API) {
	read, change := []string{programme.ActRead}, []string{programme.ActSettings}
	const text = "The whole of it. With If-Match it is refused with 412 where somebody has changed it since you read it."
	api.Serve(a, api.Route{ID: "getSchedule", Method: http.MethodGet, Path: "/v1/poolpatrol/schedule", Acts: read, Tag: apiTag,
		Title: "Read when passes begin by themselves",
		Text:  "Hours are told in the programme's zone.", Fresh: true}, s.schedule)
	api.Serve(a, api.Route{ID: "putSchedule", Method: writeMethod, Path: "/v1/poolpatrol/schedule", Acts: change, Tag: apiTag,
		Title: "Say when passes begin by themselves",
		Text: text + " A monthly pass looks at every van, a daily one at those with an open case. A pass that was missed runs once; one " +
			"is not begun while another is at it, " +
			"nor on records older than 48 hours: a monthly one is then tried every day.",
		Body: `{"monthly":true,"day":1,"daily":true,"hour":6}`}, s.putSchedule)
	api.Serve(a, api.Route{ID: "getProgramme", Method: http.MethodGet, Path: "/v1/poolpatrol/programme", Acts: read, Tag: apiTag,
		Title: "Read how the programme is set up",
		Text:  "Who writes to riders, where they turn, in which zone hours are told, and what the work costs.", Fresh: true}, s.office)
	api.Serve(a, api.Route{ID: "putProgramme", Method: writeMethod, Path: "/v1/poolpatrol/programme", Acts: change, Tag: apiTag,
		Title: "Set the programme up",
		Text:  text + " Letters that are written from now on say it.",
		Body:  `{"programme":"Vanpools of Plant 1","portal":"https://portal.example.org","contact":"vanpools@example.org","appeal":"reply to this mail and say why","tz":"America/Los_Angeles","manual_minutes":45,"cost_per_hour":60,"currency":"USD"}`},
		s.putOffice)
}

// A turnBody is what comes next of one of the two.
type turnBody struct {
	At      *time.Time `json:"next_at" doc:"Null: not by itself."`
	Pass    string     `json:"last_pass" doc:"That the schedule began last; empty where it began none."`
	Note    string     `json:"left_out" enum:",stale,running" doc:"Why the last one was not begun. stale: the records were too old. running: another pass was at it."`
	NotedAt *time.Time `json:"left_out_at"`
}

func turnOf(s calendar.Slot) turnBody {
	return turnBody{api.UTC(s.Next), s.Last, s.Note, api.UTC(s.NotedAt)}
}

// A TimetableBody says when passes begin by themselves.
type TimetableBody struct {
	Monthly bool `json:"monthly" doc:"A pass over every van, once a month."`
	Day     int  `json:"day" minimum:"1" maximum:"28" doc:"Of the month."`
	Daily   bool `json:"daily" doc:"A pass over the vans with an open case, once a day."`
	Hour    int  `json:"hour" minimum:"0" maximum:"23" doc:"In the programme's zone."`
}

// A scheduleBody is a schedule as the API shows it.
type scheduleBody struct {
	TimetableBody

	Zone    string     `json:"tz"`
	Version int64      `json:"version" doc:"0: it was never set. The ETag in quotes."`
	SetBy   string     `json:"set_by"`
	SetAt   *time.Time `json:"set_at"`
	Full    turnBody   `json:"monthly_pass"`
	Recheck turnBody   `json:"daily_pass"`
	Links   api.Links  `json:"links"`
}

type scheduleOutput struct {
	ETag string `header:"ETag"`
	Body scheduleBody
}

func (s *answers) scheduleOutput(c store.Schedule, err error) (*scheduleOutput, error) {
	if err != nil {
		return nil, err
	}
	return &scheduleOutput{api.VersionTag(c.Version), scheduleBody{TimetableBody: TimetableBody{c.Monthly, c.Day, c.Daily, c.Hour},
		Zone: c.Zone, Version: c.Version, SetBy: c.SetBy, SetAt: api.UTC(c.SetAt),
		Full: turnOf(c.Full), Recheck: turnOf(c.Recheck), Links: s.page("settings")}}, nil
}

func (s *answers) schedule(ctx context.Context, who identity.Actor, _ *struct{}) (*scheduleOutput, error) {
	return s.scheduleOutput(s.store.Schedule(ctx, who))
}

type putScheduleInput struct {
	IfMatch string `header:"If-Match" doc:"The version in quotes, where the change is about what you read."`
	Body    TimetableBody
}

func (s *answers) putSchedule(ctx context.Context, who identity.Actor, in *putScheduleInput) (*scheduleOutput, error) {
	seen, err := api.VersionSeen(in.IfMatch, store.AnyVersion)
	if err != nil {
		return nil, err
	}
	return s.scheduleOutput(s.store.SetSchedule(ctx, who, store.Timetable(in.Body), seen))
}
