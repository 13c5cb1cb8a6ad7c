package report

import (
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
)

// Unfiled is the report on an analysis before anybody has decided anything. It is of
// the moment of its data, so that the same data makes the same bytes.
func Unfiled(a analysis.Analysis, organisation string, received []lawbook.Record) (Report, error) {
	book, err := lawbook.Known()
	if err != nil {
		return Report{}, err
	}
	return Build(a, Meta{ID: "CAQM-" + a.At.UTC().Format("2006-01-02") + "-000", GeneratedAt: a.At, Organisation: organisation,
		Records: received}, book)
}
