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
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// asked is the flags of a score.
type asked struct {
	window        int
	asOf, profile string
}

func (a *asked) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&a.window, "window", 24, "hours: 24, 72, 168, or any up to 744")
	cmd.Flags().StringVar(&a.asOf, "as-of", "", "moment it is asked about, as 2026-02-03T14:58:29+05:30; now where it is left out")
	cmd.Flags().StringVar(&a.profile, "profile", "v2", "way scores are made: v2, or seed-v1 of the first design")
}

// moment is the moment it is asked about; nil is now.
func (a *asked) moment() (*time.Time, error) {
	if a.asOf == "" {
		return nil, nil //nolint:nilnil // no moment is now, and no fault
	}
	at, err := time.Parse(time.RFC3339, a.asOf)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--as-of %.40q is no moment with its zone", a.asOf).
			WithNext("write it as 2026-02-03T14:58:29+05:30")
	}
	return &at, nil
}

func scoreColumns() []platform.Column {
	return []platform.Column{{Head: "CODE", Field: "district_lgd"}, {Head: "DISTRICT", Field: "district"}, {Head: "STATE", Field: "state"},
		{Head: "SCORE", Field: "score"}, {Head: "BAND", Field: "threshold"}, {Head: "TREND", Field: "trend"},
		{Head: "COGNITIVE", Field: "cognitive"},
		{Head: "NETWORK", Field: "network"}, {Head: "PHYSICAL", Field: "physical"}, {Head: "SIGNALS", Field: "signal_count"},
		{Head: "STATUS", Field: "status"}}
}

func (c terminal) scoreCommand() *cobra.Command {
	var a asked
	var freeze bool
	var limit int
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score all districts",
		Long: `Score all districts for a window that ends now, or at any moment of the past. A
district of which nothing was heard has no score: silence is not safety.

With --freeze the scores of now are kept, for 24 hours, 72 hours and 7 days. They can
then be compared with what happens later.`,
		Example: `  gavel netra score
  gavel netra score --window 168 --as-of 2026-02-03T14:58:29+05:30
  gavel netra score -o csv
  gavel netra score --freeze`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if freeze {
				return c.PostAt(cmd.Context(), rest.ScoresAddress, rest.FreezeBody{Profile: a.profile},
					[]platform.Column{{Head: "AS OF", Field: "as_of", Time: true}, {Head: "SCORES", Field: "scores"},
						{Head: "PROFILE", Field: "profile"}})
			}
			at, err := a.moment()
			if err != nil {
				return err
			}
			query := url.Values{"window_hours": {strconv.Itoa(a.window)}, "profile": {a.profile}}
			if at != nil {
				query.Set("as_of", at.Format(time.RFC3339Nano))
			}
			if err := c.ListAt(cmd.Context(), rest.ScoresAddress, query, limit, "no district is known yet", scoreColumns()); err != nil {
				return err
			}
			c.Say("%s", governance)
			return nil
		},
	}
	a.flags(cmd)
	cmd.Flags().BoolVar(&freeze, "freeze", false, "write the scores of now down")
	cmd.Flags().IntVar(&limit, "limit", 1000, "list at most so many")
	cmd.MarkFlagsMutuallyExclusive("freeze", "as-of")
	return c.Uses(cmd)
}

// governance stands under what is printed for people; what is printed for programs has it in a field.
const governance = "Derived from public open-source indicators. Decision support only."

func (c terminal) explainCommand() *cobra.Command {
	var a asked
	var state, lang string
	cmd := &cobra.Command{
		Use:   "explain <district>",
		Short: "Say why a district has its score",
		Long: `Say why a district has its score: its layers, and the signals that move them most.
Then what was left out, and the trend. The district is its code, or its name with
--state.`,
		Example: `  gavel netra explain 272
  gavel netra explain "Imphal West" --state Manipur --window 72 --lang hi`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := a.moment()
			if err != nil {
				return err
			}
			body := rest.AskBody{Window: a.window, Profile: a.profile, AsOf: at, Language: lang, State: state}
			if lgd, err := strconv.Atoi(args[0]); err == nil {
				body.LGD = lgd
			} else {
				body.District = args[0]
			}
			return c.explain(cmd.Context(), body)
		},
	}
	a.flags(cmd)
	cmd.Flags().StringVar(&state, "state", "", "state of a district that is named")
	cmd.Flags().StringVar(&lang, "lang", "en", "language of the reasons: en or hi")
	return c.Uses(cmd)
}

// explain prints a score and, for people, why.
func (c terminal) explain(ctx context.Context, body rest.AskBody) error {
	var item json.RawMessage
	if err := c.Call(ctx, http.MethodPost, rest.AnalyzeAddress, body, &item); err != nil {
		return err
	}
	var told rest.AnalysisBody
	if err := json.Unmarshal(item, &told); err != nil {
		return fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
	}
	err := c.One(item, platform.Column{Head: "DISTRICT", Field: "district"}, platform.Column{Head: "SCORE", Field: "score"},
		platform.Column{Head: "BAND", Field: "threshold.label"}, platform.Column{Head: "TREND", Field: "trend"},
		platform.Column{Head: "COGNITIVE", Field: "layer_scores.cognitive"}, platform.Column{Head: "NETWORK",
			Field: "layer_scores.network"},
		platform.Column{Head: "PHYSICAL", Field: "layer_scores.physical"}, platform.Column{Head: "SIGNALS", Field: "signal_count"},
		platform.Column{Head: "PROFILE", Field: "profile"})
	if err != nil {
		return err
	}
	c.Say("%s", told.Rationale)
	return nil
}
