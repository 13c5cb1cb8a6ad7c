package program

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// A status is where one stands: which server, who one is there, and what waits.
type status struct {
	Server string         `json:"server"`
	Health client.Health  `json:"health"`
	Me     client.Me      `json:"me"`
	Inbox  *client.Counts `json:"inbox"` // nil for who has none
}

func (c *cli) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which server this is, who you are there, and what waits for you",
		Long: `Show which server this is, who you are there, and what waits for you. Ends with
code 1 where the server lacks something it needs, and with 4 where it does not
know you. What is wrong with an installation: gavel doctor.`,
		Example: `  gavel status
  gavel status --jq .inbox.needs_me`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			s, err := c.readStatus(cmd.Context(), server)
			if err != nil {
				return err
			}
			if err := output.One(c.print, s, statusColumns()); err != nil {
				return err
			}
			if !s.Health.Ready() {
				return verdict(exitFailed)
			}
			return nil
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) readStatus(ctx context.Context, server *client.Client) (s status, err error) {
	s.Server = c.cfg.Server
	if s.Health, err = server.Health(ctx); err != nil {
		return s, err
	}
	if s.Me, err = server.Whoami(ctx); err != nil {
		return s, err
	}
	counts, err := server.InboxCounts(ctx)
	switch {
	case err == nil:
		s.Inbox = &counts
	case !fault.Is(err, fault.Refused): // a program has no inbox
		return s, err
	}
	return s, nil
}

func statusColumns() []output.Column[status] {
	inbox := func(count func(client.Counts) int) func(status) any {
		return func(s status) any {
			if s.Inbox == nil {
				return ""
			}
			return count(*s.Inbox)
		}
	}
	return []output.Column[status]{
		{Head: "SERVER", Field: "server", Value: func(s status) any { return s.Server }},
		{Head: "IT IS", Field: "health.status", Value: func(s status) any { return s.Health.Status }},
		{Head: "AWAY", Field: "away", Value: func(s status) any { return partsAway(s.Health) }},
		{Head: "YOU ARE", Field: "me.name", Value: func(s status) any { return orElse(s.Me.Name, s.Me.ID) }},
		{Head: "ID", Field: "me.id", Value: func(s status) any { return s.Me.ID }, Names: true},
		{Head: "ORGANISATION", Field: "me.org", Value: func(s status) any { return s.Me.Org }},
		{Head: "ROLES", Field: "me.roles", Value: func(s status) any { return strings.Join(append(s.Me.Roles, s.Me.Scopes...), ", ") }},
		{Head: "LOOKING AS", Field: "me.viewing", Value: func(s status) any { return s.Me.Viewing }},
		{Head: "NEEDS YOU", Field: "inbox.needs_me", Value: inbox(func(n client.Counts) int { return n.NeedsMe })},
		{Head: "OVERDUE", Field: "inbox.overdue", Value: inbox(func(n client.Counts) int { return n.Overdue })},
		{Head: "WAITS FOR OTHERS", Field: "inbox.waiting", Value: inbox(func(n client.Counts) int { return n.Waiting })},
		{Head: "SNOOZED", Field: "inbox.snoozed", Value: inbox(func(n client.Counts) int { return n.Snoozed })},
		{Head: "DECIDED SINCE YESTERDAY", Field: "inbox.done", Value: inbox(func(n client.Counts) int { return n.Done })},
	}
}

// partsAway names the parts that do not answer.
func partsAway(h client.Health) string {
	var away []string
	for _, one := range h.Checks {
		if !one.OK {
			away = append(away, one.Name)
		}
	}
	return strings.Join(away, ", ")
}
