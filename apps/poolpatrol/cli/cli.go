// Package cli is the commands of Pool Patrol and its demonstration. They speak to a
// server's API and know nothing else.
package cli

import (
	"net/url"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/web"
)

// Commands are what Pool Patrol adds to the command line: one command, with all
// others below it. They speak to a server's API and know nothing else.
func Commands(t platform.Terminal) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "poolpatrol",
		Short: "Audit vanpools, import their records, try other rules",
		Long: `Audit the vanpools of a commuter programme. Import the records they are audited on, and
see whom other rules would have flagged.

An audit opens a case for every van that fails. Riders who may be written to get a
letter. It says what is held about them, and gives seven days to answer. Nobody loses a
seat without a person's decision. Try the rules first with simulate.`,
		Example: `  gavel poolpatrol import employees employees.csv --whole --dry-run
  gavel poolpatrol audit --wait
  gavel poolpatrol van list --outcome failed
  gavel poolpatrol simulate location.threshold_miles=40`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c := terminal{t}
	cmd.AddCommand(c.caseCommand(), c.scheduleCommand(), c.settingsCommand(), c.removalsCommand())
	cmd.AddCommand(c.auditCommand(), c.passCommand(), c.vanCommand(), c.importCommand(), c.simulateCommand(), c.exportCommand())
	return []*cobra.Command{cmd}
}

// terminal is the program's, with what several commands need.
type terminal struct{ platform.Terminal }

// of is an address with a name in it that somebody typed.
func of(path, name string) string { return "/v1/poolpatrol/" + path + "/" + url.PathEscape(name) }

// numeral is a number as people write it.
func numeral(n int) string { return web.Numeral(int64(n)) }
