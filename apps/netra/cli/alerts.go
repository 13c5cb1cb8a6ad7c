package cli

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/platform"
)

func (c terminal) alertsCommand() *cobra.Command {
	var open bool
	var lgd, limit int
	cmd := &cobra.Command{
		Use:   "alerts",
		Short: "List the districts that crossed into a band",
		Long: `List the districts that crossed into a higher band, the newest first. Each has a case.
An officer decides there what follows, with a reason. Sources that are silent are
shown: silence does not mean that all is calm.`,
		Example: `  gavel netra alerts --open
  gavel netra alerts --district 272 -o csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{"open": {strconv.FormatBool(open)}}
			if lgd > 0 {
				query.Set("district_lgd", strconv.Itoa(lgd))
			}
			columns := []platform.Column{{Head: "CASE", Field: "case"}, {Head: "DISTRICT", Field: "district"},
				{Head: "STATE", Field: "state"}, {Head: "BAND", Field: "threshold"},
				{Head: "FROM", Field: "from"}, {Head: "SCORE", Field: "score"},
				{Head: "CROSSED", Field: "crossed_at", Time: true}, {Head: "SILENT", Field: "sources_silent"},
				{Head: "ENDED", Field: "ended"}}
			if err := c.ListAt(cmd.Context(), rest.AlertsAddress, query, limit, "no district has crossed", columns); err != nil {
				return err
			}
			c.Say("%s", governance)
			return nil
		},
	}
	cmd.Flags().BoolVar(&open, "open", false, "list only those that are not over")
	cmd.Flags().IntVar(&lgd, "district", 0, "code of one district")
	cmd.Flags().IntVar(&limit, "limit", 100, "list at most so many")
	return c.Uses(cmd)
}

func (c terminal) scheduleCommand() *cobra.Command {
	var pause, resume bool
	columns := []platform.Column{{Head: "PAUSED", Field: "paused"}, {Head: "NEXT", Field: "next_at", Time: true},
		{Head: "SET BY", Field: "set_by"}, {Head: "SET", Field: "set_at", Time: true}}
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Show when all districts are looked at, and pause that",
		Long: `Show when all districts are looked at: every hour, once districts are known. Scores
are written down once a day. During a pause no case opens and none ends.`,
		Example: `  gavel netra schedule
  gavel netra schedule --pause
  gavel netra schedule --resume`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pause || resume {
				return c.PutAt(cmd.Context(), rest.ScheduleAddress, rest.LookPauseBody{Paused: pause}, columns)
			}
			return c.ShowAt(cmd.Context(), rest.ScheduleAddress, columns)
		},
	}
	cmd.Flags().BoolVar(&pause, "pause", false, "look at districts no longer")
	cmd.Flags().BoolVar(&resume, "resume", false, "look at districts again")
	cmd.MarkFlagsMutuallyExclusive("pause", "resume")
	return c.Uses(cmd)
}
