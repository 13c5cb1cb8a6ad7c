package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diff"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

func (s *Answers) reviews(a *api.API) {
	read, write, review := []string{store.ActRead}, []string{store.ActWrite}, []string{store.ActReview}
	at := Base + "/{id}/sections/{section}"
	api.Serve(a, api.Route{ID: "getDraftedSectionReview", Method: http.MethodGet, Path: at + "/review", Acts: read, Tag: apiTag,
		Title: "Read the versions of a section with their differences, scores and notes"}, s.review)
	api.Serve(a, api.Route{ID: "rateDraftedSection", Method: http.MethodPut, Path: at + "/rating", Acts: review, Tag: apiTag,
		Title: "Score the newest version of a section", Status: http.StatusNoContent,
		Body: `{"version":1,"accuracy":5,"completeness":4,"clarity":4,"data_use":5}`,
		Text: "From 1 to 5; a score of two or less needs a sentence. Scoring again replaces your own."}, s.rate)
	api.Serve(a, api.Route{ID: "noteDraftedSection", Method: http.MethodPost, Path: at + "/notes", Acts: review, Tag: apiTag,
		Title: "Note what a section lacks", Status: http.StatusCreated, Body: `{"version":1,"text":"Mention land use."}`}, s.note)
	api.Serve(a, api.Route{ID: "answerDraftedSectionNote", Method: http.MethodPost, Path: at + "/notes/answer", Acts: write, Tag: apiTag,
		Title: "Say what became of a note: done, or declined and why", Status: http.StatusNoContent,
		Body: `{"note":1,"became":"declined","answer":"The run has no land use."}`}, s.answer)
	api.Serve(a, api.Route{ID: "judgeDraftedSectionNote", Method: http.MethodPost, Path: at + "/notes/verdict", Acts: review, Tag: apiTag,
		Title: "Accept or refuse the answer to your own note", Status: http.StatusNoContent,
		Body: `{"note":1,"verdict":"accepted"}`}, s.judge)
	api.Serve(a, api.Route{ID: "askToSignDraftedSection", Method: http.MethodPost, Path: at + "/sign-off", Acts: write, Tag: apiTag,
		Title: "Ask for a section to be signed", Status: http.StatusAccepted,
		Text: "Somebody else decides, on exactly these words. What is signed is locked; newer data that change one of its numbers open it " +
			"again. A section that does not hold, or has a mark in it, is refused.",
		Untried: "people are asked in a transaction of its own"}, s.signOff)
}

// A VersionBody is what a section said once.
type VersionBody struct {
	N      int          `json:"n"`
	How    store.How    `json:"how" enum:"templates,model,person"`
	MadeBy string       `json:"made_by"`
	MadeAt time.Time    `json:"made_at"`
	Hash   string       `json:"hash"`
	Diff   []diff.Piece `json:"diff" doc:"Against the version before, word by word."`
}

// A RatingBody is what a reviewer thought.
type RatingBody struct {
	Author       string `json:"author"`
	Version      int    `json:"version"`
	Accuracy     int    `json:"accuracy"`
	Completeness int    `json:"completeness"`
	Clarity      int    `json:"clarity"`
	DataUse      int    `json:"data_use"`
	Words        string `json:"words"`
}

// A SectionNoteBody is what a reviewer wants, and what became of it.
type SectionNoteBody struct {
	N         int       `json:"note"`
	Version   int       `json:"version" doc:"That it was written about."`
	Author    string    `json:"author"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
	Became    string    `json:"became" enum:"open,done,declined"`
	Answer    string    `json:"answer"`
	InVersion *int      `json:"in_version" doc:"Where it was done; null: nowhere."`
	Verdict   string    `json:"verdict" enum:",accepted,refused"`
}

// A SectionReviewBody is everything that reviewers go by.
type SectionReviewBody struct {
	Versions []VersionBody     `json:"versions" doc:"The newest first."`
	Ratings  []RatingBody      `json:"ratings" doc:"Of the newest version."`
	Notes    []SectionNoteBody `json:"notes"`
	Signed   int               `json:"signed_version" doc:"0: it is not signed."`
}

type reviewOutput struct{ Body SectionReviewBody }

// mostVersions is how many versions an answer has.
const mostVersions = 50

func (s *Answers) review(ctx context.Context, who identity.Actor, in *SectionAt) (*reviewOutput, error) {
	v, err := s.desk.Overview(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	one, err := v.Document.Find(in.Section)
	if err != nil {
		return nil, err
	}
	h, err := s.store.History(ctx, who, in.ID, one.ID, mostVersions)
	if err != nil {
		return nil, err
	}
	b := SectionReviewBody{Versions: []VersionBody{}, Ratings: []RatingBody{}, Notes: []SectionNoteBody{}, Signed: v.Signed[one.ID].Version}
	for i, n := range h.Versions {
		before := ""
		if i+1 < len(h.Versions) {
			before = h.Versions[i+1].Text
		}
		b.Versions = append(b.Versions, VersionBody{n.N, n.How, n.By, n.At.UTC(), n.Hash, append([]diff.Piece{}, diff.Words(before,
			n.Text)...)})
	}
	for _, r := range h.Ratings {
		b.Ratings = append(b.Ratings, RatingBody{r.Author, r.Version, r.Accuracy, r.Completeness, r.Clarity, r.DataUse, r.Words})
	}
	for _, n := range h.Notes {
		b.Notes = append(b.Notes, SectionNoteBody{n.N, n.Version, n.Author, n.Text, n.At.UTC(), n.Became, n.Answer, n.InVersion, n.Verdict})
	}
	return &reviewOutput{b}, nil
}

// A RateBody scores a version.
type RateBody struct {
	Version      int    `json:"version" minimum:"1"`
	Accuracy     int    `json:"accuracy" minimum:"1" maximum:"5"`
	Completeness int    `json:"completeness" minimum:"1" maximum:"5"`
	Clarity      int    `json:"clarity" minimum:"1" maximum:"5"`
	DataUse      int    `json:"data_use" minimum:"1" maximum:"5"`
	Words        string `json:"words,omitempty" maxLength:"2000"`
}

type rateInput struct {
	SectionAt

	Body RateBody
}

func (s *Answers) rate(ctx context.Context, who identity.Actor, in *rateInput) (*struct{}, error) {
	b := in.Body
	return nil, s.desk.Rate(ctx, who, in.ID, store.Rating{Section: in.Section, Version: b.Version, Accuracy: b.Accuracy,
		Completeness: b.Completeness, Clarity: b.Clarity, DataUse: b.DataUse, Words: b.Words})
}

// A NewNoteBody is a note.
type NewNoteBody struct {
	Version int    `json:"version" minimum:"1"`
	Text    string `json:"text" minLength:"1" maxLength:"4000"`
}

type noteOutput struct{ Body SectionNoteBody }

type noteInput struct {
	SectionAt

	Body NewNoteBody
}

func (s *Answers) note(ctx context.Context, who identity.Actor, in *noteInput) (*noteOutput, error) {
	n, err := s.desk.Note(ctx, who, in.ID, store.Note{Section: in.Section, Version: in.Body.Version, Text: in.Body.Text})
	return &noteOutput{SectionNoteBody{n.N, n.Version, n.Author, n.Text, n.At.UTC(), n.Became, n.Answer, n.InVersion, n.Verdict}}, err
}

// An AnswerBody says what became of a note.
type AnswerBody struct {
	Note   int    `json:"note" minimum:"1"`
	Became string `json:"became" enum:"done,declined"`
	Answer string `json:"answer,omitempty" maxLength:"2000" doc:"Needed where it is declined."`
}

type answerInput struct {
	SectionAt

	Body AnswerBody
}

func (s *Answers) answer(ctx context.Context, who identity.Actor, in *answerInput) (*struct{}, error) {
	return nil, s.store.AnswerNote(ctx, who, in.ID, in.Section, in.Body.Note, in.Body.Became, in.Body.Answer)
}

// A VerdictBody is what somebody thinks of the answer to their note.
type VerdictBody struct {
	Note    int    `json:"note" minimum:"1"`
	Verdict string `json:"verdict" enum:"accepted,refused"`
}

type verdictInput struct {
	SectionAt

	Body VerdictBody
}

func (s *Answers) judge(ctx context.Context, who identity.Actor, in *verdictInput) (*struct{}, error) {
	return nil, s.store.JudgeNote(ctx, who, in.ID, in.Section, in.Body.Note, in.Body.Verdict)
}

// An AskedBody is a question to people.
type AskedBody struct {
	Proposal string `json:"proposal" doc:"Decide it at /v1/proposals."`
}

type askedOutput struct{ Body AskedBody }

func (s *Answers) signOff(ctx context.Context, who identity.Actor, in *SectionAt) (*askedOutput, error) {
	v, err := s.desk.Overview(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	taken, err := s.clerk.Ask(ctx, who, v, in.Section)
	if err != nil {
		return nil, err
	}
	if taken.Asked == nil {
		return nil, fault.New(fault.Internal, "nobody was asked to sign section %s", in.Section)
	}
	return &askedOutput{AskedBody{taken.Asked.Proposal}}, nil
}
