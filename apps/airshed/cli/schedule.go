package cli

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/platform"
)

func scheduleColumnsShown() []platform.Column {
	return []platform.Column{{Head: "PAUSED", Field: "paused"}, {Head: "LAKE", Field: "lake"}, {Head: "NEXT", Field: "next_at", Time: true},
		{Head: "LAST SCAN", Field: "last_scan"},
		{Head: "LEFT OUT", Field: "left_out_at", Time: true}, {Head: "SET BY", Field: "set_by"}, {Head: "SET", Field: "set_at", Time: true}}
}

func (c terminal) scheduleCommand() *cobra.Command {
	var pause, resume bool
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Show when the data lake is looked at by itself, and pause that",
		Long: `Show when the data lake is scanned. If the operator has set one up, that is at 00, 06, 12
and 18 UTC. It is also scanned when its server reports a new object, and
when somebody asks. A pause ends neither.`,
		Example: `  gavel airshed schedule
  gavel airshed schedule --pause
  gavel airshed schedule --resume`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pause || resume {
				return c.PutAt(cmd.Context(), rest.ScheduleAddress, rest.LakePauseBody{Paused: pause}, scheduleColumnsShown())
			}
			return c.ShowAt(cmd.Context(), rest.ScheduleAddress, scheduleColumnsShown())
		},
	}
	cmd.Flags().BoolVar(&pause, "pause", false, "look at it by itself no longer")
	cmd.Flags().BoolVar(&resume, "resume", false, "look at it by itself again")
	cmd.MarkFlagsMutuallyExclusive("pause", "resume")
	return c.Uses(cmd)
}
