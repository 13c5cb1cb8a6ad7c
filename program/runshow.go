package program

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// stepsShown is how many steps `run show` prints.
const stepsShown = 100

// A storied run is a run with its newest steps, as `run show` gives it to
// programs: the run's own fields and "steps".
type storied struct {
	client.Run
	Steps []client.Step
}

// MarshalJSON adds the steps to the run's own fields.
func (s storied) MarshalJSON() ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(s.Raw, &fields); err != nil {
		return nil, fmt.Errorf("read the run: %w", err)
	}
	steps, err := json.Marshal(append([]client.Step{}, s.Steps...)) // never null
	if err != nil {
		return nil, err
	}
	fields["steps"] = steps
	return json.Marshal(fields)
}

func (c *cli) runShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show <run>",
		Short: "Show a run and its newest steps",
		Long: `Show a run and its newest steps: who answered, what was wanted and what became of
it. What was said is on the run's page, for those who may read it.`,
		Example: `  gavel run show run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE
  gavel run show run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE -o json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, runIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			return c.fetchRun(cmd.Context(), server, args[0])
		},
	}
	return c.talksToServer(cmd)
}

// fetchRun reads a run and its newest steps, and shows them.
func (c *cli) fetchRun(ctx context.Context, server *client.Client, id string) error {
	run, err := server.Run(ctx, id)
	if err != nil {
		return err
	}
	steps, err := server.Steps(ctx, run.ID, stepsShown)
	if err != nil {
		return err
	}
	return c.showRun(server, run, steps)
}

func (c *cli) showRun(server *client.Client, run client.Run, steps client.Page[client.Step]) error {
	c.print.Zone = server.Zone()
	if c.print.Format.ForPrograms() {
		return output.One(c.print, storied{run, steps.Items}, nil)
	}
	if err := output.One(c.print, run, wholeRun()); err != nil || !c.print.ForPeople() {
		return err
	}
	for _, sub := range run.Below {
		fmt.Fprintf(c.out, "set to work: %s %s %s\n", sub.ID, output.Clean(sub.Agent), sub.State)
	}
	fmt.Fprintln(c.out)
	if err := output.List(c.print, steps.Items, "no steps", stepColumns()); err != nil {
		return err
	}
	if steps.Next != "" {
		c.print.Say("older steps are on the run's page")
	}
	return nil
}

func stepColumns() []output.Column[client.Step] {
	return []output.Column[client.Step]{
		{Head: "STEP", Field: "seq", Value: func(s client.Step) any { return s.Seq }},
		{Head: "AT", Field: "at", Value: func(s client.Step) any { return s.At }, Time: true},
		{Head: "MODEL", Field: "model", Value: func(s client.Step) any { return s.Model }},
		{Head: "TOKENS", Field: "tokens", Value: func(s client.Step) any { return s.TokensIn + s.TokensOut }},
		{Head: "MS", Field: "took_ms", Value: func(s client.Step) any { return s.TookMS }},
		{Head: "WHAT", Field: "what", Value: func(s client.Step) any { return whatOf(s) }},
	}
}

// whatOf says what a step wanted and what became of it.
func whatOf(s client.Step) string {
	var all []string
	for _, k := range s.Calls {
		became := k.Verdict
		switch {
		case k.Why != "":
			became += " (" + k.Why + ")"
		case k.Run != nil:
			became = k.Run.ID + " " + k.Run.State
		case k.Proposal != nil && k.Act != nil:
			became = k.Proposal.ID + " " + k.Proposal.State + ", " + k.Act.State
		case k.Proposal != nil:
			became = k.Proposal.ID + " " + k.Proposal.State
		case k.Act != nil:
			became = k.Act.State
		}
		all = append(all, k.Tool+": "+became)
	}
	switch {
	case s.State != "" && s.Reason != "":
		all = append(all, s.State+": "+s.Reason)
	case s.State != "":
		all = append(all, s.State)
	}
	return strings.Join(all, "; ")
}

func (c *cli) runReplayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay <run>",
		Short: "Compute a run once more from its record, and compare byte for byte",
		Long: `Compute a run once more from its record, and compare byte for byte. The answers of the
model and of policy are the recorded ones. Everything else follows from them by this
server's own rules: transcript, arguments, gates, verdicts, form and outcome. Nobody is asked and nothing is done. It ends with code 8 where a step comes
out otherwise, and says what differs.`,
		Example: `  gavel run replay run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE
  gavel run replay run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE -o json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, runIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			done, err := server.Replay(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return c.showReplay(done)
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) showReplay(done client.Replay) error {
	if c.print.Format.ForPrograms() {
		if err := output.One(c.print, done, nil); err != nil {
			return err
		}
	} else if err := output.List(c.print, done.Steps, "no steps", replayColumns()); err != nil {
		return err
	}
	failed := 0
	for _, s := range done.Steps {
		if len(s.Wrong) > 0 {
			failed++
		}
	}
	if !done.Pass {
		c.print.Say("%d of %d steps come out otherwise than they are recorded", failed, len(done.Steps))
		return verdict(exitProblems)
	}
	c.print.Say("%d of %d steps come out as recorded, byte for byte", len(done.Steps), len(done.Steps))
	return nil
}

func replayColumns() []output.Column[client.ReplayedStep] {
	return []output.Column[client.ReplayedStep]{
		{Head: "STEP", Field: "seq", Value: func(s client.ReplayedStep) any { return s.Seq }},
		{Head: "RESULT", Field: "result", Value: func(s client.ReplayedStep) any {
			if len(s.Wrong) > 0 {
				return "FAIL"
			}
			return "PASS"
		}},
		{Head: "TRANSCRIPT", Field: "head", Value: func(s client.ReplayedStep) any { return s.Head[:min(len(s.Head), 16)] }},
		{Head: "DIFFERS", Field: "wrong", Value: func(s client.ReplayedStep) any { return strings.Join(s.Wrong, "; ") }},
		{Head: "TAKEN FROM THE RECORD", Field: "given", Value: func(s client.ReplayedStep) any { return strings.Join(s.Given, "; ") }},
	}
}

func (c *cli) runReaskCommand() *cobra.Command {
	var step, times int
	cmd := &cobra.Command{
		Use:   "reask <run>",
		Short: "Put a step to the model again: a new answer, never proof",
		Long: `Put a step to the model again. The result is a new answer of the model as it is today. It
is never proof of what the recorded one was: for that there is replay. Nothing of it is
carried out or kept. That it was asked is on record, because the words leave the house
once more. It needs the role operator, which is told what was wished for and not the
words, or auditor.`,
		Example: `  gavel run reask run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE
  gavel run reask run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --step 3 --times 5`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, runIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if times < 1 || times > agent.MostAskedAgain {
				return fault.New(fault.Invalid, "--times takes 1 to %d, not %d", agent.MostAskedAgain, times)
			}
			if cmd.Flags().Changed("step") && step < 0 {
				return fault.New(fault.Invalid, "--step counts from 0, not %d", step)
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			got, err := server.Reask(cmd.Context(), args[0], step, times)
			if err != nil {
				return err
			}
			if c.print.Format.ForPrograms() {
				return output.One(c.print, got, nil)
			}
			if err := output.List(c.print, got.Answers, "no answers", reaskColumns()); err != nil {
				return err
			}
			c.print.Say("step %d: %s", got.Step, got.Note)
			return nil
		},
	}
	cmd.Flags().IntVar(&step, "step", -1, "which step (default: the newest)")
	cmd.Flags().IntVar(&times, "times", 1, fmt.Sprintf("how often, 1 to %d", agent.MostAskedAgain))
	return c.talksToServer(cmd)
}

func reaskColumns() []output.Column[client.NewAnswer] {
	return []output.Column[client.NewAnswer]{
		{Head: "NEW ANSWER BY", Field: "model", Value: func(a client.NewAnswer) any { return a.Model.Provider + " " + a.Model.Model }},
		{Head: "TOKENS", Field: "tokens", Value: func(a client.NewAnswer) any { return a.Usage.Input + a.Usage.Output }},
		{Head: "AS RECORDED", Field: "same", Value: func(a client.NewAnswer) any { return a.Same }},
		{Head: "WISHED FOR", Field: "tools", Value: func(a client.NewAnswer) any { return strings.Join(a.Tools, ", ") }},
		{Head: "SAID", Field: "answer", Value: func(a client.NewAnswer) any { return a.Answer + a.Error }},
	}
}
