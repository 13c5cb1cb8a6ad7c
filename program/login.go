package program

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

// askEvery is how often a waiting terminal asks whether it was confirmed.
const askEvery = 2 * time.Second

func (c *cli) loginCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Let this terminal act as you for 12 hours",
		Long: `Let this terminal act as you for 12 hours. It shows a code and an address. Open the
address in a browser where you are signed in, type the code there and confirm it. The
sign-in is kept for you alone, in gavel/logins.json of your folder for settings
(~/.config). It lasts until it ends or gavel logout. GAVEL_TOKEN, if set, wins over it.`,
		Example: `  gavel login --server https://gavel.example.org
  gavel login --name "laptop of the night shift"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.login(cmd.Context(), name) },
	}
	cmd.Flags().StringVar(&name, "name", "", "what the page calls this terminal (default: the machine's name)")
	c.settingFlag(cmd, config.NameServer, "server")
	return c.uses(cmd, config.Need{config.NameServer})
}

func (c *cli) login(ctx context.Context, name string) error {
	if name == "" {
		name = "terminal"
		if host, err := os.Hostname(); err == nil && host != "" {
			name = host
		}
	}
	stranger, err := c.serverAs("")
	if err != nil {
		return err
	}
	asked, err := stranger.RequestTerminal(ctx, name)
	if err != nil {
		return err
	}
	c.print.Say("open   %s", asked.Page)
	c.print.Say("type   %s", asked.Code)
	token, err := awaitConfirmation(ctx, stranger, asked)
	if err != nil {
		return err
	}
	logins, err := config.ReadLogins(c.environ)
	if err != nil {
		return err
	}
	if err := logins.Keep(c.cfg.Server, token); err != nil {
		return err
	}
	server, err := c.serverAs(token)
	if err != nil {
		return err
	}
	return c.showMe(ctx, server)
}

// awaitConfirmation asks until a person has confirmed the terminal; the server
// says when it is too late.
func awaitConfirmation(ctx context.Context, server *client.Client, asked client.Terminal) (string, error) {
	for {
		token, err := server.ClaimTerminal(ctx, asked.Secret)
		if err != nil && !fault.Is(err, fault.Unavailable) || token != "" {
			return token, err
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(askEvery):
		}
	}
}

// serverAs is a client of the server the settings name, with another token.
func (c *cli) serverAs(token string) (*client.Client, error) {
	return client.New(c.cfg.Server, token, "gavel/"+buildOf().Version)
}

func (c *cli) logoutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "logout",
		Short:   "End this terminal's sign-in and forget it",
		Example: "  gavel logout",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			// One that has ended by itself, or is a token of a program, is only forgotten.
			err = server.SignOut(cmd.Context())
			if err != nil && !fault.Is(err, fault.SignIn) && !fault.Is(err, fault.Refused) {
				return err
			}
			logins, err := config.ReadLogins(c.environ)
			if err != nil {
				return err
			}
			if err := logins.Forget(c.cfg.Server); err != nil {
				return err
			}
			c.print.Say("signed out of %s", c.cfg.Server)
			return nil
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) whoamiCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Say whom the server takes you for",
		Example: `  gavel whoami
  gavel whoami -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			return c.showMe(cmd.Context(), server)
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) showMe(ctx context.Context, server *client.Client) error {
	me, err := server.SignedIn(ctx)
	if err != nil {
		return err
	}
	c.print.Zone = server.Zone()
	return output.One(c.print, me, []output.Column[client.SignIn]{
		{Head: "NAME", Field: "name", Value: func(m client.SignIn) any { return m.Name }},
		{Head: "KIND", Field: "kind", Value: func(m client.SignIn) any { return m.Kind }},
		{Head: "ID", Field: "id", Value: func(m client.SignIn) any { return m.ID }},
		{Head: "ORGANISATION", Field: "org", Value: func(m client.SignIn) any { return m.Org }},
		{Head: "ROLES", Field: "roles", Value: func(m client.SignIn) any { return strings.Join(m.Roles, " ") }},
		{Head: "SCOPES", Field: "scopes", Value: func(m client.SignIn) any { return strings.Join(m.Scopes, " ") }},
		{Head: "SESSION", Field: "session", Value: func(m client.SignIn) any { return m.Session }},
		{Head: "ENDS", Field: "ends_at", Value: func(m client.SignIn) any { return m.EndsAt }, Time: true},
	})
}
