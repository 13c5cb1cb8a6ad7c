package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

// A problem is an error as programs read it: RFC 9457 and the fields the API
// uses, plus the exit code.
type problem struct {
	Type      string          `json:"type"`
	Title     string          `json:"title"`
	Detail    string          `json:"detail"`
	Code      string          `json:"code"`
	Retryable bool            `json:"retryable"`
	Next      string          `json:"next"`
	ExitCode  int             `json:"exit_code"`
	Cause     string          `json:"cause,omitempty"`
	Errors    config.Problems `json:"errors,omitempty"`
	Server    json.RawMessage `json:"server,omitempty"` // the server's own problem document, whole
}

// report tells whoever is asking why a command failed, always on the stream of
// talk, and always with what to try next.
func (c *cli) report(cmd *cobra.Command, args []string, err error) {
	if _, told := errors.AsType[verdict](err); told {
		return
	}
	p := describe(err)
	if p.Next == "" {
		p.Next = nextCommand(cmd, args, fault.KindOf(err))
	}
	if c.jsonErrors {
		e := json.NewEncoder(c.talk)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		_ = e.Encode(p) // nobody is left to tell
		return
	}
	fmt.Fprintf(c.talk, "gavel: %s\n", output.Clean(p.Detail))
	for _, one := range p.Errors {
		fmt.Fprintf(c.talk, "  %s\n", output.Clean(config.Problems{one}.Error()))
	}
	if p.Cause != "" {
		fmt.Fprintf(c.talk, "because: %s\n", output.Clean(p.Cause))
	}
	if server, ok := errors.AsType[*client.Problem](err); ok && server.RequestID != "" {
		fmt.Fprintf(c.talk, "request: %s\n", output.Clean(server.RequestID))
	}
	fmt.Fprintf(c.talk, "next: %s\n", output.Clean(p.Next))
}

// describe says an error. The terminal is the operator's own log, so the cause
// of a local failure is shown; what the server withheld stays withheld.
func describe(err error) problem {
	if errors.Is(err, errInterrupted) || errors.Is(err, errTerminated) {
		return problem{Type: "urn:gavel:problem:interrupted", Title: "Interrupted.", Detail: "interrupted", Code: "interrupted",
			Retryable: true, Next: "run the same command again", ExitCode: exitInterrupted}
	}
	kind := fault.KindOf(err)
	p := problem{Type: "urn:gavel:problem:" + kind.Code(), Title: kind.Sentence(), Code: kind.Code(),
		Retryable: kind.Retryable(), ExitCode: exitCode(err)}
	p.Detail, p.Next = fault.Words(err)
	if server, ok := errors.AsType[*client.Problem](err); ok {
		p.Server = server.Raw
		return p
	}
	if found, ok := errors.AsType[config.Problems](err); ok {
		p.Errors = found
		return p
	}
	if kind == fault.Internal {
		p.Next = ""
	}
	if chain := err.Error(); chain != p.Detail {
		p.Cause = strings.TrimPrefix(chain, p.Detail+": ")
	}
	return p
}

// nextCommand is what to try where the fault itself does not say.
func nextCommand(cmd *cobra.Command, args []string, kind fault.Kind) string {
	noun := nounOf(cmd)
	switch kind {
	case fault.Invalid, fault.TooLarge:
		return cmd.CommandPath() + " --help"
	case fault.NotFound:
		return "gavel " + noun + " list"
	case fault.SignIn:
		return "gavel login; or set GAVEL_TOKEN to a token of yours"
	case fault.Refused:
		return "ask someone whose role allows it; gavel help exit-codes"
	case fault.Conflict, fault.Stale, fault.Unconfirmed:
		if len(args) > 0 && slices.Contains([]string{"case", "run", "proposal"}, noun) {
			return "gavel " + noun + " show " + args[0]
		}
		return "gavel " + noun + " list"
	case fault.Internal, fault.TooMany, fault.Unavailable:
		return "gavel doctor"
	}
	return "gavel doctor"
}

// nounOf is what a command is about, as the nouns of the command line go.
func nounOf(cmd *cobra.Command) string {
	if cmd.HasParent() && cmd.Parent().HasParent() {
		if noun := cmd.Parent().Name(); slices.ContainsFunc(cmd.Parent().Commands(),
			func(sub *cobra.Command) bool { return sub.Name() == "list" }) {
			return noun
		}
	}
	if slices.Contains([]string{"inbox", "approve", "reject", "send-back", "undo"}, cmd.Name()) {
		return "proposal"
	}
	return "case"
}
