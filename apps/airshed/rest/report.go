package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// reporting registers what it answers about reports.
func (s *Answers) reporting(a *api.API) {
	read := []string{store.ActRead}
	api.List(a, api.Route{ID: "listReports", Path: "/v1/airshed/reports", Acts: read, Tag: apiTag, Title: "List reports, the newest first",
		Text: "One for each case: the draft that was filed, else the newest."}, s.reports)
	api.Serve(a, api.Route{ID: "getReport", Method: http.MethodGet, Path: "/v1/airshed/reports/{id}", Acts: read, Tag: apiTag,
		Title: "Read what became of a report"}, s.report)
	api.Serve(a, api.Route{ID: "getReportFile", Method: http.MethodGet, Path: "/v1/airshed/reports/{id}/file", Acts: read, Tag: apiTag,
		Title: "Read a report as it was kept",
		Text:  "The bytes have the digest that the report names, but for the space around them."}, s.reportFile)
	api.Serve(a, api.Route{ID: "askAboutReport", Method: http.MethodPost, Path: "/v1/airshed/reports/{id}/ask",
		Acts: []string{store.ActAsk}, Tag: apiTag, Title: "Put a report before officers again",
		Text: "For one that was sent back, undone or not submitted; with renew, after it was drafted anew from the newest data.",
		Body: `{"renew":true}`}, s.askAgain)
	api.List(a, api.Route{ID: "listOffices", Path: "/v1/airshed/offices", Acts: read, Tag: apiTag,
		Title: "List where notices to states go"}, s.offices)
	api.Serve(a, api.Route{ID: "setOffice", Method: http.MethodPut, Path: "/v1/airshed/offices", Acts: []string{store.ActOffice},
		Tag: apiTag, Title: "Say where notices to a state go",
		Body: `{"state":"Punjab","name":"Pollution Control Board","mailbox":"board@state.example","language":"en"}`}, s.setOffice)
	api.Serve(a, api.Route{ID: "removeOffice", Method: http.MethodDelete, Path: "/v1/airshed/offices/{id}", Acts: []string{store.ActOffice},
		Tag: apiTag, Title: "Write to a state no more"}, s.removeOffice)
}

// A reportBody is a report as the API shows it. The first keys are those of the first
// design's log.
type reportBody struct {
	ID          string          `json:"report_id"`
	Station     string          `json:"station"`
	AQI         int             `json:"aqi"`
	Time        time.Time       `json:"timestamp" doc:"Of the surge."`
	GeneratedAt time.Time       `json:"generated_at"`
	Status      string          `json:"status" enum:"draft,success,partial_success" doc:"success: the commission has it. partial_success: it is kept and was not submitted."`
	Verdict     string          `json:"verdict" enum:"conclusive,inconclusive,complaint,inquiry,not determined,no attribution"`
	First       string          `json:"first" doc:"The state of the largest share. It is named only where the verdict is conclusive, complaint or inquiry."`
	Draft       int             `json:"draft" doc:"Which draft of the case this is."`
	WordedBy    string          `json:"worded_by" doc:"The run of the agent that worded the summary; empty: code did."`
	Receipt     string          `json:"receipt" doc:"The commission's."`
	Mock        bool            `json:"mock" doc:"No commission received anything: a simulator did, or nobody."`
	Copy        string          `json:"s3_path" doc:"Where a copy lies in the data lake."`
	FiledAt     *time.Time      `json:"filed_at"`
	SHA256      string          `json:"sha256"`
	Case        casefile.CaseID `json:"case"`
	Key         surge.Key       `json:"episode"`
}

func reportOf(r store.Report) reportBody {
	return reportBody{ID: r.ReportID, Station: r.Station, AQI: r.AQI, Time: r.SurgeAt.UTC(), GeneratedAt: r.MadeAt.UTC(), Status: r.Status,
		Verdict: r.Verdict, First: r.First, Draft: r.N,
		WordedBy: r.WordedBy, Receipt: r.Receipt, Mock: r.Mock, Copy: r.Place, FiledAt: api.UTC(r.FiledAt), SHA256: r.JSON, Case: r.Case,
		Key: r.Key}
}

func (s *Answers) reports(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) ([]reportBody, string, error) {
	all, next, err := list.Part(after, limit, store.Report.ListedAt, func(from list.Cursor, most int) ([]store.Report, error) {
		return s.store.Reports(ctx, who, from, most)
	})
	return list.Each(all, reportOf), next, err
}

type reportOutput struct{ Body reportBody }

func (s *Answers) report(ctx context.Context, who identity.Actor, in *api.Named) (*reportOutput, error) {
	id, err := store.ReportID(in.ID)
	if err != nil {
		return nil, err
	}
	r, err := s.store.Report(ctx, who, id)
	return &reportOutput{reportOf(r)}, err
}

func (s *Answers) reportFile(ctx context.Context, who identity.Actor, in *api.Named) (*rawOutput, error) {
	id, err := store.ReportID(in.ID)
	if err != nil {
		return nil, err
	}
	r, body, err := s.store.ReportFile(ctx, who, id, 0, "")
	if err != nil {
		return nil, err
	}
	return &rawOutput{api.Raw(body)}, s.store.HandOut(ctx, who, r, body)
}

type askInput struct {
	api.Named

	Body struct {
		Renew bool `json:"renew,omitempty" doc:"Draft it anew first, from the newest data."`
	}
}

func (s *Answers) askAgain(ctx context.Context, who identity.Actor, in *askInput) (*reportOutput, error) {
	id, err := store.ReportID(in.ID)
	if err != nil {
		return nil, err
	}
	if _, err := s.clerk.AskAgain(ctx, who, id, in.Body.Renew); err != nil {
		return nil, err
	}
	r, err := s.store.Report(ctx, who, id)
	return &reportOutput{reportOf(r)}, err
}

// An officeBody is an office as the API shows it.
type officeBody struct {
	State    string    `json:"state"`
	Name     string    `json:"name"`
	Mailbox  string    `json:"mailbox"`
	Language string    `json:"language" enum:"en,hi"`
	SetBy    string    `json:"set_by"`
	SetAt    time.Time `json:"set_at"`
}

func officeOf(o store.Office) officeBody {
	return officeBody{o.State, o.Name, o.Mailbox, o.Language, o.SetBy, o.SetAt.UTC()}
}

func (s *Answers) offices(ctx context.Context, who identity.Actor, _ *listInput, _ string, _ int) ([]officeBody, string, error) {
	all, err := s.store.Offices(ctx, who)
	return list.Each(all, officeOf), "", err
}

type setOfficeInput struct {
	Body struct {
		State    string `json:"state" minLength:"1" maxLength:"100"`
		Name     string `json:"name" minLength:"1" maxLength:"100"`
		Mailbox  string `json:"mailbox" minLength:"3" maxLength:"254"`
		Language string `json:"language" enum:"en,hi"`
	}
}

type officeOutput struct{ Body officeBody }

func (s *Answers) setOffice(ctx context.Context, who identity.Actor, in *setOfficeInput) (*officeOutput, error) {
	o, err := s.store.SetOffice(ctx, who, in.Body.State, store.OfficeDraft{Name: in.Body.Name, Mailbox: in.Body.Mailbox,
		Language: in.Body.Language})
	return &officeOutput{officeOf(o)}, err
}

func (s *Answers) removeOffice(ctx context.Context, who identity.Actor, in *api.Named) (*struct{}, error) {
	return nil, s.store.RemoveOffice(ctx, who, in.ID)
}
