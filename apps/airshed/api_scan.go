package airshed

import (
	"context"
	"crypto/rand"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A scanBody is a scan as the API shows it.
type scanBody struct {
	ID      string     `json:"id"`
	Kind    ScanKind   `json:"kind" enum:"asked,scheduled,event,handed" doc:"asked: a person wanted it. scheduled: it was time. event: something came to the lake. handed: of a file that was handed in."`
	State   ScanState  `json:"state" enum:"running,done,refused" doc:"refused: there was nothing to look at, or nothing that could be read."`
	Reason  string     `json:"reason" doc:"Why it was refused."`
	AskedBy string     `json:"asked_by"`
	Object  string     `json:"object" doc:"Which object of the data lake was asked for; empty: the newest, or a file."`
	Place   string     `json:"place" doc:"Where the bytes came from."`
	SHA256  string     `json:"sha256" doc:"Of the bytes it reads; empty before it has them."`
	Stale   string     `json:"stale" doc:"Why an older object stands in for the one asked for; empty: it does not."`
	Found   int        `json:"found" doc:"Episodes that go on, or ended in the last day."`
	Fresh   int        `json:"fresh" doc:"Of these, those that nobody had found before."`
	BeganAt time.Time  `json:"began_at"`
	EndedAt *time.Time `json:"ended_at" doc:"Null: it is running."`
	SameAs  string     `json:"same_as" doc:"The scan whose findings these are, because it read the same bytes by the same rules; empty: it looked itself."`
}

func scanOf(s Scan) scanBody {
	return scanBody{ID: s.ID, Kind: s.Kind, State: s.State, Reason: s.Reason, AskedBy: s.AskedBy, Object: s.Object, Place: s.Place, SHA256: s.Data, Stale: s.Stale,
		Found: s.Found, Fresh: s.Fresh, BeganAt: s.BeganAt.UTC(), EndedAt: api.UTC(s.EndedAt), SameAs: s.SameAs}
}

type listInput struct{ api.Paging }

func (s *answers) scans(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) (out []scanBody, next string, err error) {
	at, err := parsePlace(after)
	if err != nil {
		return nil, "", err
	}
	all, err := s.app.store.Scans(ctx, who, at, limit)
	for _, one := range all {
		out = append(out, scanOf(one))
	}
	if len(all) == limit {
		next = place{all[limit-1].BeganAt, all[limit-1].ID}.String()
	}
	return out, next, err
}

type startScanInput struct{ Body newScanBody }

// A newScanBody asks for a scan.
type newScanBody struct {
	Object string `json:"object,omitempty" maxLength:"1024" doc:"An object of the data lake; left out, the newest."`
	File   string `json:"file,omitempty" maxLength:"67108864" doc:"A file of the data lake, as text, to look at instead."`
	Name   string `json:"name,omitempty" maxLength:"200" doc:"What that file is called."`
}

type startScanOutput struct {
	Location string `header:"Location"`
	Body     scanBody
}

func (s *answers) startScan(ctx context.Context, who identity.Actor, in *startScanInput) (*startScanOutput, error) {
	ask := ScanRequest{Kind: Asked, Key: "api:" + rand.Text(), Object: in.Body.Object}
	if in.Body.File != "" {
		if in.Body.Object != "" {
			return nil, fault.New(fault.Invalid, "a scan is of an object of the lake or of a file, not of both")
		}
		ask.Kind, ask.File, ask.Name = Handed, []byte(in.Body.File), in.Body.Name
	}
	scan, _, err := s.app.store.StartScan(ctx, who, ask)
	return &startScanOutput{"/v1/airshed/scans/" + scan.ID, scanOf(scan)}, err
}

var scanForm = regexp.MustCompile(`^SCAN-[0-9A-F]{8}$`)

// oneScan reads the scan an address names.
func (s *answers) oneScan(ctx context.Context, who identity.Actor, id string) (Scan, error) {
	if !scanForm.MatchString(id) {
		return Scan{}, fault.New(fault.Invalid, "scan %.40q: use SCAN- and eight of 0-9 and A-F", id).WithNext("see the list of scans")
	}
	return s.app.store.Scan(ctx, who, id)
}

type scanOutput struct{ Body scanBody }

func (s *answers) scan(ctx context.Context, who identity.Actor, in *api.Named) (*scanOutput, error) {
	scan, err := s.oneScan(ctx, who, in.ID)
	return &scanOutput{scanOf(scan)}, err
}

type rawOutput struct{ Body api.Raw }

func (s *answers) board(ctx context.Context, who identity.Actor, in *api.Named) (*rawOutput, error) {
	scan, err := s.oneScan(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	board, err := s.app.store.Board(ctx, who, scan.ID)
	return &rawOutput{api.Raw(board)}, err
}

// An episodeBody is an episode as the API shows it.
type episodeBody struct {
	Key       surge.Key `json:"key" doc:"Its station and its first hour."`
	Site      string    `json:"site_id"`
	Station   string    `json:"station"`
	StartAt   time.Time `json:"start_at"`
	LastAt    time.Time `json:"last_at" doc:"The end of its last hour with the 24-hour index above 300, as last seen."`
	Over      bool      `json:"over"`
	Peak      int       `json:"peak_index"`
	Verdict   string    `json:"verdict" enum:"conclusive,inconclusive,no attribution"`
	First     string    `json:"first" doc:"The state of the largest share; empty where there is none. It is named as an origin only where the verdict is conclusive."`
	SHA256    string    `json:"sha256" doc:"Of the bytes that were analysed."`
	Analysis  string    `json:"analysis_sha256"`
	FirstScan string    `json:"first_scan"`
	LastScan  string    `json:"last_scan"`
	FoundAt   time.Time `json:"found_at"`
	SeenAt    time.Time `json:"seen_at"`
}

func episodeOf(e Episode) episodeBody {
	return episodeBody{Key: e.Key, Site: e.Site, Station: e.Station, StartAt: e.StartAt.UTC(), LastAt: e.LastAt.UTC(), Over: e.Over, Peak: e.Peak, Verdict: e.Verdict, First: e.First,
		SHA256: e.Data, Analysis: e.Analysis, FirstScan: e.FirstScan, LastScan: e.LastScan, FoundAt: e.FoundAt.UTC(), SeenAt: e.SeenAt.UTC()}
}

func (s *answers) episodes(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) (out []episodeBody, next string, err error) {
	at, err := parsePlace(after)
	if err != nil {
		return nil, "", err
	}
	all, err := s.app.store.Episodes(ctx, who, at, limit)
	for _, e := range all {
		out = append(out, episodeOf(e))
	}
	if len(all) == limit {
		next = place{all[limit-1].StartAt, string(all[limit-1].Key)}.String()
	}
	return out, next, err
}

type episodeOutput struct{ Body episodeBody }

func (s *answers) episode(ctx context.Context, who identity.Actor, in *api.Named) (*episodeOutput, error) {
	key, err := keyOf(in.ID)
	if err != nil {
		return nil, err
	}
	e, err := s.app.store.Episode(ctx, who, key)
	return &episodeOutput{episodeOf(e)}, err
}

// keyOf is the key in an address.
func keyOf(text string) (surge.Key, error) {
	if _, _, err := surge.ParseKey(text); err != nil {
		return "", fault.From(fault.Invalid, err, "%.80q is no key of an episode", text).WithNext("see the list of episodes")
	}
	return surge.Key(text), nil
}

func (s *answers) analysis(ctx context.Context, who identity.Actor, in *api.Named) (*rawOutput, error) {
	key, err := keyOf(in.ID)
	if err != nil {
		return nil, err
	}
	body, err := s.app.store.Analysis(ctx, who, key)
	return &rawOutput{api.Raw(body)}, err
}
