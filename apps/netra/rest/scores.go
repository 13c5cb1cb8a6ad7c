package rest

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A ScoreBody is the score of a district as a list shows it.
type ScoreBody struct {
	LGD        int          `json:"district_lgd"`
	District   string       `json:"district"`
	State      string       `json:"state"`
	Score      *float64     `json:"score" doc:"Null: there is none, and status says why."`
	Label      string       `json:"threshold"`
	RiskLevel  string       `json:"risk_level"`
	Trend      score.Trend  `json:"trend"`
	Primary    signal.Layer `json:"primary_trigger"`
	Cognitive  float64      `json:"cognitive"`
	Network    float64      `json:"network"`
	Physical   float64      `json:"physical"`
	Signals    int64        `json:"signal_count"`
	Window     string       `json:"time_window"`
	Status     score.Status `json:"status"`
	At         time.Time    `json:"timestamp"`
	Profile    string       `json:"profile"`
	Hash       string       `json:"profile_hash"`
	Governance string       `json:"governance_disclaimer"`
}

func scoreOf(s casework.Scored, governance string) ScoreBody {
	r := s.Results[0]
	b := ScoreBody{LGD: s.LGD, District: s.Name, State: s.State, Label: r.Band.String(), RiskLevel: r.Band.RiskLevel(), Trend: r.Trend,
		Primary:   r.Primary,
		Cognitive: rounded(r.Layer(signal.Cognitive).Score), Network: rounded(r.Layer(signal.Network).Score),
		Physical: rounded(r.Layer(signal.Physical).Score), Signals: r.Signals, Window: windowOf(r.WindowHours), Status: r.Status,
		At: r.AsOf, Profile: r.Profile, Hash: r.ProfileHash, Governance: governance}
	if r.Score.Known {
		shown := rounded(r.Score.Value)
		b.Score = &shown
	}
	return b
}

type scoresInput struct {
	api.Paging

	Window  int       `query:"window_hours" minimum:"1" maximum:"744" default:"24"`
	AsOf    time.Time `query:"as_of" doc:"Left out: now, of each page its own."`
	Profile string    `query:"profile" enum:"v2,seed-v1" default:"v2"`
}

// scores lists the districts after a code.
func (s *Answers) scores(ctx context.Context, who identity.Actor, in *scoresInput, after string, limit int) ([]ScoreBody, string, error) {
	a, err := ask(in.Window, &in.AsOf, in.Profile)
	if err != nil {
		return nil, "", err
	}
	a.Named = false
	book, err := s.desk.Book(ctx, who)
	switch {
	case fault.Is(err, fault.Conflict): // no district is known yet: a list of none
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	if a.AsOf.IsZero() {
		a.AsOf = s.store.Now()
	}
	codes := book.Codes(a.AsOf)
	if after != "" {
		last, err := strconv.Atoi(after)
		if err != nil {
			return nil, "", fault.New(fault.Invalid, "this place in the list is none of ours")
		}
		at, found := slices.BinarySearch(codes, last)
		if found {
			at++
		}
		codes = codes[at:]
	}
	next := ""
	if len(codes) > limit {
		codes = codes[:limit]
		next = strconv.Itoa(codes[limit-1])
	}
	if len(codes) == 0 {
		return nil, "", nil
	}
	a.LGD = codes
	all, err := s.desk.Score(ctx, who, a)
	if err != nil {
		return nil, "", err
	}
	governance, err := reason.Governance(reason.English)
	out := make([]ScoreBody, len(all))
	for i, one := range all {
		out[i] = scoreOf(one, governance)
	}
	return out, next, err
}

// A FreezeBody says by which profile scores are written down.
type FreezeBody struct {
	Profile string `json:"profile,omitempty" enum:"v2,seed-v1" doc:"Left out: v2."`
}

// A FrozenBody is what was written down.
type FrozenBody struct {
	AsOf       time.Time `json:"as_of"`
	Scores     int       `json:"scores"`
	Profile    string    `json:"profile"`
	Governance string    `json:"governance_disclaimer"`
}

type freezeInput struct{ Body FreezeBody }

type freezeOutput struct{ Body FrozenBody }

func (s *Answers) freeze(ctx context.Context, who identity.Actor, in *freezeInput) (*freezeOutput, error) {
	p, err := score.Named(in.Body.Profile)
	if err != nil {
		return nil, err
	}
	at, n, err := s.desk.Freeze(ctx, who, p)
	if err != nil {
		return nil, err
	}
	governance, err := reason.Governance(reason.English)
	return &freezeOutput{FrozenBody{at.UTC(), n, p.Name, governance}}, err
}

// A HistoryBody is a score as it was written down.
type HistoryBody struct {
	LGD        int          `json:"district_lgd"`
	Window     int          `json:"window_hours"`
	AsOf       time.Time    `json:"as_of"`
	Score      *float64     `json:"score"`
	Band       string       `json:"threshold"`
	Status     score.Status `json:"status"`
	Profile    string       `json:"profile"`
	Hash       string       `json:"profile_hash"`
	FrozenAt   time.Time    `json:"frozen_at"`
	FrozenBy   string       `json:"frozen_by"`
	Governance string       `json:"governance_disclaimer"`
}

type historyInput struct {
	api.Paging

	LGD    int `query:"district_lgd" minimum:"0" maximum:"999999"`
	Window int `query:"window_hours" minimum:"0" maximum:"744"`
}

func (s *Answers) history(ctx context.Context, who identity.Actor, in *historyInput, after string,
	limit int) ([]HistoryBody, string, error) {
	q := store.HistoryQuery{LGD: in.LGD, WindowHours: in.Window, Limit: limit + 1}
	if after != "" {
		if err := json.Unmarshal([]byte(after), &q.After); err != nil {
			return nil, "", fault.New(fault.Invalid, "this place in the list is none of ours")
		}
	}
	all, err := s.store.History(ctx, who, q)
	if err != nil {
		return nil, "", err
	}
	next := ""
	if len(all) > limit {
		all = all[:limit]
		place, err := json.Marshal(all[limit-1].Listed())
		if err != nil {
			return nil, "", err
		}
		next = string(place)
	}
	governance, err := reason.Governance(reason.English)
	out := make([]HistoryBody, len(all))
	for i, f := range all {
		out[i] = HistoryBody{f.LGD, f.WindowHours, f.AsOf.UTC(), f.Score, f.Band, f.Status, f.Profile, f.ProfileHash, f.FrozenAt.UTC(),
			f.FrozenBy, governance}
	}
	return out, next, err
}
