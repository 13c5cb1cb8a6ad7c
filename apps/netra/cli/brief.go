package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// mostLooks is how often a command looks whether an agent is done.
const mostLooks = 300

func (c terminal) briefCommand() *cobra.Command {
	var window, state, lang, question string
	var wait bool
	cmd := &cobra.Command{
		Use:   "brief <district>",
		Short: "Write a briefing on a district, or answer a question",
		Long: `Write a briefing on a district. It says why it has its score, what changed, what would
lower it and how much is heard. With --ask it answers one question.

Code says it at once, from facts. Where a model is set up, an agent words it as well,
and each of its sentences is checked. With --wait the command waits for that. Names
of persons and communities do not leave.`,
		Example: `  gavel netra brief 272
  gavel netra brief "Imphal West" --state Manipur --window 72h --lang hi
  gavel netra brief 272 --window 7d --ask "What would lower it?"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			hours, err := windowHours(window)
			if err != nil {
				return err
			}
			body := rest.BriefingAskBody{Window: hours, Language: lang, State: state, Question: question}
			if lgd, err := strconv.Atoi(args[0]); err == nil {
				body.LGD = lgd
			} else {
				body.District = args[0]
			}
			return c.brief(cmd.Context(), body, wait)
		},
	}
	cmd.Flags().StringVar(&window, "window", "24h", "window: 24h, 72h or 7d")
	cmd.Flags().StringVar(&state, "state", "", "state of a district that is named")
	cmd.Flags().StringVar(&lang, "lang", "en", "language: en or hi")
	cmd.Flags().StringVar(&question, "ask", "", "question to answer; a whole briefing where it is left out")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until an agent has worded it")
	return c.Uses(cmd)
}

// windowHours is a window of a briefing in hours.
func windowHours(window string) (int, error) {
	hours, ok := map[string]int{"24h": 24, "72h": 72, "7d": 168, "168h": 168}[window]
	if !ok {
		return 0, fault.New(fault.Invalid, "--window %.20q is none of a briefing", window).WithNext("use 24h, 72h or 7d")
	}
	return hours, nil
}

// brief has a briefing written and prints it: the finding first, for people sentence by sentence.
func (c terminal) brief(ctx context.Context, body rest.BriefingAskBody, wait bool) error {
	var item json.RawMessage
	if err := c.Call(ctx, http.MethodPost, rest.BriefingsAddress, body, &item); err != nil {
		return err
	}
	told, err := briefingIn(item)
	if err != nil {
		return err
	}
	for look := 0; wait && told.EndedAt == nil && look < mostLooks; look++ {
		if err := c.Wait(ctx); err != nil {
			return err
		}
		item = nil // decoded anew
		if err := c.Call(ctx, http.MethodGet, rest.BriefingsAddress+"/"+told.ID, nil, &item); err != nil {
			return err
		}
		if told, err = briefingIn(item); err != nil {
			return err
		}
	}
	if err := c.One(item, platform.Column{Head: "BRIEFING", Field: "id"}, platform.Column{Head: "DISTRICT", Field: "district"},
		platform.Column{Head: "STATE", Field: "state"}, platform.Column{Head: "SCORE", Field: "score"},
		platform.Column{Head: "BAND", Field: "threshold"}, platform.Column{Head: "AS OF", Field: "as_of", Time: true},
		platform.Column{Head: "WORDING", Field: "wording"}, platform.Column{Head: "CASE", Field: "case"}); err != nil {
		return err
	}
	for i, l := range told.Lines {
		c.Say("%s", l.Text)
		if i > 0 {
			continue
		}
		for _, text := range told.Worded { // behind the finding, which is code's
			c.Say("%s", text)
		}
	}
	c.Say("%s", told.Governance)
	return nil
}

func briefingIn(item json.RawMessage) (told rest.BriefingBody, err error) {
	if err := json.Unmarshal(item, &told); err != nil {
		return told, fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
	}
	return told, nil
}
