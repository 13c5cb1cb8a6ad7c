package program

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) reperformCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reperform FILE",
		Short: "Do every number of a bundle again: PASS or FAIL for each",
		Long: `Recheck every number of a bundle. What was read is read again from its bytes. What was
computed is computed again from its inputs, in exact arithmetic. It needs the file and
nothing else.

Ends with code 8 when a number fails, its bytes are sealed, or the bundle was altered.
Ends with 2 for a file that is no bundle. Whose bundle it is: gavel verify.`,
		Example: `  gavel reperform case.zip
  gavel reperform case.zip -o csv > numbers.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.reperform(cmd.Context(), args[0]) },
	}
}

func (c *cli) reperform(ctx context.Context, file string) error {
	f, size, err := openBundle(file)
	if err != nil {
		return err
	}
	defer f.Close()
	done, err := bundle.Reperform(ctx, f, size, bundle.Options{Sections: sections()})
	if err != nil {
		return err
	}
	if done.Report.NoBundle() {
		return noBundle(file)
	}
	if err := c.printDone(done); err != nil {
		return err
	}
	if done.Verdict == bundle.Altered {
		for _, finding := range done.Report.Findings() {
			c.print.Say("%s", finding.Text)
		}
		c.print.Say("the bundle was altered; what its numbers come to is nobody's word: gavel verify %s", file)
	}
	if !done.OK() {
		return verdict(exitProblems)
	}
	return nil
}

func (c *cli) printDone(done *bundle.Reperformance) error {
	switch {
	case c.print.ForPeople():
		return done.Write(c.out)
	case c.print.Format.Whole():
		return output.One(c.print, done, nil)
	}
	return output.List(c.print, done.Done, "", []output.Column[bundle.Done]{
		{Field: "section", Value: func(d bundle.Done) any { return d.Section }},
		{Field: "name", Value: func(d bundle.Done) any { return d.Name }},
		{Field: "what", Value: func(d bundle.Done) any { return d.What }},
		{Field: "outcome", Value: func(d bundle.Done) any { return d.Outcome }},
		{Field: "stored", Value: func(d bundle.Done) any { return d.Stored }},
		{Field: "again", Value: func(d bundle.Done) any { return d.Again }},
		{Field: "why", Value: func(d bundle.Done) any { return d.Why }},
	})
}
