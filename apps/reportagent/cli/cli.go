// Package cli is the Report Agent's commands. They work on files of this machine: an outline, a folder of charts, a map. None
// needs a server, an account or a model; drafts are made of facts by templates.
package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform"
)

// Commands are the commands of the application. raw finds who answers questions about raw tables on this machine; nobody is nil.
func Commands(raw func() (Asker, error)) func(t platform.Terminal) []*cobra.Command {
	return func(t platform.Terminal) []*cobra.Command { return commands(terminal{t, raw}) }
}

func commands(c terminal) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Draft a report from an outline and a folder of charts, every number a fact",
		Long: `Draft a report from an outline and a folder of charts. Every number in it is a fact: a
cell of a table, or computed from cells in exact arithmetic. Facts are kept beside the
report, so that anybody can do them again. What a person wrote is never overwritten.

Everything happens here, on files: no server, no account, no model.`,
		Example: `  gavel report inspect-charts --data-root run
  gavel report generate-report --outline outline.md --data-root run --output draft.md
  gavel report verify --report draft.md --data-root run
  gavel report run-eval --outline draft.md --run-id 2026-v1 --output eval.json
  gavel report export-evidence --report draft.md --data-root run --output evidence.zip
  gavel report reperform evidence.zip`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.generateReportCommand(), c.generateSectionCommand(), c.inspectChartsCommand(), c.inspectMappingCommand(),
		c.verifyCommand(), c.runEvalCommand(), c.exportCommand(), c.reperformCommand())
	return []*cobra.Command{cmd}
}

// terminal is the program's, with what several commands need.
type terminal struct {
	platform.Terminal

	raw func() (Asker, error)
}

// one prints a value whole, or some fields of it for people.
func (c terminal) one(value any, columns ...platform.Column) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.One(body, columns...)
}

// told says problems to a person and ends as a command does that found some.
func (c terminal) told(problems []report.Problem) error {
	for _, p := range problems {
		where := ""
		if p.Section != "" {
			where = "section " + p.Section + ": "
		}
		c.Say("%s: %s%s", p.Code, where, p.Text)
	}
	if len(problems) > 0 {
		return c.Problems
	}
	return nil
}

// codeOf is the kind of the first problem, "" where there is none.
func codeOf(problems []report.Problem) string {
	if len(problems) == 0 {
		return ""
	}
	return problems[0].Code
}
