package api

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Sources answers for where data comes from, and how current it is.
type Sources struct {
	Evidence *evidence.Store
	May      func(identity.Actor, string) error // where bytes came from may name somebody: only readers of cases are told
}

// Operations registers what it answers.
func (s *Sources) Operations(a *API) {
	const tag = "Sources"
	List(a, Route{ID: "listSources", Path: "/v1/sources", Acts: []string{"source.read"}, Tag: tag, Title: "List where data comes from",
		Text: "How each stands with your organisation: when it last spoke, how late it is, what rests on it, and what stops working if " +
			"it stays silent."}, s.list)
	List(a, Route{ID: "listSnapshots", Path: "/v1/sources/{source}/snapshots", Acts: []string{"source.read"}, Tag: tag,
		Title: "List what came from a source",
		Text:  "Newest first, each with the digest of its bytes and its record in the log."}, s.snapshots)
}

// A SourceBody is a source as the API shows it.
type SourceBody struct {
	Name            string     `json:"name"`
	Title           string     `json:"title"`
	State           string     `json:"state" enum:"fresh,late,never,unscheduled" doc:"unscheduled: nobody said how often it should speak."`
	LastAt          *time.Time `json:"last_at" doc:"Of the last good fetch."`
	LastSnapshot    string     `json:"last_snapshot"`
	LastBytes       int64      `json:"last_bytes"`
	ExpectedSeconds int64      `json:"expected_every_seconds"`
	DelaySeconds    int64      `json:"delay_seconds"`
	Fetches         int64      `json:"fetches_30d"`
	Changes         int64      `json:"shape_changes_30d" doc:"How often what came looked unlike what came before: another kind, or another head of a table."`
	Facts           int64      `json:"facts" doc:"Versions of facts read from it; counted up to 10,000."`
	Personal        bool       `json:"personal"`
	Licence         string     `json:"licence"`
	Without         string     `json:"without" doc:"What stops working if it stays silent."`
}

func sourceBody(s evidence.Standing) SourceBody {
	return SourceBody{Name: s.Source.Name, Title: s.Source.Title, State: string(s.Is()), LastAt: moment(s.Last),
		LastSnapshot: string(s.LastID), LastBytes: s.Size,
		ExpectedSeconds: int64(s.Source.ExpectedEvery.Seconds()), DelaySeconds: int64(s.Delay.Seconds()), Fetches: s.Fetches,
		Changes: s.Changes, Facts: s.Facts, Personal: s.Source.Personal, Licence: s.Source.Licence, Without: s.Source.Without}
}

type listSourcesInput struct {
	Paging
	State string `query:"state" enum:"fresh,late,never,unscheduled" doc:"Only those that stand so."`
}

// list comes all at once: there are as many as are declared.
func (s *Sources) list(ctx context.Context, who identity.Actor, in *listSourcesInput, _ string, _ int) ([]SourceBody, string, error) {
	all, err := s.Evidence.Standings(ctx, who.Org)
	out := []SourceBody{}
	for _, one := range all {
		if body := sourceBody(one); in.State == "" || body.State == in.State {
			out = append(out, body)
		}
	}
	return out, "", err
}

// A SnapshotBody is bytes as they were received, once.
type SnapshotBody struct {
	ID        string    `json:"id"`
	Source    string    `json:"source"`
	SHA256    string    `json:"sha256" doc:"Of the bytes; of the envelope, where they are sealed."`
	Size      int64     `json:"size_bytes"`
	FetchedAt time.Time `json:"fetched_at"`
	Kind      string    `json:"kind" doc:"The content type, as the bytes look."`
	Told      string    `json:"told" doc:"The content type, as the source said."`
	Sealed    bool      `json:"sealed"`
	Licence   string    `json:"licence"`
	Place     string    `json:"place" doc:"Where they came from, for those who may read cases."`
	By        string    `json:"by"`
	Record    string    `json:"record"`
}

type listSnapshotsInput struct {
	Paging
	Source string `path:"source" maxLength:"40"`
}

func (s *Sources) snapshots(ctx context.Context, who identity.Actor, in *listSnapshotsInput, after string,
	limit int) ([]SnapshotBody, string, error) {
	if _, known := s.Evidence.Source(in.Source); !known {
		return nil, "", fault.New(fault.NotFound, "no source is called %.60q", in.Source)
	}
	found, err := s.Evidence.Snapshots(ctx, who.Org, evidence.SnapshotQuery{Source: in.Source, Before: evidence.SnapshotID(after),
		Limit: limit})
	out := make([]SnapshotBody, len(found))
	place := s.May != nil && s.May(who, "case.read") == nil
	for i, f := range found {
		out[i] = SnapshotBody{ID: string(f.ID), Source: f.Source, SHA256: f.SHA256.String(), Size: f.Size, FetchedAt: f.FetchedAt,
			Kind: f.Detected, Told: f.Told,
			Sealed: f.Sealed(), Licence: f.Licence, By: f.ActorID, Record: string(f.Record)}
		if place {
			out[i].Place = f.Place
		}
	}
	next := ""
	if len(found) == limit {
		next = string(found[limit-1].ID)
	}
	return out, next, err
}
