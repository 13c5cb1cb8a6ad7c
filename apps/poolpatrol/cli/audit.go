package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

const passesAddress = "/v1/poolpatrol/passes"

func passColumnsShown() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "STATE", Field: "state"}, {Head: "BEGAN", Field: "began_at", Time: true},
		{Head: "ENDED", Field: "ended_at", Time: true},
		{Head: "VANS", Field: "planned"}, {Head: "LOOKED AT", Field: "looked"}, {Head: "VERIFIED", Field: "verified"},
		{Head: "FAILED", Field: "failed"}, {Head: "NOT JUDGED", Field: "errored"}}
}

func wholePass() []platform.Column {
	return append(passColumnsShown(), platform.Column{Head: "WHY", Field: "kind"}, platform.Column{Head: "ASKED BY", Field: "asked_by"},
		platform.Column{Head: "RECORDS", Field: "snapshot"}, platform.Column{Head: "RULES", Field: "policy"},
		platform.Column{Head: "REASON", Field: "reason"}, platform.Column{Head: "PAGE", Field: "links.page"})
}

func (c terminal) auditCommand() *cobra.Command {
	var wait, dry bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Have every van audited",
		Long: `Have every van audited. The pass goes on, whatever happens to this command. --wait
shows how far it is and prints what it found. That vans fail is what an audit is for:
it is no failure of the command.

--dry-run prints the vans that would fail, and does nothing else: no case is opened
and nobody is written to. Ways that were never measured are estimated.

Records that are older than 48 hours are refused: nobody is judged on them.`,
		Example: `  gavel poolpatrol audit
  gavel poolpatrol audit --dry-run
  gavel poolpatrol audit --wait
  gavel poolpatrol audit --wait --jq .failed`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dry {
				return c.rehearse(cmd.Context(), wait)
			}
			var started json.RawMessage
			if err := c.Call(cmd.Context(), http.MethodPost, passesAddress, map[string]string{"kind": "asked"}, &started); err != nil {
				return err
			}
			if wait {
				var err error
				if started, err = c.await(cmd.Context(), started); err != nil {
					return err
				}
			}
			return c.One(started, wholePass()...)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for its end and show how far it is")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print the vans that would fail, and do nothing else")
	return c.Uses(cmd)
}

// rehearse prints the vans that would fail.
func (c terminal) rehearse(ctx context.Context, wait bool) error {
	if wait {
		return fault.New(fault.Invalid, "--dry-run starts no pass that could be waited for: leave out --wait")
	}
	var found struct {
		Vanpools                 []json.RawMessage `json:"vanpools"`
		Planned, Failed, Errored int
	}
	if err := c.Call(ctx, http.MethodPost, "/v1/poolpatrol/rehearsals", nil, &found); err != nil {
		return err
	}
	err := c.List(found.Vanpools, "every van would pass", platform.Column{Head: "VAN", Field: "vanpool_id"},
		platform.Column{Head: "OUTCOME", Field: "outcome"},
		platform.Column{Head: "FAILED", Field: "failed_checks"}, platform.Column{Head: "REASON", Field: "reason"})
	if err != nil {
		return err
	}
	c.Say("%s of %s vans would fail, %s could not be judged; nothing was opened and nobody was written to", numeral(found.Failed),
		numeral(found.Planned), numeral(found.Errored))
	return nil
}

// await looks at a pass until it has ended, and says each time how far it has
// come.
func (c terminal) await(ctx context.Context, pass json.RawMessage) (json.RawMessage, error) {
	said := -1
	ended, err := c.Await(ctx, passesAddress, pass, func(_ string, now json.RawMessage) {
		var p rest.PassBody
		if json.Unmarshal(now, &p) == nil && p.Looked != said && p.Planned > 0 {
			said = p.Looked
			c.Progress("%s of %s looked at, %s fail", numeral(p.Looked), numeral(p.Planned), numeral(p.Failed))
		}
	})
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.Conflict {
		err = e.WithNext("import the records again")
	}
	return ended, err
}

func (c terminal) passCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pass",
		Short: "See what audits of every van found",
		Example: `  gavel poolpatrol pass list
  gavel poolpatrol pass show PASS-1F00A3BC`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := c.ListCommand(platform.Listing{
		Short: "List passes, the newest first",
		Example: `  gavel poolpatrol pass list
  gavel poolpatrol pass list --limit 1 -o name`,
		Address: passesAddress, None: "no van has been audited yet", Columns: passColumnsShown(),
	})
	show := &cobra.Command{
		Use:     "show <pass>",
		Short:   "Show a pass and how far it is",
		Example: `  gavel poolpatrol pass show PASS-1F00A3BC`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.ShowAt(cmd.Context(), of("passes", args[0]), wholePass())
		},
	}
	cmd.AddCommand(list, c.Uses(show))
	return cmd
}

func (c terminal) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Take out what was found, or what is missing",
		Example: `  gavel poolpatrol export runs --outcome failed -o csv
  gavel poolpatrol export gaps -o csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.exportRunsCommand(), c.exportGapsCommand())
	return cmd
}

func (c terminal) exportRunsCommand() *cobra.Command {
	var pass, outcome string
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Print the audits of a pass, all of them",
		Long: `Print all audits of a pass, in order of van. It is the newest pass unless another is
named.`,
		Example: `  gavel poolpatrol export runs -o csv
  gavel poolpatrol export runs --pass PASS-1F00A3BC --outcome failed -o csv
  gavel poolpatrol export runs --jq '.[] | select(.confidence >= 4) | .vanpool_id'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pass == "" {
				var err error
				if pass, err = c.newestPass(cmd.Context()); err != nil {
					return err
				}
			}
			var items []json.RawMessage
			if pass != "" {
				var err error
				if items, err = c.AllAt(cmd.Context(), of("passes", pass)+"/runs", url.Values{"outcome": {outcome}}); err != nil {
					return err
				}
			}
			return c.List(items, "there are no such audits", platform.Column{Head: "ID", Field: "id"},
				platform.Column{Head: "VAN", Field: "vanpool_id"},
				platform.Column{Head: "OUTCOME", Field: "outcome"}, platform.Column{Head: "FAILED", Field: "failed_checks"},
				platform.Column{Head: "FINDINGS", Field: "findings"}, platform.Column{Head: "SURE", Field: "confidence"},
				platform.Column{Head: "LOOK AGAIN", Field: "recheck_on"}, platform.Column{Head: "AT", Field: "at", Time: true},
				platform.Column{Head: "REASON", Field: "reason"})
		},
	}
	cmd.Flags().StringVar(&pass, "pass", "", "of which pass; the newest if it is left out")
	cmd.Flags().StringVar(&outcome, "outcome", "", "only those that are verified, failed or error")
	return c.Uses(cmd)
}

// newestPass is the id of the last pass that was begun, empty where there is none.
func (c terminal) newestPass(ctx context.Context) (string, error) {
	items, _, err := c.Gather(ctx, passesAddress, nil, 1)
	if err != nil || len(items) == 0 {
		return "", err
	}
	var p rest.PassBody
	err = json.Unmarshal(items[0], &p)
	return p.ID, err
}

func (c terminal) exportGapsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gaps",
		Short: "Print what is missing from the records, all of it",
		Long: `Print what audits found missing from the records, all of it, for those who keep
them. It accuses nobody.`,
		Example: `  gavel poolpatrol export gaps -o csv`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			items, err := c.AllAt(cmd.Context(), "/v1/poolpatrol/gaps", nil)
			if err != nil {
				return err
			}
			return c.List(items, "nothing is known to be missing", platform.Column{Head: "VAN", Field: "vanpool_id"},
				platform.Column{Head: "EMPLOYEE", Field: "employee_id"},
				platform.Column{Head: "CHECK", Field: "check"}, platform.Column{Head: "MISSING", Field: "field"},
				platform.Column{Head: "SEEN", Field: "seen_at", Time: true})
		},
	}
	return c.Uses(cmd)
}
