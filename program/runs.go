package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "See what agents did, stop them, and do it over from the record",
		Example: `  gavel run list --state failed
  gavel run show run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE
  gavel run replay run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.runListCommand(), c.runShowCommand(),
		c.runOrderCommand("stop", "Stop runs before their next step", "stopping"),
		c.runOrderCommand("resume", "Let stopped runs go on", "going on"),
		c.runOrderCommand("cancel", "Give runs up; what they asked people is withdrawn", "being given up"),
		c.runOrderCommand("retry", "Try failed runs again, as new ones", "to be tried again"),
		c.runReplayCommand(), c.runReaskCommand())
	return cmd
}

func runColumns() []output.Column[client.Run] {
	return []output.Column[client.Run]{
		{Head: "ID", Field: "id", Value: func(r client.Run) any { return r.ID }},
		{Head: "CASE", Field: "case_ref", Value: func(r client.Run) any { return r.CaseRef }},
		{Head: "AGENT", Field: "agent", Value: func(r client.Run) any { return r.Agent }},
		{Head: "STATE", Field: "state", Value: func(r client.Run) any { return r.State }},
		{Head: "STEP", Field: "seq", Value: func(r client.Run) any { return r.Seq }},
		{Head: "NOW", Field: "now", Value: func(r client.Run) any { return strings.Join(r.Now, ", ") }},
		{Head: "WAITING FOR", Field: "waiting_for", Value: func(r client.Run) any { return waitingFor(r) }},
		{Head: "TOKENS", Field: "tokens", Value: func(r client.Run) any { return r.TokensIn + r.TokensOut }},
		{Head: "COST", Field: "cost", Value: func(r client.Run) any { return costOf(r) }},
		{Head: "STARTED", Field: "started_at", Value: func(r client.Run) any { return r.StartedAt }, Time: true},
	}
}

// wholeRun is the columns of one run shown alone.
func wholeRun() []output.Column[client.Run] {
	return append(runColumns(),
		output.Column[client.Run]{Head: "REASON", Field: "reason", Value: func(r client.Run) any { return r.Reason }},
		output.Column[client.Run]{Head: "OUTSIDE TEXT", Field: "tainted", Value: func(r client.Run) any { return r.Tainted }},
		output.Column[client.Run]{Head: "BUDGET", Field: "budget", Value: func(r client.Run) any { return budgetOf(r) }},
		output.Column[client.Run]{Head: "SET TO WORK BY", Field: "parent", Value: func(r client.Run) any { return r.Parent }},
		output.Column[client.Run]{Head: "ENDED", Field: "ended_at", Value: func(r client.Run) any { return r.EndedAt }, Time: true},
		output.Column[client.Run]{Head: "PAGE", Field: "page", Value: func(r client.Run) any { return r.Links.Page }},
	)
}

// waitingFor says whose decision a run waits for: "P-3 officer".
func waitingFor(r client.Run) string {
	var all []string
	for _, w := range r.WaitingFor {
		who := strings.Join(w.Roles, " or ")
		if w.Person != "" {
			who = w.Person
		}
		all = append(all, w.Proposal+" "+who)
	}
	return strings.Join(all, ", ")
}

// costOf is a run's own cost, empty where no price is known.
func costOf(r client.Run) string {
	if r.Cost == nil || r.Currency == "" {
		return ""
	}
	return fmt.Sprintf("%s %d.%06d", r.Currency, *r.Cost/1_000_000, *r.Cost%1_000_000)
}

func budgetOf(r client.Run) string {
	if r.Budget == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d model calls", r.Budget.CallsUsed, r.Budget.Calls)
}

func runStates() []string {
	var all []string
	for _, s := range agent.States() {
		all = append(all, string(s))
	}
	return all
}

func (c *cli) runListCommand() *cobra.Command {
	var f client.RunFilter
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Example: `  gavel run list
  gavel run list --state failed --state stopped
  gavel run list --case case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			for _, s := range f.States {
				if !slices.Contains(runStates(), s) {
					return fault.New(fault.Invalid, "--state takes %s, not %.40q", strings.Join(runStates(), ", "), s)
				}
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			runs, more, err := gather(limit, func(size int, token string) (client.Page[client.Run], error) {
				f.PageSize, f.PageToken = size, token
				return server.Runs(cmd.Context(), f)
			})
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			if err := output.List(c.print, runs, "no runs", runColumns()); err != nil {
				return err
			}
			c.sayMore(more)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&f.States, "state", nil, "only runs in this state, may be repeated: "+strings.Join(runStates(), ", "))
	cmd.Flags().StringVar(&f.App, "app", "", "only runs of this application")
	cmd.Flags().StringVar(&f.Case, "case", "", "only runs of the case with this id")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	c.completesFlag(cmd, "state", cobra.FixedCompletions(runStates(), cobra.ShellCompDirectiveNoFileComp))
	return c.talksToServer(cmd)
}

// runOrderCommand gives one order to one or more runs. One that cannot follow
// does not hold up the others; the first refusal is the command's own.
func (c *cli) runOrderCommand(do, short, word string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   do + " <run>…",
		Short: short,
		Example: fmt.Sprintf(`  gavel run %[1]s run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE
  gavel run %[1]s run_01K5ZJ3W8Q6X9V2T4N7M1B0CD1 run_01K5ZJ3W8Q6X9V2T4N7M1B0CD2`, do),
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: c.completes(severalIDs, runIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			var first error
			results := make([]orderResult, len(args))
			for i, id := range args {
				err := server.Order(cmd.Context(), id, do)
				results[i] = orderResult{Run: id, Result: word}
				if err != nil {
					results[i].Result, _ = fault.Words(err)
				}
				if first == nil {
					first = err
				}
			}
			if len(args) == 1 && first != nil {
				return first
			}
			if err := output.List(c.print, results, "no runs", orderColumns()); err != nil {
				return err
			}
			return first
		},
	}
	return c.talksToServer(cmd)
}

// An orderResult is how an order about one run ended.
type orderResult struct {
	Run    string `json:"run"`
	Result string `json:"result"`
}

func orderColumns() []output.Column[orderResult] {
	return []output.Column[orderResult]{
		{Head: "RUN", Field: "run", Value: func(r orderResult) any { return r.Run }},
		{Head: "RESULT", Field: "result", Value: func(r orderResult) any { return r.Result }},
	}
}
