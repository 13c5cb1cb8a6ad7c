package program

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// maxArgs is the most that a file of arguments may hold, in bytes.
const maxArgs = 256 << 10

func (c *cli) policyExplainCommand() *cobra.Command {
	var why client.Why
	var args string
	cmd := &cobra.Command{
		Use:   "explain <act or tool>",
		Short: "Say why somebody may or may not do something",
		Long: `Say why somebody may or may not do something. It prints the policies that decide, with
their file, line and text. If none permits it, it prints those that come nearest.

An act is one of those in gavel policy table, a tool is named app.tool. Without
--role, --person or --scope it is asked about you. Nothing is done.`,
		Example: `  gavel policy explain case.close --role analyst
  gavel policy explain poolpatrol.cancel_rides --role programme_manager --args '{"rides":7}'
  gavel policy explain audit.read --scope read:audit`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, what []string) error {
			why.What = what[0]
			var err error
			if why.Args, err = c.jsonArgs(args); err != nil {
				return err
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			found, err := server.Explain(cmd.Context(), why)
			if err != nil {
				return err
			}
			return c.printExplanation(found)
		},
	}
	f := cmd.Flags()
	f.StringVar(&why.Role, "role", "", "of whoever would do it")
	f.StringVar(&why.Person, "person", "", "id of somebody of your organisation")
	f.StringSliceVar(&why.Scopes, "scope", nil, "of a machine's token; may be given again")
	f.StringVar(&args, "args", "", "the tool's arguments as a JSON object; @FILE reads a file, @- what is piped in")
	f.StringVar(&why.Case, "case", "", "id of the case it is about")
	f.BoolVar(&why.Tainted, "tainted", false, "as if text from outside had been read")
	cmd.MarkFlagsMutuallyExclusive("role", "person", "scope")
	return c.talksToServer(cmd)
}

// jsonArgs reads the arguments of a tool; nil for none.
func (c *cli) jsonArgs(text string) (json.RawMessage, error) {
	if name, file := strings.CutPrefix(text, "@"); file {
		in := c.in
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, fault.From(fault.Invalid, err, "--args: %s cannot be read", name)
			}
			defer f.Close()
			in = f
		}
		read, err := io.ReadAll(io.LimitReader(in, maxArgs+1))
		if err != nil || len(read) > maxArgs {
			return nil, fault.New(fault.TooLarge, "--args: over %d bytes, or they cannot be read", maxArgs)
		}
		text = string(read)
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		return nil, fault.New(fault.Invalid, "--args is no JSON object")
	}
	return json.RawMessage(text), nil
}

func (c *cli) printExplanation(e policy.Explanation) error {
	if !c.print.ForPeople() {
		return output.One(c.print, e, []output.Column[policy.Explanation]{
			{Field: "what", Value: func(e policy.Explanation) any { return e.What }},
			{Field: "word", Value: func(e policy.Explanation) any { return string(e.Word) }},
			{Field: "because", Value: func(e policy.Explanation) any { return ids(e.Because) }},
			{Field: "nearest", Value: func(e policy.Explanation) any { return ids(e.Nearest) }},
		})
	}
	fmt.Fprintf(c.out, "%s: %s\n", e.What, e.Word)
	for _, line := range e.Before {
		fmt.Fprintf(c.out, "  %s\n", line)
	}
	for _, line := range e.Errors {
		fmt.Fprintf(c.out, "  could not be evaluated: %s\n", line)
	}
	c.printStated("decided by", e.Because)
	if len(e.Because) == 0 && len(e.Before) == 0 {
		fmt.Fprintln(c.out, "  "+policy.NoPermit)
	}
	c.printStated("nearest", e.Nearest)
	c.print.Say("policies %.12s", e.Digest)
	return nil
}

func ids(all []policy.Stated) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.ID
	}
	return strings.Join(out, " ")
}

func (c *cli) printStated(head string, all []policy.Stated) {
	for _, s := range all {
		fmt.Fprintf(c.out, "\n%s %s/%s:%d  %s (%s)\n", head, s.Set, s.File, s.Line, s.ID, s.Says)
		for line := range strings.Lines(s.Text) {
			fmt.Fprintf(c.out, "    %s\n", strings.TrimRight(line, "\n"))
		}
	}
}
