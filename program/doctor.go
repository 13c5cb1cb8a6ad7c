package program

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) doctorCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look at every part and say what to do about the ones that are not well",
		Long: `Look at every part and say what to do about the ones that are not well.

Ends with code 1 when a check fails and, with --strict, with code 8 when one
warns. Nothing is changed, except for one small object in the blob store that
proves that conditional writes work.`,
		Example: `  gavel doctor
  gavel doctor --config gavel.env
  gavel doctor --strict -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := doctor.Run(cmd.Context(), c.checks(c.cfg), doctor.Patience)
			if cmd.Context().Err() != nil {
				return errInterrupted
			}
			if err := c.printFindings(findings); err != nil {
				return err
			}
			switch worst := doctor.Worst(findings); {
			case worst == doctor.Fail:
				return verdict(exitFailed)
			case worst == doctor.Warn && strict:
				return verdict(exitProblems)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "end with code 8 when a check warns")
	return c.uses(cmd)
}

func (c *cli) printFindings(findings []doctor.Finding) error {
	if c.print.ForPeople() {
		return doctor.Write(c.out, findings)
	}
	return output.List(c.print, findings, "", []output.Column[doctor.Finding]{
		{Field: "group", Value: func(f doctor.Finding) any { return f.Group }},
		{Field: "name", Value: func(f doctor.Finding) any { return f.Name }},
		{Field: "status", Value: func(f doctor.Finding) any { return string(f.Status) }},
		{Field: "detail", Value: func(f doctor.Finding) any { return f.Detail }},
		{Field: "fix", Value: func(f doctor.Finding) any { return f.Fix }},
		{Field: "skipped", Value: func(f doctor.Finding) any { return string(f.Skipped) }},
	})
}
