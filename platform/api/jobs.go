package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// Jobs answers for the long work of applications, whichever it is: how far it is, and
// calling it off. What it found is at the application's own address.
type Jobs struct {
	Desk      *job.Desk
	PublicURL string
}

// Operations registers what it answers.
func (s *Jobs) Operations(a *API) {
	const tag = "Jobs"
	begin, read := s.Desk.Acts()
	Serve(a, Route{ID: "getJob", Method: http.MethodGet, Path: "/v1/jobs/{id}", Acts: read, Tag: tag, Title: "Read how far a job is",
		Text: "A job is long work of an application: an audit of every van, a scan, an ingest. Its id is that of the audit, scan or ingest."}, s.get)
	Serve(a, Route{ID: "cancelJob", Method: http.MethodPost, Path: "/v1/jobs/{id}/cancel", Acts: begin, Tag: tag, Title: "Cancel a job",
		Text: "The step that runs finishes what it is at, and the next one ends the job. What was found until then stays, and nothing " +
			"follows from it. " +
			"One that was cancelled before stays so; one that has ended is refused with 409. Whoever may begin one may cancel it."},
		s.cancel)
}

// A JobBody is a job as the API shows it.
type JobBody struct {
	ID          string     `json:"id"`
	App         string     `json:"app" doc:"Whose it is."`
	Kind        string     `json:"kind" doc:"What it is there: pass, scan, ingest."`
	State       job.State  `json:"state" enum:"running,done,refused,cancelled" doc:"refused: it could not be done."`
	Reason      string     `json:"reason" doc:"Why it was not done."`
	AskedBy     string     `json:"asked_by"`
	Done        int        `json:"done" doc:"Of total: so far."`
	Total       int        `json:"total" doc:"0: nobody knows yet."`
	Doing       string     `json:"doing" doc:"What it is at, in a word."`
	CancelledBy string     `json:"cancelled_by" doc:"Who cancelled it; it may be running still, to the end of a step."`
	BeganAt     time.Time  `json:"began_at"`
	EndedAt     *time.Time `json:"ended_at" doc:"Null: it is running."`
	Links       Links      `json:"links"`
}

type jobOutput struct{ Body JobBody }

func (s *Jobs) body(k job.Kind, j job.Job) *jobOutput {
	b := JobBody{ID: j.ID, App: k.App, Kind: k.Name, State: j.State, Reason: j.Reason, AskedBy: j.AskedBy, Done: j.Done, Total: j.Total,
		Doing:       j.Doing,
		CancelledBy: j.CancelledBy, BeganAt: j.BeganAt.UTC(), EndedAt: UTC(j.EndedAt)}
	if k.Pages != "" {
		b.Links.Page = s.PublicURL + k.Pages + "/" + j.ID
	}
	return &jobOutput{b}
}

func (s *Jobs) get(ctx context.Context, who identity.Actor, in *Named) (*jobOutput, error) {
	k, j, err := s.Desk.Get(ctx, who, in.ID)
	return s.body(k, j), err
}

func (s *Jobs) cancel(ctx context.Context, who identity.Actor, in *Named) (*jobOutput, error) {
	k, j, err := s.Desk.Cancel(ctx, who, in.ID)
	return s.body(k, j), err
}
