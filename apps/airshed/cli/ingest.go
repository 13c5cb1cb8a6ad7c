package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func ingestColumnsShown() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "STATE", Field: "state"}, {Head: "OBJECT", Field: "object"},
		{Head: "SCAN", Field: "scan"},
		{Head: "REASON", Field: "reason"}, {Head: "BEGAN", Field: "began_at", Time: true}, {Head: "ENDED", Field: "ended_at", Time: true}}
}

func (c terminal) ingestCommand() *cobra.Command {
	var wait, list bool
	var limit int
	cmd := &cobra.Command{
		Use:   "ingest [id]",
		Short: "Ask the services outside, and write what they say to the data lake",
		Long: `Have the server ask the services outside for air, fires, wind and the forecast. Every
answer is kept as it came, and one object is written to the data lake. A scan of it
follows. --wait waits for the end. It says for each source what came and how old it is,
or what is lost without it.

Without the air nothing is written, and the command ends with code 6. Whatever else
does not come is left out. With an id the command shows that ingest, with --list
those there were.`,
		Example: `  gavel airshed ingest --wait
  gavel airshed ingest --wait -o json
  gavel airshed ingest ING-3F0C62A1
  gavel airshed ingest --list`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case list:
				return c.ListAt(cmd.Context(), rest.IngestsAddress, nil, limit, "nothing was ingested yet", ingestColumnsShown())
			case len(args) == 1:
				return c.showIngest(cmd.Context(), args[0], wait)
			}
			var begun rest.IngestBody
			if err := c.Call(cmd.Context(), http.MethodPost, rest.IngestsAddress, struct{}{}, &begun); err != nil {
				return err
			}
			return c.showIngest(cmd.Context(), begun.ID, wait)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until it has ended")
	cmd.Flags().BoolVar(&list, "list", false, "list ingests instead")
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most so many")
	return c.Uses(cmd)
}

// showIngest prints an ingest, when it has ended where that is waited for.
func (c terminal) showIngest(ctx context.Context, id string, wait bool) error {
	var raw json.RawMessage
	err := c.Call(ctx, http.MethodGet, rest.IngestsAddress+"/"+url.PathEscape(id), nil, &raw)
	if err == nil && wait {
		told := 0
		raw, err = c.Await(ctx, rest.IngestsAddress, raw, func(_ string, now json.RawMessage) {
			var i rest.WholeIngestBody
			_ = json.Unmarshal(now, &i) // what cannot be read is said when it is printed
			for _, s := range i.Sources[min(told, len(i.Sources)):] {
				c.Progress("%s has been asked", s.Title)
			}
			told = max(told, len(i.Sources))
		})
	}
	if err != nil {
		return err
	}
	var i rest.WholeIngestBody
	if err := json.Unmarshal(raw, &i); err != nil {
		return fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
	}
	if err := c.One(raw, ingestColumnsShown()...); err != nil {
		return err
	}
	for _, s := range i.Sources {
		c.sayCame(s)
	}
	return nil
}

// sayCame says what became of one source.
func (c terminal) sayCame(s rest.CameBody) {
	if !s.Had {
		c.Say("missing: %s; it costs: %s", s.Note, s.Costs)
		return
	}
	age := ""
	if s.Age != nil {
		age = ageWords(*s.Age)
	}
	if s.Note != "" {
		age += "; " + s.Note
	}
	c.Say("%s: %d answers, %d kB%s", s.Title, s.Answers, s.Bytes>>10, age)
}
