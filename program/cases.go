package program

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) caseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "case",
		Short: "Open, read and close cases on a server",
		Example: `  gavel case open --title "Smoke over Jind" --due 48h
  gavel case list --state waiting
  gavel case show case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.caseOpenCommand(), c.caseListCommand(), c.caseShowCommand(), c.caseNoteCommand(), c.caseCloseCommand(),
		c.caseLinkCommand())
	return cmd
}

// talksToServer makes a command a client: it needs the server and a token.
func (c *cli) talksToServer(cmd *cobra.Command) *cobra.Command {
	c.settingFlag(cmd, config.NameServer, "server")
	return c.uses(cmd, config.Need{config.NameServer}, config.Need{config.NameToken})
}

// server is the client of the server the settings name.
func (c *cli) server() (*client.Client, error) {
	return client.New(c.cfg.Server, c.cfg.Token.Reveal(), "gavel/"+buildOf().Version)
}

func caseColumns() []output.Column[client.Case] {
	return []output.Column[client.Case]{
		{Head: "ID", Field: "id", Value: func(k client.Case) any { return k.ID }},
		{Head: "REF", Field: "ref", Value: func(k client.Case) any { return k.Ref }},
		{Head: "APP", Field: "app", Value: func(k client.Case) any { return k.App }},
		{Head: "STATE", Field: "state", Value: func(k client.Case) any { return k.State }},
		{Head: "STATUS", Field: "status", Value: func(k client.Case) any { return k.Status }},
		{Head: "WAITING FOR", Field: "waiting_for", Value: func(k client.Case) any { return k.WaitingFor }},
		{Head: "DUE", Field: "due_at", Value: func(k client.Case) any { return k.DueAt }, Time: true},
		{Head: "OPENED", Field: "opened_at", Value: func(k client.Case) any { return k.OpenedAt }, Time: true},
		{Head: "TITLE", Field: "title", Value: func(k client.Case) any { return k.Title }},
	}
}

// wholeCase is the columns of one case shown alone.
func wholeCase(page func(client.Case) string) []output.Column[client.Case] {
	return append(caseColumns(),
		output.Column[client.Case]{Head: "KEY", Field: "key", Value: func(k client.Case) any { return k.Key }},
		output.Column[client.Case]{Head: "CLOSED", Field: "closed_at", Value: func(k client.Case) any { return k.ClosedAt }, Time: true},
		output.Column[client.Case]{Head: "VERSION", Field: "version", Value: func(k client.Case) any { return k.Version }},
		output.Column[client.Case]{Head: "PAGE", Field: "page", Value: func(k client.Case) any { return page(k) }},
	)
}

// outcomeColumns is what is shown of a case after something was done to it.
func outcomeColumns(page func(client.Case) string) []output.Column[client.Case] {
	return []output.Column[client.Case]{
		{Head: "ID", Field: "id", Value: func(k client.Case) any { return k.ID }},
		{Head: "REF", Field: "ref", Value: func(k client.Case) any { return k.Ref }},
		{Head: "STATE", Field: "state", Value: func(k client.Case) any { return k.State }},
		{Head: "STATUS", Field: "status", Value: func(k client.Case) any { return k.Status }},
		{Head: "VERSION", Field: "version", Value: func(k client.Case) any { return k.Version }},
		{Head: "PAGE", Field: "page", Value: func(k client.Case) any { return page(k) }},
	}
}

func (c *cli) caseListCommand() *cobra.Command {
	var f client.Filter
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cases, newest first",
		Example: `  gavel case list
  gavel case list --state waiting --limit 200
  gavel case list -o csv > cases.csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			if f.State != "" && !slices.Contains(caseStates(), f.State) {
				return fault.New(fault.Invalid, "--state takes %s, not %.40q", strings.Join(caseStates(), ", "), f.State)
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			cases, more, err := gather(limit, func(size int, token string) (client.Page[client.Case], error) {
				f.PageSize, f.PageToken = size, token
				return server.Cases(cmd.Context(), f)
			})
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			if err := output.List(c.print, cases, "no cases", caseColumns()); err != nil {
				return err
			}
			c.sayMore(more)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.State, "state", "", "only cases in this state: "+strings.Join(caseStates(), ", "))
	cmd.Flags().StringVar(&f.App, "app", "", "only cases of this application")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	c.completesFlag(cmd, "state", cobra.FixedCompletions(caseStates(), cobra.ShellCompDirectiveNoFileComp))
	return c.talksToServer(cmd)
}

func caseStates() []string { return []string{"open", "waiting", "closed"} }

// A file is a case with its history, newest entry first, as `case show` gives
// it to programs: the case's own fields and "entries".
type file struct {
	client.Case
	Entries []client.Entry
}

// MarshalJSON adds the entries to the case's own fields.
func (f file) MarshalJSON() ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(f.Raw, &fields); err != nil {
		return nil, fmt.Errorf("read the case: %w", err)
	}
	entries, err := json.Marshal(append([]client.Entry{}, f.Entries...)) // never null
	if err != nil {
		return nil, err
	}
	fields["entries"] = entries
	return json.Marshal(fields)
}

func (c *cli) caseShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show <id or ref>",
		Short: "Show a case and the newest entries of its history",
		Example: `  gavel case show GEN-7M1B0CDE
  gavel case show case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE -o json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, caseIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			return c.fetchCase(cmd.Context(), server, args[0])
		},
	}
	return c.talksToServer(cmd)
}

// fetchCase reads a case and its history, and shows them.
func (c *cli) fetchCase(ctx context.Context, server *client.Client, id string) error {
	found, err := server.Case(ctx, id)
	if err != nil {
		return err
	}
	history, err := server.Entries(ctx, found.ID, "")
	if err != nil {
		return err
	}
	return c.showCase(server, found, history)
}

func (c *cli) showCase(server *client.Client, found client.Case, history client.Page[client.Entry]) error {
	c.print.Zone = server.Zone()
	if c.print.Format.ForPrograms() {
		return output.One(c.print, file{found, history.Items}, nil)
	}
	if err := output.One(c.print, found, wholeCase(server.PageOf)); err != nil || !c.print.ForPeople() {
		return err
	}
	fmt.Fprintln(c.out)
	if err := output.List(c.print, history.Items, "no entries", entryColumns()); err != nil {
		return err
	}
	if history.Next != "" {
		c.print.Say("older entries are on the case's page")
	}
	return nil
}

func entryColumns() []output.Column[client.Entry] {
	return []output.Column[client.Entry]{
		{Head: "ENTRY", Field: "seq", Value: func(e client.Entry) any { return e.Seq }},
		{Head: "AT", Field: "at", Value: func(e client.Entry) any { return e.At }, Time: true},
		{Head: "BY", Field: "actor", Value: func(e client.Entry) any { return e.Actor.Name }},
		{Head: "KIND", Field: "kind", Value: func(e client.Entry) any { return e.Kind }},
		{Head: "TEXT", Field: "text", Value: func(e client.Entry) any { return e.Text }},
	}
}
