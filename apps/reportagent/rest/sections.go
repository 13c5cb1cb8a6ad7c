package rest

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
)

// A SectionAt names a section of a report.
type SectionAt struct {
	ID      string `path:"id" maxLength:"40"`
	Section string `path:"section" maxLength:"500" doc:"The section's id; a slash in it is written %2F."`
}

// A ReportSectionBody is a section as it reads now.
type ReportSectionBody struct {
	SectionStandingBody

	Instructions string           `json:"instructions"`
	Text         string           `json:"text"`
	Hash         string           `json:"hash" doc:"Of the text: say it when you write."`
	MadeBy       string           `json:"made_by"`
	MadeAt       *time.Time       `json:"made_at" doc:"Null: nobody has written it."`
	Facts        []fact.Fact      `json:"facts" doc:"Those it cites, and what they rest on."`
	Findings     []report.Finding `json:"findings" doc:"What in it no fact carries."`
}

type sectionOutput struct{ Body ReportSectionBody }

func (s *Answers) section(ctx context.Context, who identity.Actor, in *SectionAt) (*sectionOutput, error) {
	v, one, err := s.desk.Section(ctx, who, in.ID, in.Section)
	if err != nil {
		return nil, err
	}
	b := ReportSectionBody{SectionStandingBody: standingOf(v, one.ID, one.Title, one.Level), Instructions: one.Instructions,
		Text:  one.Prose,
		Hash:  one.Hash(),
		Facts: []fact.Fact{}}
	if newest, written := v.Newest[one.ID]; written {
		at := newest.At.UTC()
		b.MadeBy, b.MadeAt = newest.By, &at
		b.Facts = append(b.Facts, newest.Entry.Facts...)
	}
	b.Findings, err = s.desk.Check(ctx, who, v, one.ID)
	return &sectionOutput{b}, err
}

// A SectionWordsBody is a person's words.
type SectionWordsBody struct {
	Was  string `json:"was" pattern:"^[0-9a-f]{64}$" doc:"The hash of the text they replace."`
	Text string `json:"text" maxLength:"4194304"`
}

type writeInput struct {
	SectionAt

	Body SectionWordsBody
}

func (s *Answers) write(ctx context.Context, who identity.Actor, in *writeInput) (*sectionOutput, error) {
	if _, err := s.desk.Write(ctx, who, in.ID, in.Section, in.Body.Was, in.Body.Text); err != nil {
		return nil, err
	}
	return s.section(ctx, who, &in.SectionAt)
}
