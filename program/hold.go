package program

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func holdColumns() []output.Column[client.Hold] {
	return []output.Column[client.Hold]{
		{Head: "ID", Field: "id", Value: func(h client.Hold) any { return h.ID }},
		{Head: "ON", Field: "target", Value: func(h client.Hold) any { return h.Target }},
		{Head: "PLACED", Field: "placed_at", Value: func(h client.Hold) any { return h.PlacedAt }, Time: true},
		{Head: "BY", Field: "placed_by", Value: func(h client.Hold) any { return h.PlacedBy }},
		{Head: "UNTIL", Field: "until", Value: func(h client.Hold) any { return h.Until }, Time: true},
		{Head: "REASON", Field: "reason", Value: func(h client.Hold) any { return h.Reason }},
	}
}

func (c *cli) subjectHoldCommand() *cobra.Command {
	var reason, until string
	cmd := &cobra.Command{
		Use:   "hold <subject or case> --reason <reason>",
		Short: "Keep what is held about a person, or in a case, from being erased",
		Example: `  gavel subject hold rider:R-7 --reason "suit 12/2026"
  gavel subject hold GEN-7M1B0CDE --reason "appeal" --until 2027-06-30T00:00:00+05:30`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n := client.NewHold{Reason: reason, Case: args[0]}
			if client.IsSubject(args[0]) {
				n.Subject, n.Case = args[0], ""
			}
			if reason == "" {
				return fault.New(fault.Invalid, "--reason is missing: say why it must be kept")
			}
			if until != "" {
				at, err := time.Parse(time.RFC3339, until)
				if err != nil {
					return fault.New(fault.Invalid, "--until %.40q: give an RFC 3339 time such as 2027-06-30T00:00:00+05:30", until)
				}
				at = at.UTC()
				n.Until = &at
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			placed, err := server.PlaceHold(cmd.Context(), n)
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.One(c.print, placed, holdColumns())
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why; for people, it is in no log (needed)")
	cmd.Flags().StringVar(&until, "until", "", "when it ends by itself, as an RFC 3339 time (default: when it is released)")
	return c.talksToServer(cmd)
}

func (c *cli) subjectReleaseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:     "release <hold> --reason <reason>",
		Short:   "End a legal hold",
		Example: `  gavel subject release hold_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --reason "settled"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if reason == "" {
				return fault.New(fault.Invalid, "--reason is missing: say why it ends")
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			if err := server.ReleaseHold(cmd.Context(), args[0], reason); err != nil {
				return err
			}
			c.print.Say("released")
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why it ends (needed)")
	return c.talksToServer(cmd)
}

func (c *cli) subjectHoldsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "holds",
		Short: "List the legal holds in force",
		Example: `  gavel subject holds
  gavel subject holds -o csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			holds, err := server.Holds(cmd.Context())
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.List(c.print, holds, "no holds", holdColumns())
		},
	}
	return c.talksToServer(cmd)
}
