package program

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/mcp"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let another program use Gavel's tools",
		Example: `  gavel mcp serve        for a program that starts this one and speaks over its input and output
  gavel mcp token        for a program that speaks to the server itself`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.mcpServeCommand(), c.mcpTokenCommand())
	return cmd
}

func (c *cli) mcpServeCommand() *cobra.Command {
	return c.talksToServer(&cobra.Command{
		Use:   "serve",
		Short: "Speak the Model Context Protocol over standard input and output",
		Long: `Speak the Model Context Protocol over standard input and output, for a program
that starts this one. Every message is passed on to the server. Its token reads and
proposes in your name, and decides nothing. Nothing is kept here.

What you may use is what your roles, or the token's scopes, let you. Tools that
change something or reach somebody outside only make proposals: people decide
them on the server's own pages.`,
		Example: `  gavel mcp serve
  gavel mcp serve --server https://gavel.example.org`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := c.forwarder()
			if err != nil {
				return err
			}
			err = f.Run(cmd.Context(), c.in, c.out)
			if cmd.Context().Err() != nil {
				err = nil // the program that started us asks us to end
			}
			return stopped(cmd.Context(), err)
		},
	})
}

func (c *cli) mcpTokenCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Print a token for a program that uses tools in your name",
		Long: `Print a token for a program that uses tools in your name. It reads and proposes, and
decides nothing; it ends when your own sign-in does, or with gavel logout. Never give
a program the sign-in of gavel login itself: it can decide.`,
		Example: `  gavel mcp token --name editor
  gavel mcp token -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			t, err := c.tools(cmd.Context(), server, name)
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.One(c.print, t, []output.Column[client.Tools]{
				{Head: "TOKEN", Field: "token", Value: func(t client.Tools) any { return t.Token }},
				{Head: "ENDS", Field: "ends_at", Value: func(t client.Tools) any { return t.EndsAt }, Time: true},
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "tools", "which program it is for")
	return c.talksToServer(cmd)
}

// tools is what a program is let in with. A person's own sign-in can decide, so it
// is never that one: another is begun in it. A program's token, and one that was
// begun so before, is taken as it is.
func (c *cli) tools(ctx context.Context, server *client.Client, name string) (client.Tools, error) {
	token := c.cfg.Token.Reveal()
	if !signin.IsSession(token) {
		return client.Tools{Token: token}, nil
	}
	me, err := server.SignedIn(ctx)
	if err != nil {
		return client.Tools{}, err
	}
	if me.Sort == string(identity.ByTools) {
		return client.Tools{Token: token, EndsAt: me.EndsAt}, nil
	}
	return server.BeginTools(ctx, name)
}

// mcpPatience is how long one message may take on its way to the server and
// back; the server gives a request half a minute.
const mcpPatience = time.Minute

// forwarder is the way to the server that the settings name. The token goes
// there and nowhere else: redirects are not followed.
func (c *cli) forwarder() (*mcp.Forwarder, error) {
	base, err := url.Parse(c.cfg.Server)
	if err != nil || base.Host == "" {
		return nil, fault.New(fault.Invalid, "the server's address is not an http(s) address").WithNext("gavel config list")
	}
	server, err := c.server()
	if err != nil {
		return nil, err
	}
	token := func(ctx context.Context) (string, error) {
		t, err := c.tools(ctx, server, "gavel mcp serve")
		return t.Token, err
	}
	return &mcp.Forwarder{URL: base.JoinPath(strings.TrimPrefix(mcp.Path, "/")).String(), Token: token, Agent: "gavel/" + buildOf().Version,
		Client: &http.Client{Timeout: mcpPatience, CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}}, nil
}

// newMCP is the protocol's side of a server.
func (c *cli) newMCP(p *parts, b ground, public string) (*mcp.Server, error) {
	m := b.minds
	return mcp.New(mcp.Config{Calls: m.calls(p), Tools: m.Tools, Rules: p.rules, Who: signin.Require, Cases: p.cases, Reviews: m.reviews,
		Runs:  m.runs,
		Facts: b.kept.evidence, Records: b.kept.log, States: c.cfg.PayloadKeys, PublicURL: public, Version: buildOf().Version, Log: p.log})
}
