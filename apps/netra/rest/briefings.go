package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/pii"
)

// BriefingsAddress is that of briefings and of answers to questions.
const BriefingsAddress = "/v1/netra/briefings"

// briefings registers them.
func (s *Answers) briefings(a *api.API) {
	read := []string{store.ActRead}
	api.List(a, api.Route{ID: "listBriefings", Path: BriefingsAddress, Acts: read, Tag: apiTag,
		Title: "List briefings and answered questions, the newest first"}, s.listBriefings)
	api.Serve(a, api.Route{ID: "askAboutDistrict", Method: http.MethodPost, Path: BriefingsAddress, Acts: []string{store.ActBrief},
		Tag: apiTag, Title: "Have a briefing on a district written, or a question answered", Status: http.StatusCreated,
		Text: "Code answers at once, from facts: why it has its score, what changed, what would lower it, how much is heard. Where a model is " +
			"set up, an agent words it as well; that is there later, under worded, as far as every sentence holds. Personal data in a " +
			"question is masked, and nothing that names a person or a community leaves.",
		Body: `{"district_lgd":272,"window_hours":24,"question":"What changed?"}`}, s.askBriefing)
	api.Serve(a, api.Route{ID: "getBriefing", Method: http.MethodGet, Path: BriefingsAddress + "/{id}", Acts: read, Tag: apiTag,
		Title: "Read a briefing with its facts"}, s.getBriefing)
}

// A BriefingAskBody is the wish for a briefing.
type BriefingAskBody struct {
	District string `json:"district,omitempty" maxLength:"100" doc:"Its name, with its state; or its code."`
	State    string `json:"state,omitempty" maxLength:"100"`
	LGD      int    `json:"district_lgd,omitempty" minimum:"1" maximum:"999999"`
	Window   int    `json:"window_hours,omitempty" enum:"24,72,168" doc:"Left out: 24."`
	Language string `json:"language,omitempty" enum:"en,hi" doc:"Left out: en."`
	Question string `json:"question,omitempty" maxLength:"300" doc:"In words: why, what changed, what would lower it. Left out: a whole briefing."`
}

// A BriefingBody is a briefing, or the answer to a question.
type BriefingBody struct {
	ID         string              `json:"id"`
	LGD        int                 `json:"district_lgd"`
	District   string              `json:"district"`
	State      string              `json:"state"`
	Window     int                 `json:"window_hours"`
	Language   string              `json:"language"`
	Question   string              `json:"question" doc:"Without personal data; empty for a whole briefing."`
	AsOf       time.Time           `json:"as_of" doc:"The moment it speaks of."`
	Score      *float64            `json:"score"`
	Band       score.Band          `json:"threshold"`
	Lines      []BriefingLineBody  `json:"lines" doc:"Code's words, the finding first."`
	Wording    store.BriefingState `json:"wording" enum:"code,asked,worded,refused" doc:"code: no model is asked; asked: an agent is at it; worded: some of its sentences hold; refused: none does."`
	Worded     []string            `json:"worded" doc:"The sentences of a model that hold, every number a fact."`
	Run        string              `json:"run" doc:"Of the agent; empty where there is none."`
	Case       string              `json:"case" doc:"On which the agent worked; empty where there is none."`
	Facts      []BriefingFactBody  `json:"facts"`
	Basis      string              `json:"basis_sha256" doc:"Of the JSON that the facts are read from."`
	Profile    string              `json:"profile"`
	Hash       string              `json:"profile_hash"`
	Checked    string              `json:"personal_data_rules"`
	AskedBy    string              `json:"asked_by"`
	AskedAt    time.Time           `json:"asked_at"`
	EndedAt    *time.Time          `json:"ended_at" doc:"Null: an agent is at it."`
	Governance string              `json:"governance_disclaimer"`
}

// A BriefingLineBody is one sentence of code's.
type BriefingLineBody struct {
	Topic brief.Topic `json:"topic" enum:"why,changed,lower,heard"`
	Text  string      `json:"text"`
}

// A BriefingFactBody is one number that may be said.
type BriefingFactBody struct {
	ID      fact.ID `json:"id"`
	Name    string  `json:"name"`
	Value   string  `json:"value"`
	Shown   string  `json:"shown"`
	Pointer string  `json:"pointer" doc:"Where it stands in the JSON of the basis."`
}

type askBriefingInput struct{ Body BriefingAskBody }

type askBriefingOutput struct {
	Location string `header:"Location"`
	Body     BriefingBody
}

func (s *Answers) askBriefing(ctx context.Context, who identity.Actor, in *askBriefingInput) (*askBriefingOutput, error) {
	lgd, err := s.district(ctx, who, in.Body.LGD, in.Body.District, in.Body.State, s.store.Now())
	if err != nil {
		return nil, err
	}
	q := analyst.Question{LGD: lgd, Hours: in.Body.Window, Lang: language(in.Body.Language), Text: in.Body.Question}
	if q.Hours == 0 {
		q.Hours = 24
	}
	b, err := s.analyst.Ask(ctx, who, q)
	if err != nil {
		return nil, err
	}
	body, err := briefingOf(b)
	return &askBriefingOutput{BriefingsAddress + "/" + b.ID, body}, err
}

// district is the code of a district that is named by it, or by name and state.
func (s *Answers) district(ctx context.Context, who identity.Actor, lgd int, name, state string, at time.Time) (int, error) {
	if lgd != 0 {
		return lgd, nil
	}
	book, err := s.desk.Book(ctx, who)
	if err != nil {
		return 0, err
	}
	e, ok := book.Named(name, state, at)
	if !ok {
		return 0, fault.New(fault.NotFound, "no district is called %.100q in the state %.100q", name, state).
			WithNext("see the list of districts, or name its code")
	}
	return e.LGD, nil
}

type briefingOutput struct{ Body BriefingBody }

func (s *Answers) getBriefing(ctx context.Context, who identity.Actor, in *api.Named) (*briefingOutput, error) {
	b, err := s.store.Briefing(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := briefingOf(b)
	return &briefingOutput{body}, err
}

type listBriefingsInput struct {
	api.Paging

	LGD int `query:"district_lgd" minimum:"0" maximum:"999999"`
}

func (s *Answers) listBriefings(ctx context.Context, who identity.Actor, in *listBriefingsInput, after string,
	limit int) ([]BriefingBody, string, error) {
	all, next, err := list.Part(after, limit, store.Briefing.ListedAt, func(from list.Cursor, most int) ([]store.Briefing, error) {
		return s.store.Briefings(ctx, who, in.LGD, from, most)
	})
	if err != nil {
		return nil, "", err
	}
	out := make([]BriefingBody, len(all))
	for i, b := range all {
		if out[i], err = briefingOf(b); err != nil {
			return nil, "", err
		}
	}
	return out, next, nil
}

// briefingOf is a briefing as the API shows it: its numbers stand in place of their tokens.
func briefingOf(b store.Briefing) (out BriefingBody, err error) {
	bench, err := brief.Lay(b.Basis)
	if err != nil {
		return out, err
	}
	r := bench.Result
	out = BriefingBody{ID: b.ID, LGD: b.LGD, District: bench.District, State: bench.State, Window: b.Hours, Language: string(b.Lang),
		Question: b.Question, AsOf: r.AsOf.UTC(), Band: r.Band, Lines: []BriefingLineBody{}, Wording: b.State, Worded: []string{},
		Run: b.Run, Case: string(b.Case), Facts: []BriefingFactBody{}, Basis: bench.Digest, Profile: r.Profile,
		Hash: r.ProfileHash, Checked: pii.Rules, AskedBy: b.AskedBy, AskedAt: b.AskedAt, EndedAt: api.UTC(b.EndedAt)}
	if r.Score.Known {
		shown := rounded(r.Score.Value)
		out.Score = &shown
	}
	lines, err := bench.Shown(b.Lines)
	if err != nil {
		return out, err
	}
	for _, l := range lines {
		out.Lines = append(out.Lines, BriefingLineBody{l.Topic, l.Text})
	}
	for _, text := range b.Worded {
		if text, err = bench.Show(text); err != nil {
			return out, err
		}
		out.Worded = append(out.Worded, text)
	}
	for _, f := range bench.Facts {
		at := f.Source.Selector.JSON.Pointer
		out.Facts = append(out.Facts, BriefingFactBody{f.ID, bench.Name(f.ID), f.Value, f.Display, at})
	}
	out.Governance, err = reason.Governance(b.Lang)
	return out, err
}
