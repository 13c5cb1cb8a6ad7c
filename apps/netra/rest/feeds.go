package rest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/pii"
)

// feeds registers what brings signals and districts in.
func (s *Answers) feeds(a *api.API) {
	read := []string{store.ActRead}
	api.List(a, api.Route{ID: "listSignalIngests", Path: IngestsAddress, Acts: read, Tag: apiTag,
		Title: "List what brought signals in, the newest first"}, s.ingests)
	api.Serve(a, api.Route{ID: "bringSignals", Method: http.MethodPost, Path: IngestsAddress, Acts: []string{store.ActIngest}, Tag: apiTag,
		Title: "Bring signals in",
		Text: "Lines of a feed, at most 16 MiB at once; a longer one comes in several requests that name the ingest of the first. It " +
			"answers once they are kept: " +
			"every line is taken, known already, refused with a reason, or stopped because it holds personal data, of which only the " +
			"kind is kept. The same " +
			"lines sent again change nothing. Who comes while two others are at it is answered 429, and sends again in a second.",
		MaxBody: 2 * MaxBundle, Slow: true, Status: http.StatusCreated, Untried: "days are opened before signals come",
		Body: `{"name":"desk.ndjson","format":"ndjson","lines":"{\"event_id\":\"e1\",\"source\":\"desk\",\"event_type\":\"bandh\",\"timestamp\":\"2026-02-03T09:30:00+05:30\",\"district_lgd\":272,\"event_summary\":\"Bandh called\"}"}`},
		s.bring)
	api.Serve(a, api.Route{ID: "getSignalIngest", Method: http.MethodGet, Path: IngestsAddress + "/{id}", Acts: read, Tag: apiTag,
		Title: "Read what became of the lines of an ingest"}, s.ingest)
	api.List(a, api.Route{ID: "listDistricts", Path: DistrictsAddress, Acts: read, Tag: apiTag,
		Title: "List the districts that are known, by their codes",
		Text:  "Each for as long as it was one under its name."}, s.districts)
	api.Serve(a, api.Route{ID: "importDistricts", Method: http.MethodPost, Path: DistrictsAddress, Acts: []string{store.ActDistrict},
		Tag:   apiTag,
		Title: "Import districts", Text: "A CSV file with the columns lgd, name, state, valid_from, valid_to, tags, reviewed_by, " +
			"reviewed_on. One that is there under its code and " +
			"first day is changed. Tags (border, market, highway, capital, sensitive_zone) need somebody who signed for them.",
		MaxBody: 4 << 20, Body: `{"file":"lgd,name,state,valid_from,valid_to,tags,reviewed_by,reviewed_on\n272,Imphal West,Manipur,1997-06-18,,capital,A. Officer,2026-01-31\n"}`},
		s.importDistricts)
}

// A BringBody is lines of a feed.
type BringBody struct {
	Ingest  string      `json:"ingest,omitempty" pattern:"^NIN-[0-9A-F]{8}$" doc:"That they go on with; left out: they begin one."`
	Name    string      `json:"name,omitempty" maxLength:"200" doc:"Of the file or the feed."`
	Format  feed.Format `json:"format" enum:"ndjson,csv,acled,ucdp,gdelt,mapped"`
	Mapping api.Raw     `json:"mapping,omitempty" doc:"Of the format mapped: which of its columns is which of our fields."`
	Before  int         `json:"before,omitempty" minimum:"0" doc:"Lines of the file that came with earlier requests, so that those that are stopped can be found."`
	Lines   string      `json:"lines" minLength:"1" maxLength:"16777216" doc:"Tables with the line that names their columns."`
}

// A SignalIngestBody is what became of the lines so far.
type SignalIngestBody struct {
	ID          string           `json:"id"`
	Name        string           `json:"name"`
	Format      string           `json:"format"`
	AskedBy     string           `json:"asked_by"`
	Parts       int              `json:"parts"`
	Lines       int64            `json:"lines"`
	Taken       int64            `json:"taken" doc:"Became signals."`
	Known       int64            `json:"known" doc:"Were there already."`
	Refused     int64            `json:"refused"`
	Quarantined int64            `json:"quarantined" doc:"Held personal data; nothing of them is kept but the kinds."`
	Reasons     map[string]int64 `json:"reasons" doc:"Of refusals."`
	BeganAt     time.Time        `json:"began_at"`
	LastAt      time.Time        `json:"last_at"`
}

func ingestOf(i store.Ingest) SignalIngestBody {
	return SignalIngestBody{i.ID, i.Name, i.Feed, i.AskedBy, i.Parts, i.Lines, i.Taken, i.Known, i.Refused, i.Quarantined, i.Reasons,
		i.BeganAt.UTC(), i.LastAt.UTC()}
}

// A WholeSignalIngestBody is an ingest with the lines that were stopped.
type WholeSignalIngestBody struct {
	SignalIngestBody

	Stopped []HeldBody `json:"stopped" doc:"The first hundred."`
	Rules   string     `json:"personal_data_rules"`
}

// A HeldBody is a line that was stopped.
type HeldBody struct {
	Line  int              `json:"line"`
	Kinds map[pii.Kind]int `json:"kinds"`
}

type bringInput struct{ Body BringBody }

type bringOutput struct {
	Location string `header:"Location"`
	Body     SignalIngestBody
}

func (s *Answers) bring(ctx context.Context, who identity.Actor, in *bringInput) (*bringOutput, error) {
	b := casework.Bundle{Ingest: in.Body.Ingest, Name: in.Body.Name, Format: in.Body.Format, Body: []byte(in.Body.Lines),
		Before: in.Body.Before}
	if len(in.Body.Mapping) > 0 {
		m, err := feed.ReadMapping(in.Body.Mapping)
		if err != nil {
			return nil, err
		}
		b.Mapping = m
	}
	i, err := s.desk.Take(ctx, who, b)
	return &bringOutput{IngestsAddress + "/" + i.ID, ingestOf(i)}, err
}

type listInput struct{ api.Paging }

func (s *Answers) ingests(ctx context.Context, who identity.Actor, _ *listInput, after string,
	limit int) ([]SignalIngestBody, string, error) {
	all, next, err := list.Part(after, limit, store.Ingest.ListedAt, func(from list.Cursor, most int) ([]store.Ingest, error) {
		return s.store.Ingests(ctx, who, from, most)
	})
	return list.Each(all, ingestOf), next, err
}

// mostStopped is how many lines that were stopped are told.
const mostStopped = 100

type ingestOutput struct{ Body WholeSignalIngestBody }

func (s *Answers) ingest(ctx context.Context, who identity.Actor, in *api.Named) (*ingestOutput, error) {
	i, held, err := s.store.Ingest(ctx, who, in.ID, mostStopped)
	b := WholeSignalIngestBody{ingestOf(i), []HeldBody{}, pii.Rules}
	for _, h := range held {
		b.Stopped = append(b.Stopped, HeldBody{h.Line, h.Kinds})
	}
	return &ingestOutput{b}, err
}

// A DistrictBody is a district for as long as it was one under its name.
type DistrictBody struct {
	LGD        int          `json:"lgd"`
	Name       string       `json:"name"`
	State      string       `json:"state"`
	From       string       `json:"valid_from"`
	To         string       `json:"valid_to" doc:"The first day on which it no longer is; empty while it is."`
	Tags       []signal.Tag `json:"tags"`
	ReviewedBy string       `json:"reviewed_by"`
	ReviewedOn string       `json:"reviewed_on"`
}

func districtOf(e gazette.Entry) DistrictBody {
	text := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(time.DateOnly)
	}
	return DistrictBody{e.LGD, e.Name, e.State, text(e.From), text(e.To), append([]signal.Tag{}, e.Tags...), e.ReviewedBy,
		text(e.ReviewedOn)}
}

func (s *Answers) districts(ctx context.Context, who identity.Actor, _ *listInput, after string,
	limit int) ([]DistrictBody, string, error) {
	all, err := s.store.Districts(ctx, who)
	if err != nil {
		return nil, "", err
	}
	return page(list.Each(all, districtOf), after, limit)
}

// An ImportBody is a file of districts.
type ImportBody struct {
	File string `json:"file" minLength:"1" maxLength:"2097152"`
}

// An ImportedBody is what the organisation knows then.
type ImportedBody struct {
	Imported int `json:"imported"`
	Known    int `json:"known"`
}

type importInput struct{ Body ImportBody }

type importOutput struct{ Body ImportedBody }

func (s *Answers) importDistricts(ctx context.Context, who identity.Actor, in *importInput) (*importOutput, error) {
	all, err := gazette.Read([]byte(in.Body.File))
	if err != nil {
		return nil, err
	}
	known, err := s.store.ImportDistricts(ctx, who, all)
	return &importOutput{ImportedBody{len(all), known}}, err
}

// page is a part of a list that is there whole: what follows so many.
func page[B any](all []B, after string, limit int) ([]B, string, error) {
	from := 0
	if after != "" {
		var err error
		if from, err = strconv.Atoi(after); err != nil || from < 0 || from > len(all) {
			return nil, "", fault.New(fault.Invalid, "this place in the list is none of ours").WithNext("begin the list anew")
		}
	}
	all = all[from:]
	if len(all) <= limit {
		return all, "", nil
	}
	return all[:limit], strconv.Itoa(from + limit), nil
}
