package program

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) policySimulateCommand() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "simulate <folder>",
		Short: "Say which past calls would have gone otherwise under other policies",
		Long: `Say which past calls would have gone otherwise under other policies: those of a folder,
as GAVEL_POLICIES would take it. The server tries every call of runs that began since
then, with the arguments of that day. It counts what it can't tell, with the reason:
arguments that were erased, tools that are gone. Cells of the table that would change
are listed too. Nothing is done.

It needs the role org_admin, operator or auditor. An operator may not read
arguments: calls whose answer depends on them are counted as not told.`,
		Example: `  gavel policy simulate ./policies --since 30d
  gavel policy simulate ./policies --since 720h -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := policy.ReadOverride(os.DirFS(args[0]))
			if err != nil {
				return err
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			found, err := server.Simulate(cmd.Context(), files, since)
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return c.printSimulation(found)
		},
	}
	cmd.Flags().StringVar(&since, "since", "30d", "how far back: 30d, 720h")
	return c.talksToServer(cmd)
}

func changedColumns() []output.Column[policy.Change] {
	return []output.Column[policy.Change]{
		{Head: "CALL", Field: "call", Value: func(ch policy.Change) any { return ch.Call }},
		{Head: "AT", Field: "at", Value: func(ch policy.Change) any { return ch.At }, Time: true},
		{Head: "TOOL", Field: "tool", Value: func(ch policy.Change) any { return ch.Tool }},
		{Head: "WAS", Field: "was", Value: func(ch policy.Change) any { return string(ch.Was) }},
		{Head: "WOULD BE", Field: "would", Value: func(ch policy.Change) any { return string(ch.Would) }},
		{Head: "BECAUSE", Field: "because", Value: func(ch policy.Change) any { return strings.Join(ch.Because, " ") }},
		{Head: "CASE", Field: "case", Value: func(ch policy.Change) any { return ch.Case }},
	}
}

func (c *cli) printSimulation(s client.Simulation) error {
	if c.print.Format.Whole() && len(c.print.Fields) == 0 {
		return output.One(c.print, s,
			[]output.Column[client.Simulation]{{Field: "digest", Value: func(s client.Simulation) any { return s.Digest }}})
	}
	if !c.print.ForPeople() {
		return output.List(c.print, s.Changed, "", changedColumns())
	}
	c.print.Say("%d calls since %s; %s", s.Calls, c.print.Moment(s.Since), otherwise(s))
	for _, n := range s.Counts {
		if n.Was != n.Would {
			fmt.Fprintf(c.out, "was %s, would be %s: %d\n", n.Was, n.Would, n.Calls)
		}
	}
	if err := output.List(c.print, s.Changed, "no call would have gone otherwise", changedColumns()); err != nil {
		return err
	}
	if s.More > 0 {
		c.print.Say("and %d more", s.More)
	}
	for _, r := range s.Rights {
		fmt.Fprintf(c.out, "%s for %s: was %s, would be %s\n", r.Name, r.Who, r.Was, r.Would)
	}
	for _, u := range s.Untold {
		fmt.Fprintf(c.out, "cannot be told of %d: %s\n", u.Calls, u.Why)
	}
	if s.Partial {
		c.print.Say("there are more calls than were looked at; these are the newest")
	}
	return nil
}

// otherwise counts what would change.
func otherwise(s client.Simulation) string {
	n := len(s.Changed) + s.More
	if n == 1 {
		return "1 would have gone otherwise"
	}
	return fmt.Sprintf("%d would have gone otherwise", n)
}
