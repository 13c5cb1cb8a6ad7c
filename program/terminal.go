package program

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/program/output"
)

// forApps is this program as an application's command sees it.
func (c *cli) forApps() platform.Terminal {
	return platform.Terminal{
		Uses: c.usesServer, Silent: c.printsNothing, Writes: c.writesFile, Call: c.callFor,
		List: func(items []json.RawMessage, none string, columns ...platform.Column) error {
			return output.List(c.print, items, none, printed(columns))
		},
		One: func(item json.RawMessage, columns ...platform.Column) error {
			return output.One(c.print, item, printed(columns))
		},
		JSON: func() bool { return c.print.Format.Whole() },
		Say:  func(format string, args ...any) { c.print.Say(format, args...) }, Progress: c.progress, Sure: c.sure, Wait: lookAgain,
		Printer: c.printerFor, Now: time.Now, Version: buildOf().Version, Problems: verdict(exitProblems),
	}
}

// writesFile gives a command an --output that names a file. The flag of every command that
// has this name is then called --format, and -o as it is everywhere.
func (c *cli) writesFile(cmd *cobra.Command, file *string, words string) *cobra.Command {
	cmd.Flags().StringVar(file, "output", "", words)
	cmd.Flags().StringVarP(&c.format, formatFlag, "o", string(output.Table), "form of output: "+strings.Join(output.Formats(), ", "))
	c.completesFlag(cmd, formatFlag, cobra.FixedCompletions(output.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// formatFlag says the form of output where --output is something else.
const formatFlag = "format"

// usesServer is talksToServer for a command that some flags let do without one.
func (c *cli) usesServer(cmd *cobra.Command, unless ...string) *cobra.Command {
	c.alone[cmd] = unless
	return c.talksToServer(cmd)
}

// printsNothing declares that a command of an application prints no data.
func (c *cli) printsNothing(cmd *cobra.Command) *cobra.Command {
	c.silent[cmd] = true
	return cmd
}

// lookEvery is how often a command looks at long work it waits for.
const lookEvery = 500 * time.Millisecond

// callFor sends a request and decodes the answer.
func (c *cli) callFor(ctx context.Context, method, path string, in, out any) error {
	server, err := c.server()
	if err != nil {
		return err
	}
	err = server.Do(ctx, method, path, in, out)
	c.print.Zone = server.Zone()
	return err
}

// sure asks a person to say yes.
func (c *cli) sure(question, instead string) (bool, error) {
	answer, err := c.ask(question+" (yes or no)", instead)
	return strings.EqualFold(answer, "yes") || strings.EqualFold(answer, "y"), err
}

// lookAgain passes the time between two looks.
func lookAgain(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(lookEvery):
		return nil
	}
}

// printed are columns as they are printed.
func printed(columns []platform.Column) []output.Column[json.RawMessage] {
	all := make([]output.Column[json.RawMessage], len(columns))
	for i, c := range columns {
		all[i] = output.Column[json.RawMessage]{Head: c.Head, Field: c.Field, Time: c.Time,
			Value: func(item json.RawMessage) any { return valueOf(item, c) }}
	}
	return all
}

func valueOf(item json.RawMessage, c platform.Column) any {
	text := output.Text(item, c.Field)
	var words []string
	switch {
	case text == "{}":
		return ""
	case json.Unmarshal([]byte(text), &words) == nil:
		return strings.Join(words, ", ")
	case !c.Time:
		return text
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return (*time.Time)(nil)
	}
	return at
}

// appCommands are the commands the applications bring.
func (c *cli) appCommands() []*cobra.Command {
	var all []*cobra.Command
	for _, a := range c.apps {
		if a.Commands != nil {
			all = append(all, a.Commands(c.forApps())...)
		}
	}
	return all
}
