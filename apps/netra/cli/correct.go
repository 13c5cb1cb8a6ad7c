package cli

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/platform"
)

func correctionColumns() []platform.Column {
	return []platform.Column{{Head: "CORRECTION", Field: "id"}, {Head: "DISTRICT", Field: "district_lgd"},
		{Head: "SIGNAL", Field: "event_id"}, {Head: "KIND", Field: "kind"}, {Head: "STATE", Field: "state"},
		{Head: "FILED", Field: "filed_at", Time: true}, {Head: "DECIDED BY", Field: "decided_by"}, {Head: "CASE", Field: "case"}}
}

func (c terminal) correctCommand() *cobra.Command {
	var body rest.CorrectionAskBody
	var limit int
	cmd := &cobra.Command{
		Use:   "correct [event]",
		Short: "Say that a signal is wrong, or list corrections",
		Long: `Say that a signal is wrong. It did not happen so, it is a duplicate of another, or it
happened in another district. An officer who did not file it decides. Then scores are
computed again; what was given out stays as it was.

Without an event it lists the corrections, the newest first.`,
		Example: `  gavel netra correct
  gavel netra correct e1 --district 272 --kind wrong --reason "The market was open."
  gavel netra correct e1 --district 272 --kind duplicate --of e2 --reason "One event."
  gavel netra correct e1 --district 272 --kind district --to 273 --reason "Across the river."`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				query := url.Values{}
				if body.LGD > 0 {
					query.Set("district_lgd", strconv.Itoa(body.LGD))
				}
				return c.ListAt(cmd.Context(), rest.CorrectionsAddress, query, limit, "no signal was corrected", correctionColumns())
			}
			body.EventID = args[0]
			return c.PostAt(cmd.Context(), rest.CorrectionsAddress, body, correctionColumns())
		},
	}
	cmd.Flags().IntVar(&body.LGD, "district", 0, "code of the district under which it counts")
	cmd.Flags().StringVar(&body.Kind, "kind", "wrong", "what is wrong: wrong, duplicate or district")
	cmd.Flags().StringVar(&body.Other, "of", "", "signal that it is a duplicate of")
	cmd.Flags().IntVar(&body.ToLGD, "to", 0, "code of the right district")
	cmd.Flags().StringVar(&body.Reason, "reason", "", "why; name nobody")
	cmd.Flags().IntVar(&limit, "limit", 100, "list at most so many")
	return c.Uses(cmd)
}
