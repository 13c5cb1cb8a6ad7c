package program

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) webhookMessagesCommand() *cobra.Command {
	var state string
	var limit int
	cmd := &cobra.Command{
		Use:   "messages <webhook>",
		Short: "List what was sent to a webhook, or is to be",
		Example: `  gavel webhook messages hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE
  gavel webhook messages hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --state failed -o csv`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, webhookIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			found, more, err := gather(limit, func(size int, token string) (client.Page[client.WebhookMessage], error) {
				return server.WebhookMessages(cmd.Context(), args[0], state, size, token)
			})
			if err != nil {
				return err
			}
			c.print.Zone = server.Zone()
			if err := output.List(c.print, found, "no messages", webhookMessageColumns()); err != nil {
				return err
			}
			c.sayMore(more)
			return nil
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "only those that are waiting, delivered, failed or dropped")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	c.completesFlag(cmd, "state", cobra.FixedCompletions([]cobra.Completion{"waiting", "delivered", "failed", "dropped"},
		cobra.ShellCompDirectiveNoFileComp))
	return c.talksToServer(cmd)
}

func (c *cli) webhookOffCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:               "off <webhook> --reason <reason>",
		Short:             "Stop sending to a webhook",
		Example:           `  gavel webhook off hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --reason "the server is being moved"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, webhookIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return fault.New(fault.Invalid, "--reason is missing: somebody will ask why it hears nothing")
			}
			return c.webhookDone(cmd.Context(), "it is off", func(ctx context.Context, server *client.Client) (client.Webhook, error) {
				return server.DisableWebhook(ctx, args[0], reason)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why (needed)")
	return c.talksToServer(cmd)
}

func (c *cli) webhookOnCommand() *cobra.Command {
	var reason string
	var missed bool
	cmd := &cobra.Command{
		Use:   "on <webhook> --reason <reason>",
		Short: "Send to a webhook again",
		Long: `Send to a webhook again, what happens from now on. With --missed what happened while
it was off is sent as well, from where it stopped.`,
		Example:           `  gavel webhook on hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --missed --reason "the server is back"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, webhookIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return fault.New(fault.Invalid, "--reason is missing")
			}
			what := "skip"
			if missed {
				what = "send"
			}
			return c.webhookDone(cmd.Context(), "it is on", func(ctx context.Context, server *client.Client) (client.Webhook, error) {
				return server.EnableWebhook(ctx, args[0], reason, what)
			})
		},
	}
	cmd.Flags().BoolVar(&missed, "missed", false, "send what happened while it was off, too")
	cmd.Flags().StringVar(&reason, "reason", "", "why (needed)")
	return c.talksToServer(cmd)
}

func (c *cli) webhookRemoveCommand() *cobra.Command {
	return c.talksToServer(&cobra.Command{
		Use:               "remove <webhook>",
		Short:             "Remove a webhook, with its messages",
		Example:           "  gavel webhook remove hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, webhookIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			if err := server.RemoveWebhook(cmd.Context(), args[0]); err != nil {
				return err
			}
			c.print.Say("%s is removed", args[0])
			return nil
		},
	})
}
