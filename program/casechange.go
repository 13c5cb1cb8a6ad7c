package program

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

const maxInput = 64 << 10 // bytes read from a terminal or a pipe

func (c *cli) caseOpenCommand() *cobra.Command {
	var title, key, app, due string
	cmd := &cobra.Command{
		Use:   "open --title <title>",
		Short: "Open a case and print its id and the address of its page",
		Long: `Open a case and print its id and the address of its page.

There is one open case for each key of an application: opening it again prints
the one that is there. Without --key the key is a digest of the title. Keys must
hold no personal data: they are kept and logged in clear.`,
		Example: `  gavel case open --title "Smoke over Jind"
  gavel case open --title "Smoke over Jind" --key jind-2026-11-14 --due 48h
  gavel case open --title "Quarterly report" --due 2026-12-31T18:00:00+05:30 -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := newCase(title, key, app, due)
			if err != nil {
				return err
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			opened, made, err := server.OpenCase(cmd.Context(), n)
			if err != nil {
				return err
			}
			if !made {
				c.print.Say("a case with key %s was open already", opened.Key)
			}
			return output.One(c.print, opened, []output.Column[client.Case]{
				{Head: "ID", Field: "id", Value: func(k client.Case) any { return k.ID }},
				{Head: "REF", Field: "ref", Value: func(k client.Case) any { return k.Ref }},
				{Head: "PAGE", Field: "page", Value: func(k client.Case) any { return server.PageOf(k) }},
			})
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "what the case is about (needed)")
	cmd.Flags().StringVar(&key, "key", "", "natural key, without personal data; a digest of the title where it is not given")
	cmd.Flags().StringVar(&app, "app", "general", "application the case belongs to")
	cmd.Flags().StringVar(&due, "due", "", "when it is due: from now, as 48h, or an RFC 3339 time")
	return c.talksToServer(cmd)
}

func newCase(title, key, app, due string) (client.NewCase, error) {
	n := client.NewCase{App: app, Key: key, Title: strings.TrimSpace(title)}
	if n.Title == "" {
		return n, fault.New(fault.Invalid, "--title is missing: say what the case is about")
	}
	if n.Key == "" {
		n.Key = keyOf(n.Title)
	}
	if due == "" {
		return n, nil
	}
	if d, err := time.ParseDuration(due); err == nil {
		if d < time.Second {
			return n, fault.New(fault.Invalid, "--due %s is not in the future", due)
		}
		n.DueInS = int64(d / time.Second)
		return n, nil
	}
	at, err := time.Parse(time.RFC3339, due)
	if err != nil {
		return n, fault.New(fault.Invalid,
			"--due %.40q: give a duration such as 48h, or an RFC 3339 time such as 2026-12-31T18:00:00+05:30", due)
	}
	at = at.UTC()
	n.DueAt = &at
	return n, nil
}

// keyOf is the natural key of a title: a digest, since keys travel to the engine
// and the logs in clear and a title may name someone. The same title gives the
// same key. It hides the title from a reader, not from somebody who can guess it.
func keyOf(title string) string {
	sum := sha256.Sum256([]byte(title))
	return "title-" + hex.EncodeToString(sum[:8])
}

func (c *cli) caseNoteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "note <id or ref> [text]",
		Short: "Add a note to a case",
		Long:  "Add a note to a case. Without text it is read from the standard input.",
		Example: `  gavel case note case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE "the roster was swapped that night"
  gavel case note GEN-7M1B0CDE < note.txt`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: c.completes(oneID, caseIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := c.noteText(args)
			if err != nil {
				return err
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			if err := server.AddNote(cmd.Context(), args[0], rand.Text(), text); err != nil {
				return err
			}
			noted, err := server.Case(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			c.print.Say("noted")
			return output.One(c.print, noted, outcomeColumns(server.PageOf))
		},
	}
	return c.talksToServer(cmd)
}

func (c *cli) noteText(args []string) (string, error) {
	if len(args) == 2 {
		return args[1], nil
	}
	if c.terminal {
		return c.ask("Note", "the text")
	}
	data, err := io.ReadAll(io.LimitReader(c.in, maxInput+1))
	if err != nil {
		return "", fmt.Errorf("read the note: %w", err)
	}
	if len(data) > maxInput {
		return "", fault.New(fault.TooLarge, "the note is larger than %d bytes", maxInput)
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return "", fault.New(fault.Invalid, "the note is empty: give the text, or pipe it in")
	}
	return text, nil
}

func (c *cli) caseCloseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "close <id or ref> --reason <reason>",
		Short: "Close a case as it is now",
		Long: `Close a case as it is now. A case that changes between being read and being
closed is left open and the command ends with code 6. Closing is asked for here
and carried out by the case's workflow, within a moment when the engine is up.`,
		Example:           `  gavel case close case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE --reason "no fire within 50 km"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, caseIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.closeCase(cmd.Context(), args[0], strings.TrimSpace(reason))
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why it is closed; asked for on a terminal")
	return c.talksToServer(cmd)
}

// closeCase reads the case, asks why where that was not said, and closes the
// version it read.
func (c *cli) closeCase(ctx context.Context, id, reason string) error {
	if reason == "" && !c.canAsk() {
		return nobodyToAsk("--reason")
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	found, err := server.Case(ctx, id)
	if err != nil {
		return err
	}
	if reason == "" {
		c.print.Say("%s %s", found.Ref, output.Clean(found.Title))
		if reason, err = c.ask("Reason for closing", "--reason"); err != nil {
			return err
		}
	}
	if err := server.CloseCase(ctx, found.ID, found.Version, reason); err != nil {
		return err
	}
	closing, err := server.Case(ctx, found.ID)
	if err != nil {
		return err
	}
	c.print.Say("closing was asked for")
	return output.One(c.print, closing, outcomeColumns(server.PageOf))
}

// canAsk reports whether a person sits at a terminal and wants to be asked.
func (c *cli) canAsk() bool { return c.terminal && !c.noInput }

func nobodyToAsk(missing string) *fault.Error {
	return fault.New(fault.Invalid, "%s is missing, and there is nobody to ask", missing)
}

// ask puts a question to the person at the terminal. Where there is none it
// refuses with the name of what was not given.
func (c *cli) ask(question, missing string) (string, error) {
	if !c.canAsk() {
		return "", nobodyToAsk(missing)
	}
	fmt.Fprintf(c.talk, "%s: ", question)
	if c.answers == nil { // one for all questions: it reads ahead
		c.answers = bufio.NewReader(io.LimitReader(c.in, maxInput))
	}
	line, err := c.answers.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	text := strings.TrimSpace(line)
	if text == "" {
		return "", fault.New(fault.Invalid, "%s is missing", missing)
	}
	return text, nil
}
