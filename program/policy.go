package program

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "See who may do what, ask why, and try other policies",
		Long: `See who may do what, ask why, and try other policies.

Policies are Cedar files. The setting GAVEL_POLICIES names a folder whose files replace
the built-in ones, set by set. The platform's own are in platform/*.cedar. Those on an
application's tools are in <app>/*.cedar, those on its acts in <app>/acts/*.cedar.`,
		Example: `  gavel policy table
  gavel policy explain case.close --role analyst
  gavel policy simulate ./policies --since 30d`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.policyTableCommand(), c.policyExplainCommand(), c.policySimulateCommand(), c.policyCheckCommand(),
		c.policyFilesCommand())
	return cmd
}

func (c *cli) policyTableCommand() *cobra.Command {
	var who string
	cmd := &cobra.Command{
		Use:   "table",
		Short: "Show who may do what",
		Long: `Show who may do what: every act and tool, and the roles and scopes of tokens that may.

A tool is called by an agent for a person of that role. Some policies look at more than
the role and the tool's name. Then the cell says what the answer may be and on what it
depends. Whoever is not named has no access. As CSV there is a column for everybody.`,
		Example: `  gavel policy table
  gavel policy table --for officer
  gavel policy table -o csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			found, err := server.Policy(cmd.Context())
			if err != nil {
				return err
			}
			return c.printTable(found, who)
		},
	}
	cmd.Flags().StringVar(&who, "for", "", "only this role, or token SCOPE")
	return c.talksToServer(cmd)
}

func (c *cli) printTable(t client.Policy, who string) error {
	columns := []output.Column[policy.Row]{
		{Head: "WHAT", Field: "name", Value: func(r policy.Row) any { return r.Name }},
		{Head: "IN WORDS", Field: "words", Value: func(r policy.Row) any { return r.Words }},
	}
	switch at := slices.Index(t.Who, who); {
	case who != "" && at < 0:
		return fault.New(fault.NotFound, "nobody is called %.60q here", who).WithNext("there are %s", strings.Join(t.Who, ", "))
	case who != "":
		columns = append(columns, output.Column[policy.Row]{Head: strings.ToUpper(who), Field: who,
			Value: func(r policy.Row) any { return r.Cells[at].String() }})
	case c.print.Format == output.CSV:
		for i, name := range t.Who {
			columns = append(columns, output.Column[policy.Row]{Field: name, Value: func(r policy.Row) any { return r.Cells[i].String() }})
		}
	case c.print.Format.Whole() && len(c.print.Fields) == 0:
		return output.One(c.print, t,
			[]output.Column[client.Policy]{{Field: "digest", Value: func(p client.Policy) any { return p.Digest }}})
	default:
		columns = append(columns, holdersOf(t.Who, "MAY", policy.Yes), holdersOf(t.Who, "ASKS A PERSON", policy.Asks),
			holdersOf(t.Who, "IT DEPENDS", policy.Depends))
	}
	if err := output.List(c.print, t.Rows, "there is nothing to do here", columns); err != nil {
		return err
	}
	c.print.Say("policies %.12s", t.Digest)
	return nil
}

// holdersOf is a column of those whose cell has a word.
func holdersOf(who []string, head string, word policy.Word) output.Column[policy.Row] {
	return output.Column[policy.Row]{Head: head, Field: strings.ToLower(strings.ReplaceAll(head, " ", "_")), Value: func(r policy.Row) any {
		var all []string
		for i, cell := range r.Cells {
			switch {
			case cell.Word != word:
			case word == policy.Depends:
				all = append(all, who[i]+": "+cell.String())
			default:
				all = append(all, who[i])
			}
		}
		if word != policy.Depends && len(all) == len(who) {
			return "everybody"
		}
		return strings.Join(all, ", ")
	}}
}

func (c *cli) policyCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check <folder>",
		Short: "Check a folder of policies as a server would when it starts",
		Long: `Check a folder of policies as a server would when it starts. Can every file be read?
Does every name in it exist? Could somebody still work? Nothing is changed and no
server is asked.`,
		Example: `  gavel policy check ./policies`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := c.rulesOf(args[0])
			if err == nil {
				_, err = platform.NewMinds(rules, c.apps...)
			}
			if err != nil {
				return err
			}
			built, err := c.rulesOf("")
			if err != nil {
				return err
			}
			for _, name := range rules.Sets() {
				how := "as built in"
				if rules.Set(name).Digest() != built.Set(name).Digest() {
					how = "replaced"
				}
				fmt.Fprintf(c.out, "%s: %s, %d files, %.12s\n", name, how, len(rules.Set(name).Files()), rules.Set(name).Digest())
			}
			return nil
		},
	}
	return cmd
}

func (c *cli) policyFilesCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "files",
		Short: "Print the policies that this program works under, or write them to a folder",
		Long: `Print the policies that this program works under, or write them to a folder, to
start from. No file that is there is written over.`,
		Example: `  gavel policy files
  gavel policy files --to ./policies`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rules, err := c.loadRules(c.cfg)
			if err != nil {
				return err
			}
			if to != "" {
				return c.writeFiles(to, rules.Files())
			}
			for i, f := range rules.Files() {
				if i > 0 {
					fmt.Fprintln(c.out)
				}
				fmt.Fprintf(c.out, "// %s\n\n%s", f.Name, f.Text)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "folder to write them to")
	_ = cmd.MarkFlagDirname("to")
	return c.uses(cmd)
}

// writeFiles writes policies, each into the folder of its set.
func (c *cli) writeFiles(to string, files []policy.File) error {
	for _, f := range files {
		path := filepath.Join(to, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // policies are no secret
			return fault.From(fault.Invalid, err, "the folder %s cannot be made", filepath.Dir(path))
		}
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // policies are no secret
		if err != nil {
			return fault.From(fault.Conflict, err, "%s cannot be written, or is there already", path).WithNext("choose an empty folder")
		}
		_, err = out.Write(f.Text)
		if closeErr := out.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fault.From(fault.Unavailable, err, "%s cannot be written", path)
		}
	}
	c.print.Say("%d files in %s; name the folder in GAVEL_POLICIES to work under them", len(files), to)
	return nil
}
