package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
)

const chatAddress = rest.Base + "/chat"

func (c terminal) chatCommand() *cobra.Command {
	var role string
	var anew bool
	cmd := &cobra.Command{
		Use:   "chat [message]",
		Short: "Talk with the agent of gate passes",
		Long: `Talk with the agent of gate passes, in one role for as long as the conversation lasts.
With a message it is sent and the answer printed. Without one, each line that you
type is a message; an empty line ends the command, and the conversation waits.
Ctrl-C stops the answer that is being written: what was said by then stays.

What decides or deletes shows a card first: the pass as it is on record now. It is
done once you say yes. Half an hour of silence ends a conversation.

Programs use /v1/gatepass/chat.`,
		Example: `  gavel gatepass chat --role HR_User
  gavel gatepass chat --role Admin_User "What waits for approval?"
  gavel gatepass chat --role Gate_User --new "Is GP-2026-0001 good to go?"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := pass.ParseRole(role); err != nil {
				return err
			}
			if anew {
				if err := c.Call(cmd.Context(), http.MethodPost, chatAddress+"/reset", nil, nil); err != nil {
					return err
				}
			}
			talk := &talking{terminal: c, role: role, out: cmd.OutOrStdout()}
			if len(args) == 1 {
				return talk.say(cmd.Context(), args[0])
			}
			return talk.lines(cmd.Context(), cmd.InOrStdin())
		},
	}
	cmd.Flags().StringVar(&role, "role", "", "in which role: HR_User, Admin_User or Gate_User")
	cmd.Flags().BoolVar(&anew, "new", false, "end the conversation that there is, and begin another")
	_ = cmd.MarkFlagRequired("role")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(roleNames(), cobra.ShellCompDirectiveNoFileComp))
	return c.Silent(c.Uses(cmd))
}

func roleNames() (all []string) {
	for _, r := range pass.Roles() {
		all = append(all, string(r))
	}
	return all
}

// A talking is a conversation before a terminal: what of it was printed already.
type talking struct {
	terminal
	out   io.Writer
	role  string
	shown int
	again map[string]int
}

// lines sends what is typed, line by line.
func (t *talking) lines(ctx context.Context, in io.Reader) error {
	t.Say("You talk as %s. An empty line ends it.", t.role)
	typed := bufio.NewScanner(in)
	for typed.Scan() {
		words := strings.TrimSpace(typed.Text())
		if words == "" {
			return nil
		}
		if err := t.say(ctx, words); err != nil {
			return err
		}
	}
	return typed.Err()
}

// say sends a message and prints what comes of it, until it is the person's turn again.
func (t *talking) say(ctx context.Context, words string) error {
	if now, err := t.now(ctx); err == nil {
		t.shown = len(now.Lines) // of a conversation that goes on, only what is new is printed
	}
	var now rest.TalkBody
	if err := t.Call(ctx, http.MethodPost, chatAddress+"/messages", map[string]string{"role": t.role, "message": words}, &now); err != nil {
		return err
	}
	t.shown++ // their own words
	return t.follow(ctx, now)
}

// now is the conversation as it is.
func (t *talking) now(ctx context.Context) (now rest.TalkBody, err error) {
	err = t.Call(ctx, http.MethodGet, chatAddress, nil, &now)
	return now, err
}

// follow prints what comes of a message, and asks about each card, until it is the person's turn again.
func (t *talking) follow(ctx context.Context, now rest.TalkBody) (err error) {
	for {
		if err := t.print(now); err != nil {
			return err
		}
		switch {
		case string(now.State) == "over":
			return fault.New(fault.Conflict, "the conversation has ended: %s", now.Why).WithNext("begin another with --new")
		case string(now.State) == "idle":
			return nil
		case len(now.Cards) > 0:
			if err := t.press(ctx, now.Cards[0]); err != nil {
				return err
			}
		default:
			err = t.Wait(ctx)
		}
		if err == nil {
			now, err = t.now(ctx)
		}
		if err != nil {
			return t.stop(ctx, err)
		}
	}
}

// maxStop is how long somebody who pressed Ctrl-C waits for word that the answer was stopped.
const maxStop = 5 * time.Second

// stop has the agent stop its answer where the person has pressed Ctrl-C; any other end is left as it is.
func (t *talking) stop(ctx context.Context, cause error) error {
	if ctx.Err() == nil {
		return cause
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxStop)
	defer cancel()
	if err := t.Call(ctx, http.MethodPost, chatAddress+"/stop", nil, nil); err != nil {
		return err
	}
	t.Say("The answer is stopped. The conversation waits.")
	return cause
}

// print prints what was said and done since. A call that is still under way is printed once it has ended.
func (t *talking) print(now rest.TalkBody) error {
	for t.shown < len(now.Lines) {
		line := now.Lines[t.shown]
		if c := line.Call; c != nil && (c.State == "running" || c.State == "waiting") {
			if c.Again > t.again[c.ID] {
				t.again = map[string]int{c.ID: c.Again}
				t.Progress("the server does not answer; trying again, %d of %d", c.Again, c.Of)
			}
			return nil
		}
		if err := t.printLine(line); err != nil {
			return err
		}
		t.shown++
	}
	return nil
}

func (t *talking) printLine(l rest.LineSaid) error {
	text := l.Text
	if l.Call != nil {
		text = strings.TrimSpace(fmt.Sprintf("%s %s: %s", l.Call.Tool, l.Call.About, l.Call.State))
		if r := l.Call.Result; r != nil && r.File != nil {
			text += fmt.Sprintf(" (%s, %d bytes, at %s)", r.File.Type, r.File.Bytes, r.File.URL)
		}
	}
	if l.Cut {
		text = strings.TrimSpace(text + " (stopped)")
	}
	_, err := fmt.Fprintf(t.out, "%s: %s\n", l.Who, plain(text))
	return err
}

// plain is a text of a model's or of somebody else's without what steers a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// press asks the person about a card, in the words of the database.
func (t *talking) press(ctx context.Context, c rest.CardBody) error {
	f := c.Finding
	t.Say("%s", plain(f.Subject.Title()+": "+f.Brief.En+". "+f.Says.En+" "+f.Value.Words.En))
	yes, err := t.Sure("Do it?", "the page of the conversation, where the card waits")
	if err != nil {
		return err
	}
	answer := map[bool]string{true: "confirm", false: "leave"}[yes]
	return t.Call(ctx, http.MethodPost, chatAddress+"/cards",
		map[string]string{"proposal": c.Proposal, "shown": c.Shown, "answer": answer}, nil)
}
