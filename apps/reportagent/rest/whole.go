package rest

import (
	"context"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/contradiction"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

type contradictionsInput struct {
	api.Named

	With string `query:"with" maxLength:"40" doc:"An earlier report to compare with; left out, none."`
}

// A ReportContradictionsBody is what contradicts what.
type ReportContradictionsBody struct {
	Items []contradiction.Item `json:"items"`
}

type contradictionsOutput struct{ Body ReportContradictionsBody }

func (s *Answers) contradictions(ctx context.Context, who identity.Actor, in *contradictionsInput) (*contradictionsOutput, error) {
	v, err := s.desk.Overview(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	items, err := s.desk.Contradictions(ctx, who, v, in.With)
	return &contradictionsOutput{ReportContradictionsBody{append([]contradiction.Item{}, items...)}}, err
}

// A ReportCoverageBody is what a report tells, and what it leaves out.
type ReportCoverageBody struct {
	Coverage report.Coverage    `json:"coverage"`
	RestsOn  report.Assumptions `json:"rests_on"`
}

type coverageOutput struct{ Body ReportCoverageBody }

func (s *Answers) coverage(ctx context.Context, who identity.Actor, in *api.Named) (*coverageOutput, error) {
	v, err := s.desk.Overview(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	var c casework.Covered
	c, err = s.desk.Coverage(ctx, who, v)
	return &coverageOutput{ReportCoverageBody{c.Coverage, c.Assumptions}}, err
}
