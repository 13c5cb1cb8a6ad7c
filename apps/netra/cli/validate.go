package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/rule/validate"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// judged is what scores are held against.
type judged struct {
	outcomes string
	window   int
	step     int // days between two origins
	least    int
}

func (c terminal) validateCommand() *cobra.Command {
	var j judged
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Compare frozen scores with what happened",
		Long: `Compare frozen scores with violent events, counted by a source that has no part in the
scores. It says how often they were right, and how many alarms were false. It says
whether they beat the base rate, the week before and a district's own history. Scores
that were frozen after their moment do not count. If they are worth nothing it says so.

The events are a CSV file with the columns district_lgd, timestamp and ingested. The
last is when the event was known; nothing before that uses it.`,
		Example: `  gavel netra validate --outcomes violence.csv
  gavel netra validate --outcomes violence.csv --window 168 -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.validate(cmd.Context(), j) },
	}
	cmd.Flags().StringVar(&j.outcomes, "outcomes", "", "CSV file of violent events")
	cmd.Flags().IntVar(&j.window, "window", 24, "hours: of which window the scores are")
	cmd.Flags().IntVar(&j.step, "step", 7, "days after which is learnt anew")
	cmd.Flags().IntVar(&j.least, "least", 100, "scores whose outcome must be known before any is judged")
	_ = cmd.MarkFlagFilename("outcomes", "csv")
	return c.Uses(cmd)
}

func (c terminal) validate(ctx context.Context, j judged) error {
	if j.outcomes == "" {
		return fault.New(fault.Invalid, "there is nothing to hold the scores against").
			WithNext("name a file of events with --outcomes violence.csv")
	}
	file, err := platform.ReadInput(j.outcomes, intake.MaxBytes)
	if err != nil {
		return err
	}
	events, err := validate.ReadEvents(file)
	if err != nil {
		return err
	}
	frozen, err := c.frozen(ctx, j.window)
	if err != nil {
		return err
	}
	settled, late := validate.Settle(frozen, events, validate.Usual())
	limits, err := c.limits(ctx)
	if err != nil {
		return err
	}
	reports := validate.Measure(validate.Roll(settled, time.Duration(j.step)*24*time.Hour, j.least), limits)
	items := make([]json.RawMessage, len(reports))
	for i, r := range reports {
		if items[i], err = json.Marshal(r); err != nil {
			return err
		}
	}
	if err := c.List(items, "", platform.Column{Head: "STATE", Field: "state"}, platform.Column{Head: "SCORES", Field: "n"},
		platform.Column{Head: "EVENTS", Field: "events"}, platform.Column{Head: "BASE RATE", Field: "base_rate"},
		platform.Column{Head: "BRIER", Field: "brier"},
		platform.Column{Head: "AUPR", Field: "aupr"}, platform.Column{Head: "NO SKILL", Field: "no_skill"}); err != nil {
		return err
	}
	if late > 0 {
		c.Say("%d scores were frozen after their moment, and are left out", late)
	}
	switch whole := reports[0]; {
	case whole.N == 0:
		c.Say("nothing could be judged: %d scores are frozen, and an outcome is known three weeks after its score", len(frozen))
	case whole.NoSkill:
		c.Say("the scores say no more about the next seven days than the base rate does")
	}
	c.Say("%s", governance)
	return nil
}

// limits are where bands begin, as the organisation has set them: there alarms are raised.
func (c terminal) limits(ctx context.Context) ([]float64, error) {
	var held struct {
		Value struct{ Monitoring, Preventive, Senior, Critical float64 }
	}
	if err := c.Call(ctx, http.MethodGet, rest.LimitsAddress, nil, &held); err != nil {
		return nil, err
	}
	v := held.Value
	return []float64{v.Monitoring, v.Preventive, v.Senior, v.Critical}, nil
}

// frozen reads the scores that were written down, by their districts' codes; states are those of the districts that are known.
func (c terminal) frozen(ctx context.Context, window int) ([]validate.Frozen, error) {
	items, err := c.AllAt(ctx, rest.HistoryAddress, url.Values{"window_hours": {strconv.Itoa(window)}})
	if err != nil {
		return nil, err
	}
	known, err := c.AllAt(ctx, rest.DistrictsAddress, nil)
	if err != nil {
		return nil, err
	}
	states := map[int]string{}
	for _, item := range known {
		var d rest.DistrictBody
		if err := json.Unmarshal(item, &d); err != nil {
			return nil, err
		}
		states[d.LGD] = d.State
	}
	var all []validate.Frozen
	for _, item := range items {
		var h rest.HistoryBody
		if err := json.Unmarshal(item, &h); err != nil {
			return nil, err
		}
		if h.Score != nil { // a district of which nothing was heard says nothing
			all = append(all, validate.Frozen{District: strconv.Itoa(h.LGD), State: states[h.LGD], At: h.AsOf, FrozenAt: h.FrozenAt,
				Score: *h.Score})
		}
	}
	return all, nil
}
