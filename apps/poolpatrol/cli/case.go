package cli

import (
	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
)

const casesAddress = "/v1/poolpatrol/cases"

func caseColumnsShown() []platform.Column {
	return []platform.Column{{Head: "REF", Field: "ref"}, {Head: "VAN", Field: "vanpool_id"}, {Head: "STATE", Field: "state"},
		{Head: "WAITS FOR", Field: "waiting_on"},
		{Head: "OVERDUE", Field: "overdue"}, {Head: "FAILED", Field: "failed_checks"}, {Head: "PEOPLE", Field: "people"},
		{Head: "OPENED", Field: "opened_at", Time: true}, {Head: "REPLY BY", Field: "deadline_at", Time: true},
		{Head: "ENDED", Field: "ended_at", Time: true}}
}

func wholeCase() []platform.Column {
	return append(caseColumnsShown(), platform.Column{Head: "WHY A PERSON", Field: "why"}, platform.Column{Head: "ENDED AS",
		Field: "sub_reason"},
		platform.Column{Head: "BY ITSELF", Field: "next_at", Time: true}, platform.Column{Head: "LOOKED AGAIN", Field: "re_audit_count"},
		platform.Column{Head: "REPLIES", Field: "replies"}, platform.Column{Head: "UNREAD", Field: "unread"},
		platform.Column{Head: "CASE BEFORE", Field: "previous_case"}, platform.Column{Head: "AUDIT", Field: "run_id"},
		platform.Column{Head: "SUBJECTS", Field: "subjects"}, platform.Column{Head: "LETTERS", Field: "letters"},
		platform.Column{Head: "HISTORY", Field: "events"}, platform.Column{Head: "PAGE", Field: "links.page"})
}

func (c terminal) caseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "case",
		Short: "See the programme's cases and what they wait for",
		Example: `  gavel poolpatrol case list --waiting-on programme_manager
  gavel poolpatrol case show CASE-A3F8B291`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.caseListCommand(), c.caseShowCommand())
	return cmd
}

func (c terminal) caseListCommand() *cobra.Command {
	return c.ListCommand(platform.Listing{
		Short: "List cases, the newest first",
		Example: `  gavel poolpatrol case list --open
  gavel poolpatrol case list --overdue
  gavel poolpatrol case list --van VP-101 --json`,
		Address: casesAddress, None: "there are no such cases", Columns: caseColumnsShown(),
		Flags: []platform.Flag{
			{Name: "state", Query: "state",
				Help: "only those that are open, pending_reply, re_audit, hitl_review, pre_cancel, resolved or cancelled"},
			{Name: "van", Query: "vanpool_id", Help: "only those of a van, as VP-101"},
			{Name: "waiting-on", Query: "waiting_on", Help: "only those that wait for rider, programme_manager, records or nobody"},
			{Name: "overdue", Query: "overdue",
				Help: "only those whose deadline has passed or that people have been asked about for over 72 hours", Switch: true},
			{Name: "open", Query: "open", Help: "only those that have not ended", Switch: true},
		},
	})
}

func (c terminal) caseShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show <case>",
		Short: "Show a case: whom it is about, what it waits for, what has happened",
		Long: `Show a case of the programme: its status, whom it is about, what it waits for and
until when. Then what has happened to it, and what was written. People are named
by their ids.`,
		Example: `  gavel poolpatrol case show CASE-A3F8B291
  gavel poolpatrol case show CASE-A3F8B291 --jq '.letters[].state'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.ShowAt(cmd.Context(), of("cases", args[0]), wholeCase())
		},
	}
	return c.Uses(cmd)
}

func (c terminal) removalsCommand() *cobra.Command {
	cmd := c.ListCommand(platform.Listing{
		Short: "List memberships that people ended, for the vendor and payroll",
		Example: `  gavel poolpatrol removals --since 2026-03-01
  gavel poolpatrol removals --van VP-101 --json`,
		Address: "/v1/poolpatrol/removals", None: "no membership has been ended",
		Columns: []platform.Column{{Head: "VAN", Field: "vanpool_id"}, {Head: "EMPLOYEE", Field: "employee_id"},
			{Head: "PARTICIPANT", Field: "participant_id"}, {Head: "LAST DAY", Field: "effective_on"},
			{Head: "DECIDED", Field: "decided_at", Time: true}, {Head: "CASE", Field: "case"}, {Head: "FAILED", Field: "failed_checks"}},
		Flags: []platform.Flag{{Name: "van", Query: "vanpool_id", Help: "only those of a van, as VP-101"},
			{Name: "since", Query: "since", Help: "only those decided on this day or later, as 2026-03-01"}},
	})
	cmd.Use = "removals"
	return cmd
}
