package program

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) caseLinkCommand() *cobra.Command {
	var n client.NewConcernLink
	var revoke string
	cmd := &cobra.Command{
		Use:   "link <id or ref> --summary <words>",
		Short: "Give the person whom a case concerns a page of their own",
		Long: `Give the person whom a case concerns a page of their own. It says what was decided, on
which facts, by which office, and how to object. They need no account. The address is a
secret and is printed this once. Only what is named here is shown. With --revoke the
link of that id stops working.`,
		Example: `  gavel case link GEN-01EETNF5 --summary "Your seat is used; nothing changes for you."
  gavel case link GEN-01EETNF5 --summary "…" --fact F1 --fact F4 --proposal P-3 --days 90
  gavel case link GEN-01EETNF5 --revoke link_01K5ZJ3W8Q6X9V2T4N7M1B0CDE`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, caseIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			if revoke != "" {
				if err := server.RevokeConcernLink(cmd.Context(), args[0], revoke); err != nil {
					return err
				}
				c.print.Say("revoked")
				return nil
			}
			if n.Summary = strings.TrimSpace(n.Summary); n.Summary == "" {
				if n.Summary, err = c.ask("What was decided and why, in words for them", "--summary"); err != nil {
					return err
				}
			}
			made, err := server.MakeConcernLink(cmd.Context(), args[0], n)
			if err != nil {
				return err
			}
			c.print.Say("made; this address is not shown again")
			return output.One(c.print, made, linkColumns())
		},
	}
	cmd.Flags().StringVar(&n.Summary, "summary", "", "what was decided and why, in words for them; asked for on a terminal")
	cmd.Flags().StringSliceVar(&n.Facts, "fact", nil, "a fact that they may see; may be given again")
	cmd.Flags().StringSliceVar(&n.Proposals, "proposal", nil, "a proposal whose decision they may see; may be given again")
	cmd.Flags().IntVar(&n.Days, "days", 30, "how many days it works, up to 366")
	cmd.Flags().StringVar(&revoke, "revoke", "", "the id of a link that is to open nothing any more")
	return c.talksToServer(cmd)
}

func linkColumns() []output.Column[client.ConcernLink] {
	return []output.Column[client.ConcernLink]{
		{Head: "ID", Field: "id", Value: func(l client.ConcernLink) any { return l.ID }},
		{Head: "UNTIL", Field: "expires_at", Value: func(l client.ConcernLink) any { return l.ExpiresAt }, Time: true},
		{Head: "URL", Field: "url", Value: func(l client.ConcernLink) any { return l.URL }},
	}
}
