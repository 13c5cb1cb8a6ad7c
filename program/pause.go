package program

import (
	"crypto/rand"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func pauseIDs() idKind { return idKind{"pause_", client.SuggestPauses} }

func (c *cli) pauseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "pause <scope> --reason <reason>",
		Short: "Hold back what goes outside, or what an application or an agent does",
		Long: `Hold back what goes outside, or what an application or an agent does. What has not begun
does not begin; decisions, timers and what is running go on. Every page of the
organisation says so, with your reason, until somebody ends the pause. Then what waited
goes on.

A scope is outside (all that leaves the organisation), all, app:NAME or
agent:APP/NAME.`,
		Example: `  gavel pause outside --reason "the letters go to the wrong ward"
  gavel pause agent:poolpatrol/writer --reason "it repeats itself"
  gavel pause list
  gavel pause end pause_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --reason "the list of wards was corrected"`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{"outside", "all"}, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			if strings.TrimSpace(reason) == "" {
				return fault.New(fault.Invalid, "--reason is missing: everybody will ask why nothing is sent")
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			p, fresh, err := server.Pause(cmd.Context(), rand.Text(), args[0], reason)
			if err != nil {
				return err
			}
			if !fresh {
				c.print.Say("it was paused already")
			}
			c.print.Zone = server.Zone()
			return output.One(c.print, p, pauseColumns())
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why; every page shows it (needed)")
	cmd.AddCommand(c.pauseListCommand(), c.pauseEndCommand())
	return c.talksToServer(cmd)
}

func pauseColumns() []output.Column[client.Pause] {
	return []output.Column[client.Pause]{
		{Head: "ID", Field: "id", Value: func(p client.Pause) any { return p.ID }},
		{Head: "SCOPE", Field: "scope", Value: func(p client.Pause) any { return p.Scope }},
		{Head: "SINCE", Field: "at", Value: func(p client.Pause) any { return p.At }, Time: true},
		{Head: "BY", Field: "by", Value: func(p client.Pause) any { return p.By }},
		{Head: "HELD", Field: "held", Value: func(p client.Pause) any { return p.Held }},
		{Head: "REASON", Field: "reason", Value: func(p client.Pause) any { return p.Reason }},
		{Head: "ENDED", Field: "ended_at", Value: func(p client.Pause) any { return p.EndedAt }, Time: true},
		{Head: "BY", Field: "ended_by", Value: func(p client.Pause) any { return p.EndedBy }},
		{Head: "WHY", Field: "end_reason", Value: func(p client.Pause) any { return p.EndReason }},
	}
}

func (c *cli) pauseListCommand() *cobra.Command {
	var over bool
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is paused, or was",
		Example: `  gavel pause list
  gavel pause list --over -o csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			found, more, err := gather(limit, func(size int, token string) (client.Page[client.Pause], error) {
				return server.Pauses(cmd.Context(), over, size, token)
			})
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			columns := pauseColumns()
			if !over {
				columns = columns[:6] // none of them has ended
			}
			if err := output.List(c.print, found, "nothing is paused", columns); err != nil {
				return err
			}
			c.sayMore(more)
			return nil
		},
	}
	cmd.Flags().BoolVar(&over, "over", false, "those that have ended, the last first")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	return c.talksToServer(cmd)
}

func (c *cli) pauseEndCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:               "end <pause> --reason <reason>",
		Short:             "End a pause; what waited goes on",
		Example:           `  gavel pause end pause_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --reason "the list of wards was corrected"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, pauseIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return fault.New(fault.Invalid, "--reason is missing: say why it may go on")
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			p, err := server.EndPause(cmd.Context(), args[0], reason)
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.One(c.print, p, pauseColumns())
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why it may go on (needed)")
	return c.talksToServer(cmd)
}
