package program

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func inboxViews() []string {
	return []string{string(review.NeedsMe), string(review.Waiting), string(review.Snoozed), string(review.Done)}
}

func (c *cli) inboxCommand() *cobra.Command {
	var f client.InboxFilter
	var limit int
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "List what needs you, the most urgent first",
		Long: `List what needs you, the most urgent first. Each line says what would be done, what it
leads to, why it is yours, and by when. The other views are what waits for others, what
you snoozed, and what you have decided since yesterday.

A consequence is routine, an external mail or a legal filing. Only what is
routine can be decided with --yes.`,
		Example: `  gavel inbox
  gavel inbox --view done
  gavel inbox -o name | while read p; do gavel show "$p"; done`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			if !slices.Contains(inboxViews(), f.View) {
				return fault.New(fault.Invalid, "--view takes %s, not %.40q", strings.Join(inboxViews(), ", "), f.View)
			}
			return c.listInbox(cmd.Context(), f, limit)
		},
	}
	cmd.Flags().StringVar(&f.View, "view", string(review.NeedsMe), "which part of it: "+strings.Join(inboxViews(), ", "))
	cmd.Flags().StringVar(&f.App, "app", "", "only what belongs to this application")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	c.completesFlag(cmd, "view", cobra.FixedCompletions(inboxViews(), cobra.ShellCompDirectiveNoFileComp))
	return c.talksToServer(cmd)
}

func (c *cli) listInbox(ctx context.Context, f client.InboxFilter, limit int) error {
	server, err := c.server()
	if err != nil {
		return err
	}
	items, more, err := gather(limit, func(size int, token string) (client.Page[client.Item], error) {
		f.PageSize, f.PageToken = size, token
		return server.Inbox(ctx, f)
	})
	if err != nil {
		return err
	}
	rows := make([]numbered, len(items))
	for i, item := range items {
		rows[i] = numbered{item, i + 1}
	}
	c.print.Zone = server.Zone()
	if err := output.List(c.print, rows, nothingIn(f.View), inboxColumns(f.View)); err != nil {
		return err
	}
	c.sayMore(more)
	if len(rows) > 0 && c.print.ForPeople() && f.View == string(review.NeedsMe) {
		c.print.Say("next: gavel show %s", rows[0].Proposal.ID)
	}
	return nil
}

// A numbered line of an inbox.
type numbered struct {
	client.Item
	n int
}

func nothingIn(view string) string {
	return map[string]string{string(review.NeedsMe): "nothing needs you", string(review.Waiting): "nothing of yours waits for others",
		string(review.Snoozed): "you have snoozed nothing", string(review.Done): "you have decided nothing since yesterday"}[view]
}

// inboxColumns are what people read of a line: in which order depends on what
// they came for.
func inboxColumns(view string) []output.Column[numbered] {
	all := []output.Column[numbered]{
		{Head: "#", Field: "number", Value: func(i numbered) any { return i.n }},
		{Head: "ID", Field: "id", Value: func(i numbered) any { return i.Proposal.ID }, Names: true},
		{Head: "WHAT", Field: "line", Value: func(i numbered) any { return whatItDoes(i.Item) }},
		{Head: "CONSEQUENCE", Field: "class", Value: func(i numbered) any { return consequence(i.Class) }},
	}
	why := output.Column[numbered]{Head: "WHY ME", Field: "why", Value: func(i numbered) any { return whyMe(i.Item) }}
	due := output.Column[numbered]{Head: "DUE", Field: "due_at", Value: func(i numbered) any { return i.DueAt }, Time: true}
	switch review.View(view) {
	case review.Done:
		all = append(all,
			output.Column[numbered]{Head: "DECIDED", Field: "verdict", Value: func(i numbered) any { return spaced(i.Verdict) }},
			output.Column[numbered]{Head: "AT", Field: "decided_at", Value: func(i numbered) any { return i.DecidedAt }, Time: true},
			output.Column[numbered]{Head: "UNDO UNTIL", Field: "undo_until", Value: func(i numbered) any { return i.UndoUntil },
				Time: true})
	case review.Snoozed:
		all = append(all, why, due, output.Column[numbered]{Head: "SNOOZED UNTIL", Field: "snoozed_until",
			Value: func(i numbered) any { return i.Snoozed }, Time: true})
	default:
		all = append(all, why, due,
			output.Column[numbered]{Head: "LATE", Field: "overdue", Value: func(i numbered) any { return yesOrNothing(i.Overdue) }},
			output.Column[numbered]{Head: "CLAIMED BY", Field: "claim", Value: func(i numbered) any { return lookedAtBy(i.Claim) }})
	}
	return append(all, output.Column[numbered]{Head: "CASE", Field: "case_ref", Value: func(i numbered) any {
		return i.CaseRef + " " +
			i.CaseTitle
	}})
}

// whatItDoes is the line of the document, or the tool where it has none.
func whatItDoes(i client.Item) string {
	if i.Line != "" {
		return i.Line
	}
	return toolOf(i.Proposal)
}

func toolOf(p client.Proposal) string {
	if p.Tool != "" {
		return p.App + ": " + spaced(p.Tool)
	}
	return spaced(p.Kind)
}

// consequence is a class in words.
func consequence(class string) string {
	if class == "" {
		return "unknown"
	}
	return spaced(class)
}

func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

// whyMe is by what right something is in an inbox, in words.
func whyMe(i client.Item) string {
	switch review.Why(i.Why) {
	case review.WhyRole:
		return "your role decides it"
	case review.WhyAssigned:
		return "assigned to you"
	case review.WhyConfirm:
		return "it is done for you"
	case review.WhyDelegated:
		return "on behalf of " + i.InStead
	case review.WhyAsked:
		return "you asked for it"
	case review.WhySigned:
		return "you have approved it"
	case review.WhyDecided:
		return "you decided it"
	}
	return spaced(i.Why)
}

func yesOrNothing(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func lookedAtBy(claim *client.Claim) string {
	switch {
	case claim == nil:
		return ""
	case claim.Name != "":
		return claim.Name
	}
	return claim.By
}
