package program

import (
	"context"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// proposalID is how proposals are called. Whatever is neither one nor a run is a
// case, by its id or its ref.
var proposalID = regexp.MustCompile(`^P-[0-9]+$`)

func isRun(id string) bool { return strings.HasPrefix(id, "run_") }

func (c *cli) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show <id or ref>",
		Short: "Show a proposal, a case or a run",
		Long: `Show a proposal, a case or a run, by any name it has. It never changes anything:
looking at a proposal does not decide it.`,
		Example: `  gavel show P-881
  gavel show GEN-7M1B0CDE
  gavel show run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE -o json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, inboxIDs, caseIDs, runIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			switch id := args[0]; {
			case proposalID.MatchString(id):
				return c.showProposal(cmd.Context(), server, id)
			case isRun(id):
				return c.fetchRun(cmd.Context(), server, id)
			default:
				return c.fetchCase(cmd.Context(), server, id)
			}
		},
	}
	return c.talksToServer(cmd)
}

// A place is where people see something.
type place struct {
	ID   string `json:"id"`
	Page string `json:"page"`
}

func (c *cli) openCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open <id or ref>",
		Short: "Print the address of a page, and open it in a browser",
		Long: `Print the address of the page of a proposal, a case or a run. On a terminal it is
opened in a browser, too, unless --no-input is given.`,
		Example: `  gavel open P-881
  gavel open GEN-7M1B0CDE --no-input`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, inboxIDs, caseIDs, runIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			at, err := findPlace(cmd.Context(), server, args[0])
			if err != nil {
				return err
			}
			err = output.One(c.print, at, []output.Column[place]{{Head: "PAGE", Field: "page", Value: func(p place) any { return p.Page }}})
			if err == nil && c.canAsk() && c.browse != nil {
				if failed := c.browse(at.Page); failed != nil {
					c.print.Say("no browser could be started; open the address yourself")
				}
			}
			return err
		},
	}
	return c.talksToServer(cmd)
}

// findPlace asks the server where people see something: what is not there has no
// page.
func findPlace(ctx context.Context, server *client.Client, id string) (at place, err error) {
	var link string
	switch {
	case proposalID.MatchString(id):
		p, failed := server.Proposal(ctx, id)
		at.ID, link, err = p.ID, p.Links.Page, failed
	case isRun(id):
		r, failed := server.Run(ctx, id)
		at.ID, link, err = r.ID, r.Links.Page, failed
	default:
		k, failed := server.Case(ctx, id)
		at.ID, link, err = k.ID, k.Links.Page, failed
	}
	if err != nil {
		return at, err
	}
	if at.Page = server.Page(link); at.Page == "" {
		return at, fault.New(fault.Unavailable, "the server names no page of %.60s", id).WithNext("gavel show %s", id)
	}
	return at, nil
}

// startBrowser opens a page the way the system does. The address is an argument
// of its own and never part of a shell's line.
func startBrowser(page string) error {
	name, args := "xdg-open", []string{page}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", page}
	}
	// The browser stays when this program ends.
	cmd := exec.CommandContext(context.Background(), name, args...) //nolint:gosec // one of three names, and an address of the web
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
