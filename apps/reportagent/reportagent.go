// Package reportagent drafts a report from an outline and a folder of charts, so that every number in it is a fact that can be
// done again, and the analyst's own words stay.
//
// This file is the table of contents. So far there is one room, cli (commands), which works on files of this machine alone.
// The folders under rule compute and touch nothing: outline (the analyst's file), catalogue, plotspec, table and plotly (what
// a model run hands over), summary (what a chart says, as facts), mapping (which charts a section is written from), draft (a
// section's text), report (a whole one, kept and checked again), evaluation (what reviewers thought), paper (how it is
// printed) and madeup (a run that nobody made).
package reportagent

import (
	"github.com/gavelhq/gavel/apps/reportagent/cli"
	"github.com/gavelhq/gavel/platform"
)

// New is everything the Report Agent adds to Gavel.
func New() platform.App {
	return platform.App{Name: "reportagent", Title: "Report Agent", Commands: cli.Commands}
}
