package program

import (
	"crypto/rand"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) delegationCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delegation",
		Short: "Let somebody decide on your behalf while you are away",
		Example: `  gavel delegation add --to p-31 --until 2026-12-01T00:00:00+05:30 --reason "on leave"
  gavel delegation list
  gavel delegation end del_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.delegationListCommand(), c.delegationAddCommand(), c.delegationEndCommand())
	return cmd
}

func delegationColumns() []output.Column[client.Delegation] {
	return []output.Column[client.Delegation]{
		{Head: "ID", Field: "id", Value: func(d client.Delegation) any { return d.ID }},
		{Head: "FROM", Field: "from", Value: func(d client.Delegation) any { return orElse(d.FromName, d.From) }},
		{Head: "TO", Field: "to", Value: func(d client.Delegation) any { return orElse(d.ToName, d.To) }},
		{Head: "ROLES", Field: "roles", Value: func(d client.Delegation) any { return strings.Join(d.Roles, ", ") }},
		{Head: "APP", Field: "app", Value: func(d client.Delegation) any { return orElse(d.App, "all") }},
		{Head: "KIND", Field: "kind", Value: func(d client.Delegation) any { return orElse(d.Kind, "all") }},
		{Head: "STARTS", Field: "starts_at", Value: func(d client.Delegation) any { return d.StartsAt }, Time: true},
		{Head: "ENDS", Field: "ends_at", Value: func(d client.Delegation) any { return d.EndsAt }, Time: true},
		{Head: "ENDED", Field: "ended_at", Value: func(d client.Delegation) any { return d.EndedAt }, Time: true},
		{Head: "REASON", Field: "reason", Value: func(d client.Delegation) any { return d.Reason }},
	}
}

func (c *cli) tellDelegation(server *client.Client, d client.Delegation) error {
	c.print.Zone = server.Zone()
	return output.One(c.print, d, delegationColumns())
}

func (c *cli) delegationListCommand() *cobra.Command {
	var f client.DelegationFilter
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List delegations, yours and to you",
		Example: `  gavel delegation list
  gavel delegation list --everybody --over -o csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.All && f.Person != "" {
				return fault.New(fault.Invalid, "--person and --everybody exclude each other")
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			found, err := server.Delegations(cmd.Context(), f)
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.List(c.print, found, "no delegations", delegationColumns())
		},
	}
	cmd.Flags().StringVar(&f.Person, "person", "", "somebody else's, for who may see who has which role")
	cmd.Flags().BoolVar(&f.All, "everybody", false, "everybody's, for who may see that")
	cmd.Flags().BoolVar(&f.Over, "over", false, "those that are over, too")
	return c.talksToServer(cmd)
}

// A delegating is what the flags of a new delegation say.
type delegating struct {
	to, from, until, reason string
}

func (n *delegating) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.to, "to", "", "id of a person of your organisation (needed)")
	cmd.Flags().StringVar(&n.from, "from", "", "from when on: as --until (default: now)")
	cmd.Flags().StringVar(&n.until, "until", "", "until when: from now, as 72h, or an RFC 3339 time (needed)")
	cmd.Flags().StringVar(&n.reason, "reason", "", "why, for the record")
}

func (n *delegating) draft() (client.NewDelegation, error) {
	in := client.NewDelegation{To: n.to, Reason: strings.TrimSpace(n.reason)}
	if n.to == "" {
		return in, fault.New(fault.Invalid, "--to is missing: say to whom you delegate")
	}
	var err error
	if in.EndsAt, err = parseMoment("--until", n.until); err != nil || n.from == "" {
		return in, err
	}
	starts, err := parseMoment("--from", n.from)
	in.StartsAt = &starts
	return in, err
}

// parseMoment reads a time: a duration from now, by this machine's clock, or an
// RFC 3339 time.
func parseMoment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, fault.New(fault.Invalid, "%s is missing", flag)
	}
	if d, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(d).UTC().Truncate(time.Second), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fault.New(fault.Invalid, "%s %.40q: give a duration such as 48h, or an RFC 3339 time such as 2026-12-31T18:00:00+05:30",
			flag, text)
	}
	return at.UTC(), nil
}

func (c *cli) delegationAddCommand() *cobra.Command {
	var n delegating
	var roles []string
	var app, kind string
	cmd := &cobra.Command{
		Use:   "add --to <person> --until <time>",
		Short: "Let somebody decide on your behalf until a moment",
		Long: `Let somebody decide on your behalf until a moment. It is all that you may decide
yourself, or only one application or kind. They can't pass it on, and nobody gets a second vote.
They are told, and every decision says on whose behalf it was.`,
		Example: `  gavel delegation add --to p-31 --until 2026-12-01T00:00:00+05:30 --reason "on leave"
  gavel delegation add --to p-31 --until 72h --app poolpatrol --role officer`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := n.draft()
			if err != nil {
				return err
			}
			in.Roles, in.App, in.Kind = roles, app, kind
			server, err := c.server()
			if err != nil {
				return err
			}
			made, err := server.Delegate(cmd.Context(), rand.Text(), in)
			if err != nil {
				return err
			}
			return c.tellDelegation(server, made)
		},
	}
	n.flags(cmd)
	c.completesFlag(cmd, "to", c.completes(severalIDs, personIDs))
	cmd.Flags().StringArrayVar(&roles, "role", nil, "of the roles you hold, may be repeated (default: all)")
	cmd.Flags().StringVar(&app, "app", "", "only what belongs to this application")
	cmd.Flags().StringVar(&kind, "kind", "", "only proposals of this kind")
	return c.talksToServer(cmd)
}

func (c *cli) delegationEndCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "end <delegation>",
		Short:             "End a delegation before its time",
		Long:              "End a delegation before its time. It counts from now on, and undoes nothing that was decided.",
		Example:           `  gavel delegation end del_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, delegationIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			ended, err := server.EndDelegation(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return c.tellDelegation(server, ended)
		},
	}
	return c.talksToServer(cmd)
}
