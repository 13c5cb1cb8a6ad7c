package program

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func webhookIDs() idKind { return idKind{"hook_", client.SuggestWebhooks} }

func (c *cli) webhookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhook",
		Short: "Have other servers told what happens",
		Long: `Tell other servers what happens. A message says that something of a kind happened, when,
and the id of what it is about. It is signed as Standard Webhooks asks. If it is not
taken, it is sent again over three days. An address that takes nothing for that long is
turned off. Changing anything needs the role org_admin.`,
		Example: `  gavel webhook add --url https://example.org/hooks --title "The register" --kind decision --reason "it must follow"
  gavel webhook list
  gavel webhook test hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE
  gavel webhook messages hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --state failed`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.webhookListCommand(), c.webhookAddCommand(), c.webhookSecretCommand(), c.webhookTestCommand(),
		c.webhookMessagesCommand(), c.webhookResendCommand(),
		c.webhookOffCommand(), c.webhookOnCommand(), c.webhookRemoveCommand())
	return cmd
}

func webhookColumns() []output.Column[client.Webhook] {
	return []output.Column[client.Webhook]{
		{Head: "ID", Field: "id", Value: func(w client.Webhook) any { return w.ID }},
		{Head: "TITLE", Field: "title", Value: func(w client.Webhook) any { return w.Title }},
		{Head: "STATE", Field: "state", Value: func(w client.Webhook) any { return w.State }},
		{Head: "URL", Field: "url", Value: func(w client.Webhook) any { return w.URL }},
		{Head: "KINDS", Field: "kinds", Value: func(w client.Webhook) any { return strings.Join(w.Kinds, " ") }},
		{Head: "LAST TAKEN", Field: "last_ok_at", Value: func(w client.Webhook) any { return w.LastOKAt }, Time: true},
		{Head: "WAITING", Field: "waiting", Value: func(w client.Webhook) any { return w.Waiting }},
		{Head: "GIVEN UP", Field: "given_up", Value: func(w client.Webhook) any { return w.GivenUp }},
		{Head: "REASON", Field: "reason", Value: func(w client.Webhook) any { return w.Reason }},
	}
}

func secretColumn() output.Column[client.Webhook] {
	return output.Column[client.Webhook]{Head: "SECRET", Field: "secret", Value: func(w client.Webhook) any { return w.Secret }}
}

func webhookMessageColumns() []output.Column[client.WebhookMessage] {
	return []output.Column[client.WebhookMessage]{
		{Head: "ID", Field: "id", Value: func(m client.WebhookMessage) any { return m.ID }},
		{Head: "TYPE", Field: "type", Value: func(m client.WebhookMessage) any { return m.Type }},
		{Head: "ABOUT", Field: "subject", Value: func(m client.WebhookMessage) any { return m.Subject }},
		{Head: "STATE", Field: "state", Value: func(m client.WebhookMessage) any { return m.State }},
		{Head: "QUEUED", Field: "queued_at", Value: func(m client.WebhookMessage) any { return m.QueuedAt }, Time: true},
		{Head: "TRIES", Field: "attempts", Value: func(m client.WebhookMessage) any { return m.Attempts }},
		{Head: "STATUS", Field: "status", Value: func(m client.WebhookMessage) any { return m.Status }},
		{Head: "FAULT", Field: "fault", Value: func(m client.WebhookMessage) any { return m.Fault }},
		{Head: "NEXT", Field: "due_at", Value: func(m client.WebhookMessage) any { return m.DueAt }, Time: true},
	}
}

func (c *cli) webhookListCommand() *cobra.Command {
	return c.talksToServer(&cobra.Command{
		Use:   "list",
		Short: "List which servers are told what happens",
		Example: `  gavel webhook list
  gavel webhook list -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			page, err := server.Webhooks(cmd.Context())
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			return output.List(c.print, page.Items, "no server is told of anything", webhookColumns())
		},
	})
}

func (c *cli) webhookAddCommand() *cobra.Command {
	var n client.NewWebhook
	cmd := &cobra.Command{
		Use:   "add --url <address> --title <title> --kind <kind> --reason <reason>",
		Short: "Have a server told what happens, and print the secret, this once",
		Long: `Tell a server what happens from now on, and print the secret, this once. The address
begins with https:// and leads to nothing inside. Kinds are those of the log's records:
case, proposal, decision, act, objection, run_end and others. A kind that is not known
prints the list.`,
		Example: `  gavel webhook add --url https://example.org/hooks --title "The register" --kind case --kind decision --reason "it must follow"`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n.URL == "" || n.Title == "" || len(n.Kinds) == 0 || n.Reason == "" {
				return fault.New(fault.Invalid, "--url, --title, --kind and --reason are needed").WithNext("gavel webhook add --help")
			}
			return c.webhookDone(cmd.Context(), "this is the only time the secret is shown",
				func(ctx context.Context, server *client.Client) (client.Webhook, error) {
					return server.AddWebhook(ctx, n)
				}, secretColumn())
		},
	}
	cmd.Flags().StringVar(&n.URL, "url", "", "where messages go (needed)")
	cmd.Flags().StringVar(&n.Title, "title", "", "what people call it (needed)")
	cmd.Flags().StringArrayVar(&n.Kinds, "kind", nil, "what it is told of; may be given several times (needed)")
	cmd.Flags().StringVar(&n.Reason, "reason", "", "why (needed)")
	return c.talksToServer(cmd)
}

// webhookDone does something with a webhook and shows it as it is then.
func (c *cli) webhookDone(ctx context.Context, said string,
	do func(context.Context, *client.Client) (client.Webhook, error), more ...output.Column[client.Webhook]) error {
	server, err := c.server()
	if err != nil {
		return err
	}
	w, err := do(ctx, server)
	if err != nil {
		return err
	}
	c.print.Zone = server.Zone()
	c.print.Say("%s", said)
	return output.One(c.print, w, append(webhookColumns(), more...))
}

func (c *cli) webhookSecretCommand() *cobra.Command {
	var reason string
	var hours int
	cmd := &cobra.Command{
		Use:   "secret <webhook> --reason <reason>",
		Short: "Make a new secret and print it, this once",
		Long: `Make a new secret and print it, this once. The old one signs as well for some hours
more, so the receiver can switch at any time. After a leak give --hours 0: then the old
one signs nothing any more.`,
		Example: `  gavel webhook secret hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --reason "it is changed every year"
  gavel webhook secret hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --hours 0 --reason "it was in a log"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, webhookIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return fault.New(fault.Invalid, "--reason is missing")
			}
			return c.webhookDone(cmd.Context(), "this is the only time the secret is shown",
				func(ctx context.Context, server *client.Client) (client.Webhook, error) {
					return server.ChangeWebhookSecret(ctx, args[0], hours, reason)
				}, secretColumn())
		},
	}
	cmd.Flags().IntVar(&hours, "hours", 24, "how long the old one signs as well, at most 24")
	cmd.Flags().StringVar(&reason, "reason", "", "why (needed)")
	return c.talksToServer(cmd)
}

func (c *cli) webhookTestCommand() *cobra.Command {
	return c.talksToServer(&cobra.Command{
		Use:   "test <webhook>",
		Short: "Send a message that is about nothing",
		Long: "Send a message that is about nothing, signed as every other. It is tried once; gavel webhook messages says " +
			"what came of it.",
		Example:           "  gavel webhook test hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, webhookIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.webhookSent(cmd.Context(), func(ctx context.Context, server *client.Client) (client.WebhookMessage, error) {
				return server.TestWebhook(ctx, rand.Text(), args[0])
			})
		},
	})
}

func (c *cli) webhookResendCommand() *cobra.Command {
	return c.talksToServer(&cobra.Command{
		Use:               "resend <webhook> <message>",
		Short:             "Send a message once more, under its own id",
		Example:           "  gavel webhook resend hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE msg_01K5ZJ4A2B3C4D5E6F7G8H9J0K",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: c.completes(oneID, webhookIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.webhookSent(cmd.Context(), func(ctx context.Context, server *client.Client) (client.WebhookMessage, error) {
				return server.ResendWebhookMessage(ctx, rand.Text(), args[0], args[1])
			})
		},
	})
}

// webhookSent has a message sent and shows it.
func (c *cli) webhookSent(ctx context.Context, do func(context.Context, *client.Client) (client.WebhookMessage, error)) error {
	server, err := c.server()
	if err != nil {
		return err
	}
	m, err := do(ctx, server)
	if err != nil {
		return err
	}
	c.print.Zone = server.Zone()
	c.print.Say("it is on its way")
	return output.One(c.print, m, webhookMessageColumns())
}
