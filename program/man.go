package program

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/manpage"
)

func (c *cli) manCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "man",
		Short: "Write the manual pages of all commands into a folder",
		Long: `Write the manual pages of all commands into a folder, for man(1). A package brings
them; this is for a program that was only copied. What a shell completes is
printed by gavel completion.`,
		Example: `  gavel man --to ~/.local/share/man/man1
  man gavel-case-open`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := writeManual(cmd.Root(), to)
			if err == nil {
				c.print.Say("%d pages in %s", n, to)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "folder to write into; it is made where it is not there (needed)")
	_ = cmd.MarkFlagRequired("to")
	_ = cmd.MarkFlagDirname("to")
	return cmd
}

// writeManual writes the page of a command and of all below it, and counts them.
func writeManual(root *cobra.Command, dir string) (n int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // manual pages are for everybody to read
		return 0, fault.From(fault.Invalid, err, "%s cannot be made", dir).WithNext("name another folder with --to")
	}
	b := buildOf()
	day, _, _ := strings.Cut(b.CommittedAt, "T")
	header := manpage.Header{Program: root.Name() + " " + b.Version, Date: day}
	for _, cmd := range manualOf(root) {
		page := filepath.Join(dir, manpage.Name(cmd))
		if err := os.WriteFile(page, manpage.Write(cmd, header), 0o644); err != nil { //nolint:gosec // and so are these
			return n, fault.From(fault.Invalid, err, "%s cannot be written to", dir).WithNext("name another folder with --to")
		}
		n++
	}
	return n, nil
}

// manualOf is a command with all below it that a person may call.
func manualOf(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			all = append(all, manualOf(sub)...)
		}
	}
	return all
}
