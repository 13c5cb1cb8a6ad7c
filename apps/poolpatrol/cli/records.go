package cli

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/simulate"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func (c terminal) vanCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "van",
		Short: "See vanpools, who rides in them, and how their last audit ended",
		Example: `  gavel poolpatrol van list --outcome failed
  gavel poolpatrol van show VP-101
  gavel poolpatrol van show VP-101 --riders`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.vanListCommand(), c.vanShowCommand())
	return cmd
}

func vanColumns() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "vanpool_id"}, {Head: "SITE", Field: "site_id"}, {Head: "STATUS", Field: "status"},
		{Head: "SEATS", Field: "capacity"},
		{Head: "RIDERS", Field: "rider_count"}, {Head: "LAST AUDIT", Field: "outcome"}, {Head: "FAILED", Field: "failed_checks"},
		{Head: "AUDITED", Field: "audited_at", Time: true}}
}

func (c terminal) vanListCommand() *cobra.Command {
	return c.ListCommand(platform.Listing{
		Short: "List vanpools, in order of id",
		Example: `  gavel poolpatrol van list --site PLANT-1
  gavel poolpatrol van list --outcome failed -o name`,
		Address: "/v1/poolpatrol/vanpools", None: "there are no such vans", Columns: vanColumns(),
		Flags: []platform.Flag{{Name: "site", Query: "site_id", Help: "only those of a site"},
			{Name: "outcome", Query: "outcome", Help: "only those whose last audit is verified, failed or error"}},
	})
}

func (c terminal) vanShowCommand() *cobra.Command {
	var riders bool
	cmd := &cobra.Command{
		Use:   "show <van>",
		Short: "Show a vanpool, or who rides in it",
		Example: `  gavel poolpatrol van show VP-101
  gavel poolpatrol van show VP-101 --riders
  gavel poolpatrol van show VP-101 -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !riders {
				return c.ShowAt(cmd.Context(), of("vanpools", args[0]),
					append(vanColumns(), platform.Column{Head: "COORDINATOR", Field: "coordinator_id"}, platform.Column{Head: "PAGE",
						Field: "links.page"}))
			}
			var van struct {
				Riders []json.RawMessage `json:"riders"`
			}
			if err := c.Call(cmd.Context(), http.MethodGet, of("vanpools", args[0]), nil, &van); err != nil {
				return err
			}
			return c.List(van.Riders, "nobody rides in it", platform.Column{Head: "ID", Field: "employee_id"}, platform.Column{Head: "NAME",
				Field: "name"},
				platform.Column{Head: "STATUS", Field: "status"}, platform.Column{Head: "SHIFT", Field: "shift_id"},
				platform.Column{Head: "SINCE", Field: "since"})
		},
	}
	cmd.Flags().BoolVar(&riders, "riders", false, "those who ride in it, instead of the van")
	return c.Uses(cmd)
}

// An importing is one file as it is being imported from a terminal.
type importing struct {
	kind      intake.Kind
	file      string
	whole     bool
	manyMayGo bool
	yes       bool
	dry       bool
}

func (c terminal) importCommand() *cobra.Command {
	var m importing
	cmd := &cobra.Command{
		Use:   "import <kind> <file>",
		Short: "Import records from a CSV file",
		Long: `Import records from a CSV file; - is the standard input. --dry-run prints what the
file would change and changes nothing. Without it you see the same and are asked:
what is added, changed and inactive, and which lines are refused. Exactly that is
imported. If the records change meanwhile, nothing is imported and the command ends
with code 6. --yes leaves the question out.

Kinds are sites, shifts, employees, vanpools, riders, badges and permits, in the
order an empty record takes them. A file is in UTF-8 and its first line names the
columns. All of it is imported or nothing. --whole says that the file is a full
list: people not in it become inactive. If that is more than a fifth of what is on
record, the file is refused. It may have been cut short. --even-if-many-go imports
it all the same.`,
		Example: `  gavel poolpatrol import employees employees.csv --whole --dry-run
  gavel poolpatrol import employees employees.csv --whole --yes
  gavel poolpatrol import permits - --yes < permits.csv`,
		Args: cobra.ExactArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return []cobra.Completion{"csv"}, cobra.ShellCompDirectiveFilterFileExt
			}
			var all []cobra.Completion
			for _, k := range intake.Kinds() {
				all = append(all, cobra.Completion(k))
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if m.yes && m.dry {
				return fault.New(fault.Invalid, "--dry-run changes nothing, and --yes has it done: leave one out")
			}
			if args[1] == "-" && !m.yes && !m.dry {
				return fault.New(fault.Invalid, "the standard input cannot hold both the file and your answer").
					WithNext("name a file, or add --yes")
			}
			if m.kind, err = intake.ParseKind(args[0]); err != nil {
				return err
			}
			if m.file, err = readTable(args[1], cmd.InOrStdin()); err != nil {
				return err
			}
			return c.load(cmd.Context(), m)
		},
	}
	cmd.Flags().BoolVar(&m.whole, "whole", false, "the file lists everything: what is missing from it goes")
	cmd.Flags().BoolVar(&m.dry, "dry-run", false, "print what it would change, and change nothing")
	cmd.Flags().BoolVar(&m.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&m.manyMayGo, "even-if-many-go", false, "more than a fifth of what is on record may go")
	return c.Uses(cmd)
}

// readTable reads a file within its bound.
func readTable(name string, in io.Reader) (string, error) {
	if name != "-" {
		f, err := os.Open(name) //nolint:gosec // whoever runs the command names the file
		if err != nil {
			return "", fault.From(fault.Invalid, err, "the file %.200s cannot be read", name)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, intake.MaxBytes+1))
	if err != nil {
		return "", fault.From(fault.Invalid, err, "the file %.200s cannot be read", name)
	}
	if len(text) > intake.MaxBytes {
		return "", fault.New(fault.TooLarge, "the file has more than %d MB", intake.MaxBytes>>20)
	}
	return string(text), nil
}

func importColumns() []platform.Column {
	return []platform.Column{{Head: "KIND", Field: "kind"}, {Head: "LINES", Field: "lines"}, {Head: "ADDED", Field: "added"},
		{Head: "CHANGED", Field: "changed"},
		{Head: "UNCHANGED", Field: "unchanged"}, {Head: "GONE", Field: "gone"}, {Head: "KEPT", Field: "kept"},
		{Head: "REFUSED", Field: "refused"},
		{Head: "FIELDS", Field: "fields"}, {Head: "NOT READ", Field: "ignored_columns"}}
}

// load previews a file, and imports it if that is wanted and it can be.
func (c terminal) load(ctx context.Context, m importing) error {
	body := map[string]any{"kind": m.kind, "file": m.file, "whole": m.whole}
	var shown json.RawMessage
	if err := c.Call(ctx, http.MethodPost, "/v1/poolpatrol/previews", body, &shown); err != nil {
		return err
	}
	var p rest.ImportBody
	if err := json.Unmarshal(shown, &p); err != nil {
		return fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
	}
	c.sayRefused(p)
	if m.dry {
		if err := c.One(shown, importColumns()...); err != nil {
			return err
		}
		c.Say("nothing was imported; leave out --dry-run to import it")
		return nil
	}
	if p.Refused > 0 {
		return fault.New(fault.Invalid, "%d of %d lines are refused; nothing was imported", p.Refused, p.Lines).
			WithNext("correct the file and import it again")
	}
	if p.ManyGo && !m.manyMayGo {
		return fault.New(fault.Conflict, "%d of the %s on record are missing from the file, more than a fifth; nothing was imported",
			p.Gone, p.Kind).
			WithNext("see whether the file was cut short; if it was not, add --even-if-many-go")
	}
	if !m.yes {
		if yes, err := c.agreed(p); err != nil || !yes {
			return err
		}
	}
	body["sha256"], body["even_if_many_go"] = p.SHA256, m.manyMayGo
	if err := c.Call(ctx, http.MethodPost, "/v1/poolpatrol/imports", body, &shown); err != nil {
		return err
	}
	return c.One(shown, importColumns()...)
}

// agreed says what an import would change and asks whether it is to be done.
func (c terminal) agreed(p rest.ImportBody) (bool, error) {
	c.Say("%s: %s added, %s changed, %s gone, %s unchanged", p.Kind, numeral(p.Added), numeral(p.Changed), numeral(p.Gone),
		numeral(p.Unchanged))
	for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
		c.Say("  %s changes in %s", name, numeral(p.Fields[name]))
	}
	if p.Kept > 0 {
		c.Say("  %s stay as they are on record: somebody was erased, or a case has decided", numeral(p.Kept))
	}
	yes, err := c.Sure("Import it?", "--yes")
	if err == nil && !yes {
		c.Say("nothing was imported")
	}
	return yes, err
}

// sayRefused says which lines cannot be taken, the first of them.
func (c terminal) sayRefused(p rest.ImportBody) {
	for i, r := range p.Refusals {
		if i == 20 {
			c.Say("and %d more lines", p.Refused-i)
			return
		}
		c.Say("line %d: %s", r.Line, r.Reason)
	}
}

func (c terminal) simulateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate <name=value>...",
		Short: "See whom other thresholds would have flagged",
		Long: `See whom other thresholds would have flagged. The records of the last audit are
checked twice: by the rules of today, and with your thresholds. It changes nothing
and writes to nobody.

The thresholds and their bounds: gavel api GET /v1/poolpatrol/settings. If impact is
below 0.8, one site or shift is flagged much more often than another. Look at why.`,
		Example: `  gavel poolpatrol simulate location.threshold_miles=40
  gavel poolpatrol simulate location.threshold_miles=40 shift.share_percent=80
  gavel poolpatrol simulate shift.overlap_basis=work --jq '.new[] | .employee_id'`,
		Args: cobra.RangeArgs(1, simulate.MaxChanges),
		RunE: func(cmd *cobra.Command, args []string) error {
			var shown json.RawMessage
			if err := c.Call(cmd.Context(), http.MethodPost, "/v1/poolpatrol/simulations", map[string]any{"changes": args},
				&shown); err != nil {
				return err
			}
			if err := c.One(shown, simulationColumns()...); err != nil {
				return err
			}
			c.Say("nothing was changed. -o json lists who would be flagged and who no longer, by site and by shift")
			return nil
		},
	}
	return c.Uses(cmd)
}

func simulationColumns() []platform.Column {
	return []platform.Column{{Head: "RECORDS", Field: "snapshot"}, {Head: "JUDGED AT", Field: "at", Time: true},
		{Head: "RIDERS", Field: "riders"},
		{Head: "VANS TO LOOK INTO, TODAY", Field: "vanpools.before"}, {Head: "VANS TO LOOK INTO, THEN", Field: "vanpools.after"},
		{Head: "RIDERS FLAGGED, TODAY", Field: "flagged.before"}, {Head: "RIDERS FLAGGED, THEN", Field: "flagged.after"},
		{Head: "NEWLY FLAGGED", Field: "new_count"}, {Head: "NO LONGER", Field: "gone_count"},
		{Head: "HOURS BY HAND, TODAY", Field: "hours.before"}, {Head: "HOURS BY HAND, THEN", Field: "hours.after"},
		{Head: "IMPACT BY SITE, THEN", Field: "impact_by_site.after"}, {Head: "IMPACT BY SHIFT, THEN", Field: "impact_by_shift.after"}}
}
