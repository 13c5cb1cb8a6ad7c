package program

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/output"
)

// printsNoData are the program's own commands that print nothing a program would pick
// apart: they serve, they speak a protocol, they print files as they are, or there is
// nothing to say but that it is done. An application says so of its own with
// Terminal.Silent. Every other command that has none below it prints data.
var printsNoData = []string{"gavel demo", "gavel setup", "gavel serve", "gavel worker", "gavel man", "gavel mcp serve",
	"gavel login", "gavel logout", "gavel org add", "gavel people sign-out", "gavel token revoke", "gavel webhook remove",
	"gavel device revoke", "gavel subject name", "gavel subject release", "gavel policy check", "gavel policy files"}

// printsData reports whether a command prints data. Of those with others below them
// some do: two stand for the first of theirs, and one that takes an argument is a
// command itself.
func (c *cli) printsData(cmd *cobra.Command) bool {
	path := cmd.CommandPath()
	if cmd.HasAvailableSubCommands() {
		return path == "gavel config" || path == "gavel migrate" || strings.Contains(cmd.Use, "<")
	}
	return cmd.Runnable() && !c.silent[cmd] && !slices.Contains(printsNoData, path)
}

// dataFlags gives every command that prints data, from one on downwards, the
// flags that choose of it.
func (c *cli) dataFlags(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		c.dataFlags(sub)
	}
	if !c.printsData(cmd) {
		return
	}
	f := cmd.Flags()
	f.StringVar(&c.fields, "fields", "", "print these fields only: names as in the API, with commas between")
	f.StringVar(&c.jq, "jq", "", "print what this jq program makes of the JSON")
	f.StringVar(&c.template, "template", "", "print what this Go template makes of the JSON")
}

// form settles what is printed, and how, from all the flags about it.
func (c *cli) form(cmd *cobra.Command) (*output.Printer, error) {
	format, err := output.ParseFormat(c.format)
	if err != nil {
		return nil, err
	}
	given := cmd.Flags().Changed("output")
	if cmd.Flags().Lookup(formatFlag) != nil {
		given = cmd.Flags().Changed(formatFlag)
	}
	p := &output.Printer{Out: c.out, Talk: c.talk, Quiet: c.quiet}
	switch {
	case c.asJSON && given && format != output.JSON:
		return nil, fault.New(fault.Invalid, "--json and -o %s exclude each other", format)
	case c.jq != "" && c.template != "":
		return nil, fault.New(fault.Invalid, "--jq and --template exclude each other")
	case c.ownForm() && given && format != output.JSON:
		return nil, fault.New(fault.Invalid, "--jq and --template read JSON; leave out -o %s", format)
	case c.asJSON || c.ownForm():
		format = output.JSON
	}
	p.Format = format
	if p.Fields, err = output.ParseFields(c.fields); err != nil {
		return nil, err
	}
	if c.jq != "" {
		p.Own, err = output.JQ(c.jq)
	} else if c.template != "" {
		p.Own, err = output.Template(c.template)
	}
	return p, err
}

func (c *cli) ownForm() bool { return c.jq != "" || c.template != "" }
