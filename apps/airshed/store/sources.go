package store

import (
	"context"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
)

// The sources that are ours, beside those of package origin.
const (
	AnalysisSource  = "airshed-analysis"  // our own rules
	ReferenceSource = "airshed-reference" // imported stations and citations
	ReportSource    = "airshed-report"    // our own code
)

// Sources declares where everything comes from that is kept.
func Sources() []evidence.Source {
	return append(outer(),
		evidence.Source{Name: AnalysisSource, Title: "Analyses of episodes",
			Licence: "the organisation's own; its inputs keep their licences",
			Without: "no report can be made", MaxBytes: analysis.MaxBytes},
		evidence.Source{Name: ReferenceSource, Title: "Stations, citations and boundaries, imported by a person",
			Licence: "as the person who imports it says",
			Without: "the lists that come with the program are used, and no district is named", MaxBytes: 64 << 20},
		evidence.Source{Name: ReportSource, Title: "Airshed reports", Licence: "the organisation's own", MaxBytes: report.MaxBytes,
			Without: "nothing could be filed"})
}

// outer are the sources of package origin, as evidence declares them.
func outer() (all []evidence.Source) {
	for _, o := range origin.All() {
		all = append(all, evidence.Source{Name: o.Name, Title: o.Title, Licence: o.Licence, ExpectedEvery: o.Every,
			MaxBytes: o.MaxBytes, Without: o.Without})
	}
	return all
}

// Fresh says of each source of Airshed when it last spoke.
func (s *Store) Fresh(ctx context.Context, actor identity.Actor) ([]evidence.Freshness, error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	if s.kept == nil {
		return nil, nil
	}
	all, err := s.kept.Freshness(ctx, actor.Org)
	ours := outer()
	return slices.DeleteFunc(all, func(f evidence.Freshness) bool {
		return !slices.ContainsFunc(ours, func(o evidence.Source) bool { return o.Name == f.Source.Name })
	}), err
}
