package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/platform"
)

const officeAddress = "/v1/poolpatrol/programme"

func officeColumnsShown() []platform.Column {
	return []platform.Column{{Head: "PROGRAMME", Field: "programme"}, {Head: "PORTAL", Field: "portal"},
		{Head: "CONTACT", Field: "contact"}, {Head: "APPEAL", Field: "appeal"},
		{Head: "ZONE", Field: "tz"}, {Head: "MINUTES BY HAND", Field: "manual_minutes"}, {Head: "COST AN HOUR", Field: "cost_per_hour"},
		{Head: "CURRENCY", Field: "currency"},
		{Head: "CHANGED BY", Field: "changed_by"}, {Head: "CHANGED", Field: "changed_at", Time: true}, {Head: "PAGE", Field: "links.page"}}
}

func (c terminal) settingsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "Set up the programme: who writes, where riders turn, what work costs",
		Example: `  gavel poolpatrol settings show
  gavel poolpatrol settings set --contact vanpools@example.org`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	show := &cobra.Command{
		Use:     "show",
		Short:   "Show how the programme is set up",
		Example: `  gavel poolpatrol settings show`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.ShowAt(cmd.Context(), officeAddress, officeColumnsShown())
		},
	}
	cmd.AddCommand(c.Uses(show), c.settingsSetCommand())
	return cmd
}

func (c terminal) settingsSetCommand() *cobra.Command {
	var want rest.OfficeDraft
	cmd := &cobra.Command{
		Use:   "set",
		Short: "Set up the programme",
		Long: `Set up the programme. What is not named stays as it is. Letters that are
written from now on say it.`,
		Example: `  gavel poolpatrol settings set --programme "Vanpools of Plant 1" --portal https://portal.example.org
  gavel poolpatrol settings set --zone America/Los_Angeles
  gavel poolpatrol settings set --minutes 45 --cost 60 --currency USD`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var now rest.OfficeDraft
			if err := c.Call(cmd.Context(), http.MethodGet, officeAddress, nil, &now); err != nil {
				return err
			}
			for name, put := range map[string]func(){
				"programme": func() { now.Programme = want.Programme }, "portal": func() { now.Portal = want.Portal },
				"contact": func() { now.Contact = want.Contact }, "appeal": func() { now.Appeal = want.Appeal },
				"zone": func() { now.Zone = want.Zone }, "minutes": func() { now.Minutes = want.Minutes },
				"cost": func() { now.HourCost = want.HourCost }, "currency": func() { now.Currency = want.Currency }} {
				if cmd.Flags().Changed(name) {
					put()
				}
			}
			return c.PutAt(cmd.Context(), officeAddress, now, officeColumnsShown())
		},
	}
	f := cmd.Flags()
	f.StringVar(&want.Programme, "programme", "", "who signs letters")
	f.StringVar(&want.Portal, "portal", "", "where riders correct what is held about them")
	f.StringVar(&want.Contact, "contact", "", "where they reach a person")
	f.StringVar(&want.Appeal, "appeal", "", "how they object")
	f.StringVar(&want.Zone, "zone", "", "in which hours are told, as America/Los_Angeles; empty for the organisation's")
	f.IntVar(&want.Minutes, "minutes", 45, "what auditing one van by hand takes")
	f.IntVar(&want.HourCost, "cost", 0, "of one hour of that, in whole units of the currency")
	f.StringVar(&want.Currency, "currency", "", "three letters, as USD")
	return c.Uses(cmd)
}
