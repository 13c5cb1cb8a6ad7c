package program

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
)

const jobsAddress = "/v1/jobs"

func (c *cli) jobCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "job",
		Short: "See how far long work is, or cancel it",
		Long: `See how far long work is, or cancel it: an audit of every van, a scan, an ingest. The
command that began it prints its id.`,
		Example: `  gavel job show SCAN-3F0C62A1 --wait
  gavel job cancel PASS-1F00A3BC`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.jobShowCommand(), c.jobCancelCommand())
	return cmd
}

func jobColumns() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "STATE", Field: "state"}, {Head: "DONE", Field: "done"},
		{Head: "OF", Field: "total"},
		{Head: "DOING", Field: "doing"}, {Head: "ASKED BY", Field: "asked_by"}, {Head: "CANCELLED BY", Field: "cancelled_by"},
		{Head: "REASON", Field: "reason"},
		{Head: "BEGAN", Field: "began_at", Time: true}, {Head: "ENDED", Field: "ended_at", Time: true}, {Head: "PAGE", Field: "links.page"}}
}

func (c *cli) jobShowCommand() *cobra.Command {
	var wait bool
	t := c.forApps()
	cmd := &cobra.Command{
		Use:   "show <job>",
		Short: "Show how far a job is",
		Long: `Show how far a job is. --wait waits for its end, and says on the way what it is doing. A
job that was refused or cancelled ends the command with code 6.`,
		Example: `  gavel job show SCAN-3F0C62A1
  gavel job show SCAN-3F0C62A1 --wait`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var item json.RawMessage
			if err := t.Call(cmd.Context(), http.MethodGet, jobAddress(args[0]), nil, &item); err != nil {
				return err
			}
			if wait {
				var err error
				if item, err = awaitJob(cmd.Context(), t, item); err != nil {
					return err
				}
			}
			return t.One(item, jobColumns()...)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for its end")
	return t.Uses(cmd)
}

func jobAddress(id string) string { return jobsAddress + "/" + url.PathEscape(id) }

// awaitJob looks at a job until it has ended, and says each time how far it has come.
func awaitJob(ctx context.Context, t platform.Terminal, item json.RawMessage) (json.RawMessage, error) {
	var said api.JobBody
	return t.Await(ctx, jobsAddress, item, func(_ string, now json.RawMessage) {
		var j api.JobBody
		if json.Unmarshal(now, &j) != nil || j.Done == said.Done && j.Doing == said.Doing {
			return // what cannot be read is said when it is printed
		}
		said = j
		t.Progress("%s: %d of %d", j.Doing, j.Done, j.Total)
	})
}

func (c *cli) jobCancelCommand() *cobra.Command {
	t := c.forApps()
	cmd := &cobra.Command{
		Use:   "cancel <job>",
		Short: "Cancel a job; it stops after the current step",
		Long: `Cancel a job. The step that runs finishes what it is at, and the next one ends the
job. What was found until then is kept, and nothing follows from it. Whoever may
begin a job may cancel it, and the log says who did.`,
		Example: `  gavel job cancel PASS-1F00A3BC`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.PostAt(cmd.Context(), jobAddress(args[0])+"/cancel", nil, jobColumns())
		},
	}
	return t.Uses(cmd)
}
