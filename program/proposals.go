package program

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) proposalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "proposal",
		Short: "See what waits for people, and whose turn it is",
		Long: `See what waits for people, and whose turn it is. Proposals are decided with gavel
approve, reject and send-back.`,
		Example: `  gavel proposal list --mine
  gavel proposal show P-881
  gavel proposal assign P-881 --to p-31`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.proposalListCommand(), c.proposalShowCommand(), c.proposalSnoozeCommand(), c.proposalClaimCommand(),
		c.proposalAssignCommand(), c.proposalDelegateCommand())
	return cmd
}

func proposalStates() []string {
	return []string{string(review.Open), string(review.Approved), string(review.Edited), string(review.Rejected), string(review.SentBack),
		string(review.Expired), string(review.Withdrawn), string(review.Superseded)}
}

func proposalColumns() []output.Column[client.Proposal] {
	return []output.Column[client.Proposal]{
		{Head: "ID", Field: "id", Value: func(p client.Proposal) any { return p.ID }},
		{Head: "STATE", Field: "state", Value: func(p client.Proposal) any { return spaced(p.State) }},
		{Head: "WHAT", Field: "tool", Value: func(p client.Proposal) any { return toolOf(p) }},
		{Head: "EFFECT", Field: "effect", Value: func(p client.Proposal) any { return p.Effect }},
		{Head: "DECIDED BY", Field: "deciders", Value: func(p client.Proposal) any { return decidedBy(p) }},
		{Head: "DUE", Field: "due_at", Value: func(p client.Proposal) any { return p.DueAt }, Time: true},
		{Head: "EXPIRES", Field: "expires_at", Value: func(p client.Proposal) any { return p.ExpiresAt }, Time: true},
		{Head: "CASE", Field: "case", Value: func(p client.Proposal) any { return p.Case }},
	}
}

// decidedBy says who is to decide: a person, or roles.
func decidedBy(p client.Proposal) string {
	switch {
	case p.AssignedTo != "":
		return p.AssignedTo
	case review.Gate(p.Gate) == review.ByOneself:
		return p.OnBehalfOf
	}
	return strings.Join(p.Deciders, " or ")
}

// wholeProposal is the columns of one proposal shown alone.
func wholeProposal(server *client.Client) []output.Column[client.Proposal] {
	return append(proposalColumns(),
		output.Column[client.Proposal]{Head: "ASKED BY", Field: "requested_by",
			Value: func(p client.Proposal) any { return p.RequestedBy }},
		output.Column[client.Proposal]{Head: "ON BEHALF OF", Field: "on_behalf_of",
			Value: func(p client.Proposal) any { return p.OnBehalfOf }},
		output.Column[client.Proposal]{Head: "APPROVED BY", Field: "approvals", Value: func(p client.Proposal) any {
			return fmt.Sprintf("%d of %d", p.Approvals(), max(1, p.Required))
		}},
		output.Column[client.Proposal]{Head: "CLAIMED BY", Field: "claim",
			Value: func(p client.Proposal) any { return lookedAtBy(p.Claim) }},
		output.Column[client.Proposal]{Head: "SNOOZED UNTIL", Field: "snoozed_until",
			Value: func(p client.Proposal) any { return p.Snoozed }, Time: true},
		output.Column[client.Proposal]{Head: "UNDO UNTIL", Field: "held_until", Value: func(p client.Proposal) any { return p.HeldUntil },
			Time: true},
		output.Column[client.Proposal]{Head: "ENDED", Field: "ended_at", Value: func(p client.Proposal) any { return p.EndedAt },
			Time: true},
		output.Column[client.Proposal]{Head: "IT WAS A TEST", Field: "test", Value: func(p client.Proposal) any { return p.Test }},
		output.Column[client.Proposal]{Head: "RUN", Field: "run", Value: func(p client.Proposal) any { return p.Run }},
		output.Column[client.Proposal]{Head: "PAGE", Field: "page",
			Value: func(p client.Proposal) any { return server.Page(p.Links.Page) }},
	)
}

// decidedColumns are what is shown of a proposal after something was done to it.
func decidedColumns(server *client.Client) []output.Column[client.Proposal] {
	all := wholeProposal(server)
	return slices.DeleteFunc(all, func(col output.Column[client.Proposal]) bool {
		return !slices.Contains([]string{"id", "state", "tool", "case", "approvals", "deciders", "held_until", "claim", "snoozed_until",
			"test", "page"}, col.Field)
	})
}

func (c *cli) proposalListCommand() *cobra.Command {
	var f client.ProposalFilter
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List proposals, the most urgent first",
		Long: `List proposals: those that are open by the time they expire, others newest first.
What each would do in words is in gavel inbox, or gavel show.`,
		Example: `  gavel proposal list
  gavel proposal list --state rejected --app poolpatrol
  gavel proposal list --case case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			if !slices.Contains(proposalStates(), f.State) {
				return fault.New(fault.Invalid, "--state takes %s, not %.40q", strings.Join(proposalStates(), ", "), f.State)
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			found, more, err := gather(limit, func(size int, token string) (client.Page[client.Proposal], error) {
				f.PageSize, f.PageToken = size, token
				return server.Proposals(cmd.Context(), f)
			})
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			err = output.List(c.print, found, "no proposals", proposalColumns())
			if err == nil {
				c.sayMore(more)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&f.State, "state", string(review.Open), "only proposals in this state: "+strings.Join(proposalStates(), ", "))
	cmd.Flags().StringVar(&f.App, "app", "", "only proposals of this application")
	cmd.Flags().StringVar(&f.Case, "case", "", "only proposals of the case with this id")
	cmd.Flags().BoolVar(&f.Mine, "mine", false, "only those that you may decide")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	c.completesFlag(cmd, "state", cobra.FixedCompletions(proposalStates(), cobra.ShellCompDirectiveNoFileComp))
	c.completesFlag(cmd, "case", c.completes(severalIDs, caseIDs))
	return c.talksToServer(cmd)
}

func (c *cli) proposalShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show <proposal>",
		Short: "Show what a proposal would do, and who has decided",
		Example: `  gavel proposal show P-881
  gavel proposal show P-881 -o json --fields id,state,etag`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, proposalIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			return c.showProposal(cmd.Context(), server, args[0])
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) showProposal(ctx context.Context, server *client.Client, id string) error {
	p, err := server.Proposal(ctx, id)
	if err != nil {
		return err
	}
	c.print.Zone = server.Zone()
	if err := output.One(c.print, p, wholeProposal(server)); err != nil || !c.print.ForPeople() {
		return err
	}
	fmt.Fprintln(c.out)
	for _, line := range append(documentLines(p), effectWords(p)) {
		fmt.Fprintln(c.out, line)
	}
	for _, ch := range p.Edited {
		fmt.Fprintln(c.out, output.Safe(fmt.Sprintf("Edited: %s: %s became %s", ch.Path, ch.Before, ch.After)))
	}
	if len(p.Decisions) > 0 {
		fmt.Fprintln(c.out)
	}
	if err := output.List(c.print, p.Decisions, "nobody has decided it yet", decisionColumns()); err != nil {
		return err
	}
	if p.Open() {
		c.print.Say("next: gavel approve %[1]s, gavel reject %[1]s, or gavel send-back %[1]s", p.ID)
	}
	return nil
}

func decisionColumns() []output.Column[client.Decision] {
	return []output.Column[client.Decision]{
		{Head: "DECISION", Field: "verdict", Value: func(d client.Decision) any { return spaced(d.Verdict) }},
		{Head: "BY", Field: "name", Value: func(d client.Decision) any { return orElse(d.Name, d.Actor) }},
		{Head: "ON BEHALF OF", Field: "in_stead_of", Value: func(d client.Decision) any { return d.InStead }},
		{Head: "AT", Field: "at", Value: func(d client.Decision) any { return d.At }, Time: true},
		{Head: "REASON", Field: "reason", Value: func(d client.Decision) any { return d.Reason }},
		{Head: "RECORD", Field: "record", Value: func(d client.Decision) any { return d.Record }},
	}
}
