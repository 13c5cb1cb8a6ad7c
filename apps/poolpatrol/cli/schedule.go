package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/platform"
)

const scheduleAddress = "/v1/poolpatrol/schedule"

func scheduleColumnsShown() []platform.Column {
	return []platform.Column{{Head: "MONTHLY", Field: "monthly"}, {Head: "DAY", Field: "day"}, {Head: "DAILY", Field: "daily"},
		{Head: "HOUR", Field: "hour"}, {Head: "ZONE", Field: "tz"},
		{Head: "NEXT MONTHLY", Field: "monthly_pass.next_at", Time: true}, {Head: "LAST MONTHLY", Field: "monthly_pass.last_pass"},
		{Head: "LEFT OUT", Field: "monthly_pass.left_out"},
		{Head: "NEXT DAILY", Field: "daily_pass.next_at", Time: true}, {Head: "LAST DAILY", Field: "daily_pass.last_pass"},
		{Head: "LEFT OUT", Field: "daily_pass.left_out"},
		{Head: "SET BY", Field: "set_by"}, {Head: "SET", Field: "set_at", Time: true}, {Head: "PAGE", Field: "links.page"}}
}

func (c terminal) scheduleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Have vans audited by themselves: every month, and daily those with a case",
		Example: `  gavel poolpatrol schedule show
  gavel poolpatrol schedule set --monthly --day 1 --daily --hour 6`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	show := &cobra.Command{
		Use:     "show",
		Short:   "Show when passes begin by themselves",
		Example: `  gavel poolpatrol schedule show`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.ShowAt(cmd.Context(), scheduleAddress, scheduleColumnsShown())
		},
	}
	cmd.AddCommand(c.Uses(show), c.scheduleSetCommand())
	return cmd
}

func (c terminal) scheduleSetCommand() *cobra.Command {
	var want rest.TimetableBody
	cmd := &cobra.Command{
		Use:   "set",
		Short: "Say when passes begin by themselves",
		Long: `Schedule audits. What is not named stays as it is.

A monthly pass checks every van, a daily one those with an open case. Vans that fail
get a case, and riders who may be written to get a letter. A pass that was missed runs
once. Nobody is judged on records older than 48 hours. A daily pass is then left out,
and a monthly one tried again every day.`,
		Example: `  gavel poolpatrol schedule set --monthly --day 1 --daily --hour 6
  gavel poolpatrol schedule set --daily=false`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var now rest.TimetableBody
			if err := c.Call(cmd.Context(), http.MethodGet, scheduleAddress, nil, &now); err != nil {
				return err
			}
			for name, put := range map[string]func(){"monthly": func() { now.Monthly = want.Monthly }, "day": func() { now.Day = want.Day },
				"daily": func() { now.Daily = want.Daily }, "hour": func() { now.Hour = want.Hour }} {
				if cmd.Flags().Changed(name) {
					put()
				}
			}
			return c.PutAt(cmd.Context(), scheduleAddress, now, scheduleColumnsShown())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&want.Monthly, "monthly", false, "a pass over every van, once a month")
	f.IntVar(&want.Day, "day", 1, "of the month, 1 to 28")
	f.BoolVar(&want.Daily, "daily", false, "a pass over the vans with an open case, once a day")
	f.IntVar(&want.Hour, "hour", 6, "0 to 23, in the programme's zone")
	return c.Uses(cmd)
}
