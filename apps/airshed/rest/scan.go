package rest

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/list"
)

// A ScanBody is a scan as the API shows it.
type ScanBody struct {
	ID      string         `json:"id"`
	Kind    store.ScanKind `json:"kind" enum:"asked,scheduled,event,handed" doc:"asked: a person wanted it. scheduled: it was time. event: something came to the lake. handed: of a file that was handed in."`
	State   job.State      `json:"state" enum:"running,done,refused" doc:"refused: there was nothing to look at, or nothing that could be read."`
	Reason  string         `json:"reason" doc:"Why it was refused."`
	AskedBy string         `json:"asked_by"`
	Object  string         `json:"object" doc:"Which object of the data lake was asked for; empty: the newest, or a file."`
	Place   string         `json:"place" doc:"Where the bytes came from."`
	SHA256  string         `json:"sha256" doc:"Of the bytes it reads; empty before it has them."`
	Stale   string         `json:"stale" doc:"Why an older object stands in for the one asked for; empty: it does not."`
	Found   int            `json:"found" doc:"Episodes that go on, or ended in the last day."`
	Fresh   int            `json:"fresh" doc:"Of these, those that nobody had found before."`
	BeganAt time.Time      `json:"began_at"`
	EndedAt *time.Time     `json:"ended_at" doc:"Null: it is running."`
	SameAs  string         `json:"same_as" doc:"The scan whose findings these are, because it read the same bytes by the same rules; empty: it looked itself."`
}

func scanOf(s store.Scan) ScanBody {
	return ScanBody{ID: s.ID, Kind: s.Kind, State: s.State, Reason: s.Reason, AskedBy: s.AskedBy, Object: s.Object, Place: s.Place,
		SHA256: s.Data, Stale: s.Stale,
		Found: s.Found, Fresh: s.Fresh, BeganAt: s.BeganAt.UTC(), EndedAt: api.UTC(s.EndedAt), SameAs: s.SameAs}
}

type listInput struct{ api.Paging }

func (s *Answers) scans(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) ([]ScanBody, string, error) {
	all, next, err := list.Part(after, limit, store.Scan.ListedAt, func(from list.Cursor, most int) ([]store.Scan, error) {
		return s.store.Scans(ctx, who, from, most)
	})
	return list.Each(all, scanOf), next, err
}

type startScanInput struct{ Body NewScanBody }

// A NewScanBody asks for a scan.
type NewScanBody struct {
	Object string `json:"object,omitempty" maxLength:"1024" doc:"An object of the data lake; left out, the newest."`
	File   string `json:"file,omitempty" maxLength:"67108864" doc:"A file of the data lake, as text, to look at instead."`
	Name   string `json:"name,omitempty" maxLength:"200" doc:"What that file is called."`
}

type startScanOutput struct {
	Location string `header:"Location"`
	Body     ScanBody
}

func (s *Answers) startScan(ctx context.Context, who identity.Actor, in *startScanInput) (*startScanOutput, error) {
	ask := store.ScanRequest{Kind: store.Asked, Key: "api:" + rand.Text(), Object: in.Body.Object}
	if in.Body.File != "" {
		if in.Body.Object != "" {
			return nil, fault.New(fault.Invalid, "a scan is of an object of the lake or of a file, not of both")
		}
		ask.Kind, ask.File, ask.Name = store.Handed, []byte(in.Body.File), in.Body.Name
	}
	scan, _, err := s.store.StartScan(ctx, who, ask)
	return &startScanOutput{"/v1/airshed/scans/" + scan.ID, scanOf(scan)}, err
}

// oneScan reads the scan an address names.
func (s *Answers) oneScan(ctx context.Context, who identity.Actor, id string) (store.Scan, error) {
	if !store.ScanJob.IsID(id) {
		return store.Scan{}, fault.New(fault.Invalid, "scan %.40q: use SCAN- and eight of 0-9 and A-F", id).
			WithNext("see the list of scans")
	}
	return s.store.Scan(ctx, who, id)
}

type scanOutput struct{ Body ScanBody }

func (s *Answers) scan(ctx context.Context, who identity.Actor, in *api.Named) (*scanOutput, error) {
	scan, err := s.oneScan(ctx, who, in.ID)
	return &scanOutput{scanOf(scan)}, err
}

type rawOutput struct{ Body api.Raw }

func (s *Answers) board(ctx context.Context, who identity.Actor, in *api.Named) (*rawOutput, error) {
	scan, err := s.oneScan(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	board, err := s.store.Board(ctx, who, scan.ID)
	return &rawOutput{api.Raw(board)}, err
}

// An EpisodeBody is an episode as the API shows it.
type EpisodeBody struct {
	Key       surge.Key `json:"key" doc:"Its station and its first hour."`
	Site      string    `json:"site_id"`
	Station   string    `json:"station"`
	StartAt   time.Time `json:"start_at"`
	LastAt    time.Time `json:"last_at" doc:"The end of its last hour with the 24-hour index above 300, as last seen."`
	Over      bool      `json:"over"`
	Peak      int       `json:"peak_index"`
	Verdict   string    `json:"verdict" enum:"conclusive,inconclusive,complaint,inquiry,not determined,no attribution"`
	First     string    `json:"first" doc:"The state of the largest share; empty where there is none. It is named only where the verdict is conclusive, complaint or inquiry."`
	SHA256    string    `json:"sha256" doc:"Of the bytes that were analysed."`
	Analysis  string    `json:"analysis_sha256"`
	FirstScan string    `json:"first_scan"`
	LastScan  string    `json:"last_scan"`
	FoundAt   time.Time `json:"found_at"`
	SeenAt    time.Time `json:"seen_at"`
	Method    string    `json:"method" doc:"The version of the verdict by which it is answered."`
}

func episodeOf(e store.Episode) EpisodeBody {
	return EpisodeBody{Key: e.Key, Site: e.Site, Station: e.Station, StartAt: e.StartAt.UTC(), LastAt: e.LastAt.UTC(), Over: e.Over,
		Peak: e.Peak, Verdict: e.Verdict, First: e.First,
		SHA256: e.Data, Analysis: e.Analysis, FirstScan: e.FirstScan, LastScan: e.LastScan, FoundAt: e.FoundAt.UTC(),
		SeenAt: e.SeenAt.UTC(), Method: string(e.Method)}
}

type episodesInput struct {
	api.Paging
	store.EpisodeFilter
}

func (s *Answers) episodes(ctx context.Context, who identity.Actor, in *episodesInput, after string,
	limit int) ([]EpisodeBody, string, error) {
	all, next, err := list.Part(after, limit, store.Episode.ListedAt, func(from list.Cursor, most int) ([]store.Episode, error) {
		return s.store.EpisodesWhere(ctx, who, in.EpisodeFilter, from, most)
	})
	return list.Each(all, episodeOf), next, err
}

type episodeOutput struct{ Body EpisodeBody }

func (s *Answers) episode(ctx context.Context, who identity.Actor, in *api.Named) (*episodeOutput, error) {
	key, err := store.KeyOf(in.ID)
	if err != nil {
		return nil, err
	}
	e, err := s.store.Episode(ctx, who, key)
	return &episodeOutput{episodeOf(e)}, err
}

func (s *Answers) analysis(ctx context.Context, who identity.Actor, in *api.Named) (*rawOutput, error) {
	key, err := store.KeyOf(in.ID)
	if err != nil {
		return nil, err
	}
	body, err := s.store.Analysis(ctx, who, key)
	return &rawOutput{api.Raw(body)}, err
}
