package program

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) peopleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "people",
		Short: "See who has signed in, and sign somebody out",
		Long: `See who has signed in to your organisation and the roles their office gave them last
time. Roles are given at the office, by groups. What is taken away there counts at the
next sign-in. Sign-out makes them sign in again.`,
		Example: `  gavel people list
  gavel people sign-out p_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.peopleListCommand(), c.peopleSignOutCommand())
	return cmd
}

func (c *cli) peopleListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List who has signed in, by name",
		Example: `  gavel people list
  gavel people list -o csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			all, err := server.People(cmd.Context())
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.List(c.print, all, "nobody has signed in yet", []output.Column[client.Person]{
				{Head: "ID", Field: "id", Value: func(p client.Person) any { return p.ID }},
				{Head: "ROLES", Field: "roles", Value: func(p client.Person) any { return strings.Join(p.Roles, " ") }},
				{Head: "LAST SIGN-IN", Field: "last_seen_at", Value: func(p client.Person) any { return p.LastSeenAt }, Time: true},
				{Head: "E-MAIL", Field: "email", Value: func(p client.Person) any { return p.Email }},
				{Head: "NAME", Field: "name", Value: func(p client.Person) any { return p.Name }},
			})
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) peopleSignOutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sign-out <person>",
		Short:   "End every sign-in of a person at once",
		Example: "  gavel people sign-out p_01K5ZJ3W8Q6X9V2T4N7M1B0CDE",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			if err := server.SignOutOther(cmd.Context(), args[0]); err != nil {
				return err
			}
			c.print.Say("signed out everywhere")
			return nil
		},
	}
	return c.talksToServer(cmd)
}
