package program

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) orgCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "org",
		Short: "Add and list the organisations of an installation",
		Long: `Add and list the organisations of an installation. It works on the database itself, for
whoever runs the installation. People sign in through their office, which puts them into
groups gavel/<organisation>/<role>. The first administrator of an organisation is
whoever is in its group org_admin.`,
		Example: `  gavel org add north --title "North Commission"
  gavel org list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.orgAddCommand(), c.orgListCommand())
	return cmd
}

func (c *cli) orgAddCommand() *cobra.Command {
	var o postgres.Organisation
	cmd := &cobra.Command{
		Use:   "add <organisation> --title <title>",
		Short: "Add an organisation, or bring its title, zone and languages up to date",
		Long: `Add an organisation, or bring its title, zone and languages up to date. Its short
name is permanent: it is part of addresses, groups and the audit log.`,
		Example: `  gavel org add north --title "North Commission"
  gavel org add south --title "South Works" --zone Asia/Kolkata --languages en,hi`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Org = identity.Org(args[0])
			return c.withSystem(cmd.Context(), func(sys *postgres.System) error {
				if err := sys.AddOrganisation(cmd.Context(), o); err != nil {
					return err
				}
				c.print.Say("%s is there; its first administrator is who the office puts into the group gavel/%s/%s", o.Org, o.Org,
					identity.OrgAdmin)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&o.Title, "title", "", "what people call it (needed)")
	cmd.Flags().StringVar(&o.Zone, "zone", "Asia/Kolkata", "time zone of its pages")
	cmd.Flags().StringSliceVar(&o.Languages, "languages", []string{"en", "hi"}, "languages it is offered, the first by default")
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}

func (c *cli) withSystem(ctx context.Context, f func(*postgres.System) error) error {
	sys, err := postgres.OpenSystem(ctx, c.cfg.DatabaseSystem.Reveal())
	if err != nil {
		return err
	}
	defer sys.Close()
	return f(sys)
}

// An organisation as programs read it.
type organisation struct {
	Org       identity.Org `json:"org"`
	Title     string       `json:"title"`
	Zone      string       `json:"zone"`
	Languages []string     `json:"languages"`
}

func (c *cli) orgListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the organisations of the installation",
		Example: `  gavel org list
  gavel org list -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSystem(cmd.Context(), func(sys *postgres.System) error {
				all, err := sys.Organisations(cmd.Context())
				if err != nil {
					return err
				}
				rows := make([]organisation, len(all))
				for i, o := range all {
					rows[i] = organisation(o)
				}
				return output.List(c.print, rows, "no organisations yet; add one: gavel org add", []output.Column[organisation]{
					{Head: "ORGANISATION", Field: "org", Value: func(o organisation) any { return string(o.Org) }},
					{Head: "ZONE", Field: "zone", Value: func(o organisation) any { return o.Zone }},
					{Head: "LANGUAGES", Field: "languages", Value: func(o organisation) any { return strings.Join(o.Languages, " ") }},
					{Head: "TITLE", Field: "title", Value: func(o organisation) any { return o.Title }},
				})
			})
		},
	}
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}
