package rest

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/list"
)

// ingestOperations registers what brings data in from the services outside.
func (s *Answers) ingestOperations(a *api.API) {
	read := []string{store.ActRead}
	api.List(a, api.Route{ID: "listIngests", Path: "/v1/airshed/ingests", Acts: read, Tag: apiTag, Title: "List ingests, the newest first",
		Text: "An ingest asks the services outside, keeps what they answer, and writes one object to the data lake. Read one to see " +
			"what came of each source."}, s.ingests)
	api.Serve(a, api.Route{ID: "startIngest", Method: http.MethodPost, Path: "/v1/airshed/ingests", Acts: []string{store.ActIngest},
		Tag: apiTag, Title: "Have the services outside asked",
		Text: "It is durable at once and goes on by itself; read the ingest to see how far it is. Where the air does not come it is " +
			"refused and nothing is written; " +
			"whatever else does not come is left out, and what that costs is said. A scan of what was written follows by itself.",
		Status: http.StatusCreated}, s.startIngest)
	api.Serve(a, api.Route{ID: "getIngest", Method: http.MethodGet, Path: "/v1/airshed/ingests/{id}", Acts: read, Tag: apiTag,
		Title: "Read an ingest and what came of each source"}, s.ingest)
}

// An IngestBody is an ingest as a list shows it.
type IngestBody struct {
	ID      string     `json:"id"`
	State   job.State  `json:"state" enum:"running,done,refused" doc:"refused: the air did not come, and nothing was written."`
	Reason  string     `json:"reason" doc:"Why it was refused."`
	AskedBy string     `json:"asked_by"`
	Object  string     `json:"object" doc:"Which object of the data lake it wrote; empty before it has."`
	SHA256  string     `json:"sha256" doc:"Of that object."`
	Scan    string     `json:"scan" doc:"Which looks at it."`
	BeganAt time.Time  `json:"began_at"`
	EndedAt *time.Time `json:"ended_at" doc:"Null: it is running."`
}

func ingestOf(i store.Ingest) IngestBody {
	return IngestBody{ID: i.ID, State: i.State, Reason: i.Reason, AskedBy: i.AskedBy, Object: i.Object, SHA256: i.Data, Scan: i.Scan,
		BeganAt: i.BeganAt.UTC(), EndedAt: api.UTC(i.EndedAt)}
}

// A WholeIngestBody is an ingest with what came of each source.
type WholeIngestBody struct {
	IngestBody

	Sources []CameBody `json:"sources" doc:"Those that were asked so far."`
}

// A CameBody is what became of asking one source.
type CameBody struct {
	Source  string     `json:"source"`
	Title   string     `json:"title"`
	Had     bool       `json:"had" doc:"Whether anything came that can be used."`
	Answers int        `json:"answers"`
	Bytes   int64      `json:"bytes"`
	AsOf    *time.Time `json:"as_of" doc:"The newest of what came; null: nothing says."`
	Age     *int       `json:"age_minutes" doc:"How old that was when the source had been asked."`
	Note    string     `json:"note" doc:"Why it is missing, or what is odd about it."`
	Costs   string     `json:"costs" doc:"What is lost without it; empty where it came."`
}

func cameBodyOf(c store.Came) CameBody {
	b := CameBody{Source: c.Source, Title: origin.Named(c.Source).Title, Had: c.Had, Answers: c.Answers, Bytes: c.Bytes,
		AsOf: api.UTC(c.AsOf), Note: c.Note, Costs: c.Costs}
	if c.AsOf != nil {
		age := max(0, int(c.At.Sub(*c.AsOf)/time.Minute))
		b.Age = &age
	}
	return b
}

func (s *Answers) ingests(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) ([]IngestBody, string, error) {
	all, next, err := list.Part(after, limit, store.Ingest.ListedAt, func(from list.Cursor, most int) ([]store.Ingest, error) {
		return s.store.Ingests(ctx, who, from, most)
	})
	return list.Each(all, ingestOf), next, err
}

type startIngestInput struct{}

type startIngestOutput struct {
	Location string `header:"Location"`
	Body     WholeIngestBody
}

func (s *Answers) startIngest(ctx context.Context, who identity.Actor, _ *startIngestInput) (*startIngestOutput, error) {
	i, err := s.gatherer.Start(ctx, who, "api:"+rand.Text())
	return &startIngestOutput{"/v1/airshed/ingests/" + i.ID, WholeIngestBody{ingestOf(i), []CameBody{}}}, err
}

type ingestOutput struct{ Body WholeIngestBody }

func (s *Answers) ingest(ctx context.Context, who identity.Actor, in *api.Named) (*ingestOutput, error) {
	if !store.IngestJob.IsID(in.ID) {
		return nil, fault.New(fault.Invalid, "ingest %.40q: use ING- and eight of 0-9 and A-F", in.ID).WithNext("see the list of ingests")
	}
	i, all, err := s.store.Ingest(ctx, who, in.ID)
	b := WholeIngestBody{ingestOf(i), []CameBody{}}
	for _, c := range all {
		b.Sources = append(b.Sources, cameBodyOf(c))
	}
	return &ingestOutput{b}, err
}
