package program

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Issue, list and revoke tokens for programs",
		Long: `Issue, list and revoke tokens for programs. A token has scopes and never a role: it
reads, hands in or proposes, and can never decide. All of it needs the role
org_admin; an auditor may list.`,
		Example: `  gavel token create --name "staff system" --scope ingest:poolpatrol --days 90 --reason "ticket 12"
  gavel token list
  gavel token revoke tok_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.tokenCreateCommand(), c.tokenListCommand(), c.tokenRevokeCommand())
	return cmd
}

func tokenColumns() []output.Column[client.Token] {
	return []output.Column[client.Token]{
		{Head: "ID", Field: "id", Value: func(t client.Token) any { return t.ID }},
		{Head: "NAME", Field: "name", Value: func(t client.Token) any { return t.Name }},
		{Head: "SCOPES", Field: "scopes", Value: func(t client.Token) any { return strings.Join(t.Scopes, " ") }},
		{Head: "EXPIRES", Field: "expires_at", Value: func(t client.Token) any { return t.ExpiresAt }, Time: true},
		{Head: "LAST USED", Field: "used_at", Value: func(t client.Token) any { return t.UsedAt }, Time: true},
		{Head: "REVOKED", Field: "revoked_at", Value: func(t client.Token) any { return t.RevokedAt }, Time: true},
		{Head: "REASON", Field: "reason", Value: func(t client.Token) any { return t.Reason }},
	}
}

func (c *cli) tokenCreateCommand() *cobra.Command {
	var n client.NewToken
	cmd := &cobra.Command{
		Use:   "create --name <name> --scope <scope> --reason <reason>",
		Short: "Issue a token and print it, this once",
		Long: `Issue a token and print it, this once: only a digest of it is kept. Scopes are read:,
ingest: or propose: and a name; whether one allows anything is policy's word.`,
		Example: `  gavel token create --name "staff system" --scope ingest:poolpatrol --days 90 --reason "ticket 12"
  gavel token create --name reports --scope read:cases --scope read:audit --reason "weekly figures" -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n.Name == "" || n.Reason == "" || len(n.Scopes) == 0 {
				return fault.New(fault.Invalid, "--name, --scope and --reason are needed").WithNext("gavel token create --help")
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			t, err := server.IssueToken(cmd.Context(), n)
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			c.print.Say("this is the only time the token is shown")
			return output.One(c.print, t, append(tokenColumns(),
				output.Column[client.Token]{Head: "TOKEN", Field: "token", Value: func(t client.Token) any { return t.Token }}))
		},
	}
	cmd.Flags().StringVar(&n.Name, "name", "", "which program it is for (needed)")
	cmd.Flags().StringArrayVar(&n.Scopes, "scope", nil, "what it is good for, such as read:cases; may be given several times (needed)")
	cmd.Flags().IntVar(&n.Days, "days", 90, "days it lasts, at most 366")
	cmd.Flags().StringVar(&n.Reason, "reason", "", "why it is needed (needed)")
	return c.talksToServer(cmd)
}

func (c *cli) tokenListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the organisation's tokens, newest first",
		Example: `  gavel token list
  gavel token list -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			all, err := server.Tokens(cmd.Context())
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.List(c.print, all, "no tokens", tokenColumns())
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) tokenRevokeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "revoke <token's id>",
		Short:   "Make a token count no more, at once",
		Example: "  gavel token revoke tok_01K5ZJ3W8Q6X9V2T4N7M1B0CDE",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			if err := server.RevokeToken(cmd.Context(), args[0]); err != nil {
				return err
			}
			c.print.Say("%s counts no more", args[0])
			return nil
		},
	}
	return c.talksToServer(cmd)
}
