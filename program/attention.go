package program

import (
	"context"
	"crypto/rand"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// attend does something about whose turn a proposal is, and shows it as it is
// then.
func (c *cli) attend(ctx context.Context, id, said string, do func(*client.Client) error) error {
	server, err := c.server()
	if err != nil {
		return err
	}
	if err := do(server); err != nil {
		return err
	}
	p, err := server.Proposal(ctx, id)
	if err != nil {
		return err
	}
	c.print.Zone = server.Zone()
	c.print.Say("%s", said)
	return output.One(c.print, p, decidedColumns(server))
}

func (c *cli) proposalSnoozeCommand() *cobra.Command {
	var until string
	cmd := &cobra.Command{
		Use:   "snooze <proposal> --until <time>",
		Short: "Put a proposal off, for yourself",
		Long:  "Put a proposal off: it leaves your inbox until a moment, and nobody else's. A moment that has passed brings it back.",
		Example: `  gavel proposal snooze P-881 --until 48h
  gavel proposal snooze P-881 --until 2026-11-17T09:00:00+05:30`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, inboxIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parseMoment("--until", until)
			if err != nil {
				return err
			}
			return c.attend(cmd.Context(), args[0], "snoozed", func(server *client.Client) error {
				return server.Snooze(cmd.Context(),
					args[0], at)
			})
		},
	}
	cmd.Flags().StringVar(&until, "until", "", "until when: from now, as 48h, or an RFC 3339 time (needed)")
	return c.talksToServer(cmd)
}

func (c *cli) proposalClaimCommand() *cobra.Command {
	var release bool
	cmd := &cobra.Command{
		Use:   "claim <proposal>",
		Short: "Say that you are looking at a proposal",
		Long: `Say that you are looking at a proposal. Others see it for ten minutes; it keeps
nobody from deciding. Where somebody else came first it says who.`,
		Example: `  gavel proposal claim P-881
  gavel proposal claim P-881 --release`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, inboxIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			said, do := "others see that you are looking", func(server *client.Client) error {
				_, err := server.Claim(cmd.Context(),
					args[0])
				return err
			}
			if release {
				said, do = "others no longer see you looking", func(server *client.Client) error {
					return server.Unclaim(cmd.Context(),
						args[0])
				}
			}
			return c.attend(cmd.Context(), args[0], said, do)
		},
	}
	cmd.Flags().BoolVar(&release, "release", false, "say that you have stopped looking")
	return c.talksToServer(cmd)
}

func (c *cli) proposalAssignCommand() *cobra.Command {
	var to string
	var nobody bool
	cmd := &cobra.Command{
		Use:   "assign <proposal> --to <person>",
		Short: "Say who is to decide a proposal",
		Long: `Say who is to decide a proposal: somebody who may, and who can open everything it
shows. They are told. Others who may decide it still may, but it leaves their
inbox.`,
		Example: `  gavel proposal assign P-881 --to p-31
  gavel proposal assign P-881 --nobody`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, proposalIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (to == "") != nobody {
				return fault.New(fault.Invalid, "say who decides it with --to, or --nobody")
			}
			return c.attend(cmd.Context(), args[0], "assigned", func(server *client.Client) error {
				return server.Assign(cmd.Context(),
					args[0], to)
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "id of a person of your organisation")
	cmd.Flags().BoolVar(&nobody, "nobody", false, "assign it to nobody")
	c.completesFlag(cmd, "to", c.completes(severalIDs, personIDs))
	return c.talksToServer(cmd)
}

func (c *cli) proposalDelegateCommand() *cobra.Command {
	var n delegating
	cmd := &cobra.Command{
		Use:   "delegate <proposal> --to <person> --until <time>",
		Short: "Let somebody decide proposals like this one on your behalf",
		Long: `Let somebody decide proposals like this one, of its application and kind, on your behalf
until a moment. What else you decide stays yours: gavel delegation add gives all of it.`,
		Example:           `  gavel proposal delegate P-881 --to p-31 --until 72h --reason "at a hearing"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, inboxIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := n.draft()
			if err != nil {
				return err
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			p, err := server.Proposal(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			in.App, in.Kind = p.App, p.Kind
			made, err := server.Delegate(cmd.Context(), rand.Text(), in)
			if err != nil {
				return err
			}
			return c.tellDelegation(server, made)
		},
	}
	n.flags(cmd)
	c.completesFlag(cmd, "to", c.completes(severalIDs, personIDs))
	return c.talksToServer(cmd)
}
