package program

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// completionPatience is how long a shell waits for ids, all kinds together.
const completionPatience = time.Second

// An idKind is a kind of id that a shell may complete: how it begins, and who
// names some.
type idKind struct {
	prefix  string
	suggest client.Suggester
}

// How many ids a command takes.
const (
	oneID      = 1
	severalIDs = 1_000
)

func caseIDs() idKind       { return idKind{"case_", client.SuggestCases} }
func runIDs() idKind        { return idKind{"run_", client.SuggestRuns} }
func inboxIDs() idKind      { return idKind{"P-", client.SuggestInbox} }
func undoIDs() idKind       { return idKind{"P-", client.SuggestUndo} }
func proposalIDs() idKind   { return idKind{"P-", client.SuggestProposals} }
func delegationIDs() idKind { return idKind{"del_", client.SuggestDelegations} }
func personIDs() idKind     { return idKind{"", client.SuggestPeople} }

type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// completesFlag says what could be the value of a flag, to a shell that asks. Nobody
// else is told: the table of these belongs to the process, and whatever is in it is
// kept, with the whole tree of commands.
func (c *cli) completesFlag(cmd *cobra.Command, flag string, with completer) {
	if c.completing {
		_ = cmd.RegisterFlagCompletionFunc(flag, with)
	}
}

// completes offers ids with what they stand for, asked of the server. It says
// nothing when the server cannot be asked or is slow: a shell is no place for
// errors.
func (c *cli) completes(most int, kinds ...func() idKind) completer {
	const none = cobra.ShellCompDirectiveNoFileComp
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most || c.load(cmd) != nil || c.cfg.Require(c.needs[cmd]...) != nil {
			return nil, none
		}
		server, err := c.server()
		if err != nil {
			return nil, none
		}
		ctx, stop := context.WithTimeout(cmd.Context(), completionPatience)
		defer stop()
		found := make([][]cobra.Completion, len(kinds))
		var asked sync.WaitGroup
		for i, kind := range kinds {
			if k := kind(); couldBe(begun, k.prefix) {
				asked.Go(func() { found[i] = completionsOf(ctx, server, k) })
			}
		}
		asked.Wait()
		var all []cobra.Completion
		for _, some := range found {
			all = append(all, some...)
		}
		return all, none | cobra.ShellCompDirectiveKeepOrder
	}
}

// couldBe reports whether what was typed may become an id that begins so.
func couldBe(begun, prefix string) bool {
	return strings.HasPrefix(prefix, begun) || strings.HasPrefix(begun, prefix)
}

func completionsOf(ctx context.Context, server *client.Client, k idKind) []cobra.Completion {
	named, err := k.suggest(ctx, server)
	if err != nil {
		return nil
	}
	var all []cobra.Completion
	for _, s := range named {
		all = append(all, cobra.CompletionWithDesc(s.ID, output.Clean(s.Title)))
	}
	return all
}
